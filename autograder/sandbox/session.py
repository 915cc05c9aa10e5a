"""Worker session: calls into a submission, and their results."""

from collections.abc import Callable, Sequence
from typing import Any

from autograder.course.course_file import Library, Limits
from autograder.course.text import one_line
from autograder.report.model import CauseCode
from autograder.sandbox.child import Children, Place
from autograder.sandbox.problems import (
    Crashed,
    NotWritten,
    Raised,
    StudentProblem,
    about_sibling,
    from_worker,
    missing,
    where,
)
from autograder.sandbox.process import AnswerTo, handle_in
from autograder.sandbox.workers import Workers
from autograder.submission.code import find_assignment, replaced
from autograder.submission.source import Source
from autograder.worker.codec import Handle
from autograder.worker.messages import Callback, CodePlace, Reply, Request, Unit

MAKE_SECONDS = 60.0

Note = Callable[[list[Any], dict[str, Any]], None]


class Peer(Workers):
    """Process that runs the course's functions. It has a separate time budget.

    The student's code can call the functions, but cannot see their source. The process starts at
    the first call. If it has ended, the next call starts it again.
    """

    def __init__(self, children: Children, library: Library, limits: Limits) -> None:
        super().__init__(Source("course", "course", ()), library, limits, children)
        self._modules: dict[str, int] = {}  # from a text to its module in the process

    def call(self, text: str, name: str, ask: Callback) -> Reply:
        """Call the function `name` of the source `text` with the arguments of `ask`."""
        if not self.running:
            self._modules.clear()
        if text not in self._modules:
            made = self._reply_to(Request("define", "course", units=[Unit("course", text)]))
            self._modules[text] = handle_in(made).number
        return self._reply_to(Request("carry", name, ask.args, ask.kwargs, on=self._modules[text]))

    def _reply_to(self, request: Request) -> Reply:
        self.budget.check_call(request.target)
        reply = self.reply_to(self, "course", request, self.limits.call_seconds)
        if reply.problem is not None:
            raise from_worker(reply.problem, request.target)
        return reply


class CourseFunction:
    """Function of the course that a submission's code calls. `note` gets each call's arguments."""

    def __init__(self, peer: Peer, text: str, name: str, note: Note | None = None) -> None:
        self.peer = peer
        self.text = text
        self.name = name
        self.note = note

    def answer(self, ask: Callback) -> Request:
        if self.note is not None:
            self.note(ask.args, ask.kwargs)
        try:
            return Request("answer", "", self.peer.call(self.text, self.name, ask).value)
        except Raised as error:
            return Request("answer", error.type or "RuntimeError", [error.message])
        except StudentProblem:
            return Request("answer", "RuntimeError", ["the call did not come to an end"])


def answers_by(functions: Sequence[CourseFunction]) -> AnswerTo | None:
    """Return a function that carries out calls of these functions, or None without functions."""

    def answer(ask: Callback) -> Request:
        if not 1 <= ask.number <= len(functions):
            return Request("answer", "LookupError", ["there is no such function"])
        return functions[ask.number - 1].answer(ask)

    return answer if functions else None


class WorkerSession:
    """Session with a submission, for calls in one of the processes of `workers`.

    All sessions of a submission share processes, values, and `shared`, a dict for data of the
    checks. Printed text is kept only if `is_heard` is true. `is_heard` is false in a hidden check,
    and while code of the course runs in the same process. `has_printed` is true if the last call
    printed something.
    """

    def __init__(
        self, workers: Workers, place: Place = "first", first: "WorkerSession | None" = None
    ) -> None:
        self.workers = workers
        self.place: Place = place
        self.is_heard = first is None
        self.has_printed = False
        self.shared: dict[Any, Any] = {} if first is None else first.shared
        self._values: dict[str, Any] = {} if first is None else first._values

    def fresh(self, place: Place = "first") -> "WorkerSession":
        """Return a session in a new process, which has loaded the source and called nothing."""
        return WorkerSession(self.workers, place, self)

    @property
    def source(self) -> Source:
        return self.workers.source

    def ask(self, request: Request, functions: Sequence[CourseFunction] = ()) -> Reply:
        """Return the reply to a request. If the call returned no value, raise a StudentProblem.

        `functions` are functions of the course among the arguments. In the request, the handles -1,
        -2 and so on stand for these functions.
        """
        workers, source = self.workers, self.source
        subject = request.target or "the call"
        workers.budget.check_call(subject)
        reply = workers.reply_to(
            self, self.place, request, workers.limits.call_seconds, answers_by(functions)
        )
        self.note_printed(reply)
        problem = reply.problem
        if problem is None:
            return reply
        if problem.kind != "missing":
            sibling = about_sibling(problem, subject, source, workers.exercises)
            error = sibling or from_worker(problem, subject, request.operation != "get")
            stub = error.place if error.code == "not_written" else None
            raise error if stub is None else self.not_written(subject, stub)
        name = one_line(problem.message, 80)
        set_at = find_assignment(source.units, name)
        raise missing(name, source.label, problem.names, workers.load_problems, set_at)

    def not_written(self, subject: str, stub: CodePlace) -> NotWritten:
        """Return the problem of a call that reached `stub`, which raises NotImplementedError."""
        code: CauseCode = "raise_left_in" if self.workers.has_code(stub) else "not_written"
        twice, message = replaced(self.source.units, stub), ""
        if twice is not None:
            (stub, first), subject = twice, twice[0].function
            code, message = "defined_twice", where(first)
        return NotWritten(code, subject, message, stub, "NotImplementedError")

    def note_printed(self, reply: Reply) -> None:
        """Keep a call's printed text if reports may show it."""
        self.has_printed = bool(reply.printed)
        if self.is_heard:
            self.workers.note_printed(reply.printed)

    def value(self, name: str) -> Any:
        """Return the value of a module-level name. The value is read once for all checks."""
        if name not in self._values:
            try:
                self._values[name] = self.ask(Request("get", name)).value
            except StudentProblem as problem:
                self._values[name] = problem
        value = self._values[name]
        if isinstance(value, StudentProblem):
            raise value
        return value

    def course_function(self, text: str, name: str, note: Note | None = None) -> CourseFunction:
        """Return the function `name` of the course's source `text` in another process."""
        workers = self.workers
        if not isinstance(workers.peer, Peer):
            workers.peer = Peer(workers.children, workers.library, workers.limits)
        return CourseFunction(workers.peer, text, name, note)

    def make(self, target: str, *args: Any) -> Handle:
        """Make a library object in the worker, for example with `numpy.random.default_rng`."""
        return self._kept(Request("make", target, list(args), keep=True), target)

    def define(self, name: str, text: str) -> Handle:
        """Run the course's `text` in the worker, as a module next to the student's module."""
        self.is_heard = False
        request = Request("define", name, units=[Unit(name, text)], keep=True)
        return self._kept(request, "the course's part")

    def _kept(self, request: Request, what: str) -> Handle:
        reply = self.workers.reply_to(self, self.place, request, MAKE_SECONDS)
        if reply.problem is not None:
            message = one_line(f"{reply.problem.type}: {reply.problem.message}", 200)
            raise Crashed("not_made", f"{what[:1].upper()}{what[1:]}", message)
        return handle_in(reply)

    def close(self) -> None:
        self.workers.close()
