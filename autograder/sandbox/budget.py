"""The time that a submission may use, summed over all its processes."""

from autograder.course.course_file import Limits
from autograder.course.text import number
from autograder.sandbox.child import Cancelled
from autograder.sandbox.connection import Deadline
from autograder.sandbox.problems import TimedOut
from autograder.sandbox.process import AnswerTo, WorkerProcess
from autograder.worker.messages import Reply, Request

MAX_TIMEOUTS = 2


class Budget:
    """Time that a submission has used, summed over all its processes, and the limits on it.

    A function that timed out twice is not called again. All calls and the first load together may
    use the course's `total_seconds`. All later loads together may use the same amount of time.

    `is_in_doubt` is true if a process ended, or was killed, before it had answered. A busy machine
    can be the reason. So the submission is graded again while no other submission runs.
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
        """The seconds counted so far."""
        return self.on_calls + self.on_reloads

    def check_call(self, subject: str) -> None:
        """Check that the function may be called; raise TimedOut or Cancelled if not."""
        __tracebackhide__ = True
        self.check_cancelled()
        if self._timeouts.get(subject, 0) >= MAX_TIMEOUTS:
            raise TimedOut("not_called_again", subject, str(MAX_TIMEOUTS))

    def check_cancelled(self) -> None:
        """Check that the submission was not cancelled; raise Cancelled if it was."""
        __tracebackhide__ = True
        if self.is_cancelled:
            raise Cancelled("The grading was cancelled.")

    def note_timeout(self, subject: str) -> None:
        """Count a timeout of a call of `subject`."""
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
        """Send a request to a process, return the reply, and count the time that was used.

        If no time is left, raise TimedOut; if the process ended or was late, WorkerGone.
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
