"""Many questions about a student's own step, put to two processes in place of one for each."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograder.checking.expect import Numbers
from autograder.sandbox.problems import StudentProblem

if TYPE_CHECKING:
    from autograder.checking.proxy import Submission

RunOwn = Callable[["Submission", Any], Any]


def in_two_orders(
    submission: "Submission", run: RunOwn, questions: Sequence[Any]
) -> list[Numbers | None]:
    """What two processes answer, each to all questions, none of them at the same place.

    There are no answers where the two are not the same: these depend on more than the question.
    Nor are there for two questions or fewer, which as many processes can be asked alone.
    """
    places, half = range(len(questions)), len(questions) // 2
    none: list[Numbers | None] = [None] * len(questions)
    if len(questions) < 3:
        return none
    orders = [[*places], [*places[half:], *places[:half]]]
    try:
        one, other = (_in_turn(submission, run, questions, order) for order in orders)
    except (StudentProblem, ValueError, TypeError):
        return none
    if all(np.array_equal(one[at], other[at], equal_nan=True) for at in places):
        return [one[at] for at in places]
    return none


def alone(submission: "Submission", run: RunOwn, question: Any) -> Numbers:
    """The answer to one question, of a process that has been asked nothing else."""
    return np.asarray(run(submission.own(), question), dtype=np.float64)


def _in_turn(
    submission: "Submission", run: RunOwn, questions: Sequence[Any], order: Sequence[int]
) -> dict[int, Numbers]:
    """What one process answers, by the places of the questions."""
    own = submission.own()
    return {at: np.asarray(run(own, questions[at]), dtype=np.float64) for at in order}
