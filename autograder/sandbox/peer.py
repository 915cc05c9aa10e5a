"""Process for functions of the course. A submission calls them, perhaps with hostile values.

For example, a student's tests get correct and wrong functions as arguments. The student's code can
call the functions and see the results, but cannot see their source.
"""

from collections.abc import Sequence

from autograder.course.course_file import Library, Limits
from autograder.sandbox.budget import Budget
from autograder.sandbox.child import ChildKind, Children
from autograder.sandbox.problems import Crashed, Raised, StudentProblem, from_worker
from autograder.sandbox.process import (
    AnswerTo,
    DeadlinePassed,
    WorkerGone,
    WorkerProcess,
    handle_in,
)
from autograder.worker.messages import Callback, Reply, Request, Unit


class Peer:
    """Process of the course's functions. It starts at the first call, and again after it has ended.

    Its time counts in its own `budget`, not as the student's time.
    """

    def __init__(self, children: Children, library: Library, limits: Limits) -> None:
        self.budget = Budget(limits)
        self._children = children
        self._library: Library = library
        self._worker: WorkerProcess | None = None
        self._modules: dict[str, int] = {}

    def call(self, text: str, name: str, ask: Callback) -> Reply:
        """Call the function `name`, which `text` defines, with the arguments of `ask`."""
        if text not in self._modules:
            made = self._reply_to(Request("define", "course", units=[Unit("course", text)]))
            self._modules[text] = handle_in(made).number
        return self._reply_to(Request("carry", name, ask.args, ask.kwargs, on=self._modules[text]))

    def _reply_to(self, request: Request) -> Reply:
        budget, limits = self.budget, self.budget.limits
        budget.check_call(request.target)
        try:
            if self._worker is None:
                kind = ChildKind(self._library, limits, place="course")
                self._worker = WorkerProcess(self._children.take(kind))
                load = Request("load", "course")
                budget.timed_exchange(self._worker, load, limits.load_seconds, reload=True)
            reply = budget.timed_exchange(self._worker, request, limits.call_seconds)
        except WorkerGone as gone:
            self.close()
            budget.is_in_doubt = True
            if isinstance(gone, DeadlinePassed):
                budget.note_timeout(request.target)
            raise Crashed("crashed", request.target, str(gone)) from None
        if reply.problem is not None:
            raise from_worker(reply.problem, request.target)
        return reply

    def close(self) -> None:
        """End the process. The next call starts a new process."""
        if self._worker is not None:
            self._worker.end()
        self._worker = None
        self._modules.clear()


class CourseFunction:
    """A function of the course that a submission's code may call. It runs in the peer process."""

    def __init__(self, peer: Peer, text: str, name: str) -> None:
        self.peer = peer
        self.text = text
        self.name = name

    def answer(self, ask: Callback) -> Request:
        """Return the function's result for the arguments that the student's code passed."""
        try:
            answered = self.peer.call(self.text, self.name, ask).value
        except Raised as error:
            return Request("answer", error.type or "RuntimeError", [error.message])
        except StudentProblem:
            return Request("answer", "RuntimeError", ["the call did not come to an end"])
        return Request("answer", "", answered)


def answers_by(functions: Sequence[CourseFunction]) -> AnswerTo | None:
    """Return a function that answers calls of these functions (numbered from 1), or None."""
    if not functions:
        return None

    def answer(ask: Callback) -> Request:
        if not 1 <= ask.number <= len(functions):
            return Request("answer", "LookupError", ["there is no such function"])
        return functions[ask.number - 1].answer(ask)

    return answer
