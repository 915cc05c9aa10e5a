"""The course's own functions in a process beside a submission's, called with hostile values.

A student's tests are handed such functions: the right ones, and broken ones that the tests should
find. The student's code can call them, and only what they return ever reaches it.
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


def answers_by(functions: Sequence[CourseFunction]) -> AnswerTo | None:
    """Return what answers a submission's calls of these functions: they count from 1."""
    if not functions:
        return None

    def answer(ask: Callback) -> Request:
        if not 1 <= ask.number <= len(functions):
            return Request("answer", "LookupError", ["there is no such function"])
        return functions[ask.number - 1].answer(ask)

    return answer
