"""Calls that distinguish the misconceptions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import Probe, Trait


def probes(draw: int) -> Sequence[Probe]:
    """Return calls, small integers first. Square arrays let a wrong axis change only the values."""
    rng = np.random.default_rng([20, draw])

    def whole(*sizes: int) -> Any:
        return rng.permutation(int(np.prod(sizes))).reshape(sizes) / 2.0 - 0.5

    def real(*sizes: int) -> Any:
        return rng.normal(size=sizes)

    infinite = real(3, 3)
    infinite[0, 1] = infinite[2, 0] = infinite[2, 2] = -np.inf
    one = float(rng.integers(1, 4))
    return [
        Probe((whole(3),)),
        Probe((whole(2, 3),)),
        Probe((whole(3, 3),)),
        Probe((whole(3, 3), 0)),
        Probe((whole(3, 2), 1)),
        Probe((real(2, 3, 2), 2)),
        Probe((real(4, 2), 0)),
        Probe((real(2, 3, 4), 1)),
        Probe((real(2, 3, 4), 0)),
        Probe((real(3, 2, 2), 0)),
        Probe((real(3, 3, 3), -3)),
        Probe((real(2, 2, 2), -2)),
        Probe((real(3, 2, 4, 2),)),
        Probe((real(2, 3, 2, 2), 1)),
        Probe((real(2, 2, 3, 4), -2)),
        Probe((rng.permutation(4) - 1,)),
        Probe((rng.permutation(6).reshape(2, 3) + 1,)),
        Probe(([[1, 2 + int(one)], [3, 0]],)),
        Probe(([2, 1 + int(one), 0],)),
        Probe((np.array([one, -np.inf, 1.5]),)),
        Probe((infinite,)),
        Probe((np.array([1000.0, 1000.0 + one]),), condition=1e4),
        Probe((np.array([-1e4, -1e4 + one]),), condition=1e4),
        Probe((np.array([1e4, -1e4, one]),), condition=1e4),
        Probe((np.array([900.0 + one, 0.0]),), condition=1e4),
        Probe((np.array([[0.0, 1100.0 + one], [1102.0, 1101.0]]),), condition=1e4),
        Probe((np.array([[1e4, 0.0], [-1e4, -1e4 + one]]),), condition=1e4),
        Probe((np.array([[-1e4, -1e4 + one], [1e4, 0.0]]),), condition=1e4),
        Probe((np.array([[2000.0, 1999.0], [0.0, one], [5.0, 3.0]]),), condition=1e4),
        Probe((np.array([[[2000.0, 1999.0], [0.0, one]]]),), condition=1e4),
        Probe((np.array([[2000.0, 5.0], [1999.0, 5.0 + one]]), 0), condition=1e4),
        Probe((real(3, 4), -2)),
        Probe((real(1, 4),)),
        Probe((real(2, 1, 3), 0)),
    ]


def _large(s: Any) -> bool:
    finite = s.array[np.isfinite(s.array)]
    return bool(np.abs(finite).max() > 100)


TRAITS = (
    Trait(_large, "for large numbers", "for small numbers"),
    Trait(lambda s: bool(np.isinf(s.array).any()), "with −∞ among the inputs", "without −∞"),
    Trait(lambda s: s.array.ndim > 1, "for more than one axis", "for a single axis"),
    Trait(lambda s: s.array.ndim > 2, "for three axes and more", "for up to two axes"),
    Trait(
        lambda s: 1 in s.array.shape,
        "for an input with an axis of length 1",
        "if no axis has length 1",
    ),
    Trait(
        lambda s: s.axis not in {-1, s.array.ndim - 1},
        "along another axis than the last",
        "along the last axis",
    ),
    Trait(lambda s: s.axis < -1, "for a negative axis other than −1", "for other axes"),
    Trait(
        lambda s: np.asarray(s.x).dtype.kind == "i",
        "for whole numbers",
        "for numbers with decimals",
    ),
    Trait(lambda s: "axis" in s.given, "if an axis is given", "without an axis"),
    Trait(lambda s: isinstance(s.x, list), "for lists", "for arrays"),
)
