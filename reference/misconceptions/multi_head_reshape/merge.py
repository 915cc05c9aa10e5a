"""Misconceptions in merging heads to features."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step

BACK: Hints = (
    "Which numbers are in the first row of your result, and to which token does each belong?",
    "A row of the result is one token: its features from head 0, then those from head 1, and so "
    "on.",
    "Undo the steps of split_heads from the last to the first: move the heads back behind the "
    "positions, then make one axis of the last two.",
)


def of_x(change: Callable[[Any], Any]) -> Step:
    """Return a step that changes x."""
    return lambda s: change(np.asarray(s.x))


def _flat(x: Any) -> Any:
    """Return (B, L, H, d) as (B, L, H·d)."""
    return x.reshape(*x.shape[:2], -1)


MERGE = (
    Family(
        "merged",
        BACK,
        means=of_x,
        ways={
            "reshape-only": (
                "The numbers are those of a reshape alone, without moving the heads back: the "
                "tokens are mixed.",
                lambda x: x.reshape(x.shape[0], x.shape[2], -1),
            ),
            "interleaved": (
                "The features of the heads are dealt in turn (one of head 0, one of head 1, …); "
                "each head's features should stay together.",
                lambda x: _flat(x.transpose(0, 2, 3, 1)),
            ),
            "heads-averaged": (
                "The heads are averaged; they should stand side by side.",
                lambda x: x.mean(1),
            ),
            "heads-added": (
                "The heads are added up; they should stand side by side.",
                lambda x: x.sum(1),
            ),
            "first-head-only": ("Only the first head comes back.", lambda x: x[:, 0]),
            "last-head-only": ("Only the last head comes back.", lambda x: x[:, -1]),
            "largest-of-heads": (
                "The largest number over the heads comes back; they should stand side by side.",
                lambda x: x.max(1),
            ),
            "heads-not-moved": (
                "Positions and features are made into one axis, and the heads stay: your axes are "
                "(B, H, L·d).",
                lambda x: x.reshape(x.shape[0], x.shape[1], -1),
            ),
            "positions-joined": (
                "The heads are set one below the other along the positions: your axes are "
                "(B, H·L, d).",
                lambda x: x.reshape(x.shape[0], -1, x.shape[3]),
            ),
            "moved-but-not-joined": (
                "The heads are moved back, but not joined with their features: your axes are "
                "(B, L, H, d).",
                lambda x: x.transpose(0, 2, 1, 3),
            ),
            "joined-positions-after-move": (
                "After moving the heads back, positions and heads are made into one axis, not "
                "heads and features.",
                lambda x: x.transpose(0, 2, 1, 3).reshape(x.shape[0], -1, x.shape[3]),
            ),
            "heads-reversed": (
                "The heads are joined in reverse order: the last one comes first.",
                lambda x: _flat(x[:, ::-1].transpose(0, 2, 1, 3)),
            ),
            "wrong-axes-moved": (
                "The wrong axes are exchanged before the reshape: the features move in front, and "
                "the tokens are mixed.",
                lambda x: x.transpose(0, 3, 1, 2).reshape(x.shape[0], x.shape[2], -1),
            ),
            "last-axes-swapped": (
                "The last two axes are exchanged before the reshape, not positions and heads: the "
                "tokens are mixed.",
                lambda x: np.swapaxes(x, -1, -2).reshape(x.shape[0], x.shape[2], -1),
            ),
            "features-before-heads": (
                "Heads and features of a head are exchanged before the reshape: the tokens are "
                "mixed.",
                lambda x: x.transpose(0, 3, 2, 1).reshape(x.shape[0], x.shape[2], -1),
            ),
            "positions-last": (
                "Features and positions have changed places: your axes are (B, H·d, L).",
                lambda x: x.transpose(0, 1, 3, 2).reshape(x.shape[0], -1, x.shape[2]),
            ),
            "batch-flattened": (
                "Batch and positions share one axis: your axes are (B·L, H·d).",
                lambda x: _flat(x.transpose(0, 2, 1, 3)).reshape(-1, x.shape[1] * x.shape[3]),
            ),
            "first-batch-only": (
                "Only the first item of the batch is there.",
                lambda x: _flat(x.transpose(0, 2, 1, 3))[:1],
            ),
            "column-order": (
                "The numbers are those of a reshape in column order (order='F'): their places are "
                "wrong.",
                lambda x: x.reshape(x.shape[0], x.shape[2], -1, order="F"),
            ),
            "nothing-done": ("The array is returned unchanged.", lambda x: x),
        },
    ),
)
