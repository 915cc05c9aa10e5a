"""A submission's process through its whole life: started, loaded, used again, ended."""

import contextlib
import socket

from autograder.course import Library, Limits
from autograder.sandbox import problems
from autograder.sandbox.child import Child, Children, GraderTrouble, NearItsMemory, Place
from autograder.sandbox.ledger import Ledger
from autograder.sandbox.process import AnswerTo, DeadlinePassed, WorkerGone, WorkerProcess
from autograder.sandbox.warm import also_warm
from autograder.submission.source import Source
from autograder.text import number
from autograder.worker.messages import Reply, Request, Unit

SIGKILL = 9


class KilledFromOutside(GraderTrouble):
    """The process was ended by SIGKILL, but not by us: by the system, say, short of memory."""

    killed = True


class Life:
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
        ledger: Ledger | None = None,
        place: Place = "first",
    ) -> None:
        self.source = source
        self.limits = limits
        self.library: Library = library
        self.children = children
        self.last_try = last_try
        self.ledger = ledger or Ledger(limits)
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

    def _renewed(self, before: "Life") -> WorkerProcess | None:
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
