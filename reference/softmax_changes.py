"""Wrong ways to turn scores into weights: other powers, other divisors, and windows."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograder.author import SUMS, ArrayChange, along_axes
from reference.attention import softmax

Change = Callable[[Any], Any]
POWERS: tuple[tuple[str, str, Change], ...] = (
    ("exponentials", "exponentials", np.exp),
    ("powers-of-2", "powers of 2", np.exp2),
    ("powers-of-10", "powers of 10", lambda x: 10.0**x),
    ("squares", "squares", np.square),
    ("positive-parts", "{their} positive parts", lambda x: np.maximum(x, 0)),
    ("sigmoids", "sigmoids", lambda x: 1 / (1 + np.exp(-x))),
)


def _over(power: Change, total: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis: power(x) / total(power(x), axis)


def _of_two_axes(x: Any, shift: Any, total: Any) -> Any:
    e = np.exp(x - x.max(axis=shift, keepdims=True))
    return e / e.sum(axis=total, keepdims=True)


def _in_window(x: Any, before: int, after: int) -> Any:
    query, key = np.indices(x.shape[-2:])
    return softmax(np.where((key >= query - before) & (key <= query + after), x, -np.inf))


IN_PLACE_OF_SOFTMAX = (
    *along_axes(
        [
            (f"{power}-over-{total}", f"as {what}, divided by {of}", _over(raised, divisor))
            for power, what, raised in POWERS
            for total, of, divisor in SUMS
        ],
        2,
    ),
    *(
        ArrayChange(
            f"shifted-{one}-shares-{other}",
            f"as exponentials less the maximum {shifted}, divided by their sum {added}",
            partial(_of_two_axes, shift=shift, total=total),
            2,
        )
        for one, other, shifted, added, shift, total in (
            ("rows", "columns", "of a row", "in a column", -1, -2),
            ("columns", "rows", "of a column", "in a row", -2, -1),
            ("rows", "all", "of a row", "over the whole array", -1, None),
        )
    ),
    *(
        ArrayChange(
            f"window-{before}-{after}",
            f"in a softmax over a window: keys up to {before} before and {after} after the query",
            partial(_in_window, before=before, after=after),
            2,
        )
        for size in (1, 2, 3)
        for before, after in ((size, size), (size, 0))
    ),
)
