"""Misconceptions that need no mathematics: what may be done to any right result."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.diagnosis.family import Misconception
from autograder.diagnosis.recipe import RETURNED


def _each(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A change to each array of a result."""

    def step(state: Any) -> Any:
        result = state.result
        if isinstance(result, tuple):
            return tuple(change(_numbers(part)) for part in result)
        if isinstance(result, dict):
            return result
        return change(_numbers(result))

    return step


def _numbers(value: Any) -> Any:
    """An array of a result's numbers.

    Raises:
        TypeError, ValueError: it has none; a text that reads like a number is none either.
    """
    if np.asarray(value).dtype.kind in "SU":
        raise TypeError("a text has no decimals, and no axes")
    return np.asarray(value, dtype=float)


def _rounded(digits: int) -> Misconception:
    return Misconception(
        f"rounded-{digits}",
        f"Your numbers are right but rounded to {digits} decimals.",
        (
            "How many decimals do your results have, and how many does the exact answer have?",
            "A result is compared to about six decimals; later steps need them all.",
            "Take away the call of round, or whatever cuts the decimals; round only what you "
            "print.",
        ),
        {RETURNED: _each(lambda x: np.round(x, digits))},
    )


NOTHING_RETURNED = Misconception(
    "nothing-returned",
    "The function returns None: nothing is handed back to whoever calls it.",
    (
        "What does the last line of your function do with what was computed?",
        "A function hands back what stands after `return`; printing or assigning is not enough.",
        "End the function with `return` and the name of your result, on every path through it.",
    ),
    {RETURNED: lambda state: None},
)

GENERAL = (
    NOTHING_RETURNED,
    *(_rounded(digits) for digits in (1, 2, 3, 4)),
    Misconception(
        "whole-numbers",
        "Your numbers are the right ones cut down to whole numbers.",
        (
            "Of which type are the entries of the array that you return?",
            "An array of whole numbers keeps no decimals: 0.7 stored in it becomes 0.",
            "Make the result an array of float, and leave out int(…), astype(int) and `//`.",
        ),
        {RETURNED: _each(np.trunc)},
    ),
    Misconception(
        "wrapped",
        "The result is right but wrapped once more: it has an extra axis of size 1 in front.",
        (
            "Compare the shape of your result with the one that the exercise asks for.",
            "There is one axis too many; the numbers themselves are right.",
            "Return the array itself: not in brackets, and without np.newaxis or keepdims.",
        ),
        {RETURNED: lambda state: [state.result]},
    ),
    Misconception(
        "flattened",
        "The numbers are right but in one long row: the result has lost its axes.",
        (
            "Compare the shape of your result with the one that the exercise asks for.",
            "All numbers are there, in the right order; the rows are not.",
            "Look for flatten, ravel or reshape(-1) near the end, and leave it out.",
        ),
        {RETURNED: _each(np.ravel)},
    ),
    Misconception(
        "transposed",
        "The result is right but transposed: its last two axes have changed places.",
        (
            "What does a row of your result stand for, and what should it stand for?",
            "Entry [i][j] of your result stands where [j][i] should be.",
            "Look for a .T or swapaxes that is one too many, or one that is missing at the end.",
        ),
        {RETURNED: _each(lambda x: np.swapaxes(x, -1, -2) if x.ndim > 1 else x)},
    ),
    Misconception(
        "transposed",
        "The result is right but all its axes are reversed, as `.T` does.",
        (
            "What does a row of your result stand for, and what should it stand for?",
            "The first axis of your result stands where the last should be.",
            "Look for a .T at the end, and leave it out.",
        ),
        {RETURNED: _each(np.transpose)},
    ),
    Misconception(
        "negated",
        "Your numbers are the right ones with their sign turned round.",
        (
            "Which sign should your numbers have?",
            "Every number is right but for its sign.",
            "Look for a minus that is one too many, or one too few, and follow it through.",
        ),
        {RETURNED: _each(np.negative)},
    ),
)

# Those that leave enough of the numbers to see another mistake through them.
COMBINING = {
    "rounded-2",
    "rounded-3",
    "rounded-4",
    "whole-numbers",
    "wrapped",
    "flattened",
    "transposed",
}
