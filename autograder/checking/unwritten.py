"""What a check says of a part that nobody has begun."""

from autograder.sandbox.problems import ProblemKind, StudentProblem


class Unwritten(StudentProblem):
    """What the check asks for is still as it was handed out: a value, or an answer in words.

    It is no mistake: a report says once what is not written yet. A function of which nothing but
    the stub is there is recognised without it. `what` is its name, for a sentence.
    """

    kind: ProblemKind = "not written"

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not written yet.")
        self.what = what
