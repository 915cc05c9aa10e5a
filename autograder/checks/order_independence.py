"""Many questions about a student's own step, put to two processes in place of one for each."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from autograder.checks.expect import Mismatch, Numbers
from autograder.checks.proxy import Submission
from autograder.course.optimisations import is_off
from autograder.sandbox.problems import StudentProblem
from autograder.worker.codec import Figure
from autograder.worker.values import Record

if TYPE_CHECKING:
    from autograder.checks.proxy import Submission


RunOwn = Callable[["Submission", Any], Any]


def ask_in_two_orders(
    submission: "Submission", run: RunOwn, questions: Sequence[Any]
) -> list[Numbers | None]:
    """What two processes answer, each to all questions, none of them at the same place.

    There are no answers where the two are not the same: these depend on more than the question.
    Nor are there for two questions or fewer, which as many processes can be asked alone.
    """
    places, half = range(len(questions)), len(questions) // 2
    none: list[Numbers | None] = [None] * len(questions)
    if len(questions) < 3 or is_off("two_orders"):
        return none
    orders = [[*places], [*places[half:], *places[:half]]]
    try:
        one, other = (_in_turn(submission, run, questions, order) for order in orders)
    except (StudentProblem, ValueError, TypeError):
        return none
    if all(np.array_equal(one[at], other[at], equal_nan=True) for at in places):
        return [one[at] for at in places]
    return none


def ask_alone(submission: "Submission", run: RunOwn, question: Any) -> Numbers:
    """The answer to one question, of a process that has been asked nothing else."""
    return np.asarray(run(submission.own(), question), dtype=np.float64)


def _in_turn(
    submission: "Submission", run: RunOwn, questions: Sequence[Any], order: Sequence[int]
) -> dict[int, Numbers]:
    """What one process answers, by the places of the questions."""
    own = submission.own()
    return {at: np.asarray(run(own, questions[at]), dtype=np.float64) for at in order}


# Whether results depend on what was called before: on an array or a figure that was kept.


Calling = Callable[[Submission], Any]
CLOSE = 1e-5  # the same sums in another order may differ in their last digits


def expect_independent_calls(
    submission: Submission, calls: Sequence[tuple[str, Calling]], between: Sequence[Calling] = ()
) -> None:
    """Pass if each call gives the same again: later, in another order, and in a process of its own.

    Args:
        submission: where nothing has run yet, so in a hidden check.
        calls: what each is called in a sentence, and the call; at least two that differ.
        between: calls whose results are not looked at, and which may leave something behind.

    Raises:
        Mismatch: one does not; the finding names it and says nothing of the arguments.
    """
    __tracebackhide__ = True
    first = [call(submission) for _, call in calls]
    for places in (submission, submission.fresh()):
        for call in between:
            call(places)
        for (name, call), before in reversed(list(zip(calls, first, strict=True))):
            try:
                again = call(places)
            except StudentProblem as problem:
                if problem.kind != "raised":
                    raise
                again = None
            if not values_agree(before, again):
                raise Mismatch(
                    f"{name}, called with the same arguments, gives another result after other "
                    f"calls: it depends on something that an earlier call left behind, or on "
                    f"chance.",
                    mistake="remembers",
                    told="Called again with the same arguments, after other calls, a function "
                    "gives another result: it depends on something that an earlier call left "
                    "behind, or on chance.",
                )


def values_agree(one: Any, other: Any) -> bool:
    """Whether two results are the same, but for the last digits of their numbers."""
    if isinstance(one, Figure) and isinstance(other, Figure):
        return one == other or values_agree(msgspec.to_builtins(one), msgspec.to_builtins(other))
    if isinstance(one, Record) and isinstance(other, Record):
        return one.type == other.type and values_agree(one.fields, other.fields)
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(values_agree(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(values_agree, one, other))
    if isinstance(one, np.ndarray | float | int) and isinstance(other, np.ndarray | float | int):
        if isinstance(one, float | int) and isinstance(other, float | int) and one == other:
            return True  # as of nearly all numbers; numpy takes long to say so of a single one
        mine, theirs = np.asarray(one), np.asarray(other)
        return mine.shape == theirs.shape and bool(
            np.allclose(mine, theirs, rtol=CLOSE, atol=CLOSE, equal_nan=True)
        )
    return type(one) is type(other) and bool(one == other)
