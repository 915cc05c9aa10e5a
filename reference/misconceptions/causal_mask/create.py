"""The mask itself, done wrong."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Fact, Hints, Misconception, Probe
from reference.masks import causal_mask

LOOK: Hints = (
    "Read row 0 of your mask aloud: which positions may the first word look at?",
    "True (or 1) means “may attend”. Row i is true for the keys 0 to i: itself and the past.",
    "Look at the function that cuts a triangle, and at its second argument: the diagonal and what "
    "lies below it stay true.",
)


SIZE: Hints = (
    "How many queries and how many keys does a sequence of 3 words have?",
    "Every position is a query and a key: seq_len rows and seq_len columns.",
    "Look at the sizes that your mask is made with.",
)


def _mask(id: str, make: Callable[[int], Any], finding: str, hints: Hints = LOOK) -> Misconception:
    return Misconception(id, finding, hints, {"mask": lambda s: make(s.seq_len)})


def _ones(n: int) -> Any:
    return np.ones((n, n))


CREATE = (
    _mask("sees-the-future", lambda n: np.triu(_ones(n)),
          "The mask is the upper triangle: each position sees itself and the future, not the "
          "past."),
    _mask("future-only", lambda n: np.triu(_ones(n), 1),
          "The mask is the other way round: 1 marks the future, which is to be blocked; here 1 "
          "means “may attend”."),
    _mask("diagonal-blocked", lambda n: np.tril(_ones(n), -1),
          "The diagonal is blocked too: no position sees itself."),
    _mask("one-too-far", lambda n: np.tril(_ones(n), 1),
          "The diagonal is one too far: each position also sees the next one."),
    _mask("two-too-far", lambda n: np.tril(_ones(n), 2),
          "The diagonal is two too far: each position also sees the next two."),
    _mask("two-behind", lambda n: np.tril(_ones(n), -2),
          "The triangle starts two below the diagonal: no position sees itself or the one before."),
    _mask("all-allowed", _ones, "Every position sees every other: nothing is blocked."),
    _mask("all-blocked", lambda n: np.zeros((n, n)), "Everything is blocked."),
    _mask("itself-only", np.eye, "Only the diagonal is true: each position sees itself alone."),
    _mask("others-only", lambda n: 1 - np.eye(n),
          "Everything but the diagonal is true: each position sees all others, the future too."),
    *(
        _mask("window", lambda n, w=width: np.tril(_ones(n)) - np.tril(_ones(n), -w - 1),
              f"Each position sees itself and {width} before it, and nothing further back.")
        for width in (1, 2, 3)
    ),
    _mask("first-blocked", lambda n: np.tril(_ones(n)) * (np.arange(n) > 0),
          "The first position can be seen by none: the first column is blocked."),
    _mask("wrong-corner", lambda n: np.fliplr(np.tril(_ones(n))),
          "The triangle is mirrored from left to right."),
    _mask("rows-reversed", lambda n: np.flipud(np.tril(_ones(n))),
          "The rows are in reverse order: the first position sees most."),
    _mask("additive", lambda n: np.where(np.tril(_ones(n)) > 0, 0.0, -np.inf),
          "The mask holds 0 and −∞, to be added to scores; here it holds true or 1 for “may "
          "attend”."),
    _mask("additive", lambda n: np.where(np.tril(_ones(n)) > 0, 0.0, -1e9),
          "The mask holds 0 and −1e9, to be added to scores; here it holds true or 1 for “may "
          "attend”."),
    _mask("one-and-minus-infinity", lambda n: np.where(np.tril(_ones(n)) > 0, 1.0, -np.inf),
          "Blocked entries are −∞; in a mask of true and false they are false (0)."),
    _mask("positions", lambda n: np.tril(_ones(n)) * np.arange(1, n + 1),
          "The entries are numbers of positions; they should be 1 (true) or 0 (false)."),
    _mask("shares", lambda n: np.tril(_ones(n)) / np.arange(1, n + 1)[:, np.newaxis],
          "The entries are shares of a row; they should be 1 (true) or 0 (false)."),
    _mask("one-larger", lambda n: np.tril(_ones(n + 1)),
          "The mask is one larger than the sequence.", SIZE),
    _mask("one-smaller", lambda n: np.tril(_ones(max(n - 1, 0))),
          "The mask is one smaller than the sequence.", SIZE),
    _mask("one-row", lambda n: np.ones(n), "The mask has one row only.", SIZE),
    _mask("fixed-size", lambda n: np.tril(_ones(4)),
          "The mask has 4 rows and columns, whatever seq_len is.", SIZE),
    _mask("fixed-size", lambda n: np.tril(_ones(3)),
          "The mask has 3 rows and columns, whatever seq_len is.", SIZE),
    _mask("fixed-size", lambda n: np.tril(_ones(5)),
          "The mask has 5 rows and columns, whatever seq_len is.", SIZE),
    _mask("two-extra-axes", lambda n: np.tril(_ones(n))[None, None],
          "The mask is right but has two more axes in front, as for a batch and heads.", SIZE),
)  # fmt: skip


def create_probes(draw: int) -> Sequence[Probe]:
    return [Probe((size,)) for size in ((2, 3, 4, 1, 5, 7) if draw == 0 else (6, 9, 8, 1, 10, 11))]


MASK_FACTS = (
    Fact("shape", lambda s, v: v.shape != s.mask.shape,
         "The mask has to have seq_len rows and seq_len columns."),
    Fact("values", lambda s, v: not np.isin(v, (0, 1)).all(),
         "There are other values than true and false (1 and 0) in it."),
    Fact("future", lambda s, v: bool((np.triu(v, 1) != 0).any()) and v.size > 1,
         "Some positions may see the future: there are true entries above the diagonal."),
    Fact("past", lambda s, v: bool((v[causal_mask(len(v))] == 0).any()),
         "Some positions may not see themselves or their past: there are false entries on or "
         "below the diagonal."),
)  # fmt: skip
