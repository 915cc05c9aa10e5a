"""Misconceptions about applying a mask to scores."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.attention import block, softmax
from reference.misconceptions.scaled_dot_product_attention.masking import (
    BELOW,
    heads_as_batch,
    rows_as_padding,
    smallest,
    with_low,
)

LOW: Hints = (
    "After the mask has acted, what is each blocked score, and what is each allowed one?",
    "exp(0) is 1. A blocked score needs a very low number, such as −∞ or −1e9. Then its weight is "
    "0.",
    "Print a small example of the scores, just after the line in which the mask acts.",
)
WHERE: Hints = (
    "Which scores does your code change?",
    "First broadcast the mask to the shape of the scores. Replace the scores where the mask is "
    "False or 0. Do not change any other score.",
    "Look at the line in which the mask acts, and at what your code does to the mask first.",
)


def mask_of(s: Any) -> Any:
    return np.asarray(s.mask).astype(float)


def of_scores(change: Callable[[Any, Any], Any]) -> Step:
    return lambda s: change(s.scores, mask_of(s))


def _t(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


APPLY = (
    Family(
        "masked",
        WHERE,
        means=of_scores,
        ways={
            "mask-ignored": (
                "The function returns the scores unchanged: the mask has no effect.",
                lambda x, m: x,
            ),
            "mask-inverted": (
                "Your code blocks a score where the mask is true. In this exercise, true means "
                "“may attend”.",
                *with_low(lambda x, m, low: np.where(m, low, x)),
                lambda x, m: x + m * -1e9,
            ),
            "mask-transposed": (
                "The mask acts as if transposed: its rows should be queries, and its columns keys.",
                *with_low(lambda x, m, low: np.where(_t(m), x, low)),
            ),
            "mask-added": (
                "Allowed scores change by 1, as if the mask of 0 and 1 is added to the scores or "
                "subtracted from the scores. Allowed scores should not change.",
                lambda x, m: x + m,
                lambda x, m: x - m,
                *with_low(lambda x, m, low: np.where(m, x + 1, low)),
                *with_low(lambda x, m, low: np.where(m, x - 1, low)),
                *(lambda x, m, one=one: x + np.where(m, one, -1e9) for one in (1, -1)),
            ),
            "all-lowered": (
                "1e9 is subtracted from every score. It should be subtracted only from blocked "
                "scores.",
                lambda x, m: x * m - 1e9,
            ),
            "mask-in-place-of-scores": (
                "Allowed scores are replaced by the 1 of the mask. Allowed scores should not "
                "change.",
                lambda x, m: np.where(m, m, -np.inf),
            ),
            "mask-returned": (
                "The function returns the mask instead of the scores.",
                lambda x, m: np.broadcast_to(m, x.shape),
            ),
            "additive-mask-returned": (
                "The result contains only 0 and −∞ or −1e9. The scores are missing.",
                *with_low(lambda x, m, low: np.where(m, 0 * x, low)),
            ),
            "softmax-taken": (
                "The function returns weights. It should return scores: the softmax is the task "
                "of the next function.",
                lambda x, m: softmax(block(x, m)),
            ),
            "softmax-and-zero": (
                "The function returns weights, with 0 for blocked keys. It should return scores.",
                lambda x, m: softmax(x) * m,
            ),
            "own-causal-mask": (
                "Your numbers match a causal mask{, whatever mask is given}.",
                *with_low(lambda x, m, low: np.where(np.tril(np.ones(x.shape[-2:])), x, low)),
            ),
            "mask-rows-meet-batch": (
                "{A mask of two axes is right, with one exception. }If the mask has as many rows "
                "as there are sequences, row i of the mask acts on all queries of sequence i. Row "
                "i should act on query i of every sequence.",
                *with_low(lambda x, m, low: np.where(rows_as_padding(m, x, range(3, 9)), x, low)),
                *with_low(lambda x, m, low: np.where(rows_as_padding(m, x, range(3, 4)), x, low)),
            ),
            "mask-heads-meet-batch": (
                "The mask has three axes and the scores have four. Your code matches the first "
                "axes of both. Broadcasting matches the last axes.",
                *with_low(lambda x, m, low: np.where(heads_as_batch(m, x), x, low)),
            ),
            "diagonal-blocked": (
                "The diagonal is blocked too, even where the mask is true.",
                lambda x, m: np.where(m * (1 - np.eye(*x.shape[-2:])), x, -np.inf),
            ),
            "allowed-zero": (
                "Your code replaces a score by 0 where the mask is true. It should block a score "
                "where the mask is false.",
                lambda x, m: np.where(m, 0.0, x),
            ),
        },
    ),
    Family(
        "masked",
        LOW,
        means=of_scores,
        ways={
            "blocked-zero": (
                "Blocked scores are 0 or nearly 0{, so blocked keys still get weight: exp(0) is "
                "1}.",
                lambda x, m: np.where(m, x, 0.0),
            ),
            "blocked-not-low": [
                (
                    f"Blocked scores are −{low:g}. This number is not low enough: for some "
                    "scores, blocked keys still get weight.",
                    lambda x, m, low=low: np.where(m, x, -low),
                )
                for low in (0.5, 1, 2, 3, 5, 10, 20, 50, 100, 500, 1000)
            ],
            "blocked-large": (
                "Blocked scores are far above the other scores, so blocked keys get all the "
                "weight.",
                lambda x, m: np.where(m, x, 1e9),
            ),
            "blocked-plus-infinity": (
                "Blocked scores are +∞ instead of −∞.",
                lambda x, m: np.where(m, x, np.inf),
            ),
            "blocked-nan": [
                (
                    "Blocked scores are NaN (not a number). NaN comes from 0 / 0, 0 · ∞ or ∞ − ∞, "
                    "or from a NaN in your code.",
                    lambda x, m: np.where(m, x, np.nan),
                ),
                (
                    "Allowed scores become NaN (not a number), as from 0 · ∞ in (1 − mask) · ∞.",
                    lambda x, m: x + (1 - m) * -np.inf,
                    lambda x, m: x * m + (1 - m) * -np.inf,
                ),
            ],
            "blocked-smallest": [
                (
                    f"Blocked scores are {words} smallest score of {whole}, so blocked keys still "
                    "get weight.",
                    lambda x, m, axis=axis, less=less: np.where(m, x, smallest(x, axis) - less),
                )
                for whole, axis in (("the whole array", None), ("their row", -1))
                for less, words in BELOW
            ],
            "lowered": [
                (
                    f"Blocked scores are lowered by only {low:g}, so blocked keys still get "
                    "weight for some scores.",
                    lambda x, m, low=low: x - low * (1 - m),
                )
                for low in (1, 2, 3, 5, 10, 20, 50, 100)
            ],
            "lowered-by-a-logarithm": [
                (
                    f"The logarithm of (mask + {size}) is added to the scores. It lowers "
                    f"blocked scores by only {-np.log(float(size)):.0f}, so blocked keys still "
                    "get weight.",
                    lambda x, m, size=size: x + np.log(m + float(size)),
                )
                for size in ("1e-3", "1e-5", "1e-6", "1e-8", "1e-9", "1e-10", "1e-12")
            ],
            "times-minus-billion": (
                "Blocked scores are multiplied by −1e9, so a negative blocked score becomes very "
                "large.",
                lambda x, m: np.where(m, x, x * -1e9),
            ),
        },
    ),
    Family(
        "masked",
        WHERE,
        {
            "mask-turned-by-tilde": (
                "{Masks of True and False are right. }In a mask of 0 and 1, `~` does not "
                "exchange the two numbers. It turns whole numbers into other numbers, which count "
                "as True.",
                *with_low(lambda s, low: np.where(~np.asarray(s.mask), low, s.scores)),
            ),
            "mask-filled-up": (
                "Your numbers match a mask whose entries are repeated, one after the other, until "
                "they fill the scores, as np.resize does. This is no broadcasting.",
                *with_low(
                    lambda s, low: np.where(np.resize(s.mask, s.scores.shape), s.scores, low)
                ),
            ),
            "mask-not-stretched": [
                (
                    "The mask acts like an index of the scores. An index does not broadcast, so a "
                    "mask with fewer rows or axes raises an error, or selects other scores.",
                    *with_low(lambda s, low: _indexed(s.scores, np.asarray(s.mask) == 0, low)),
                ),
                (
                    "`~mask` acts like an index of the scores. An index does not broadcast, so a "
                    "mask of True and False needs the shape of the scores. `~` exchanges True and "
                    "False, but not the numbers 0 and 1.",
                    *with_low(lambda s, low: _indexed(s.scores, ~np.asarray(s.mask), low)),
                ),
            ],
        },
    ),
)


def _indexed(x: Any, blocked: Any, low: float) -> Any:
    made = np.array(x, float)
    made[blocked] = low
    return made
