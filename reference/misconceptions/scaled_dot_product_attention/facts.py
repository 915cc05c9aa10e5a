"""Statements about wrong results that no misconception explains."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Fact
from reference.attention import Array, softmax
from reference.masks import blocked_keep_weight, explained_by_another_mask


def _two(s: Any, value: Any) -> tuple[Any, Any]:
    output, weights = value
    if output.shape != s.output.shape or weights.shape != s.weights.shape:
        raise ValueError("these are not an output and weights")
    return output, weights


def _close(a: Any, b: Any) -> bool:
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-5, atol=1e-6))


def divisor(s: Any, v: Any) -> float:
    """Return the divisor of the scores. If the weights do not show it, return NaN.

    The logarithms of a row of weights are the divided scores plus a constant, so they show the
    divisor. Blocked keys and weights near 0 are left out.
    """
    return _divisor(s, _two(s, v)[1], 1e-6)


def divisor_in_single(s: Any, v: Any) -> float:
    weights = v[1]
    if weights.shape != s.weights.shape:
        raise ValueError("these are not the weights")
    return _divisor(s, weights, 2e-5)


def _divisor(s: Any, weights: Any, tolerance: float) -> float:
    scores = np.broadcast_to(s.scores, weights.shape)
    if np.abs(scores).max() > 100:
        return float("nan")
    if _close(weights, s.weights):
        raise ValueError("the weights are right")
    seen = np.isfinite(s.blocked) & (weights > 1e-250)
    if (np.isfinite(s.blocked) & ~seen).any() or (weights[~np.isfinite(s.blocked)] > 1e-6).any():
        raise ValueError("not a softmax of the scores over a divisor")
    mine = np.where(seen, np.log(np.where(seen, weights, 1)), np.nan)
    right = np.where(seen, scores, np.nan)
    mine = mine - np.nanmean(mine, axis=-1, keepdims=True)
    right = right - np.nanmean(right, axis=-1, keepdims=True)
    spread = np.nansum(right * right)
    if spread < 1e-12:
        return float("nan")
    factor = float(np.nansum(mine * right) / spread)
    rest = np.abs(mine - factor * right)
    if np.nanmax(rest) > tolerance or not np.allclose(weights.sum(-1), 1, atol=1e-6):
        raise ValueError("not a softmax of the scores over a divisor")
    return 1 / factor


LOW_ENOUGH = Fact(
    "blocked-scores-not-low",
    lambda s, v: (
        s.mask is not None
        and blocked_keep_weight(v[1], s.weights, np.broadcast_to(s.blocked, v[1].shape))
    ),
    "Blocked keys still get weight, as in a softmax whose blocked scores are not low enough.",
    is_named=True,
)


def another_mask(output_of: Callable[[Any, Array], Array]) -> Fact:
    """Return a fact about other blocked keys. `output_of` computes the output from the weights."""
    return Fact(
        "another-mask",
        lambda s, v: explained_by_another_mask(v[1], s.scaled, v[0], output_of(s, v[1])),
        "Your weights match a softmax with another mask: other keys are blocked.",
    )


NAN = Fact(
    "nan",
    lambda _, v: any(bool(np.isnan(part).any()) for part in v),
    "The result contains NaN (not a number). NaN can come from 0 / 0, ∞ / ∞ or ∞ − ∞.",
)
ROWS = Fact(
    "rows",
    lambda s, v: v[1].shape == s.weights.shape and not np.allclose(v[1].sum(-1), 1, atol=1e-4),
    "Not every row of your weights sums to 1.",
)
FACTS = (
    Fact(
        "masked-scores-returned",
        lambda s, v: (
            _close(_two(s, v)[0], s.output)
            and not _close(_two(s, v)[1], s.weights)
            and _close(softmax(_two(s, v)[1]), s.weights)
        ),
        "The output is right, but the input of the softmax is returned instead of the weights.",
        is_named=True,
    ),
    NAN,
    LOW_ENOUGH,
    another_mask(lambda s, weights: weights @ s.V),
    Fact(
        "columns",
        lambda s, v: _close(_two(s, v)[1].sum(-2), np.ones(_two(s, v)[1].sum(-2).shape)),
        "The columns of your weights sum to 1. The rows should sum to 1.",
    ),
    ROWS,
    Fact(
        "follows",
        lambda s, v: (
            _close(_two(s, v)[0], _two(s, v)[1] @ s.V) and not _close(_two(s, v)[1], s.weights)
        ),
        "The output follows from your weights, so the mistake is in the weights.",
    ),
)
