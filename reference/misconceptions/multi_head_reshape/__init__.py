"""Misconceptions about splitting features into heads and merging them again.

Examples in real code: merging without moving the heads back, which still could be trained
(jsbaan/transformer-from-scratch#6); a view without a transpose, which a single head hides.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import Fact, Family, Mistakes, Probe, Recipe, Trait
from reference.heads import merge_heads, split_heads
from reference.misconceptions.multi_head_reshape.merge import MERGE
from reference.misconceptions.multi_head_reshape.orders import (
    in_other_orders_merged,
    in_other_orders_split,
)
from reference.misconceptions.multi_head_reshape.split import REFUSE, SPLIT, cut


def _fits(s: Any) -> bool:
    x = np.asarray(s.x)
    if x.shape[-1] % s.num_heads:
        raise ValueError(f"{x.shape[-1]} features cannot be split into {s.num_heads} equal heads")
    return True


def _shuffled(draw: int, *sizes: int) -> Any:
    """Return different whole numbers in this shape. Sorted ones would hide a minimum or a sort."""
    rng = np.random.default_rng([51, draw, *sizes])
    return 1.0 + rng.permutation(int(np.prod(sizes))).reshape(sizes)


def split_probes(draw: int) -> Sequence[Probe]:
    """Return calls of x (B, L, E) and H: first with different sizes, then with equal sizes."""
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
        ((2, 3, 4), 4),
    )
    return [Probe((_shuffled(draw, *size), heads)) for size, heads in sizes] + [
        Probe((_shuffled(draw, 2, 3, 10), 4)),
        Probe((_shuffled(draw, 2, 4, 9), 2)),
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
        "if E is not a multiple of num_heads",
        "if E is a multiple of num_heads",
        both_ways=False,
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
        lambda s, v: v.shape == s.heads.shape and set(v.flat) <= set(s.x.flat) and _mixes(s, v),
        "Some rows contain features of several tokens.",
    ),
)


def _mixes(s: Any, v: Any) -> bool:
    x = np.asarray(s.x)
    order = np.argsort(x, axis=None)
    place = order[np.searchsorted(np.sort(x, axis=None), v).clip(0, x.size - 1)]
    token = place // x.shape[-1]
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
                        "If E is not a multiple of num_heads, the function drops the last "
                        "features without an error.",
                        {"fits": lambda s: True, "heads": cut},
                    ),
                    "none-in-place-of-error": (
                        "If E is not a multiple of num_heads, the function returns None. It "
                        "should raise a ValueError.",
                        {
                            "fits": lambda s: s.x.shape[-1] % s.num_heads == 0,
                            "heads": lambda s: split_heads(s.x, s.num_heads) if s.fits else None,
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
        fallbacks=tuple(in_other_orders_split()),
    ),
    Recipe(
        "merge_heads",
        merge_probes,
        MERGE,
        steps={"merged": lambda s: merge_heads(s.x)},
        parameters=("x",),
        traits=MERGE_TRAITS,
        axes=merge_axes,
        fallbacks=tuple(in_other_orders_merged()),
    ),
)
