"""Misconceptions in splitting features into heads."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Step
from reference.heads import split_heads

BLOCKS: Hints = (
    "Which features of which tokens are in head 0?",
    "Head h has the features h·E/H to (h+1)·E/H − 1 of every token. A reshape alone keeps the "
    "order of the numbers. It only changes where rows end.",
    "First cut the last axis into heads and features of a head. Then exchange the axes of "
    "positions and heads.",
)
AXES: Hints = (
    "Which axis of your result counts the heads?",
    "The axes of the result are batch, head, position and feature of the head, in this order.",
    "Write the axes of the array beside each line. Only positions and heads change places.",
)
FILLED: Hints = (
    "Which places of your result does your code fill?",
    "If a loop fills an array of zeros, it needs one round for each head, for each position or for "
    "each item of the batch.",
    "Print the indices that your code fills, and compare the first and the last with the shape.",
)
REFUSE: Hints = (
    "What should happen for 10 features and 4 heads?",
    "The function itself checks whether the heads get equally many features. If not, the text "
    "of its ValueError names the number of features and the number of heads.",
    "First of all, check E % num_heads. If it is not 0, raise ValueError with both numbers in its "
    "text.",
)


def with_empty(*place: Any) -> Step:
    """Return a step that splits, with zeros at a place of the result (B, H, L, E/H)."""

    def step(state: Any) -> Any:
        heads = split_heads(np.asarray(state.x), state.num_heads).copy()
        heads[place] = 0
        return heads

    return step


EVERY = slice(None)
EMPTY = {  # the id, the part of the result, and its place
    "last-head-empty": ("the last head", (EVERY, -1)),
    "first-head-empty": ("head 0", (EVERY, 0)),
    "last-position-empty": ("the last position", (EVERY, EVERY, -1)),
    "first-position-empty": ("position 0", (EVERY, EVERY, 0)),
    "other-items-empty": ("each item of the batch except the first", (slice(1, None),)),
}


def of_x_and_heads(change: Callable[[Any, int], Any]) -> Step:
    return lambda s: change(np.asarray(s.x), s.num_heads)


def _parts(x: Any, h: int) -> Any:
    return x.reshape(*x.shape[:2], h, x.shape[2] // h)


SPLIT = (
    Family(
        "heads",
        BLOCKS,
        means=of_x_and_heads,
        ways={
            "reshape-only": (
                "Your numbers match a reshape straight to (B, H, L, E/H), so features of "
                "different tokens are mixed.",
                lambda x, h: x.reshape(x.shape[0], h, x.shape[1], x.shape[2] // h),
            ),
            "interleaved": (
                "Head 0 gets the features 0, H, 2H and so on. Each head should get a block of "
                "neighbouring features.",
                lambda x, h: x.reshape(*x.shape[:2], -1, h).transpose(0, 3, 1, 2),
            ),
            "positions-split": (
                "The positions are cut into heads. The features should be cut into heads.",
                lambda x, h: x.reshape(x.shape[0], h, x.shape[1] // h, x.shape[2]),
            ),
            "heads-reversed": (
                "The heads are in reverse order: head 0 has the last features.",
                lambda x, h: _parts(x, h).transpose(0, 2, 1, 3)[:, ::-1],
            ),
            "one-feature-further": (
                "Head h begins at feature h. It should begin at feature h·E/H.",
                lambda x, h: np.stack([x[..., i : i + x.shape[2] // h] for i in range(h)], axis=1),
            ),
            "every-head-everything": (
                "Every head gets all features: the features are not split.",
                lambda x, h: np.repeat(x[:, None], h, axis=1),
            ),
            "first-block-for-all": (
                "Every head gets the first block of features.",
                lambda x, h: np.repeat(_parts(x, h).transpose(0, 2, 1, 3)[:, :1], h, axis=1),
            ),
            "first-batch-only": (
                "The result has only the first item of the batch.",
                lambda x, h: _parts(x, h).transpose(0, 2, 1, 3)[:1],
            ),
            "column-order": (
                "Your numbers match a reshape in column order (order='F'), so they are in "
                "the wrong places.",
                lambda x, h: x.reshape(x.shape[0], h, x.shape[1], x.shape[2] // h, order="F"),
            ),
            "transposed-before-reshape": (
                "Your numbers match a reshape of x with positions and features exchanged, so each "
                "head mixes features of different tokens.",
                lambda x, h: x.transpose(0, 2, 1).reshape(
                    x.shape[0], h, x.shape[1], x.shape[2] // h
                ),
            ),
            "nothing-done": ("The array is returned unchanged.", lambda x, h: x),
        },
    ),
    Family(
        "heads",
        AXES,
        means=of_x_and_heads,
        ways={
            "heads-not-moved": (
                "The features are cut into heads, but the heads are not moved in front of the "
                "positions: your axes are (B, L, H, E/H).",
                _parts,
            ),
            "heads-before-batch": (
                "The heads are in front of the batch: your axes are (H, B, L, E/H).",
                lambda x, h: _parts(x, h).transpose(2, 0, 1, 3),
            ),
            "sequences-joined": (
                "All sequences of the batch are joined into one: your axes are (1, H, B·L, E/H).",
                lambda x, h: x.reshape(1, -1, h, x.shape[2] // h).transpose(0, 2, 1, 3),
            ),
            "batch-and-heads-in-one": (
                "Batch and heads share one axis: the result has the axes (B·H, L, E/H).",
                lambda x, h: (
                    _parts(x, h).transpose(0, 2, 1, 3).reshape(-1, x.shape[1], x.shape[2] // h)
                ),
            ),
        },
    ),
    Family(
        None,
        (
            "Which lines of your function use num_heads and the shape of x?",
            "The number of heads is num_heads, and each head has E / num_heads features.",
            "Replace the fixed number by num_heads, or by a size that you compute from it.",
        ),
        {
            "always-2-heads": (
                "The number of heads is always 2. It should be num_heads.",
                {"num_heads": lambda s: 2},
                {"heads": lambda s: split_heads(s.x, 2)},
            ),
            "always-2-features": (
                "Each head always gets 2 features. It should get E / num_heads.",
                {
                    "heads": lambda s: np.stack(
                        [s.x[..., 2 * h : 2 * h + 2] for h in range(s.num_heads)], axis=1
                    )
                },
            ),
        },
    ),
    Family(
        "heads",
        FILLED,
        {
            id: (f"In your result, {part} has only zeros.", with_empty(*place))
            for id, (part, place) in EMPTY.items()
        },
    ),
)


def cut(s: Any) -> Any:
    """Return the split without the features that do not fit."""
    x = np.asarray(s.x)
    return split_heads(x[..., : x.shape[-1] // s.num_heads * s.num_heads], s.num_heads)
