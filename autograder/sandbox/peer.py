"""Process that runs functions of the course for a submission.

For example, a student's tests get such functions as arguments. The student's code can call the
functions, but cannot see their source.
"""

from collections.abc import Callable, Sequence
from typing import Any

from autograder.course.course_file import Library, Limits
from autograder.sandbox.child import Children
from autograder.sandbox.problems import Raised, StudentProblem, from_worker
from autograder.sandbox.process import AnswerTo, handle_in
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.messages import Callback, Reply, Request, Unit

Note = Callable[[list[Any], dict[str, Any]], None]


class Peer(Workers):
    """Process that runs the course's functions. It has a separate time budget.

    The process starts at the first call. If it has ended, the next call starts it again.
    """

    def __init__(self, children: Children, library: Library, limits: Limits) -> None:
        super().__init__(Source("course", "course", ()), library, limits, children)
        self._modules: dict[str, int] = {}  # from a text to its module in the process

    def call(self, text: str, name: str, ask: Callback) -> Reply:
        """Call the function `name` of the source `text` with the arguments of `ask`."""
        if not self.running:
            self._modules.clear()
        if text not in self._modules:
            made = self._reply_to(Request("define", "course", units=[Unit("course", text)]))
            self._modules[text] = handle_in(made).number
        return self._reply_to(Request("carry", name, ask.args, ask.kwargs, on=self._modules[text]))

    def _reply_to(self, request: Request) -> Reply:
        self.budget.check_call(request.target)
        reply = self.reply_to(self, "course", request, self.limits.call_seconds)
        if reply.problem is not None:
            raise from_worker(reply.problem, request.target)
        return reply


class CourseFunction:
    """Function of the course that a submission's code calls. `note` gets each call's arguments."""

    def __init__(self, peer: Peer, text: str, name: str, note: Note | None = None) -> None:
        self.peer = peer
        self.text = text
        self.name = name
        self.note = note

    def answer(self, ask: Callback) -> Request:
        if self.note is not None:
            self.note(ask.args, ask.kwargs)
        try:
            return Request("answer", "", self.peer.call(self.text, self.name, ask).value)
        except Raised as error:
            return Request("answer", error.type or "RuntimeError", [error.message])
        except StudentProblem:
            return Request("answer", "RuntimeError", ["the call did not come to an end"])


def answers_by(functions: Sequence[CourseFunction]) -> AnswerTo | None:
    """Return a function that carries out calls of these functions, or None without functions."""

    def answer(ask: Callback) -> Request:
        if not 1 <= ask.number <= len(functions):
            return Request("answer", "LookupError", ["there is no such function"])
        return functions[ask.number - 1].answer(ask)

    return answer if functions else None
