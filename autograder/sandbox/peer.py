"""The course's own functions in a process beside a submission's, called with hostile values.

A student's tests are handed such functions: the right ones, and broken ones that the tests should
find. The student's code can call them, and only what they return ever reaches it.
"""

from autograder.course.course_file import Library, Limits
from autograder.course.text import number
from autograder.sandbox.budget import Budget
from autograder.sandbox.child import Children
from autograder.sandbox.problems import Crashed, Raised, StudentProblem, TimedOut, from_worker
from autograder.sandbox.process import DeadlinePassed, WorkerGone, WorkerProcess, handle_in
from autograder.worker.messages import Callback, Reply, Request, Unit


class Peer:
    """The process of the course's functions: started at the first call, and again if it ends.

    `budget` is the peer's own: the time of the course's code is not the submission's.
    """

    def __init__(self, children: Children, library: Library, limits: Limits) -> None:
        self.budget = Budget(limits)
        self._children = children
        self._library: Library = library
        self._worker: WorkerProcess | None = None
        self._modules: dict[str, int] = {}

    def call(self, text: str, name: str, ask: Callback) -> Reply:
        """Call the function `name` of a text with a submission's arguments, as "carry" says.

        Raises:
            StudentProblem: it raised, or did not come to an end.
        """
        if text not in self._modules:
            made = self._ask(Request("define", "course", units=[Unit("course", text)]))
            self._modules[text] = handle_in(made).number
        return self._ask(Request("carry", name, ask.args, ask.kwargs, on=self._modules[text]))

    def _ask(self, request: Request) -> Reply:
        self.budget.check_call(request.target)
        limits = self.budget.limits
        if self._worker is None:
            child = self._children.take(self._library, limits, place="course")
            self._worker = WorkerProcess(child)
            self._exchange(self._worker, Request("load", "course"), limits.load_seconds, True)
        reply = self._exchange(self._worker, request, limits.call_seconds)
        if reply.problem is not None:
            raise from_worker(reply.problem, request.target)
        return reply

    def _exchange(
        self, worker: WorkerProcess, request: Request, seconds: float, reload: bool = False
    ) -> Reply:
        try:
            return self.budget.exchange(worker, request, seconds, reload=reload)
        except DeadlinePassed:
            self.close()
            self.budget.note_timeout(request.target)
            raise TimedOut("timed_out", request.target, number(seconds)) from None
        except WorkerGone as gone:
            self.close()
            self.budget.is_in_doubt = True
            raise Crashed("crashed", request.target, str(gone)) from None

    def close(self) -> None:
        """End the process; the next call starts another."""
        if self._worker is not None:
            self._worker.end()
        self._worker = None
        self._modules.clear()


class CourseFunction:
    """A function of the course's that a submission's code may call, in the peer's process."""

    def __init__(self, peer: Peer, text: str, name: str) -> None:
        self.peer = peer
        self.text = text
        self.name = name

    def answer(self, ask: Callback) -> Request:
        """Return what the function does with the arguments that the student's code gave it."""
        try:
            answered = self.peer.call(self.text, self.name, ask).value
        except Raised as error:
            return Request("answer", error.type or "RuntimeError", [error.message])
        except StudentProblem:
            return Request("answer", "RuntimeError", ["the call did not come to an end"])
        return Request("answer", "", answered)
