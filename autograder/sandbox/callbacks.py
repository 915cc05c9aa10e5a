"""Functions that a student's code may call and that run elsewhere: the judge carries the values."""

import socket
from collections.abc import Sequence
from typing import Any

from autograder.sandbox import problems
from autograder.sandbox.beside import Beside
from autograder.sandbox.client import Client
from autograder.sandbox.process import AnswerTo
from autograder.worker.elsewhere import has_handle, is_generator
from autograder.worker.messages import Callback, Request


class CourseFunction:
    """The function `name` of a text of the course's, in the process beside the submission's."""

    def __init__(self, beside: Beside, text: str, name: str) -> None:
        self.beside = beside
        self.text = text
        self.name = name

    def answer(self, ask: Callback) -> Request:
        """What the function does with the arguments that the student's code gave it."""
        args = [*ask.args, *ask.kwargs.values()]
        if any(map(has_handle, args)):
            return Request("answer", "TypeError", ["an argument that is no plain value"])
        try:
            reply = self.beside.call(self.text, self.name, ask.args, ask.kwargs)
        except problems.Raised as error:
            return Request("answer", error.type or "RuntimeError", [error.message])
        except problems.StudentProblem:
            return Request("answer", "RuntimeError", ["the call did not come to an end"])
        after = zip(args, reply.echo, strict=True)
        states = [state if is_generator(each) else None for each, state in after]
        return Request("answer", "", [reply.value, *states])


def answering(offered: Sequence[CourseFunction]) -> AnswerTo:
    """Answers calls of these functions, which are numbered from 1."""

    def answer(ask: Callback) -> Request:
        if not 1 <= ask.number <= len(offered):
            return Request("answer", "LookupError", ["there is no such function"])
        return offered[ask.number - 1].answer(ask)

    return answer


def come_together(
    client: Client, offered: Sequence[CourseFunction], target: str, given: Sequence[Any]
) -> bool:
    """Have these functions answer the submission's process without the judge between them.

    They are offered to a call of `target`, which is `given` these arguments.

    Only a submission that can be shown to keep nothing has such a line: nothing but the grader's
    own code can use it then. The judge is asked where that is not so, or cannot be done.
    """
    ledger = client.ledger
    if not (offered and ledger.may_come_together and client.children.lays_lines):
        return False
    ledger.proof.called(target, given)
    if not ledger.proof.keeps_nothing(client.source):
        return False
    beside = offered[0].beside
    try:
        now = client.process()
        if not beside.is_partner_of(now):
            if now.has_kept:
                return False
            ours, theirs = socket.socketpair()
            with ours, theirs:
                worker = client.process(ours.fileno())
                beside.start(theirs.fileno(), worker)
        beside.offer([(each.text, each.name) for each in offered])
    except problems.StudentProblem:
        return False
    return True
