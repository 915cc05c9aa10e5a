"""The course's own functions in a process beside a submission's, called with hostile values."""

import secrets
import socket
from collections.abc import Sequence
from typing import NamedTuple

from autograder.course.course_file import Library, Limits
from autograder.sandbox import problems
from autograder.sandbox.child import Child, Children
from autograder.sandbox.process import WorkerProcess
from autograder.sandbox.session import WorkerSession
from autograder.submission.source import Source
from autograder.worker.messages import Callback, Reply, Request, Unit


class CourseName(NamedTuple):
    """The function `name` of a text of the course's."""

    text: str
    name: str


def peer_of(client: WorkerSession) -> "Peer":
    """The course's own code, in a process of its own that is there as long as a submission's."""
    ledger = client.ledger
    if ledger.beside is None:
        ledger.beside = Peer(client.children, client.library, client.limits)
    return ledger.beside


class Peer:
    """Functions of the course's in a process without a submission, called with hostile values.

    They are the right ones and the broken ones that a student's tests are tried on. Only what they
    return ever reaches the submission. Each has a ticket, by which it is asked for.
    """

    def __init__(self, children: Children, library: Library, limits: Limits) -> None:
        self._client = _PeerSession(Source("course", "course.py", ()), library, limits, children)
        self._wanted: dict[CourseName, None] = {}
        self._texts: dict[str, int] = {}
        self._tickets: dict[CourseName, int] = {}
        self._answering: WorkerProcess | None = None
        self._partner: WorkerProcess | None = None

    def want(self, function: CourseName) -> None:
        """Have a function offered with the next that is asked for: one message for them all."""
        self._wanted[function] = None

    def call(self, function: CourseName, ask: Callback) -> Reply:
        """What the function gives for arguments of a submission's: a list, as "carry" says.

        Raises:
            StudentProblem: it raised, or did not come to an end.
        """
        (ticket,) = self.tickets([function])
        return self._client.ask(Request("carry", function.name, ask.args, ask.kwargs, on=ticket))

    def tickets(self, functions: Sequence[CourseName]) -> list[int]:
        """By what they can be asked for, in the process that there is now.

        Raises:
            StudentProblem: one of them cannot be had there.
        """
        worker = self._client.process()
        if worker is not self._answering:  # another process: what the last one had is gone
            self._answering = worker
            self._texts.clear()
            self._tickets.clear()
        if any(each not in self._tickets for each in functions):
            try:
                self._offer([*functions, *self._wanted])
            except problems.StudentProblem:
                if not self._wanted:
                    raise
                self._wanted.clear()  # none of them shall stand in another's way
                return self.tickets(functions)
        for each in functions:
            self._wanted.pop(each, None)
        return [self._tickets[each] for each in functions]

    def _offer(self, functions: Sequence[CourseName]) -> None:
        new = [each for each in dict.fromkeys(functions) if each not in self._tickets]
        texts = [t for t in dict.fromkeys(each.text for each in new) if t not in self._texts]
        numbers = self._texts | {text: len(self._texts) + n for n, text in enumerate(texts)}
        tickets = {each: secrets.randbits(62) for each in new}
        offered = [[numbers[each.text], each.name, ticket] for each, ticket in tickets.items()]
        units = [Unit("course", text) for text in texts]
        self._client.ask(Request("offer", "", offered, units=units))
        self._texts, self._tickets = numbers, self._tickets | tickets

    def start(self, partner: WorkerProcess) -> None:
        """Begin anew, in a process with a line to a submission's, its `partner`."""
        self._client.rest()
        self._client.side, partner.side = partner.side, None
        self._client.process()
        self._partner = partner

    def is_partner_of(self, worker: WorkerProcess) -> bool:
        """Whether that process has a line to this one."""
        return self._partner is worker and self._client.process() is self._answering

    @property
    def is_in_doubt(self) -> bool:
        """Whether one of its processes ended, or was ended, before it had answered."""
        return self._client.ledger.is_in_doubt

    def close(self) -> None:
        self._client.close()


class _PeerSession(WorkerSession):
    side: socket.socket | None = None  # of a line that the next process gets

    def _process(self) -> WorkerProcess:
        side, self.side = self.side, None
        if side is None:
            return WorkerProcess(self._course_child(-1))
        with side:
            return WorkerProcess(self._course_child(side.fileno()))

    def _course_child(self, side: int) -> Child:
        return self.children.take(self.library, self.limits, place="course", side=side)


# Functions that a student's code may call and that run elsewhere: the judge carries the values.


class CourseFunction:
    """A function of the course's, in the process beside the submission's."""

    def __init__(self, beside: Peer, text: str, name: str) -> None:
        self.beside = beside
        self.named = CourseName(text, name)
        beside.want(self.named)

    def answer(self, ask: Callback) -> Request:
        """What the function does with the arguments that the student's code gave it."""
        try:
            answered = self.beside.call(self.named, ask).value
        except problems.Raised as error:
            return Request("answer", error.type or "RuntimeError", [error.message])
        except problems.StudentProblem:
            return Request("answer", "RuntimeError", ["the call did not come to an end"])
        return Request("answer", "", answered)


class HandedIn:
    """Functions of the course's that are arguments of a call, where they are numbered from 1."""

    def __init__(self, functions: Sequence[CourseFunction]) -> None:
        self._functions = functions

    def answer(self, ask: Callback) -> Request:
        """What one of them gives to the student's code, which asks for it by way of the judge."""
        if not 1 <= ask.number <= len(self._functions):
            return Request("answer", "LookupError", ["there is no such function"])
        return self._functions[ask.number - 1].answer(ask)

    def tickets(self, client: WorkerSession) -> list[int]:
        """By what they answer the submission's process without the judge between them.

        None where there is no line between the two processes, nor one to be had.
        """
        beside = self._functions[0].beside
        try:
            now = client.process()
            if not beside.is_partner_of(now):
                if now.side is None and not now.has_kept:
                    client.rest()
                    now = client.process()
                if now.side is None:
                    return []
                beside.start(now)
            return beside.tickets([each.named for each in self._functions])
        except problems.StudentProblem:
            return []
