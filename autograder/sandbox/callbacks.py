"""Functions that a student's code may call and that run elsewhere: the judge carries the values."""

from collections.abc import Sequence

from autograder.sandbox import problems
from autograder.sandbox.beside import Beside, CourseName
from autograder.sandbox.client import Client
from autograder.worker.messages import Callback, Request


class CourseFunction:
    """A function of the course's, in the process beside the submission's."""

    def __init__(self, beside: Beside, text: str, name: str) -> None:
        self.beside = beside
        self.named = CourseName(text, name)
        beside.want(self.named)

    def answer(self, ask: Callback) -> Request:
        """What the function does with the arguments that the student's code gave it."""
        try:
            answered = self.beside.call(self.named, ask).value
        except problems.Raised as error:
            return Request("answer", error.type or "RuntimeError", [error.message])
        except problems.StudentProblem:
            return Request("answer", "RuntimeError", ["the call did not come to an end"])
        return Request("answer", "", answered)


class HandedIn:
    """Functions of the course's that are arguments of a call, where they are numbered from 1."""

    def __init__(self, functions: Sequence[CourseFunction]) -> None:
        self._functions = functions

    def answer(self, ask: Callback) -> Request:
        """What one of them gives to the student's code, which asks for it by way of the judge."""
        if not 1 <= ask.number <= len(self._functions):
            return Request("answer", "LookupError", ["there is no such function"])
        return self._functions[ask.number - 1].answer(ask)

    def tickets(self, client: Client) -> list[int]:
        """By what they answer the submission's process without the judge between them.

        None where there is no line between the two processes, nor one to be had.
        """
        beside = self._functions[0].beside
        try:
            now = client.process()
            if not beside.is_partner_of(now):
                if now.side is None and not now.has_kept:
                    client.rest()
                    now = client.process()
                if now.side is None:
                    return []
                beside.start(now)
            return beside.tickets([each.named for each in self._functions])
        except problems.StudentProblem:
            return []
