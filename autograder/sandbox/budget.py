"""What one submission has used up and said, over all the processes that it ran in."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from autograder.course.course_file import Limits
from autograder.course.text import number
from autograder.sandbox import problems
from autograder.sandbox.child import Cancelled
from autograder.sandbox.connection import Deadline
from autograder.submission.purity import PurityProof
from autograder.worker.messages import Problem

if TYPE_CHECKING:
    from autograder.sandbox.child import Place
    from autograder.sandbox.peer import Peer
    from autograder.sandbox.process import WorkerProcess
    from autograder.sandbox.session import _ProcessOwner

MAX_TIMEOUTS = 2
MAX_PRINTED = 2000


class Budget:
    """One account for the children of a submission, so that its time has a limit in all.

    A function that ran out of time twice is not called a third time. Calls and the first load
    together have the course's `total_seconds`, and so have all loads after the first. Where it may
    share, code that keeps nothing between calls has one process for them all.
    """

    def __init__(self, limits: Limits, may_share: bool = True) -> None:
        self.limits = limits
        self.load_problems: list[Problem] | None = None
        self.compiled: list[bytes] | None = None
        self.failed_load: problems.StudentProblem | None = None
        self.printed = ""
        self.room = MAX_PRINTED
        self.values: dict[str, Any] = {}
        self.shared: dict[Any, Any] = {}
        self.alive: dict[Place, _ProcessOwner] = {}
        self.beside: Peer | None = None
        self.proof = PurityProof()
        self.may_come_together = True
        if not may_share:
            self.proof.give_up()
        self.cancelled = False
        self.is_in_doubt = False
        self._timeouts: dict[str, int] = {}
        self._spent = 0.0
        self._reloading = 0.0

    @property
    def spent(self) -> float:
        """The seconds that count, so far."""
        return self._spent + self._reloading

    @property
    def spent_on_calls(self) -> float:
        """The seconds of the first load and of calls."""
        return self._spent

    def lost(self) -> None:
        """Note that a process ended, or was ended, before it had answered.

        On a busy machine, and where something else ends processes, that may not be its own doing;
        and what it changes need not be a check that says so.
        """
        self.is_in_doubt = True

    def come_apart(self, spent: float) -> None:
        """Have the judge carry values from now on; the time since `spent` does not count."""
        self.may_come_together = False
        self._spent = spent
        self.close_beside()

    def close_beside(self) -> None:
        """End the process of the course's functions, and keep in mind whether it went well."""
        if self.beside is not None:
            self.is_in_doubt = self.is_in_doubt or self.beside.is_in_doubt
            self.beside.close()

    def may_call(self, subject: str) -> None:
        """Pass if the function may be called.

        Raises:
            TimedOut: it ran out of time too often.
            Cancelled: nobody waits for it.
        """
        __tracebackhide__ = True
        self.may_go_on()
        if self._timeouts.get(subject, 0) >= MAX_TIMEOUTS:
            raise problems.TimedOut(
                f"{subject} ran out of time {MAX_TIMEOUTS} times, so it was not called again."
            )

    def may_go_on(self) -> None:
        """Pass unless the submission was cancelled.

        Raises:
            Cancelled: it was.
        """
        __tracebackhide__ = True
        if self.cancelled:
            raise Cancelled("The grading was cancelled.")

    def timed_out(self, subject: str) -> None:
        self.lost()
        self._timeouts[subject] = self._timeouts.get(subject, 0) + 1

    @contextmanager
    def deadline(
        self, worker: "WorkerProcess", seconds: float, again: bool = False
    ) -> Iterator[Deadline]:
        """The time for an exchange, taken from what is left; `again` is a load after the first.

        Raises:
            TimedOut: nothing is left.
        """
        __tracebackhide__ = True
        total = self.limits.total_seconds
        left = total - (self._reloading if again else self._spent)
        if left <= 0:
            self.lost()
            raise problems.TimedOut(
                f"The submission had used up its {number(total)} seconds before this check."
            )
        deadline = worker.deadline(min(seconds, left))
        try:
            yield deadline
        finally:
            used = deadline.used()
            if again:
                self._reloading += used
            else:
                self._spent += used

    def note_printed(self, text: str) -> None:
        if len(self.printed) < self.room:
            self.printed += text[: self.room - len(self.printed) + 1]
