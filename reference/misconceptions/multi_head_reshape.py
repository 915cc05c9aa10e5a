"""Misconceptions about splitting features into heads and merging them again.

Examples in real code: merging without moving the heads back, with which training still passed
(jsbaan/transformer-from-scratch#6); a view without a transpose, hidden by a single head.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.diagnosis import Fact, Family, Hints, Mistakes, Probe, Recipe, Step, Trait
from reference.heads import merge_heads, split_heads

BLOCKS: Hints = (
    "Follow one token: which of its features are in head 0, and are they still its own?",
    "Head h holds the features h·E/H to (h+1)·E/H − 1 of every token. A reshape alone never moves "
    "a number: it cuts anew in the order of memory.",
    "First cut the last axis into heads and their features; then exchange the axes of positions "
    "and heads.",
)
AXES: Hints = (
    "Which axis of your result counts the heads, and which the positions?",
    "The result is batch, head, position, feature of that head, in this order.",
    "Look at the order of the axes in your transpose: only those of positions and heads change "
    "places.",
)
BACK: Hints = (
    "Which numbers stand in the first row of your result, and which token do they belong to?",
    "A row of the result is one token: its features from head 0, then those from head 1, and so "
    "on.",
    "Undo the steps of split_heads from the last to the first: move the heads back behind the "
    "positions, then make one axis of the last two.",
)
REFUSE: Hints = (
    "What should happen for 10 features and 4 heads?",
    "The function notices by itself that the features cannot be shared out evenly, and its "
    "ValueError names both numbers.",
    "Before anything else compare E % num_heads with 0, and raise ValueError with both numbers in "
    "its text.",
)


def of_x_and_heads(change: Callable[[Any, int], Any]) -> Step:
    """A change of x for a number of heads, as a step."""
    return lambda s: change(np.asarray(s.x), s.num_heads)


def of_x(change: Callable[[Any], Any]) -> Step:
    """A change of x, as a step."""
    return lambda s: change(np.asarray(s.x))


def _parts(x: Any, h: int) -> Any:
    """(B, L, H, E/H)."""
    return x.reshape(*x.shape[:2], h, x.shape[2] // h)


def _interleaved(x: Any, h: int) -> Any:
    """(B, L, E/H, H)."""
    return x.reshape(*x.shape[:2], x.shape[2] // h, h)


SPLIT = (
    Family(
        "heads",
        BLOCKS,
        means=of_x_and_heads,
        ways={
            "reshape-only": (
                "The numbers are those of a reshape straight to (B, H, L, E/H): the tokens are "
                "mixed.",
                lambda x, h: x.reshape(x.shape[0], h, x.shape[1], x.shape[2] // h),
            ),
        },
    ),
    Family(
        "heads",
        AXES,
        means=of_x_and_heads,
        ways={
            "heads-not-moved": (
                "The features are cut into heads, but the heads do not stand in front of the "
                "positions: your axes are (B, L, H, E/H).",
                _parts,
            ),
        },
    ),
    Family(
        "heads",
        BLOCKS,
        means=of_x_and_heads,
        ways={
            "interleaved": (
                "The features are dealt out to the heads in turn (0, H, 2H, … to head 0); each "
                "head should get a block of neighbours.",
                lambda x, h: _interleaved(x, h).transpose(0, 3, 1, 2),
            ),
        },
    ),
    Family(
        "heads",
        AXES,
        means=of_x_and_heads,
        ways={
            "interleaved-not-moved": (
                "The features are cut the other way round: your axes are (B, L, E/H, H).",
                _interleaved,
            ),
            "features-before-positions": (
                "Positions and features of a head have changed places: your axes are (B, H, E/H, "
                "L).",
                lambda x, h: _parts(x, h).transpose(0, 2, 3, 1),
            ),
            "heads-before-batch": (
                "The heads stand in front of the batch: your axes are (H, B, L, E/H).",
                lambda x, h: _parts(x, h).transpose(2, 0, 1, 3),
            ),
            "features-first": (
                "The features of a head stand in front: your axes are (B, E/H, L, H).",
                lambda x, h: _parts(x, h).transpose(0, 3, 1, 2),
            ),
            "features-second": (
                "Positions and features of a head have changed places: your axes are (B, E/H, H, "
                "L).",
                lambda x, h: _parts(x, h).transpose(0, 3, 2, 1),
            ),
            "all-axes-reversed": (
                "All axes are reversed (`.T`): your axes are (E/H, H, L, B).",
                lambda x, h: _parts(x, h).T,
            ),
        },
    ),
    Family(
        "heads",
        BLOCKS,
        means=of_x_and_heads,
        ways={
            "positions-split": (
                "The positions are cut into heads, not the features.",
                lambda x, h: x.reshape(x.shape[0], h, x.shape[1] // h, x.shape[2]),
            ),
        },
    ),
    Family(
        "heads",
        AXES,
        means=of_x_and_heads,
        ways={
            "batch-and-positions-swapped": (
                "Batch and positions have changed places: your axes are (L, H, B, E/H).",
                lambda x, h: _parts(x, h).transpose(1, 2, 0, 3),
            ),
        },
    ),
    Family(
        "heads",
        BLOCKS,
        means=of_x_and_heads,
        ways={
            "heads-reversed": (
                "The heads are in reverse order: head 0 has the last features.",
                lambda x, h: _parts(x, h).transpose(0, 2, 1, 3)[:, ::-1],
            ),
            "every-head-everything": (
                "Every head gets all features: nothing is split.",
                lambda x, h: np.repeat(x[:, None], h, axis=1),
            ),
            "first-block-for-all": (
                "Every head gets the first block of features.",
                lambda x, h: np.repeat(_parts(x, h).transpose(0, 2, 1, 3)[:, :1], h, axis=1),
            ),
            "first-batch-only": (
                "Only the first item of the batch is there.",
                lambda x, h: _parts(x, h).transpose(0, 2, 1, 3)[:1],
            ),
            "column-order": (
                "The numbers are those of a reshape in column order (order='F'): they are in other "
                "places.",
                lambda x, h: x.reshape(x.shape[0], h, x.shape[1], x.shape[2] // h, order="F"),
            ),
            "transposed-before-reshape": (
                "Positions and features change places before the reshape, which then cuts across "
                "tokens.",
                lambda x, h: x.transpose(0, 2, 1).reshape(
                    x.shape[0], h, x.shape[1], x.shape[2] // h
                ),
            ),
        },
    ),
    Family(
        "heads",
        AXES,
        means=of_x_and_heads,
        ways={
            "batch-and-heads-in-one": (
                "Batch and heads share one axis: the result has the axes (B·H, L, E/H).",
                lambda x, h: (
                    _parts(x, h).transpose(0, 2, 1, 3).reshape(-1, x.shape[1], x.shape[2] // h)
                ),
            ),
        },
    ),
    Family(
        "heads",
        BLOCKS,
        means=of_x_and_heads,
        ways={
            "heads-and-size-swapped": (
                "The number of heads is taken for the size of a head: your axes are (B, E/H, L, "
                "H).",
                lambda x, h: _interleaved(x, h).transpose(0, 2, 1, 3),
            ),
            "nothing-done": ("The array comes back as it was.", lambda x, h: x),
        },
    ),
)


def _fits(s: Any) -> bool:
    x = np.asarray(s.x)
    if x.shape[-1] % s.num_heads:
        raise ValueError(f"{x.shape[-1]} features cannot be split into {s.num_heads} equal heads")
    return True


def _cut(s: Any) -> Any:
    """The split, with features that do not fit left out."""
    x = np.asarray(s.x)
    return split_heads(x[..., : x.shape[-1] // s.num_heads * s.num_heads], s.num_heads)


def _flat(x: Any) -> Any:
    """(B, L, H, d) to (B, L, H·d)."""
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
                "The numbers are those of a reshape in column order (order='F'): they are in other "
                "places.",
                lambda x: x.reshape(x.shape[0], x.shape[2], -1, order="F"),
            ),
            "nothing-done": ("The array comes back as it was.", lambda x: x),
        },
    ),
)


def _counted(draw: int, *sizes: int) -> Any:
    """0, 1, 2, … in that shape: a wrong place is seen at once."""
    return np.arange(float(np.prod(sizes))).reshape(sizes) + 100.0 * draw


def split_probes(draw: int) -> Sequence[Probe]:
    """(B, L, E) and H: all sizes different, then equal ones, where only the values tell."""
    sizes = (
        ((1, 2, 6), 3),
        ((2, 3, 20), 4),
        ((3, 4, 10), 5),
        ((2, 2, 4), 2),
        ((2, 4, 16), 4),
        ((3, 3, 9), 3),
        ((2, 4, 8), 2),
        ((2, 5, 3), 1),
        ((4, 1, 12), 6),
        ((1, 6, 4), 2),
    )
    return [Probe((_counted(draw, *size), heads)) for size, heads in sizes] + [
        Probe((_counted(draw, 2, 3, 10), 4)),
        Probe((_counted(draw, 2, 4, 9), 2)),
    ]


def merge_probes(draw: int) -> Sequence[Probe]:
    sizes = (
        (1, 3, 2, 2),
        (2, 4, 3, 5),
        (3, 5, 4, 2),
        (2, 2, 2, 2),
        (2, 4, 4, 4),
        (3, 3, 3, 3),
        (2, 1, 5, 3),
        (4, 6, 1, 2),
        (1, 2, 4, 3),
    )
    rng = np.random.default_rng([50, draw])
    return [Probe((rng.permutation(int(np.prod(size))).reshape(size),)) for size in sizes]


TRAITS = (
    Trait(
        lambda s: s.x.shape[-1] % s.num_heads != 0,
        "where the features do not fit the heads",
        "where they do",
    ),
    Trait(lambda s: s.num_heads > 1, "for more than one head", "for a single head"),
    Trait(lambda s: s.x.shape[0] > 1, "for a batch of more than one", "for a batch of one"),
)
MERGE_TRAITS = (
    Trait(lambda s: s.x.shape[1] > 1, "for more than one head", "for a single head"),
    Trait(lambda s: s.x.shape[0] > 1, "for a batch of more than one", "for a batch of one"),
)
FACTS = (
    Fact(
        "mixed-tokens",
        lambda s, v: v.shape == s.heads.shape and _mixes(s, v),
        "Some rows hold features of more than one token.",
    ),
)


def _mixes(s: Any, v: Any) -> bool:
    """Whether a row of a head has numbers of several tokens."""
    token = np.floor((v - np.asarray(s.x).min()) / np.asarray(s.x).shape[-1])
    return bool((np.ptp(token, axis=-1) > 0).any())


def split_axes(state: Any) -> dict[str, int]:
    batch, length, features = np.asarray(state.x).shape
    return {
        "B": batch,
        "L": length,
        "E": features,
        "H": state.num_heads,
        "E/H": features // state.num_heads,
    }


def merge_axes(state: Any) -> dict[str, int]:
    return dict(zip(("B", "H", "L", "d"), np.asarray(state.x).shape, strict=True))


MISTAKES = Mistakes(
    Recipe(
        "split_heads",
        split_probes,
        (
            *SPLIT,
            Family(
                None,
                REFUSE,
                {
                    "rest-left-out": (
                        "Where the features do not fit the heads, those left over are dropped "
                        "without a word.",
                        {"fits": lambda s: True, "heads": _cut},
                    ),
                    "none-in-place-of-error": (
                        "Where the features do not fit the heads, the function returns None; it "
                        "should raise a ValueError.",
                        {
                            "fits": lambda s: True,
                            "heads": lambda s: (
                                None
                                if s.x.shape[-1] % s.num_heads
                                else split_heads(s.x, s.num_heads)
                            ),
                        },
                    ),
                },
            ),
        ),
        steps={"fits": _fits, "heads": lambda s: split_heads(s.x, s.num_heads)},
        parameters=("x", "num_heads"),
        traits=TRAITS,
        facts=FACTS,
        axes=split_axes,
    ),
    Recipe(
        "merge_heads",
        merge_probes,
        MERGE,
        steps={"merged": lambda s: merge_heads(s.x)},
        parameters=("x",),
        traits=MERGE_TRAITS,
        axes=merge_axes,
    ),
)
