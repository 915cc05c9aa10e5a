"""Worker processes of a submission: their start, source, time limit and end."""

from collections import deque
from collections.abc import Callable, Collection
from importlib.util import find_spec
from typing import Any

from autograder.course.course_file import Library, Limits
from autograder.course.installation import is_off
from autograder.course.text import number
from autograder.sandbox.child import Cancelled, ChildKind, Children, InternalError, Place
from autograder.sandbox.connection import Deadline
from autograder.sandbox.problems import Crashed, NotLoaded, StudentProblem, TimedOut, from_worker
from autograder.sandbox.process import AnswerTo, DeadlinePassed, WorkerGone, WorkerProcess
from autograder.sandbox.spawn import slow_modules
from autograder.submission.code import find_loop
from autograder.submission.source import Source
from autograder.worker.messages import CodePlace, Problem, Reply, Request

SIGKILL = 9
MAX_PRINTED = 2000
MAX_TIMEOUTS = 2
MAX_CALLS = 200


class Budget:
    """Time that a submission has used in all its processes, and the limits on this time.

    A function that timed out twice is not called again. The first load of the file and all calls
    together may use the course's `total_seconds`. All later loads together may use the same time
    again. `is_in_doubt` is true if a process ended without a reply. A busy machine can be the
    reason, so the submission is graded again while no other submission runs.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.is_in_doubt = False
        self.is_cancelled = False
        self.on_calls = 0.0  # seconds that the calls and the first load have used
        self.on_reloads = 0.0
        self._timeouts: dict[str, int] = {}

    @property
    def spent(self) -> float:
        return self.on_calls + self.on_reloads

    def check_call(self, subject: str) -> None:
        self.check_cancelled()
        if self._timeouts.get(subject, 0) >= MAX_TIMEOUTS:
            raise TimedOut("not_called_again", subject, str(MAX_TIMEOUTS))

    def check_cancelled(self) -> None:
        if self.is_cancelled:
            raise Cancelled("The grading was cancelled.")

    def note_timeout(self, subject: str) -> None:
        self.is_in_doubt = True
        self._timeouts[subject] = self._timeouts.get(subject, 0) + 1

    def timed_exchange(
        self,
        worker: WorkerProcess,
        request: Request,
        seconds: float,
        answer: AnswerTo | None = None,
        reload: bool = False,
    ) -> Reply:
        """Return the reply to a request, count its time, or raise `TimedOut` or `WorkerGone`."""
        left = self.limits.total_seconds - (self.on_reloads if reload else self.on_calls)
        if left <= 0:
            self.is_in_doubt = True
            raise TimedOut("no_time_left", message=number(self.limits.total_seconds))
        deadline = Deadline(min(seconds, left), worker.child.clock)
        try:
            return worker.exchange(request, deadline, answer)
        finally:
            if reload:
                self.on_reloads += deadline.used()
            else:
                self.on_calls += deadline.used()


class Workers:
    """Processes of a submission.

    Each place has at most one process, which one session uses. If another session needs the place,
    `Workers` ends the process. With `last_try`, a process that was killed from outside counts as a
    crash of the submission. A student's file may import the `exercises` of the course. `has_code`
    returns True if the student has written code around a place. `calls` has the newest calls of
    the process in the place "first".
    """

    def __init__(
        self,
        source: Source,
        library: Library,
        limits: Limits,
        children: Children,
        last_try: bool = True,
        exercises: Collection[str] = (),
    ) -> None:
        self.source = source
        self.exercises = exercises
        self.has_code: Callable[[CodePlace], bool] = lambda _: False
        self.library: Library = library
        self.limits = limits
        self.children = children
        self.last_try = last_try
        self.budget = Budget(limits)
        self.peer: Workers | None = None  # the processes of the course's functions
        self.load_problems: list[Problem] = []
        self.calls: deque[Any] = deque(maxlen=MAX_CALLS)
        self.printed = ""
        self.max_printed = MAX_PRINTED
        self._has_loaded = False
        self._code = b""  # the compiled source, which only the submission's processes read
        self._failed_load: StudentProblem | None = None
        self._held: dict[Place, tuple[object, WorkerProcess]] = {}  # (its session, process)

    def reply_to(
        self,
        session: object,
        place: Place,
        request: Request,
        seconds: float,
        answer: AnswerTo | None = None,
    ) -> Reply:
        """Return the reply of the session's process, or raise `StudentProblem` if there is none.

        If something killed the process, and this is not the last try, raise `InternalError`.
        """
        return self._exchange(self.process(session, place), request, seconds, answer)

    def process(self, session: object, place: Place) -> WorkerProcess:
        """Return the session's process in a place, with the submission loaded."""
        if self._failed_load is not None:
            raise self._failed_load
        user, worker = self._held.get(place, (None, None))
        if worker is not None and user is session:
            return worker
        self.end(place)
        worker = self.start(session, place)
        self._held[place] = session, worker
        self.calls = self.calls if place != "first" else deque(maxlen=MAX_CALLS)
        try:
            self._load(worker)
        except StudentProblem as problem:
            self._failed_load = problem
            self.end(place)
            raise
        return worker

    def start(self, session: object, place: Place) -> WorkerProcess:  # noqa: ARG002
        library = self.library
        if self.source.imports("torch") and find_spec("torch"):  # else that line reports it
            library = "torch"
        also = slow_modules(self.source.mentions)
        return WorkerProcess(self.children.take(ChildKind(library, self.limits, also, place)))

    def _load(self, worker: WorkerProcess) -> None:
        units, helpers = list(self.source.units), self.source.helpers
        request = Request("load", self.source.name, units=units, helpers=helpers, code=self._code)
        reply = self._exchange(worker, request, self.limits.load_seconds, reload=self._has_loaded)
        if not self._has_loaded:
            self._has_loaded = True
            self.load_problems = reply.problems
            self._code = b"" if is_off("compiled_once") else reply.code
            self.note_printed(reply.printed)
        if not reply.value and reply.problems:
            cause = from_worker(reply.problems[0], self.source.label)
            raise NotLoaded(cause.code, cause.subject, cause.message, cause.place, cause.type)

    def _exchange(
        self,
        worker: WorkerProcess,
        request: Request,
        seconds: float,
        answer: AnswerTo | None = None,
        reload: bool = False,
    ) -> Reply:
        try:
            return self.budget.timed_exchange(worker, request, seconds, answer, reload)
        except WorkerGone as gone:
            self._held = {p: held for p, held in self._held.items() if held[1] is not worker}
            self.budget.check_cancelled()
            self.budget.is_in_doubt = True
            if gone.code == -SIGKILL and not self.last_try:
                raise InternalError(str(gone), killed=True) from None
            raise self._no_answer(request, gone, seconds) from None

    def _no_answer(self, request: Request, gone: WorkerGone, seconds: float) -> StudentProblem:
        if request.operation in {"make", "define"}:
            made = "the course's part" if request.operation == "define" else request.target
            return Crashed("make_crashed", made, str(gone))
        is_load = request.operation == "load"
        subject = self.source.label if is_load else request.target or "the call"
        if not isinstance(gone, DeadlinePassed):
            return Crashed("load_crashed" if is_load else "crashed", subject, str(gone))
        if not is_load:
            self.budget.note_timeout(subject)
        loop = find_loop(self.source.units, gone.lines)
        return TimedOut(
            "load_timed_out" if is_load else "timed_out", subject, number(seconds), loop
        )

    def note_printed(self, text: str) -> None:
        """Keep `max_printed` characters of printed text, and one more if there are more."""
        if len(self.printed) < self.max_printed:
            self.printed += text[: self.max_printed - len(self.printed) + 1]

    @property
    def running(self) -> list[WorkerProcess]:
        return [worker for _, worker in list(self._held.values())]

    def cancel(self) -> None:
        """Cancel the submission, from any thread. All requests then raise `Cancelled`.

        The call must be repeated, because it does not end a process that is just starting.
        """
        self.budget.is_cancelled = True
        for worker in self.running:
            worker.child.kill()

    def end(self, place: Place) -> None:
        """End the process in a place. The next request starts a new process."""
        if place in self._held:
            self.let_go(self._held.pop(place)[1])

    def let_go(self, worker: WorkerProcess) -> None:
        """End a process without sessions."""
        worker.end()

    def close(self) -> None:
        for place in list(self._held):
            self.end(place)
        if self.peer is not None:
            self.budget.is_in_doubt = self.budget.is_in_doubt or self.peer.budget.is_in_doubt
            self.peer.close()
            self.peer = None
