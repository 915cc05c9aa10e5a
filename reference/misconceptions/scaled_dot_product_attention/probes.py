"""Calls that distinguish the misconceptions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import Probe, Trait
from reference.large_scores import LOW_SCORES, with_scores_up_to

CAUSAL = np.tril(np.ones((4, 4), bool))
ROWS = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
EACH = np.stack([ROWS, ROWS[::-1]])
SQUARE = np.array([[True, False, True], [True, True, False], [False, True, True]])
HUGE = np.array([[100.0, 1.0], [0.1, 0.0]]), np.array([[100.0, 0], [90, 3], [0, 1.0]])
*LOW, FIRST = LOW_SCORES


def probes(draw: int, most: float = 10_000) -> Sequence[Probe]:
    """Return calls with different sizes, and with equal sizes, so that wrong axes also run."""
    rng = np.random.default_rng([30, draw])

    def qkv(batch: tuple[int, ...], l_q: int, l_k: int, d_k: int, d_v: int) -> list[Any]:
        sizes = ((*batch, l_q, d_k), (*batch, l_k, d_k), (*batch, l_k, d_v))
        return [rng.normal(size=size) for size in sizes]

    def whole(*sizes: int) -> Any:
        return rng.permutation(int(np.prod(sizes))).reshape(sizes) % 4 - 1.0

    large = qkv((2,), 3, 5, 4, 2)
    huge = (*with_scores_up_to(most, *HUGE), rng.normal(size=(3, 4)))
    return [
        Probe((whole(2, 4), whole(3, 4), whole(3, 5))),
        Probe((whole(3, 3), whole(3, 3), whole(3, 3))),
        Probe(tuple(qkv((), 2, 3, 9, 4))),
        Probe(tuple(qkv((), 4, 4, 4, 4))),
        Probe(tuple(qkv((2,), 3, 4, 5, 1))),
        Probe(tuple(qkv((3,), 3, 3, 3, 3))),
        Probe(tuple(qkv((2, 3), 4, 5, 1, 6))),
        Probe(tuple(qkv((2, 2), 2, 2, 2, 2))),
        Probe(tuple(qkv((), 5, 2, 64, 3))),
        Probe((*qkv((), 3, 3, 2, 4), SQUARE)),
        Probe((*qkv((), 3, 4, 5, 2), ROWS.astype(bool))),
        Probe((*qkv((2,), 4, 4, 3, 2), CAUSAL)),
        Probe((*qkv((2,), 3, 4, 6, 2), ROWS)),
        Probe((*qkv((2,), 3, 4, 5, 2), ROWS[:1].astype(bool))),
        Probe((*qkv((2,), 3, 4, 3, 2), EACH.astype(float))),
        Probe((*qkv((3, 3), 3, 3, 3, 3), SQUARE)),
        Probe((*qkv((2,), 4, 3, 2, 5), np.stack([ROWS.T, ROWS.T[::-1]]).astype(bool))),
        Probe((*qkv((2,), 4, 3, 6, 2), np.stack([ROWS.T[::-1], ROWS.T]))),
        Probe((*qkv((3,), 3, 4, 7, 2), ROWS.astype(bool))),
        Probe((*qkv((4,), 4, 4, 3, 2), CAUSAL.astype(int))),
        Probe((*qkv((2, 2), 3, 4, 5, 2), EACH)),
        Probe((*qkv((2, 2), 4, 3, 2, 3), np.stack([ROWS.T, ROWS.T[::-1]]).astype(bool))),
        Probe((*with_scores_up_to(most, *large[:2]), large[2]), condition=1e5),
        Probe(huge, condition=1e5),
        Probe((*LOW, rng.normal(size=(3, 4)), FIRST), condition=1e4),
        Probe((*LOW, rng.normal(size=(3, 3)), FIRST.astype(int)), condition=1e4),
        Probe((*qkv((), 3, 4, 8, 2), ROWS[:1].astype(float))),
        Probe((*qkv((2,), 3, 4, 5, 2), ROWS[np.newaxis].astype(bool))),
    ]


TRAITS = (
    Trait(lambda s: s.mask is not None, "with a mask", "without a mask"),
    Trait(lambda s: s.Q.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(lambda s: s.Q.ndim == 3, "with one batch axis", "with two batch axes or none", False),
    Trait(lambda s: s.Q.ndim > 3, "with two batch axes", "with at most one batch axis"),
    Trait(
        lambda s: bool(np.abs(s.scaled).max() > 100), "for large scores", "for scores of usual size"
    ),
    Trait(
        lambda s: s.Q.shape[-2] != s.K.shape[-2],
        "if there are more or fewer keys than queries",
        "if there are as many keys as queries",
    ),
    Trait(
        lambda s: s.V.shape[-1] != s.K.shape[-1],
        "if the values are wider or narrower than the keys",
        "if the values are as wide as the keys",
    ),
    Trait(
        lambda s: None if s.mask is None else s.mask.ndim == 3,
        "with a mask of three axes",
        "with a mask of two axes",
    ),
    Trait(
        lambda s: None if s.mask is None else s.mask.dtype != bool,
        "with a mask of 0 and 1",
        "with a mask of True and False",
    ),
    Trait(
        lambda s: None if s.mask is None else s.mask.shape != s.scaled.shape,
        "with a mask that has to broadcast to the scores",
        "with a mask of the scores' own shape",
    ),
    Trait(
        lambda s: None if s.mask is None else s.mask.ndim < s.scaled.ndim,
        "with a mask of fewer axes than the scores",
        "with a mask of as many axes as the scores",
    ),
)
