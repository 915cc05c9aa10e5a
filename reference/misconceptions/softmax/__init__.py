"""Misconceptions about the softmax."""

from typing import Any

import numpy as np

from autograder.author import Fact, Mistakes, Recipe
from reference.misconceptions.softmax.probes import TRAITS, probes
from reference.misconceptions.softmax.ratios import RATIOS
from reference.misconceptions.softmax.shifts import SHIFTS

STEPS = {
    "array": lambda s: np.asarray(s.x, dtype=np.float64),
    "shifted": lambda s: s.array - s.array.max(axis=s.axis, keepdims=True),
    "exponentials": lambda s: np.exp(s.shifted),
    "total": lambda s: s.exponentials.sum(axis=s.axis, keepdims=True),
    "weights": lambda s: s.exponentials / s.total,
}


def _sums(value: Any, axis: Any) -> bool:
    return bool(np.allclose(value.sum(axis=axis), 1.0, atol=1e-6))


def _underflows(s: Any, v: Any) -> bool:
    """Return True if the result is NaN exactly where all exponentials of the inputs are 0."""
    is_zero = np.exp(s.array).sum(axis=s.axis, keepdims=True) == 0
    return bool(is_zero.any() and (np.isnan(v) == is_zero).all())


FACTS = (
    Fact(
        "underflow",
        _underflows,
        "Where all inputs along the axis are so far below 0 that np.exp of each of them is 0, the "
        "result is NaN (not a number).",
    ),
    Fact(
        "nan",
        lambda s, v: bool(np.isnan(v).any()) and not _underflows(s, v),
        "The result contains NaN (not a number). NaN can come from 0 / 0, ∞ / ∞ or ∞ − ∞.",
    ),
    Fact("negative", lambda s, v: bool((v < 0).any()), "Some results are negative."),
    Fact(
        "sum",
        lambda s, v: v.shape == s.array.shape and not (_sums(v, s.axis) or _underflows(s, v)),
        "The results along the axis do not always sum to 1.",
    ),
    Fact(
        "sums-right",
        lambda s, v: v.shape == s.array.shape and _sums(v, s.axis),
        "The results along the axis sum to 1, as they should.",
    ),
)


def _factor(s: Any, v: Any) -> float:
    if not np.isfinite(s.array).all() or np.abs(s.array).max() > 50:
        return float("nan")
    logarithms = np.log(v) - np.log(v).mean(axis=s.axis, keepdims=True)
    inputs = s.array - s.array.mean(axis=s.axis, keepdims=True)
    factor = float((logarithms * inputs).sum() / (inputs * inputs).sum())
    if v.shape != s.array.shape or not np.allclose(logarithms, factor * inputs, atol=1e-6):
        raise ValueError("not a softmax of the inputs times a factor")
    if not _sums(v, s.axis) or abs(factor - 1) < 1e-5:
        raise ValueError("the factor is not what is wrong")
    return factor


MISTAKES = Mistakes(
    Recipe(
        "softmax",
        probes,
        (*SHIFTS, *RATIOS),
        steps=STEPS,
        parameters=("x", "axis"),
        defaults={"axis": -1},
        labels={
            "shifted": "the inputs less their maximum",
            "exponentials": "the exponentials",
            "total": "the sums of exponentials",
            "weights": "the shares",
        },
        traits=TRAITS,
        facts=(
            Fact(
                "another-factor",
                _factor,
                "Your numbers match a softmax of inputs that were multiplied by {}.",
            ),
            *FACTS,
        ),
    )
)
