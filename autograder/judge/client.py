"""One submission's worker, through its whole life: loading, calling, dying, starting again."""

import time
from typing import Any

from autograder.course import Library, Limits
from autograder.judge import problems
from autograder.judge.child import Child, Children, GraderTrouble
from autograder.judge.process import DeadlinePassed, WorkerGone, WorkerProcess
from autograder.submission.source import Source
from autograder.text import number, one_line
from autograder.worker.codec import Handle
from autograder.worker.messages import Problem, Reply, Request, Unit

MAX_TIMEOUTS = 2
SIGKILL = 9
MAX_PRINTED = 2000


class KilledFromOutside(GraderTrouble):
    """The process was ended by SIGKILL, but not by us: by the system, say, short of memory."""

    killed = True


class Client:
    """Calls into a student's source. Loads it on the first call, and again after a death.

    A function that ran out of time twice is not called a third time, and all calls together
    have the course's `total_seconds`; so the time that a submission can cost has a limit.
    """

    def __init__(
        self,
        source: Source,
        library: Library,
        limits: Limits,
        children: Children,
        last_try: bool = True,
    ) -> None:
        self.source = source
        self.limits = limits
        self.library: Library = library
        self.children = children
        self.last_try = last_try
        self.load_problems: list[Problem] = []
        self.printed = ""
        self._worker: WorkerProcess | None = None
        self._failed_load: problems.StudentProblem | None = None
        self._timeouts: dict[str, int] = {}
        self._spent = 0.0

    def ask(self, request: Request) -> Reply:
        """The reply to a call, if it holds a value.

        Raises:
            StudentProblem: it does not, and why.
        """
        __tracebackhide__ = True
        subject = request.target or "the call"
        if self._timeouts.get(subject, 0) >= MAX_TIMEOUTS:
            raise problems.TimedOut(
                f"{subject} ran out of time {MAX_TIMEOUTS} times, so it was not called again."
            )
        worker = self._loaded()
        try:
            reply = self._exchange(worker, request, self.limits.call_seconds)
        except DeadlinePassed:
            self._worker = None
            self._timeouts[subject] = self._timeouts.get(subject, 0) + 1
            raise problems.TimedOut(
                f"{subject} did not finish within {number(self.limits.call_seconds)} seconds. "
                f"Is there a loop in it that never ends?"
            ) from None
        except WorkerGone as gone:
            self._worker = None
            self._believe(gone)
            raise problems.Crashed(f"While {subject} ran, the process ended: {gone}.") from None
        self._note_printed(reply.printed)
        if reply.problem is not None:
            raise self._problem(reply.problem, subject)
        return reply

    def _problem(self, problem: Problem, subject: str) -> problems.StudentProblem:
        if problem.kind == "missing":
            return problems.missing(
                one_line(problem.message, 80),
                self.source.label,
                problem.names,
                problems.why_missing(self.load_problems),
            )
        return problems.from_worker(problem, subject)

    def make(self, target: str, *args: Any) -> Handle:
        """An object of a library, made and kept in the worker: `numpy.random.default_rng`, say."""
        worker = self._loaded()
        reply = self._exchange(worker, Request("make", target, list(args)), 60.0)
        if reply.problem is not None:
            raise RuntimeError(f"{target} could not be made: {reply.problem.message}")
        if not isinstance(reply.value, Handle):
            raise problems.Crashed("The process gave an answer that is not one of ours.")
        return reply.value

    def define(self, name: str, text: str) -> Handle:
        """A text of the course's, run in the worker beside the student's module, and kept there."""
        worker = self._loaded()
        reply = self._exchange(worker, Request("define", name, units=[Unit(name, text)]), 60.0)
        if reply.problem is not None:
            said = one_line(f"{reply.problem.type}: {reply.problem.message}", 200)
            raise problems.Crashed(
                f"The grader's own part could not run beside the submission ({said})."
            )
        if not isinstance(reply.value, Handle):
            raise problems.Crashed("The process gave an answer that is not one of ours.")
        return reply.value

    def _believe(self, gone: WorkerGone) -> None:
        """A first SIGKILL may have come from outside; the whole submission is then tried again."""
        if gone.code == -SIGKILL and not self.last_try:
            raise KilledFromOutside(str(gone))

    def close(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    def _loaded(self) -> WorkerProcess:
        __tracebackhide__ = True
        if self._failed_load is not None:
            raise self._failed_load
        if self._worker is None:
            self._worker = WorkerProcess(self._child())
            try:
                self._load(self._worker)
            except problems.StudentProblem as problem:
                self._failed_load = problem
                self.close()
                raise
        return self._worker

    def _child(self) -> Child:
        return self.children.take(self.library, self.limits, self.source.mentions("matplotlib"))

    def _load(self, worker: WorkerProcess) -> None:
        __tracebackhide__ = True
        request = Request(
            "load",
            self.source.name,
            units=list(self.source.units),
            helpers=self.source.helpers,
        )
        seconds = self.limits.load_seconds
        try:
            reply = self._exchange(worker, request, seconds)
        except DeadlinePassed:
            raise problems.TimedOut(
                f"{self.source.label} did not finish loading within {number(seconds)} seconds: "
                f"something at its top level, outside every function, runs too long."
            ) from None
        except WorkerGone as gone:
            self._believe(gone)
            raise problems.Crashed(
                f"While {self.source.label} was loading, the process ended: {gone}."
            ) from None
        self.load_problems = reply.problems
        self._note_printed(reply.printed)
        names = reply.value if isinstance(reply.value, list) else []
        if not names and reply.problems:
            first = problems.from_worker(reply.problems[0], self.source.label)
            raise problems.NotLoaded(first.finding, first.place)

    def _exchange(self, worker: WorkerProcess, request: Request, seconds: float) -> Reply:
        __tracebackhide__ = True
        left = self.limits.total_seconds - self._spent
        if left <= 0:
            raise problems.TimedOut(
                f"The submission had used up its {number(self.limits.total_seconds)} seconds "
                f"before this check."
            )
        start = time.monotonic()
        try:
            return worker.exchange(request, min(seconds, left))
        finally:
            self._spent += time.monotonic() - start

    def _note_printed(self, text: str) -> None:
        if len(self.printed) < MAX_PRINTED:
            self.printed += text[: MAX_PRINTED - len(self.printed) + 1]
