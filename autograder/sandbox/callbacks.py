"""Functions that a student's code may call and that run elsewhere: the judge carries the values."""

from collections.abc import Sequence
from typing import Any

from autograder.sandbox import problems
from autograder.sandbox.beside import Beside
from autograder.sandbox.process import AnswerTo
from autograder.worker.codec import Handle
from autograder.worker.kinds import Record
from autograder.worker.messages import Callback, Request
from autograder.worker.serialise import GENERATOR


class CourseFunction:
    """The function `name` of a text of the course's, in the process beside the submission's."""

    def __init__(self, beside: Beside, text: str, name: str) -> None:
        self._beside = beside
        self._text = text
        self._name = name

    def answer(self, ask: Callback) -> Request:
        """What the function does with the arguments that the student's code gave it."""
        args = [*ask.args, *ask.kwargs.values()]
        if any(_has_handle(each) for each in args):
            return Request("answer", "TypeError", ["an argument that is no plain value"])
        try:
            reply = self._beside.call(self._text, self._name, ask.args, ask.kwargs)
        except problems.Raised as error:
            return Request("answer", error.type or "RuntimeError", [error.message])
        except problems.StudentProblem:
            return Request("answer", "RuntimeError", ["the call did not come to an end"])
        after = zip(args, reply.echo, strict=True)
        states = [state if _is_generator(each) else None for each, state in after]
        return Request("answer", "", [reply.value, *states])


def _is_generator(value: Any) -> bool:
    return isinstance(value, dict) and GENERATOR in value


def _has_handle(value: Any) -> bool:
    """Whether a value names an object of another process: what is kept there is the course's."""
    if isinstance(value, dict):
        return any(_has_handle(each) for each in value.values())
    if isinstance(value, Record):
        return True  # it would be made of a class of the course's
    return isinstance(value, Handle) or (
        isinstance(value, list) and any(_has_handle(each) for each in value)
    )


def answering(offered: Sequence[CourseFunction]) -> AnswerTo:
    """Answers calls of these functions, which are numbered from 1."""

    def answer(ask: Callback) -> Request:
        if not 1 <= ask.number <= len(offered):
            return Request("answer", "LookupError", ["there is no such function"])
        return offered[ask.number - 1].answer(ask)

    return answer
