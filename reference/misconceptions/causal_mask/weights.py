"""Misconceptions about masked attention weights."""

from typing import Any

import numpy as np

from autograder.author import Fact, Family, Hints, Step, without
from reference.attention import block, softmax
from reference.misconceptions.causal_mask.apply import APPLY, LOW, mask_of, of_scores
from reference.misconceptions.causal_mask.calls import allowed, largest
from reference.misconceptions.reductions import minus_logarithm, shares_along, wrong_reductions

BEFORE: Hints = (
    "Which steps lead in your code from the scores to the weights?",
    "First apply the mask to the scores. Then take one softmax of each row. The scores are "
    "already scaled.",
    "Take the softmax of the result of apply_mask, along the last axis. Do nothing else.",
)
LARGEST: Hints = (
    "Can a blocked score change the exponentials of its row, for example as the largest score?",
    "A blocked score must have no effect, also on the largest score of its row: apply the mask to "
    "the scores first, and then use only the masked scores.",
    "Take the softmax of the result of apply_mask, along the last axis. Do nothing else.",
)
OVERFLOW: Hints = (
    "In NumPy, what is np.exp(1000)? What becomes of a row with this number?",
    "Subtract the largest allowed score of each row. Then no exponential is above 1. A blocked "
    "score of −∞ or −1e9 has the exponential 0.",
    "Take the softmax of the result of apply_mask, along the last axis, and subtract the maximum "
    "of these masked scores.",
)


def _renormalised(epsilon: float) -> Step:
    def weights(s: Any) -> Any:
        left = softmax(s.scores) * mask_of(s)
        return left / (left.sum(-1, keepdims=True) + epsilon)

    return weights


def _later(weights: Step) -> dict[str, Step]:
    """Return the changes that leave the mask to the step `weights`."""
    return {"masked": lambda s: s.scores, "weights": weights}


def _of_allowed(subtracted: Step, repair: Step = lambda x: x) -> dict[str, Step]:
    """Return the change to exponentials that are set to 0 where blocked, and then divided."""

    def weights(s: Any) -> Any:
        e = np.exp(s.scores - subtracted(s)) * mask_of(s)
        return repair(e / e.sum(-1, keepdims=True))

    return _later(weights)


def _less(subtracted: Step, repair: Step = lambda x: x) -> dict[str, Step]:
    """Return the change to a softmax that subtracts something else than the maximum."""

    def weights(s: Any) -> Any:
        e = np.exp(s.masked - subtracted(s))
        return repair(e / e.sum(-1, keepdims=True))

    return {"weights": weights}


def _zero_for_blocked(s: Any) -> Any:
    return np.where(allowed(s), s.scores, 0.0).max(-1, keepdims=True)


def _smallest(s: Any) -> Any:
    return np.where(allowed(s), s.scores, np.inf).min(-1, keepdims=True)


def _mean(s: Any) -> Any:
    of_allowed = np.where(allowed(s), s.scores, 0.0).sum(-1, keepdims=True)
    return of_allowed / allowed(s).sum(-1, keepdims=True)


REPAIRS: tuple[Step, ...] = (lambda x: x, np.nan_to_num)
DIVISORS: tuple[tuple[str, Step], ...] = (
    ("2", lambda s: 2),
    ("√L_k", lambda s: np.sqrt(s.scores.shape[-1])),
)


WEIGHTS = (
    Family(
        None,
        BEFORE,
        {
            "mask-after-softmax": (
                "The mask acts as if after the softmax: blocked weights are 0{, but the rest of "
                "the row no longer sums to 1}.",
                _later(lambda s: softmax(s.scores) * mask_of(s)),
            ),
            "renormalised-over-everything": (
                "The mask acts as if after the softmax. Then each weight is divided by the sum "
                "over the whole array. It should be divided by the sum of its row.",
                _later(
                    lambda s: (
                        softmax(s.scores) * mask_of(s) / (softmax(s.scores) * mask_of(s)).sum()
                    )
                ),
            ),
            "low-number-in-weights": (
                "The mask acts after the softmax, so blocked weights are −∞ or −1e9 instead of 0.",
                *(
                    _later(lambda s, low=low, way=way: np.where(mask_of(s), way(s.scores, -1), low))
                    for low in (-np.inf, -1e9)
                    for way in (softmax, shares_along)
                ),
            ),
        },
    ),
    Family(
        None,
        LARGEST,
        {
            "renormalised-after-softmax": (
                "{The weights are right, with one exception. }In a row whose allowed scores lie "
                "far below a blocked score, the exponentials of all allowed scores become 0 or "
                "nearly 0.",
                *(_later(_renormalised(epsilon)) for epsilon in (0.0, 1e-12, 1e-9, 1e-8)),
                _later(lambda s: np.nan_to_num(_renormalised(0.0)(s))),
            ),
            "zero-in-the-maximum": (
                "In the maximum that your code subtracts, each blocked score counts as 0. If the "
                "allowed scores of a row lie far below 0, their exponentials become 0 or nearly 0.",
                *(
                    change(_zero_for_blocked, repair)
                    for change in (_of_allowed, _less)
                    for repair in REPAIRS
                ),
            ),
        },
    ),
    Family(
        None,
        OVERFLOW,
        {
            "blocked-exponentials-overflow": (
                "{The weights are right, with one exception. }If a blocked score lies far above "
                "the allowed scores of its row, its exponential overflows to ∞, and the row is "
                "wrong.",
                *(_of_allowed(largest, repair) for repair in REPAIRS),
            ),
            **{
                f"{name}-subtracted": (
                    "Large scores that are far apart overflow, as in a softmax that subtracts "
                    f"{words} of each row instead of the largest allowed score.",
                    _less(number),
                    _of_allowed(number),
                )
                for name, words, number in (
                    ("first", "the first score", lambda s: s.scores[..., :1]),
                    ("smallest", "the smallest allowed score", _smallest),
                    ("mean", "the mean of the allowed scores", _mean),
                )
            },
        },
    ),
    *wrong_reductions("masked", BEFORE),
    Family(
        None,
        BEFORE,
        {
            "scores-divided": [
                (
                    f"The scores are divided by {words}, but they are already scaled.",
                    {"scores": lambda s, by=by: s.scores / by(s)},
                    {"weights": lambda s, by=by: softmax(s.masked / by(s))},
                )
                for words, by in DIVISORS
            ],
        },
    ),
    Family(
        "weights",
        BEFORE,
        {
            "exponentials-only": [
                ("The exponentials are not divided by their sum.", lambda s: np.exp(s.masked)),
                (
                    "The exponentials of the allowed scores are not divided by their sum.",
                    _later(
                        lambda s: np.exp(s.scores - s.scores.max(-1, keepdims=True)) * mask_of(s)
                    ),
                ),
            ]
        },
    ),
    Family(
        "weights",
        OVERFLOW,
        {
            "softmax-not-stable": (
                "{The weights are right for small scores. }Large scores overflow{, as in a "
                "softmax that does not subtract the maximum| in the exponential}.",
                lambda s: np.exp(s.masked) / np.exp(s.masked).sum(-1, keepdims=True),
                lambda s: np.nan_to_num(np.exp(s.masked) / np.exp(s.masked).sum(-1, keepdims=True)),
                lambda s: minus_logarithm(s.masked),
                lambda s: shares_along(s.masked.astype(np.float32), -1),
                *(_of_allowed(lambda s: 0.0, repair) for repair in REPAIRS),
            )
        },
    ),
    Family(
        "weights",
        BEFORE,
        {
            "blocked-in-the-sum": (
                "Blocked weights are 0, but the exponentials of the blocked scores still count in "
                "the sum of the row.",
                _later(
                    lambda s: (
                        np.exp(s.scores) * mask_of(s) / np.exp(s.scores).sum(-1, keepdims=True)
                    )
                ),
            ),
            "softmax-then-mask-then-softmax": (
                "The weights are a second softmax, of a softmax with 0 for blocked weights.",
                _later(lambda s: softmax(softmax(s.scores) * mask_of(s))),
            ),
            "equal-weights": (
                "All allowed weights of a row are equal: the scores have no effect.",
                lambda s: softmax(block(0 * s.scores, s.mask)),
            ),
            "no-exponential": (
                "The masked scores are divided by their sum without an exponential.",
                lambda s: s.scores * mask_of(s) / (s.scores * mask_of(s)).sum(-1, keepdims=True),
            ),
        },
    ),
)


# The mistakes of `apply_mask`, made inside this function. If two give the same weights here, apart
# from a missing softmax, only one of them is listed.
_SAME_HERE = (
    "additive-mask-returned mask-added blocked-plus-infinity mask-returned mask-in-place-of-scores "
    "all-lowered softmax-taken softmax-and-zero allowed-zero blocked-not-low lowered "
    "lowered-by-a-logarithm mask-ignored mask-filled-up"
)


IN_WEIGHTS = (
    *without(APPLY, _SAME_HERE),
    Family(
        "masked",
        BEFORE,
        {
            "mask-ignored": (
                "The mask has no effect: blocked keys get weight like allowed keys.",
                lambda s: s.scores,
            )
        },
    ),
    Family(
        "masked",
        LOW,
        means=of_scores,
        ways={
            "blocked-not-below-all": (
                "Blocked scores are lower than most scores, but not low enough for every row. In "
                "some rows, a blocked position still gets weight.",
                *(
                    change
                    for low in (20, 50, 100, 500)
                    for change in (
                        lambda x, m, low=low: np.where(m, x, -low),
                        lambda x, m, low=low: x - low * (1 - m),
                    )
                ),
            )
        },
    ),
    *(
        Family(
            "masked",
            LOW,
            means=of_scores,
            ways={
                "blocked-not-low": (
                    f"Blocked scores are −{low:g}. This number is not low enough: blocked "
                    "positions still get weight.",
                    lambda x, m, low=low: np.where(m, x, -low),
                ),
                "lowered": (
                    f"The mask lowers blocked scores by only {low:g}, so blocked positions still "
                    "get weight.",
                    lambda x, m, low=low: x - low * (1 - m),
                ),
            },
        )
        for low in (0.5, 1, 2, 3, 5, 10)
    ),
)


WEIGHT_FACTS = (
    Fact(
        "nan", lambda s, v: bool(np.isnan(v).any()), "Some of the weights are NaN (not a number)."
    ),
    Fact(
        "blocked-get-weight",
        lambda s, v: bool((v[~allowed(s)] > 1e-6).any()),
        "Blocked positions still get weight.",
    ),
    Fact(
        "columns",
        lambda s, v: bool(np.allclose(v.sum(-2), 1.0, atol=1e-6)),
        "The columns of your weights sum to 1. The rows should sum to 1.",
    ),
    Fact(
        "rows",
        lambda s, v: not np.allclose(v.sum(-1), 1.0, atol=1e-5),
        "Not every row of your weights sums to 1.",
    ),
)
