"""The time that a submission may use, over all the processes that it runs in."""

from autograder.course.course_file import Limits
from autograder.course.text import number
from autograder.sandbox.child import Cancelled
from autograder.sandbox.connection import Deadline
from autograder.sandbox.problems import TimedOut
from autograder.sandbox.process import AnswerTo, WorkerProcess
from autograder.worker.messages import Reply, Request

MAX_TIMEOUTS = 2


class Budget:
    """One account of time for all processes of a submission.

    A function that ran out of time twice is not called a third time. Calls and the first load
    together have the course's `total_seconds`, and so have all loads after the first.

    `is_in_doubt` says that a process ended, or was ended, before it had answered. On a busy machine
    that may not be its own doing, so the submission is graded once more, alone.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.is_in_doubt = False
        self.is_cancelled = False
        self.on_calls = 0.0  # seconds of calls and of the first load
        self.on_reloads = 0.0
        self._timeouts: dict[str, int] = {}

    @property
    def spent(self) -> float:
        """Return the seconds that count, so far."""
        return self.on_calls + self.on_reloads

    def check_call(self, subject: str) -> None:
        """Return if the function may be called.

        Raises:
            TimedOut: it ran out of time too often.
            Cancelled: nobody waits for it.
        """
        __tracebackhide__ = True
        self.check_cancelled()
        if self._timeouts.get(subject, 0) >= MAX_TIMEOUTS:
            raise TimedOut("not_called_again", subject, str(MAX_TIMEOUTS))

    def check_cancelled(self) -> None:
        """Return unless the submission was cancelled.

        Raises:
            Cancelled: it was.
        """
        __tracebackhide__ = True
        if self.is_cancelled:
            raise Cancelled("The grading was cancelled.")

    def note_timeout(self, subject: str) -> None:
        """Count that a call of `subject` ran out of time."""
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
        """Exchange messages with a process, and charge the time that it took.

        Raises:
            TimedOut: no time is left.
            WorkerGone: the process ended, or was ended after `seconds`.
        """
        __tracebackhide__ = True
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
