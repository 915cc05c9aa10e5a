"""The course's own functions in a process beside a submission's, called with hostile values.

A student's tests are handed such functions: the right ones, and broken ones that the tests should
find. The student's code can call them, and only what they return ever reaches it.
"""

import secrets
from collections.abc import Sequence
from typing import NamedTuple

from autograder.course.course_file import Library, Limits
from autograder.course.text import number
from autograder.sandbox.budget import Budget
from autograder.sandbox.child import Children
from autograder.sandbox.problems import Crashed, Raised, StudentProblem, TimedOut, from_worker
from autograder.sandbox.process import DeadlinePassed, WorkerGone, WorkerProcess
from autograder.worker.messages import Callback, Reply, Request, Unit


class FunctionName(NamedTuple):
    """The function `name` of a text of the course's."""

    text: str
    name: str


class Peer:
    """The process of the course's functions: started at the first call, and again if it ends.

    Each function has a ticket there, a random number by which alone it can be asked for. `budget`
    is the peer's own: the time of the course's code is not the submission's.
    """

    def __init__(self, children: Children, library: Library, limits: Limits) -> None:
        self.budget = Budget(limits)
        self._children = children
        self._library: Library = library
        self._worker: WorkerProcess | None = None
        self._partner: WorkerProcess | None = None
        self._to_offer: dict[FunctionName, None] = {}
        self._texts: dict[str, int] = {}
        self._tickets: dict[FunctionName, int] = {}

    def announce(self, function: FunctionName) -> None:
        """Have a function offered together with the next that is asked for, in one message."""
        self._to_offer[function] = None

    def call(self, function: FunctionName, ask: Callback) -> Reply:
        """Call a function with a submission's arguments; the reply is as "carry" says.

        Raises:
            StudentProblem: it raised, or did not come to an end.
        """
        (ticket,) = self.tickets([function])
        return self._ask(Request("carry", function.name, ask.args, ask.kwargs, on=ticket))

    def tickets(self, functions: Sequence[FunctionName]) -> list[int]:
        """Return the tickets of functions in the process that there is now.

        Raises:
            StudentProblem: one of them cannot be had there.
        """
        self._process()
        if any(each not in self._tickets for each in functions):
            try:
                self._offer([*functions, *self._to_offer])
            except StudentProblem:
                if not self._to_offer:
                    raise
                self._to_offer.clear()  # none of them shall stand in another's way
                return self.tickets(functions)
        for each in functions:
            self._to_offer.pop(each, None)
        return [self._tickets[each] for each in functions]

    def _offer(self, functions: Sequence[FunctionName]) -> None:
        new = [each for each in dict.fromkeys(functions) if each not in self._tickets]
        texts = [t for t in dict.fromkeys(each.text for each in new) if t not in self._texts]
        numbers = self._texts | {text: len(self._texts) + n for n, text in enumerate(texts)}
        tickets = {each: secrets.randbits(62) for each in new}
        offered = [[numbers[each.text], each.name, ticket] for each, ticket in tickets.items()]
        self._ask(Request("offer", "", offered, units=[Unit("course", text) for text in texts]))
        self._texts, self._tickets = numbers, self._tickets | tickets

    def become_partner_of(self, worker: WorkerProcess) -> None:
        """Begin anew, in a process with a direct line to a submission's."""
        self.close()
        side, worker.side = worker.side, None
        assert side is not None
        with side:
            self._process(side.fileno())
        self._partner = worker

    def is_partner_of(self, worker: WorkerProcess) -> bool:
        """Return whether the process that there is now has a line to that one."""
        return self._worker is not None and self._partner is worker

    def _process(self, side: int = -1) -> WorkerProcess:
        """Return the process, in which only the course's code ever runs."""
        if self._worker is None:
            limits = self.budget.limits
            child = self._children.take(self._library, limits, place="course", side=side)
            self._worker = WorkerProcess(child)
            self._exchange(
                self._worker, Request("load", "course"), limits.load_seconds, reload=True
            )
        return self._worker

    def _ask(self, request: Request) -> Reply:
        subject = request.target or "the call"
        self.budget.check_call(subject)
        reply = self._exchange(self._process(), request, self.budget.limits.call_seconds)
        if reply.problem is not None:
            raise from_worker(reply.problem, subject)
        return reply

    def _exchange(
        self, worker: WorkerProcess, request: Request, seconds: float, reload: bool = False
    ) -> Reply:
        subject = request.target or "the call"
        try:
            with self.budget.deadline(worker, seconds, reload) as deadline:
                return worker.exchange(request, deadline)
        except DeadlinePassed:
            self.close()
            self.budget.note_timeout(subject)
            raise TimedOut("timed_out", subject, number(seconds)) from None
        except WorkerGone as gone:
            self.close()
            self.budget.is_in_doubt = True
            raise Crashed("crashed", subject, str(gone)) from None

    def close(self) -> None:
        """End the process; the next question starts another."""
        if self._worker is not None:
            self._worker.end()
        self._worker = self._partner = None
        self._texts.clear()
        self._tickets.clear()


class CourseFunction:
    """A function of the course's that a submission's code may call, in the peer's process."""

    def __init__(self, peer: Peer, text: str, name: str) -> None:
        self.peer = peer
        self.named = FunctionName(text, name)
        peer.announce(self.named)

    def answer(self, ask: Callback) -> Request:
        """Return what the function does with the arguments that the student's code gave it."""
        try:
            answered = self.peer.call(self.named, ask).value
        except Raised as error:
            return Request("answer", error.type or "RuntimeError", [error.message])
        except StudentProblem:
            return Request("answer", "RuntimeError", ["the call did not come to an end"])
        return Request("answer", "", answered)
