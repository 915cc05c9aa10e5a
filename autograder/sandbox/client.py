"""Calls into a submission, and what comes of them."""

from typing import Any, Protocol

import msgspec

from autograder.sandbox import problems
from autograder.sandbox.child import Place
from autograder.sandbox.life import Life
from autograder.sandbox.process import AnswerTo, DeadlinePassed, WorkerGone
from autograder.submission.where_set import where_set
from autograder.text import number, one_line
from autograder.worker.codec import Handle
from autograder.worker.messages import Callback, Problem, Reply, Request, Unit

MAKE_SECONDS = 60.0


class Answerer(Protocol):
    """What the student's code may ask for while a call runs."""

    def answer(self, ask: Callback) -> Request:
        """What there is to be said to a question, which the judge carries."""

    def tickets(self, client: "Client") -> list[int]:
        """By what it is had without the judge; empty where that cannot be."""


class Client(Life):
    """Calls into a student's source. Loads it on the first call, and again after a death.

    `fresh` is the same submission in a process in which nothing has run but its loading. In each
    place a submission has one process at a time: the client that is asked next ends the other's.
    What is printed where `heard` is false is never shown: beside code of the course's, or for a
    hidden check. `spoke` says whether the last call printed something.
    """

    heard = True
    spoke = False

    def fresh(self, place: Place = "first") -> "Client":
        """The same submission in another process; what it prints there is not shown."""
        fresh = Client(
            self.source,
            self.library,
            self.limits,
            self.children,
            self.last_try,
            self.ledger,
            place,
        )
        fresh.heard = False
        return fresh

    @property
    def printed(self) -> str:
        return self.ledger.printed

    @property
    def load_problems(self) -> list[Problem]:
        return self.ledger.load_problems or []

    def ask(self, request: Request, asked: Answerer | None = None) -> Reply:
        """The reply to a call, if it holds a value; `asked` is for what it asks for meanwhile.

        Raises:
            StudentProblem: it does not, and why.
        """
        __tracebackhide__ = True
        subject = request.target or "the call"
        self.ledger.may_call(subject)
        if request.operation != "get" or request.keep or "." in request.target:
            target = "" if request.on else request.target
            self.ledger.proof.called(target, [*request.args, *request.kwargs.values()])
        if asked is not None and self._may_have_line():
            request = msgspec.structs.replace(request, together=asked.tickets(self))
        noted = None if asked is None else self._noted(asked)
        spent = self.ledger.spent_on_calls
        try:
            reply = self._in_process(request, self.limits.call_seconds, noted)
        except WorkerGone as gone:
            self._gone()
            if request.together:  # what it waited for was not its own doing: the judge takes part
                self.ledger.come_apart(spent)
                return self.ask(msgspec.structs.replace(request, together=[]), asked)
            if not isinstance(gone, DeadlinePassed):
                self._believe(gone)
                raise problems.Crashed(f"While {subject} ran, the process ended: {gone}.") from None
            self.ledger.timed_out(subject)
            raise problems.TimedOut(
                f"{subject} did not finish within {number(self.limits.call_seconds)} seconds. "
                f"Is there a loop in it that never ends?"
            ) from None
        self._note_printed(reply)
        if reply.problem is not None:
            raise self._problem(reply.problem, subject)
        return reply

    def _noted(self, asked: Answerer) -> AnswerTo:
        def noted(ask: Callback) -> Request:
            answered = asked.answer(ask)
            if not answered.target:  # the new states of generators are nothing that code can read
                self.ledger.proof.answered(answered.args[:1])
            return answered

        return noted

    def _in_process(
        self, request: Request, seconds: float, answer: AnswerTo | None = None
    ) -> Reply:
        """The process' reply; one that was used before is made as after its load first."""
        __tracebackhide__ = True
        if self.process().is_used:
            reply = self._renewed_first(request, seconds, answer)
            if reply is not None:
                return reply
            request = msgspec.structs.replace(request, together=[])
        worker = self.process()
        worker.has_kept = worker.has_kept or request.keep
        return self._exchange(worker, request, seconds, answer)

    def _renewed_first(
        self, request: Request, seconds: float, answer: AnswerTo | None
    ) -> Reply | None:
        """The reply of a used process, made as after its load; None if it cannot be, and ended."""
        __tracebackhide__ = True
        worker, renewed = self.process(), msgspec.structs.replace(request, renewed=True)
        try:
            reply = self._exchange(worker, renewed, seconds, answer)
        except WorkerGone as gone:
            if request.together or isinstance(gone, DeadlinePassed):
                raise
            self._gone()  # also one that was ended since it was used last
            return None
        if reply.stale:
            self.rest()
            return None
        worker.is_used, worker.has_kept = False, request.keep
        return reply

    def value(self, name: str) -> Any:
        """The value of a module-level name, read once for all checks: it cannot change between."""
        __tracebackhide__ = True
        if name not in self.ledger.values:
            try:
                self.ledger.values[name] = self.ask(Request("get", name)).value
            except problems.StudentProblem as problem:
                self.ledger.values[name] = problem
        found = self.ledger.values[name]
        if isinstance(found, problems.StudentProblem):
            raise found
        return found

    def _problem(self, problem: Problem, subject: str) -> problems.StudentProblem:
        if problem.kind == "missing":
            name = one_line(problem.message, 80)
            set_at = where_set(self.source.units, name)
            file, names = self.source.label, problem.names
            return problems.missing(name, file, names, self.load_problems, set_at)
        return problems.from_worker(problem, subject)

    def make(self, target: str, *args: Any) -> Handle:
        """An object of a library, made and kept in the worker: `numpy.random.default_rng`, say."""
        __tracebackhide__ = True
        return self._kept(Request("make", target, list(args), keep=True), target)

    def define(self, name: str, text: str) -> Handle:
        """A text of the course's, run in the worker beside the student's module, and kept there."""
        __tracebackhide__ = True
        self.heard = False
        request = Request("define", name, units=[Unit(name, text)], keep=True)
        return self._kept(request, "the course's part")

    def _kept(self, request: Request, what: str) -> Handle:
        """What the worker made for the course; if it cannot, the submission is in the way."""
        __tracebackhide__ = True
        try:
            reply = self._in_process(request, MAKE_SECONDS)
        except WorkerGone as gone:
            self._gone()
            self._believe(gone)
            raise problems.Crashed(f"While {what} was made, the process ended: {gone}.") from None
        if reply.problem is not None:
            said = one_line(f"{reply.problem.type}: {reply.problem.message}", 200)
            raise problems.Crashed(
                f"{what[:1].upper()}{what[1:]} could not be made beside the submission "
                f"({said}). Has the file given one of a library's names another value?"
            )
        return handle_in(reply)

    def _note_printed(self, reply: Reply) -> None:
        self.spoke = bool(reply.printed)
        if self.heard:
            self.ledger.note_printed(reply.printed)


def handle_in(reply: Reply) -> Handle:
    """What a reply says is kept in the worker.

    Raises:
        Crashed: it says no such thing.
    """
    if not isinstance(reply.value, Handle) or reply.value.number < 0:
        raise problems.Crashed("The process gave an answer that is not one of ours.")
    return reply.value
