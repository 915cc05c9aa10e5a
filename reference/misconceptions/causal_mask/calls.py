"""Calls with scores and masks of every kind, and facts about their results."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import Fact, Probe, Trait
from reference.masks import causal_mask
from reference.misconceptions.causal_mask.apply import mask_of

LOW = 20.0  # a score this far below the largest of its row gets weight 0
# Large scores of every kind with a batch axis. No property of the call alone makes code wrong.
LARGE = np.array(
    [
        [[-990.0, 5.0, -991.0, -995.0], [3.0, -990.0, 2.0, -600.0], [-620.0, -621.0, 9.0, 9.0]],
        [[900.0, 0.0, -900.0, 1.0], [0.0, -900.0, 0.0, 900.0], [-950.0, -960.0, 960.0, 0.0]],
    ]
)


def scores_and_masks(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([40, draw])

    def scores(*sizes: int) -> Any:
        return rng.normal(scale=2.0, size=sizes)

    rows = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])
    square = np.array([[True, False, True], [True, True, False], [False, True, True]])
    return [
        Probe((np.array([[1.0, 5.0], [2.0, 3.0]]) + draw, causal_mask(2))),
        Probe((scores(3, 3), causal_mask(3))),
        Probe((scores(4, 4), causal_mask(4))),
        Probe((scores(3, 3), square)),
        Probe((scores(3, 4), rows.astype(bool))),
        Probe((scores(2, 5, 5), causal_mask(5))),
        Probe((scores(3, 3, 3), square)),
        Probe((scores(4, 4, 4), causal_mask(4))),
        Probe((scores(2, 3, 4, 4), causal_mask(4))),
        Probe((scores(3, 4), rows)),
        Probe((scores(2, 3, 3), square.astype(int))),
        Probe((scores(2, 3, 4), rows.astype(float))),
        Probe((scores(2, 3, 4), rows[:1].astype(bool))),
        Probe((scores(2, 3, 4), np.stack([rows, rows[::-1]]).astype(bool))),
        Probe((scores(3, 3, 4), rows)),
        Probe((scores(2, 2, 3, 4), np.stack([rows, rows[::-1]]))),
        Probe((scores(2, 2, 3, 3), np.stack([square, square[::-1]]))),
        Probe((np.where(causal_mask(3), 800.0 + draw, 10.0), causal_mask(3)), condition=1e3),
        Probe((np.array([[900.0, 0.0], [-900.0, -899.0 - draw]]), causal_mask(2)), condition=1e3),
        Probe((np.array([[950.0, 9.0], [-950.0, -948.0 - draw]]), causal_mask(2)), condition=1e3),
        Probe((np.array([[-900.0, 5.0], [-800.0, -800.0 + draw]]), causal_mask(2)), condition=1e3),
        Probe((np.array([[-700.0, 9.0], [7.0, 5.0 + draw]]), causal_mask(2)), condition=1e3),
        Probe((np.array([[-850.0, 6.0], [3.0, 4.0 + draw]]), causal_mask(2)), condition=1e3),
        Probe((np.stack([scores(3, 3), scores(3, 3) + 900]), causal_mask(3)), condition=1e3),
        Probe((scores(3, 4), rows[:1])),
        Probe((scores(3, 3), square[2:].astype(int))),
        Probe((scores(2, 3, 3), square[2:])),
        Probe((scores(2, 3, 4), rows[np.newaxis].astype(bool))),
        Probe((LARGE + draw, rows), condition=1e3),
        # One call for each cause of NaN: only its code is wrong there.
        Probe((np.array([[-715.0 - draw, 0.0], [1.0, 2.0]]), causal_mask(2)), condition=1e3),
        Probe((np.where(causal_mask(3), -990.0, 1.0 + draw), causal_mask(3)), condition=1e3),
        Probe(
            (np.array([[-880.0, -890.0], [-870.0, -871.0 - draw]]), causal_mask(2)), condition=1e3
        ),
        Probe((np.array([[200.0, 1.0], [201.0, 200.0 + draw]]), causal_mask(2)), condition=1e3),
        Probe((np.array([[7.0, 9.0], [-910.0, 900.0 + draw]]), causal_mask(2)), condition=1e3),
        Probe((np.array([[7.0, 9.0], [-400.0, 401.0 + draw]]), causal_mask(2)), condition=1e3),
        Probe((np.array([[7.0, 9.0], [930.0, -940.0 - draw]]), causal_mask(2)), condition=1e3),
        Probe((scores(2, 2, 3, 4), np.stack([rows, rows[::-1]])[:, np.newaxis])),
        Probe((scores(2, 3, 4), rows[:, 2:3])),
    ]


MASK_TRAITS = (
    Trait(lambda s: s.scores.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(
        lambda s: s.mask.dtype != bool, "with a mask of 0 and 1", "with a mask of True and False"
    ),
    Trait(
        lambda s: s.mask.shape != s.scores.shape,
        "with a mask that has to broadcast to the scores",
        "with a mask of the scores' own shape",
    ),
    Trait(
        lambda s: s.mask.ndim < s.scores.ndim,
        "with a mask of fewer axes than the scores",
        "with a mask of as many axes as the scores",
    ),
    Trait(
        lambda s: s.scores.shape[-1] != s.scores.shape[-2],
        "if there are more keys than queries",
        "if there are as many keys as queries",
    ),
    Trait(
        lambda s: bool(np.abs(s.scores).max() > 100),
        "for large scores",
        "for small scores",
        both_ways=False,
    ),
)


def allowed(s: Any) -> Any:
    return np.broadcast_to(mask_of(s), s.scores.shape) > 0


def largest(s: Any) -> Any:
    """Return the largest allowed score of each row."""
    return np.where(allowed(s), s.scores, -np.inf).max(-1, keepdims=True)


APPLY_FACTS = (
    Fact(
        "allowed-changed",
        lambda s, v: not np.allclose(v[allowed(s)], s.scores[allowed(s)]),
        "Scores that the mask allows are changed. They should stay as they are.",
    ),
    Fact(
        "blocked-kept",
        lambda s, v: bool((~allowed(s) & (v > largest(s) - LOW)).any()),
        "Blocked scores are not low enough to end at weight 0.",
    ),
)
