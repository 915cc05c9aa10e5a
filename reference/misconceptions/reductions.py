"""Misconceptions about the axis of a softmax's maximum or sum, for several exercises."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.attention import softmax

KEEPDIMS: Hints = (
    "What is the shape of the sum of a (3, 2) matrix along its last axis?",
    "A maximum or a sum along an axis loses this axis. Then each of these numbers is used for a "
    "column instead of a row.",
    "Use keepdims=True for the maximum and for the sum, so that each row gets its own numbers.",
)
AXES = (("queries", -2, "the queries (axis −2)"), ("axis-0", 0, "axis 0"), ("axis-1", 1, "axis 1"))
SUMS = (*AXES, ("everything", None, "the whole array"), ("matrix", (-2, -1), "the whole matrix"))


DIVISORS: tuple[tuple[str, str, Callable[[Any, Any], Any]], ...] = (
    ("others", "the sum of the others in their row", lambda e, total: total - e),
    (
        "norm",
        "the root of the sum of their squares",
        lambda e, total: (e * e).sum(-1, keepdims=True) ** 0.5,
    ),
    ("largest-sum", "the largest sum of a row", lambda e, total: total.max()),
    ("number", "the number of keys", lambda e, total: e.shape[-1]),
)


def _shares(x: Any, by: Callable[[Any, Any], Any]) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / by(e, e.sum(-1, keepdims=True))


def ratio(exponentials: Any, axis: Any = -1) -> Any:
    """Return each exponential divided by the sum along an axis."""
    return exponentials / exponentials.sum(axis, keepdims=True)


def shares_along(x: Any, axis: Any) -> Any:
    """Return a softmax that overflows for large inputs."""
    return ratio(np.exp(x), axis)


def over(of: str, axis: Any) -> tuple[dict[str, Step], ...]:
    """Return changes of `weights` to the softmax of the step `of` along an axis, stable or not."""
    ways = (softmax, shares_along)
    return tuple({"weights": lambda s, way=way: way(getattr(s, of), axis)} for way in ways)


def minus_logarithm(x: Any, axis: int = -1) -> Any:
    """Return exp(x − log Σ exp(x)), which is a softmax that overflows for large inputs."""
    return np.exp(x - np.log(np.exp(x).sum(axis, keepdims=True)))


def wrong_reductions(of: str, hints: Hints) -> tuple[Family, ...]:
    """Return the misconceptions of the step `weights`. The step named `of` computes its scores."""

    def weights(change: Callable[[Any], Any]) -> Step:
        return lambda s: change(getattr(s, of))

    return (
        Family(
            None,
            hints,
            {  # over the queries: fastNLP#254; over everything: S1 of the course's sources
                f"softmax-over-{name}": (
                    f"The softmax runs over {words}. It should run over the keys.",
                    *over(of, axis),
                )
                for name, axis, words in SUMS
            },
        ),
        Family(
            "weights",
            hints,
            means=weights,
            ways={
                "shifted-exponentials-only": (
                    "{The largest weight of each row is 1, because the|The} exponentials are not "
                    "divided by their sum.",
                    lambda x: np.exp(x - x.max(-1, keepdims=True)),
                ),
                "all-or-nothing": (
                    "In each row, only the key with the largest score gets weight: its weight is "
                    "1.",
                    lambda x: (x == x.max(-1, keepdims=True)).astype(float),
                ),
                "logarithm": (
                    "{Your weights are the logarithms of the right ones|The weights are "
                    "logarithms}.",
                    lambda x: (
                        (y := x - x.max(-1, keepdims=True)) - np.log(np.exp(y).sum(-1)[..., None])
                    ),
                    lambda x: np.log(softmax(x) + 1e-12),
                ),
                "no-softmax": (
                    "The weights are the scaled scores instead of their softmax.",
                    lambda x: x,
                ),
                **{
                    f"divided-by-{name}": (
                        f"The exponentials are divided by {words}. They should be divided by the "
                        "sum of their row.",
                        lambda x, by=by: _shares(x, by),
                    )
                    for name, words, by in DIVISORS
                },
                "base-2": (
                    "Your weights match powers of 2 instead of powers of e.",
                    lambda x: softmax(x * np.log(2)),
                ),
                "softmax-twice": (
                    "Your weights are a softmax of a softmax.",
                    lambda x: softmax(softmax(x)),
                ),
                "largest-of-all": (
                    "{The result is right if all rows have values of similar size. }The maximum "
                    "of the whole array is subtracted from every row, so rows that are far below "
                    "this maximum vanish.",
                    lambda x: ratio(np.exp(x - x.max())),
                    lambda x: (e := np.exp(x - x.max())) / (e.sum(-1, keepdims=True) + 1e-9),
                    lambda x: ratio(np.exp(x - x.max()).astype(np.float32)),
                ),
                **{
                    f"sum-along-{name}": (
                        f"The exponentials are divided by their sum over {words}. They should be "
                        "divided by the sum of their row.",
                        lambda x, axis=axis: ratio(np.exp(x - x.max(-1, keepdims=True)), axis),
                    )
                    for name, axis, words in SUMS
                },
                **{
                    f"maximum-along-{name}": (
                        f"Your numbers match maxima along {words}. From each score, subtract the "
                        "maximum of its row.",
                        lambda x, axis=axis: ratio(np.exp(x - x.max(axis, keepdims=True))),
                    )
                    for name, axis, words in AXES
                },
                "maximum-added": (
                    "{The result is right for small scores. }Large scores overflow, as in a "
                    "softmax that adds the maximum instead of subtracting it.",
                    lambda x: ratio(np.exp(x + x.max(-1, keepdims=True))),
                ),
            },
        ),
        Family(
            "weights",
            KEEPDIMS,
            means=weights,
            ways={
                "maximum-without-keepdims": (
                    "The maximum loses its axis, as without keepdims=True. Then the maxima of "
                    "other rows are subtracted, or the shapes do not fit.",
                    lambda x: ratio(np.exp(x - x.max(-1))),
                ),
                "sum-without-keepdims": (
                    "The sum loses its axis, as without keepdims=True. Then each sum divides the "
                    "wrong entries, or the shapes do not fit.",
                    lambda x: (e := np.exp(x - x.max(-1, keepdims=True))) / e.sum(-1),
                ),
                "without-keepdims": (
                    "The maximum and the sum lose their axis, as without keepdims=True. Then each "
                    "row is combined with the numbers of other rows, or the shapes do not fit.",
                    lambda x: np.exp(x - x.max(-1)) / np.exp(x - x.max(-1)).sum(-1),
                ),
            },
        ),
    )
