"""Masked attention weights, done wrong."""

from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Fact, Hints, Misconception
from reference.attention import block, softmax
from reference.misconceptions.causal_mask.apply import APPLY, LOW, allowed, apply, mask_of
from reference.misconceptions.reductions import wrong_reductions

BEFORE: Hints = (
    "After your mask has acted, do the allowed weights of each row still sum to 1?",
    "The mask acts on the scores, before the softmax; the scores are already scaled.",
    "Give apply_mask's result to a softmax along the last axis, and nothing else.",
)


def _stack(s: Any) -> Any:
    return s.masked - s.masked.max(axis=-1, keepdims=True)


WEIGHTS = (
    Misconception(
        "scaled-again",
        "The scores are divided by √d once more, with d the number of keys; they are already "
        "scaled.",
        BEFORE,
        {"masked": lambda s: block(s.scores / np.sqrt(s.scores.shape[-1]), s.mask)},
    ),
    Misconception(
        "scaled-again-by-keys",
        "The scores are divided by the number of keys; they are already scaled.",
        BEFORE, {"masked": lambda s: block(s.scores / s.scores.shape[-1], s.mask)},
    ),
    Misconception(
        "mask-after-softmax",
        "The mask acts after the softmax: blocked weights are 0, but the rest of the row no longer "
        "sums to 1.",
        BEFORE, {"masked": lambda s: s.scores, "weights": lambda s: softmax(s.scores) * mask_of(s)},
    ),
    Misconception(
        "low-number-in-weights",
        "The mask acts after the softmax: blocked weights are −∞ or −1e9 in place of 0.",
        BEFORE,
        {"masked": lambda s: s.scores,
         "weights": lambda s: np.where(mask_of(s), softmax(s.scores), -np.inf)},
    ),
    Misconception(
        "low-number-in-weights",
        "The mask acts after the softmax: blocked weights are −∞ or −1e9 in place of 0.",
        BEFORE,
        {"masked": lambda s: s.scores,
         "weights": lambda s: np.where(mask_of(s), softmax(s.scores), -1e9)},
    ),
    Misconception(
        "softmax-over-queries",
        "The softmax runs over the queries (axis −2): the columns sum to 1, not the rows.",
        BEFORE, {"weights": lambda s: softmax(s.masked, -2)},
    ),
    Misconception(
        "softmax-over-axis-0",
        "The softmax runs along axis 0, not along the keys.",
        BEFORE, {"weights": lambda s: softmax(s.masked, 0)},
    ),
    Misconception(
        "softmax-over-axis-1",
        "The softmax runs along axis 1: over the queries where there is a batch.",
        BEFORE, {"weights": lambda s: softmax(s.masked, 1)},
    ),
    Misconception(
        "softmax-over-everything",
        "One softmax runs over the whole array: all weights together sum to 1, and no row does.",
        BEFORE, {"weights": lambda s: softmax(s.masked, None)},  # type: ignore[arg-type]
    ),
    *wrong_reductions("masked", BEFORE),
    Misconception(
        "all-or-nothing",
        "Each query takes only the allowed position with the largest score: its weight is 1.",
        BEFORE, {"weights": lambda s: (_stack(s) == 0).astype(float)},
    ),
    Misconception(
        "logarithm", "Your weights are the logarithms of the right ones.",
        BEFORE,
        {"weights": lambda s: _stack(s) - np.log(np.exp(_stack(s)).sum(-1, keepdims=True))},
    ),
    Misconception(
        "no-softmax", "There is no softmax: the masked scores come back.",
        BEFORE, {"weights": lambda s: s.masked},
    ),
    Misconception(
        "exponentials-only", "The exponentials are not divided by their sum.",
        BEFORE, {"weights": lambda s: np.exp(s.masked)},
    ),
    Misconception(
        "exponentials-only", "The masked exponentials are not divided by their sum.",
        BEFORE,
        {"masked": lambda s: s.scores,
         "weights": lambda s: np.exp(s.scores - s.scores.max(-1, keepdims=True)) * mask_of(s)},
    ),
    Misconception(
        "shifted-exponentials-only",
        "The largest weight of each row is 1: the exponentials are not divided by their sum.",
        BEFORE, {"weights": lambda s: np.exp(_stack(s))},
    ),
    Misconception(
        "softmax-not-stable",
        "Right for small scores; large ones overflow, as in a softmax that exponentiates its "
        "scores as they are.",
        (
            "What is np.exp(1000)? And what is infinity divided by infinity?",
            "With the largest score of a row taken away from the row, no exponential is above 1.",
            "Before you exponentiate, subtract the maximum of each row, with keepdims=True.",
        ),
        {"weights": lambda s: np.exp(s.masked) / np.exp(s.masked).sum(-1, keepdims=True)},
    ),
    Misconception(
        "sum-without-keepdims",
        "The exponentials are divided by sums that have lost their axis, so that each sum divides "
        "the wrong entries.",
        BEFORE, {"weights": lambda s: np.exp(_stack(s)) / np.exp(_stack(s)).sum(-1)},
    ),
    Misconception(
        "largest-of-all",
        "The maximum of the whole array is subtracted, and rows far below it vanish.",
        BEFORE,
        {"weights": lambda s: np.exp(s.masked - s.masked.max())
         / np.exp(s.masked - s.masked.max()).sum(-1, keepdims=True)},
    ),
    Misconception(
        "blocked-in-the-sum",
        "Blocked weights are 0, but the sum that divides still counts the blocked scores.",
        BEFORE,
        {"masked": lambda s: s.scores,
         "weights": lambda s: np.exp(s.scores) * mask_of(s)
         / np.exp(s.scores).sum(-1, keepdims=True)},
    ),
    Misconception(
        "base-2", "Your weights are those of powers of 2 in place of powers of e.",
        BEFORE, {"weights": lambda s: softmax(s.masked * np.log(2))},
    ),
    Misconception(
        "softmax-twice", "Your weights are a softmax of a softmax.",
        BEFORE, {"weights": lambda s: softmax(softmax(s.masked))},
    ),
    Misconception(
        "softmax-then-mask-then-softmax",
        "A softmax is taken of weights that were set to 0 after a first softmax.",
        BEFORE,
        {"masked": lambda s: s.scores,
         "weights": lambda s: softmax(softmax(s.scores) * mask_of(s))},
    ),
    Misconception(
        "equal-weights", "All allowed weights of a row are equal: the scores take no part.",
        BEFORE, {"weights": lambda s: softmax(block(0 * s.scores, s.mask))},
    ),
    Misconception(
        "no-exponential", "The masked scores are divided by their sum without an exponential.",
        BEFORE, {"weights": lambda s: s.scores * mask_of(s)
                 / (s.scores * mask_of(s)).sum(-1, keepdims=True)},
    ),
)  # fmt: skip


# What `apply_mask` does wrong, done inside this function. Two of its mistakes, a missing softmax
# apart, end at the same weights here, so only one of each such group stays.
_SAME_HERE = {"additive-mask-returned", "mask-added", "blocked-plus-infinity", "mask-returned",
              "mask-in-place-of-scores", "all-lowered", "softmax-taken", "softmax-and-zero",
              "scaled-too", "allowed-zero", "blocked-not-low", "lowered"}  # fmt: skip


_NOT_BELOW_ALL = tuple(
    apply("blocked-not-below-all", change,
           "Blocked scores are low for most scores and not below every one: next to scores such "
           "as −900 a blocked position still gets weight.", LOW)
    for low in (20, 50, 100, 500)
    for change in (lambda x, m, low=low: np.where(m, x, -low),
                   lambda x, m, low=low: x - low * (1 - m))
)  # fmt: skip


_STILL_WEIGH = tuple(
    apply(id, change, finding, LOW)
    for low in (0.5, 1, 2, 3, 5, 10)
    for id, change, finding in (
        ("blocked-not-low", lambda x, m, low=low: np.where(m, x, -low),
         f"Blocked scores are −{low:g}, which is not low enough: they still get weight."),
        ("lowered", lambda x, m, low=low: x - low * (1 - m),
         f"Blocked scores are lowered by {low:g} only: they still get weight."),
    )
)  # fmt: skip


IN_WEIGHTS = (
    *(each for each in APPLY if each.id not in _SAME_HERE),
    *_NOT_BELOW_ALL,
    *_STILL_WEIGH,
)


WEIGHT_FACTS = (
    Fact("nan", lambda s, v: bool(np.isnan(v).any()), "There are NaN (not a number) among them."),
    Fact("blocked-get-weight", lambda s, v: bool((np.abs(v[~allowed(s)]) > 1e-6).any()),
         "Blocked positions still get weight."),
    Fact("columns", lambda s, v: bool(np.allclose(v.sum(-2), 1.0, atol=1e-6)),
         "The columns of your weights sum to 1, and the rows should."),
    Fact("rows", lambda s, v: not np.allclose(v.sum(-1), 1.0, atol=1e-5),
         "The rows of your weights do not sum to 1."),
)  # fmt: skip
