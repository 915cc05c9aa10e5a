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
AXES = (
    ("queries", -2, "the queries (axis −2)"),
    ("axis-0", 0, "axis 0"),
    ("axis-1", 1, "axis 1"),
)


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
            "weights",
            hints,
            means=weights,
            ways={
                **{
                    f"sum-along-{name}": (
                        f"The exponentials are divided by their sum over {words}. They should be "
                        "divided by the sum of their row.",
                        lambda x, axis=axis: ratio(np.exp(x - x.max(-1, keepdims=True)), axis),
                    )
                    for name, axis, words in (*AXES, ("everything", None, "the whole array"))
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
                "without-keepdims": (
                    "The maximum and the sum lose their axis, as without keepdims=True. Then each "
                    "row is combined with the numbers of other rows, or the shapes do not fit.",
                    lambda x: np.exp(x - x.max(-1)) / np.exp(x - x.max(-1)).sum(-1),
                ),
            },
        ),
    )
