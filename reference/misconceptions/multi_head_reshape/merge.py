"""Misconceptions in merging heads to features."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.heads import merge_heads
from reference.misconceptions.multi_head_reshape.split import EMPTY, FILLED

BACK: Hints = (
    "Which numbers belong in the first row of the result, and in which order?",
    "A row of the result is one token: first its features from head 0, then its features from "
    "head 1, and so on.",
    "Undo the steps of split_heads, the last step first. Move the heads back behind the "
    "positions. Then make one axis of the last two.",
)


def of_x(change: Callable[[Any], Any]) -> Step:
    return lambda s: change(np.asarray(s.x))


def _flat(x: Any) -> Any:
    return x.reshape(*x.shape[:2], -1)


def _without(*place: Any) -> Step:
    def step(state: Any) -> Any:
        heads = np.array(state.x)
        heads[place] = 0
        return merge_heads(heads)

    return step


MERGE = (
    Family(
        "merged",
        BACK,
        means=of_x,
        ways={
            "reshape-only": (
                "Your numbers match a reshape alone, without moving the heads back first, so "
                "features of different tokens are mixed.",
                lambda x: x.reshape(x.shape[0], x.shape[2], -1),
            ),
            "interleaved": (
                "The features of different heads alternate: one of head 0, one of head 1, and so "
                "on. The features of each head should stay together.",
                lambda x: _flat(x.transpose(0, 2, 3, 1)),
            ),
            "heads-averaged": (
                "The result is the mean of the heads. It should have the heads side by side.",
                lambda x: x.mean(1),
            ),
            "heads-added": (
                "The result is the sum of the heads. It should have the heads side by side.",
                lambda x: x.sum(1),
            ),
            "first-head-only": ("Your result has only the first head.", lambda x: x[:, 0]),
            "last-head-only": ("Your result has only the last head.", lambda x: x[:, -1]),
            "positions-joined": (
                "The heads are joined one below the other along the positions: your axes are (B, "
                "H·L, d).",
                lambda x: x.reshape(x.shape[0], -1, x.shape[3]),
            ),
            "moved-but-not-joined": (
                "The heads are moved back, but they are not joined with their features: your axes "
                "are (B, L, H, d).",
                lambda x: x.transpose(0, 2, 1, 3),
            ),
            "joined-positions-after-move": (
                "Positions and heads are joined into one axis: your axes are (B, L·H, d). Join "
                "heads and features.",
                lambda x: x.transpose(0, 2, 1, 3).reshape(x.shape[0], -1, x.shape[3]),
            ),
            "heads-reversed": (
                "The heads are joined in reverse order: the last one comes first.",
                lambda x: _flat(x[:, ::-1].transpose(0, 2, 1, 3)),
            ),
            "batch-flattened": (
                "Batch and positions share one axis: your axes are (B·L, H·d).",
                lambda x: _flat(x.transpose(0, 2, 1, 3)).reshape(-1, x.shape[1] * x.shape[3]),
            ),
            "first-batch-only": (
                "Your result has only the first item of the batch.",
                lambda x: _flat(x.transpose(0, 2, 1, 3))[:1],
            ),
            "column-order": (
                "Your numbers match a reshape in column order (order='F'), so they are in "
                "the wrong places.",
                lambda x: x.reshape(x.shape[0], x.shape[2], -1, order="F"),
            ),
            "nothing-done": ("The array is returned unchanged.", lambda x: x),
        },
    ),
    Family(
        "merged",
        FILLED,
        {
            id: (f"In your result, {part} has only zeros.", _without(*place))
            for id, (part, place) in EMPTY.items()
        },
    ),
)
