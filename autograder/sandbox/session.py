"""Calls into a submission, and what comes of them."""

import contextlib
import socket
from typing import Any, Protocol

import msgspec

from autograder.course.course_file import Library, Limits
from autograder.course.text import number, one_line
from autograder.sandbox import problems
from autograder.sandbox.budget import Budget
from autograder.sandbox.child import Child, Children, InternalError, NearItsMemory, Place
from autograder.sandbox.process import AnswerTo, DeadlinePassed, WorkerGone, WorkerProcess
from autograder.sandbox.spawn import also_warm
from autograder.submission.code import find_assignment
from autograder.submission.source import Source
from autograder.worker.codec import Handle
from autograder.worker.messages import Callback, Problem, Reply, Request, Unit

# A submission's process through its whole life: started, loaded, used again, ended.


SIGKILL = 9


class KilledFromOutside(InternalError):
    """The process was ended by SIGKILL, but not by us: by the system, say, short of memory."""

    killed = True


class _ProcessOwner:
    """A source in its process: there when it is asked for, also after a death.

    In each place a submission has one process at a time: who wants it next ends the other's, or
    has it, where it can be as it was after its load.
    """

    def __init__(
        self,
        source: Source,
        library: Library,
        limits: Limits,
        children: Children,
        last_try: bool = True,
        ledger: Budget | None = None,
        place: Place = "first",
    ) -> None:
        self.source = source
        self.limits = limits
        self.library: Library = library
        self.children = children
        self.last_try = last_try
        self.ledger = ledger or Budget(limits)
        self.place: Place = place
        self._worker: WorkerProcess | None = None

    def process(self) -> WorkerProcess:
        """The process, loaded.

        Raises:
            StudentProblem: the submission cannot be loaded.
        """
        __tracebackhide__ = True
        if self.ledger.failed_load is not None:
            raise self.ledger.failed_load
        if self._worker is None:
            before = self.ledger.alive.get(self.place)
            if before is not None:
                self._worker = self._renewed(before)
                self.ledger.alive[self.place] = self
        if self._worker is None:
            self._worker = self._process()
            self.ledger.alive[self.place] = self
            try:
                self._load(self._worker)
            except problems.StudentProblem as problem:
                self.ledger.failed_load = problem
                self.rest()
                raise
        return self._worker

    def _renewed(self, before: "_ProcessOwner") -> WorkerProcess | None:
        """Another client's process, if it is as after its load once what it is asked next says so.

        Its memory is looked at before; where that differs, once more after it was tidied up.
        """
        worker = before._worker
        if worker is not None and self.ledger.proof.keeps_nothing(self.source):
            has_room = worker.stayed_within(self.limits.memory_mb / 2)
            if has_room and (worker.is_as_loaded or self._tidied_up(worker)):
                before._worker, worker.has_kept = None, False
                worker.is_shared = worker.is_used = True
                return worker
        before.rest()
        return None

    def _tidied_up(self, worker: WorkerProcess) -> bool:
        try:
            self._exchange(worker, Request("renew", ""), self.limits.load_seconds, again=True)
        except WorkerGone:
            return False
        return worker.is_as_loaded

    def _process(self) -> WorkerProcess:
        """A new one; with one end of a line, where the course's functions may get the other."""
        if self.place != "first" or not self._may_have_line():
            return WorkerProcess(self._child())
        ours, theirs = socket.socketpair()
        with ours, contextlib.ExitStack() as until_it_has_it:
            until_it_has_it.enter_context(theirs)
            worker = WorkerProcess(self._child(ours.fileno()), theirs)
            until_it_has_it.pop_all()
        return worker

    def _child(self, side: int = -1) -> Child:
        library: Library = "torch" if self.source.imports("torch") else self.library
        also = also_warm(library, self.source.mentions)
        return self.children.take(library, self.limits, also, self.place, side)

    def _load(self, worker: WorkerProcess) -> None:
        __tracebackhide__ = True
        seconds = self.limits.load_seconds
        first = self.ledger.load_problems is None
        try:
            units = list(self.source.units) if first else self._compiled(worker)
            request = Request("load", self.source.name, units=units, helpers=self.source.helpers)
            reply = self._exchange(worker, request, seconds, again=not first)
        except DeadlinePassed:
            self.ledger.lost()
            raise problems.TimedOut(
                f"{self.source.label} did not finish loading within {number(seconds)} seconds: "
                f"something at its top level, outside every function, runs too long."
            ) from None
        except WorkerGone as gone:
            self._believe(gone)
            raise problems.Crashed(
                f"While {self.source.label} was loading, the process ended: {gone}."
            ) from None
        worker.is_loaded()
        if first:
            self.ledger.load_problems = reply.problems
            self.ledger.note_printed(reply.printed)
        names = reply.value if isinstance(reply.value, list) else []
        if not names and reply.problems:
            found = problems.from_worker(reply.problems[0], self.source.label)
            raise problems.NotLoaded(found.finding, found.place)

    def _compiled(self, worker: WorkerProcess) -> list[Unit]:
        """The units with their code, which a process is asked for before anything has run in it."""
        units, ledger = self.source.units, self.ledger
        if ledger.compiled is None:
            request = Request("compile", self.source.name, units=list(units))
            value = self._exchange(worker, request, self.limits.load_seconds, again=True).value
            is_code = isinstance(value, list) and all(isinstance(each, bytes) for each in value)
            ledger.compiled = value if is_code and len(value) == len(units) else [b""] * len(units)
        return [
            Unit(unit.label, unit.text, code)
            for unit, code in zip(units, ledger.compiled, strict=True)
        ]

    def _exchange(
        self,
        worker: WorkerProcess,
        request: Request,
        seconds: float,
        answer: AnswerTo | None = None,
        again: bool = False,
    ) -> Reply:
        __tracebackhide__ = True
        with self.ledger.deadline(worker, seconds, again) as deadline:
            reply = worker.exchange(request, deadline, answer)
        if worker.is_shared and not worker.stayed_within(self.limits.memory_mb / 2):
            raise NearItsMemory("a process of the submission used half of its memory")
        return reply

    def _may_have_line(self) -> bool:
        """Whether a process may have a line to the course's functions.

        Only where its code can be shown to keep nothing: then nothing but the grader's own code can
        use the line.
        """
        may = self.children.lays_lines and self.ledger.may_come_together
        return may and self.ledger.proof.keeps_nothing(self.source)

    def _believe(self, gone: WorkerGone) -> None:
        """A first SIGKILL may have come from outside; the whole submission is then tried again."""
        self.ledger.may_go_on()
        self.ledger.lost()
        if gone.code == -SIGKILL and not self.last_try:
            raise KilledFromOutside(str(gone))

    def close(self) -> None:
        """End the processes, also those of fresh clients."""
        for alive in list(self.ledger.alive.values()):
            alive.rest()
        self.rest()
        self.ledger.close_beside()
        self.ledger.beside = None

    def cancel(self) -> None:
        """Stop, from any thread: what is asked now or later of this submission is `Cancelled`.

        A process that is being made just now escapes; whoever waits for the end asks again.
        """
        self.ledger.cancelled = True
        for alive in list(self.ledger.alive.values()):
            worker = alive._worker
            if worker is not None:
                worker.child.kill()

    def rest(self) -> None:
        """End the process, if there is one; the next call starts another."""
        if self._worker is not None:
            self._worker.end()
        self._gone()

    def _gone(self) -> None:
        self._worker = None
        if self.ledger.alive.get(self.place) is self:
            del self.ledger.alive[self.place]


MAKE_SECONDS = 60.0


class Answerer(Protocol):
    """What the student's code may ask for while a call runs."""

    def answer(self, ask: Callback) -> Request:
        """What there is to be said to a question, which the judge carries."""

    def tickets(self, client: "WorkerSession") -> list[int]:
        """By what it is had without the judge; empty where that cannot be."""


class WorkerSession(_ProcessOwner):
    """Calls into a student's source. Loads it on the first call, and again after a death.

    `fresh` is the same submission in a process in which nothing has run but its loading. In each
    place a submission has one process at a time: the client that is asked next ends the other's.
    What is printed where `heard` is false is never shown: beside code of the course's, or for a
    hidden check. `spoke` says whether the last call printed something.
    """

    heard = True
    spoke = False

    def fresh(self, place: Place = "first") -> "WorkerSession":
        """The same submission in another process; what it prints there is not shown."""
        fresh = WorkerSession(
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
            set_at = find_assignment(self.source.units, name)
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
