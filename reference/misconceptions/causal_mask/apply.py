"""Misconceptions in applying a mask to scores."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.attention import block, softmax
from reference.misconceptions.scaled_dot_product_attention.masking import (
    heads_as_batch,
    row_mean,
    rows_as_padding,
)

LOW: Hints = (
    "What becomes of a blocked score in your code, and what is its exponential?",
    "exp(0) is 1. Only a score that is very low, such as −∞ or −1e9, ends at weight 0.",
    "Look at the number that stands in for a blocked score.",
)


WHERE: Hints = (
    "Which scores does your code replace, and what becomes of all other scores?",
    "Scores are replaced where the mask, broadcast to their shape, is False or 0; all other "
    "scores stay exactly as they are.",
    "Look at the order of the two values in np.where, or at what you do to the mask first.",
)


def mask_of(s: Any) -> Any:
    return np.asarray(s.mask).astype(float)


def of_scores(change: Callable[[Any, Any], Any]) -> Step:
    """Return a step that changes the scores and the mask, given as 0.0 and 1.0."""
    return lambda s: change(s.scores, mask_of(s))


def _t(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


NAN = (
    "The mask brings NaN (not a number) into the result. NaN comes from 0 / 0, 0 · ∞ or ∞ − ∞, or "
    "from np.nan in your code."
)


APPLY = (
    Family(
        "masked",
        WHERE,
        means=of_scores,
        ways={
            "mask-ignored": (
                "The scores come back as they were: the mask has no effect.",
                lambda x, m: x,
            ),
            "mask-inverted": (
                "The mask is used the wrong way round: true blocks a score in your code, and here "
                "true means “may attend”.",
                lambda x, m: np.where(m, -np.inf, x),
                lambda x, m: np.where(m, -1e9, x),
                lambda x, m: x + m * -1e9,
            ),
            "mask-transposed": (
                "The mask is transposed: queries and keys have changed places in it.",
                lambda x, m: np.where(_t(m), x, -np.inf),
                lambda x, m: np.where(_t(m), x, -1e9),
            ),
        },
    ),
    Family(
        "masked",
        LOW,
        means=of_scores,
        ways={
            "blocked-zero": (
                "Blocked scores are 0 (or as good as 0), and exp(0) is 1: they still get weight.",
                lambda x, m: np.where(m, x, 0.0),
            ),
            "blocked-not-low": [
                (
                    f"Blocked scores are −{low:g}, which is not low enough: they still get "
                    "weight, at least beside some scores.",
                    lambda x, m, low=low: np.where(m, x, -low),
                )
                for low in (0.5, 1, 2, 3, 5, 10, 20, 50, 100, 500)
            ],
            "blocked-large": (
                "Blocked scores are far above the others: they get all the weight.",
                lambda x, m: np.where(m, x, 1e9),
            ),
            "blocked-plus-infinity": (
                "Blocked scores are +∞ instead of −∞.",
                lambda x, m: np.where(m, x, np.inf),
            ),
            "blocked-nan": (
                NAN,
                lambda x, m: np.where(m, x, np.nan),
                lambda x, m: x + (1 - m) * -np.inf,
                lambda x, m: x * m + (1 - m) * -np.inf,
            ),
            "blocked-smallest": [
                (
                    "Blocked scores are the smallest score there is: they still get weight.",
                    lambda x, m: np.where(m, x, x.min()),
                ),
                (
                    "Blocked scores are the smallest score of their row: they still get weight.",
                    lambda x, m: np.where(m, x, x.min(-1, keepdims=True)),
                ),
            ],
            "blocked-averaged": (
                "Blocked scores are replaced by a mean of scores: they still get weight.",
                lambda x, m: np.where(m, x, row_mean(x, m)),
                lambda x, m: np.where(m, x, x.mean(-1, keepdims=True)),
                lambda x, m: np.where(m, x, x.mean()),
            ),
        },
    ),
    Family(
        "masked",
        WHERE,
        means=of_scores,
        ways={
            "mask-added": [
                (
                    "The mask of 0 and 1 is added to the scores: it raises the allowed ones by 1.",
                    lambda x, m: x + m,
                ),
                (
                    "The mask of 0 and 1 is taken from the scores: it lowers the allowed ones by "
                    "1.",
                    lambda x, m: x - m,
                ),
            ],
            "mask-added-and-blocked": (
                "Blocked scores are low, as they should be. The mask's own 1 is added to allowed "
                "scores, and these should stay as they are.",
                lambda x, m: np.where(m, x + m, -np.inf),
                lambda x, m: x + np.where(m, m, -1e9),
                lambda x, m: np.where(m, x + m, -1e9),
            ),
        },
    ),
    Family(
        "masked",
        LOW,
        means=of_scores,
        ways={
            "lowered": [
                (
                    f"Blocked scores are lowered by {low:g} only: they still get weight, at least "
                    f"beside some scores.",
                    lambda x, m, low=low: x - low * (1 - m),
                )
                for low in (1, 2, 3, 5, 10, 20, 50, 100)
            ],
            "lowered-by-a-logarithm": [
                (
                    f"The logarithm of the mask plus {size} is added: it lowers blocked scores by "
                    f"{-np.log(float(size)):.0f} only, and they still get weight.",
                    lambda x, m, size=size: x + np.log(m + float(size)),
                )
                for size in ("1e-3", "1e-5", "1e-6", "1e-8", "1e-9", "1e-10", "1e-12")
            ],
            "blocked-below-smallest": [
                (
                    f"Blocked scores lie {low} below the smallest score: they still get weight.",
                    lambda x, m, low=low: np.where(m, x, x.min() - low),
                    lambda x, m, low=low: np.where(m, x, x.min(-1, keepdims=True) - low),
                )
                for low in (1, 5, 10)
            ],
        },
    ),
    Family(
        "masked",
        WHERE,
        means=of_scores,
        ways={
            "all-lowered": (
                "1e9 is subtracted from every score, also from allowed scores.",
                lambda x, m: x * m - 1e9,
            ),
        },
    ),
    Family(
        "masked",
        LOW,
        means=of_scores,
        ways={
            "times-minus-billion": (
                "Blocked scores are multiplied by −1e9: negative scores become huge.",
                lambda x, m: np.where(m, x, x * -1e9),
            ),
            "sign-turned": (
                "Blocked scores change their sign: they still get weight.",
                lambda x, m: np.where(m, x, -x),
            ),
        },
    ),
    Family(
        "masked",
        WHERE,
        means=of_scores,
        ways={
            "mask-in-place-of-scores": (
                "Allowed scores are replaced by the mask's own 1.",
                lambda x, m: np.where(m, m, -np.inf),
            ),
            "mask-returned": (
                "The function returns the mask instead of the scores.",
                lambda x, m: np.broadcast_to(m, x.shape),
            ),
            "additive-mask-returned": [
                (
                    "What comes back is 0 and −∞, and the scores are missing.",
                    lambda x, m: np.broadcast_to(np.where(m, 0.0, -np.inf), x.shape),
                ),
                (
                    "What comes back is 0 and −1e9, and the scores are missing.",
                    lambda x, m: np.broadcast_to(np.where(m, 0.0, -1e9), x.shape),
                ),
            ],
            "softmax-taken": (
                "The function already returns weights; the softmax belongs to the next function.",
                lambda x, m: softmax(block(x, m)),
            ),
            "softmax-and-zero": (
                "The function returns weights, the blocked ones set to 0; scores are asked for.",
                lambda x, m: softmax(x) * m,
            ),
            "own-causal-mask": (
                "Whatever mask is given, a causal mask acts.",
                lambda x, m: np.where(np.tril(np.ones(x.shape[-2:])), x, -np.inf),
                lambda x, m: np.where(np.tril(np.ones(x.shape[-2:])), x, -1e9),
            ),
            "mask-rows-meet-batch": (
                "{A mask of two axes is right unless it has|Where a mask of two axes has} as many "
                "rows as there are sequences{: then|,} row i acts on all queries of sequence i. "
                "Row i should act on query i of all.",
                *(
                    lambda x, m, low=low, axes=axes: np.where(rows_as_padding(m, x, axes), x, low)
                    for low in (-np.inf, -1e9)
                    for axes in (range(3, 9), range(3, 4))
                ),
            ),
            "mask-heads-meet-batch": (
                "The mask has three axes and the scores have four: your code matches their first "
                "axes, but broadcasting matches the last axes.",
                *(
                    lambda x, m, low=low: np.where(heads_as_batch(m, x), x, low)
                    for low in (-np.inf, -1e9)
                ),
            ),
            "diagonal-blocked": (
                "The diagonal is blocked too, even where the mask is true.",
                lambda x, m: np.where(m * (1 - np.eye(*x.shape[-2:])), x, -np.inf),
            ),
            "scaled-too": (
                "Allowed scores are divided by the root of the number of keys; they should stay as "
                "they are.",
                lambda x, m: np.where(m, x / np.sqrt(x.shape[-1]), -np.inf),
            ),
            "allowed-zero": (
                "The mask is used the wrong way round, and the scores whose mask is true become 0.",
                lambda x, m: np.where(m, 0.0, x),
            ),
        },
    ),
    Family(
        "masked",
        WHERE,
        {
            "boolean-masks-only": (
                "{A mask of True and False is right; one|A mask} of 0 and 1 has no effect.",
                lambda s: block(s.scores, s.mask) if s.mask.dtype == bool else s.scores,
            ),
            "mask-turned-by-tilde": (
                "{Masks of True and False are right; in|In} a mask of 0 and 1, both numbers count "
                "as true, as after `~`: ~0 is −1, and ~1 is −2.",
                *(
                    lambda s, low=low: np.where(~np.asarray(s.mask), low, s.scores)
                    for low in (-np.inf, -1e9)
                ),
            ),
            "mask-not-stretched": [
                (
                    "The mask is an index of the scores, and an index does not broadcast: a mask "
                    "with fewer rows or axes raises an error, or meets other axes.",
                    *(
                        lambda s, low=low: _indexed(s.scores, np.asarray(s.mask) == 0, low)
                        for low in (-np.inf, -1e9)
                    ),
                ),
                (
                    "`~mask` is an index of the scores: a mask of True and False then needs the "
                    "scores' own shape. A mask of 0 and 1 becomes −1 and −2, and these select "
                    "whole rows or matrices.",
                    *(
                        lambda s, low=low: _indexed(s.scores, ~np.asarray(s.mask), low)
                        for low in (-np.inf, -1e9)
                    ),
                ),
            ],
        },
    ),
)


def _indexed(x: Any, blocked: Any, low: float) -> Any:
    made = np.array(x, float)
    made[blocked] = low
    return made
