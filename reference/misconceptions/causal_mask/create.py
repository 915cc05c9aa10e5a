"""Misconceptions about creating the mask."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.author import Fact, Family, Hints, Probe, Step
from reference.masks import causal_mask

LOOK: Hints = (
    "In each row of your mask, which entries are true (or 1), and which should be?",
    "True (or 1) means “may attend”. In row i, the keys 0 to i are true: the position itself and "
    "the past.",
    "Look at the line that decides which entries are true. The diagonal and the entries below the "
    "diagonal should be true, and no others.",
)
SIZE: Hints = (
    "How many entries should the mask of seq_len tokens have?",
    "Every position is a query and a key. So the mask has seq_len rows and seq_len columns.",
    "Look at the sizes from which your code makes the mask.",
)


def of_length(make: Callable[[int], Any]) -> Step:
    return lambda s: make(s.seq_len)


def _ones(n: int) -> Any:
    return np.ones((n, n))


CREATE = (
    Family(
        "mask",
        LOOK,
        means=of_length,
        ways={
            "sees-the-future": (
                "The mask is the upper triangle: each position sees itself and the future. It "
                "should see itself and the past.",
                lambda n: np.triu(_ones(n)),
            ),
            "future-only": (
                "The mask is inverted: 1 marks the future. In this exercise, 1 means “may attend”.",
                lambda n: np.triu(_ones(n), 1),
            ),
            "diagonal-blocked": (
                "The diagonal is blocked too, so no position sees itself.",
                lambda n: np.tril(_ones(n), -1),
            ),
            "one-too-far": (
                "The edge of the triangle is one diagonal too high: each position also sees the "
                "next one.",
                lambda n: np.tril(_ones(n), 1),
            ),
            "all-allowed": ("Nothing is blocked: all rows are equal, like one list.", _ones),
            "all-blocked": ("Everything is blocked.", lambda n: np.zeros((n, n))),
            "itself-only": (
                "Only the diagonal is true, so each position sees only itself.",
                np.eye,
            ),
            "window": [
                (
                    f"Each position sees itself and {width} before it. It should see all "
                    "positions before it.",
                    lambda n, w=width: np.tril(_ones(n)) - np.tril(_ones(n), -w - 1),
                )
                for width in (1, 2, 3)
            ],
            "wrong-corner": (
                "The triangle is mirrored from left to right.",
                lambda n: np.fliplr(np.tril(_ones(n))),
            ),
            "additive-inverted": (
                "Allowed entries are −∞ and blocked entries are 0. In this exercise, an allowed "
                "entry is true or 1, and a blocked entry is false or 0.",
                lambda n: np.where(np.tril(_ones(n)) > 0, -np.inf, 0.0),
                lambda n: np.where(np.tril(_ones(n)) > 0, -1e9, 0.0),
            ),
            "additive": (
                "Allowed entries are 0 and blocked entries are −∞ or −1e9, as in a mask that is "
                "added to scores. In this exercise, true or 1 means “may attend”.",
                lambda n: np.where(np.tril(_ones(n)) > 0, 0.0, -np.inf),
                lambda n: np.where(np.tril(_ones(n)) > 0, 0.0, -1e9),
            ),
            "one-and-minus-infinity": (
                "Blocked entries are −∞. They should be false or 0.",
                lambda n: np.where(np.tril(_ones(n)) > 0, 1.0, -np.inf),
            ),
            "positions": (
                "The entries are the numbers of the positions. They should be 1 (true) or 0 "
                "(false).",
                lambda n: np.tril(_ones(n)) * np.arange(1, n + 1),
            ),
        },
    ),
    Family(
        "mask",
        SIZE,
        means=of_length,
        ways={
            "one-larger": (
                "The mask has one row and one column too many.",
                lambda n: np.tril(_ones(n + 1)),
            ),
            "one-smaller": (
                "The mask has one row and one column too few.",
                lambda n: np.tril(_ones(max(n - 1, 0))),
            ),
            "one-row": ("The mask has only one row.", lambda n: np.ones(n)),
            "fixed-size": [
                (
                    f"The mask has {size} rows and columns{{, whatever seq_len is}}.",
                    lambda n, size=size: np.tril(_ones(size)),
                )
                for size in (4, 3, 5)
            ],
            "table-cut": [
                (
                    f"The mask never has more than {size} rows and columns.",
                    lambda n, size=size: np.tril(_ones(min(n, size))),
                )
                for size in (4, 3, 5, 6)
            ],
            "two-extra-axes": (
                "{The entries are right, but the|The} mask has two more axes in front, as for a "
                "batch and heads.",
                lambda n: np.tril(_ones(n))[None, None],
            ),
        },
    ),
)


def create_probes(draw: int) -> Sequence[Probe]:
    sizes = (2, 3, 4, 1, 5, 7, 8, 9) if draw == 0 else (6, 9, 8, 1, 10, 11, 7, 12)
    return [Probe((size,)) for size in sizes]


MASK_FACTS = (
    Fact(
        "shape",
        lambda s, v: v.shape != s.mask.shape,
        "The mask has to have seq_len rows and seq_len columns.",
    ),
    Fact(
        "values",
        lambda s, v: not np.isin(v, (0, 1)).all(),
        "The mask has values other than true and false (1 and 0).",
    ),
    Fact(
        "future",
        lambda s, v: bool((np.triu(v, 1) != 0).any()) and v.size > 1,
        "Some positions see the future: there are true entries above the diagonal.",
    ),
    Fact(
        "past",
        lambda s, v: bool((v[causal_mask(len(v))] == 0).any()),
        "Some positions do not see themselves or their past: there are false entries on or below "
        "the diagonal.",
    ),
)
