"""Misconceptions about the number of visible positions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step, without
from reference.misconceptions.causal_mask.create import CREATE

COUNT: Hints = (
    "How many positions does each query see, from the first to the last?",
    "Each query sees itself and all positions before it. So each query sees one position more "
    "than the query before.",
    "Count the true entries in each row of the mask.",
)


# Masks that have no counts, or the counts of a mistake in the list
_NO_COUNTS = (
    "additive additive-inverted one-and-minus-infinity positions one-row two-extra-axes "
    "diagonal-blocked sees-the-future wrong-corner"
)


def of_mask(change: Callable[[Any], Any]) -> Step:
    return lambda s: change(np.asarray(s.mask, float))


COUNTS = (
    Family(
        "counts",
        COUNT,
        means=of_mask,
        ways={
            "from-zero": (
                "The counts start at 0. They should start at 1, because each query sees itself "
                "too.",
                lambda m: m.sum(-1) - 1,
            ),
            "reversed": (
                "The counts are in reverse order. They are the counts of the columns, or of a "
                "mask that sees the future.",
                lambda m: m.sum(0),
            ),
            "total": (
                "The result is one number, the total. It should have one count for each query.",
                lambda m: m.sum(),
                lambda m: [m.sum()],
            ),
            "last-only": (
                "The result is one number, the count of the last query. It should have one count "
                "for each query.",
                lambda m: m.sum(-1)[-1],
            ),
            "first-too-early": (
                "The result has one count too many: a 0 at the front.",
                lambda m: [0, *m.sum(-1)],
            ),
            "shares": (
                "The results are shares of the sequence. They should be whole counts.",
                lambda m: m.mean(-1),
            ),
            "rows": (
                "The result has the rows of the mask. It should have the number of true entries "
                "in each row.",
                lambda m: m,
            ),
            "positions": (
                "The result lists the visible positions. It should have the number of them.",
                lambda m: [np.flatnonzero(row).tolist() for row in m],
            ),
        },
    ),
    *(
        family.worded(lambda text: f"Your counts match a wrong mask. {text}")
        for family in without(CREATE, _NO_COUNTS)
    ),
)
