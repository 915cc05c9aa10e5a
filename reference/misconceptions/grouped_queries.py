"""Misconceptions about grouped queries and windows.

Examples in real code: heads tiled instead of repeated (onnx#7274, apple/axlearn#842), another axis
repeated (VeOmni#162), a window that is one token too long (transformers#39408, mlx-lm#390).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import Family, Mistakes, Probe, Recipe, Trait, chosen
from reference.attention import block, combine, scale, scores, softmax
from reference.grouped import distance, repeat_heads
from reference.matrices import grouped_qkv
from reference.misconceptions.formulas import formulas
from reference.misconceptions.one_head import LABELS
from reference.misconceptions.scaled_dot_product_attention import FAMILIES, inside_attention
from reference.misconceptions.scaled_dot_product_attention.masking import LOW_FILLS

ORDER = (
    "For two kv heads and four heads, which kv head do the heads 0, 1, 2 and 3 use?",
    "Head h should use kv head ⌊h / r⌋, where r is the number of heads for each kv head: 0, 0, 1, "
    "1.",
    "Look at the axis of the function that repeats. The heads are on axis −3.",
)


def tiled(heads: int, kv_heads: int) -> Any:
    return np.arange(heads) % kv_heads


def _copies(s: Any) -> int:
    return int(s.heads // s.kv.shape[-3])


REPEATED = Family(
    "result",
    ORDER,
    {
        "tiled": (
            "Your function repeats the whole row of kv heads: 0, 1, 0, 1. Each kv head should "
            "be followed by its own copies: 0, 0, 1, 1.",
            lambda s: np.take(s.kv, tiled(s.heads, s.kv.shape[-3]), axis=-3),
        ),
        "another-axis-repeated": [
            (
                "Your function repeats the positions (axis −2). It should repeat the heads "
                "(axis −3).",
                lambda s: np.repeat(s.kv, _copies(s), axis=-2),
                lambda s: np.concatenate([s.kv] * _copies(s), axis=-2),
            ),
            (
                "Your function repeats the features (axis −1). It should repeat the heads "
                "(axis −3).",
                lambda s: np.repeat(s.kv, _copies(s), axis=-1),
                lambda s: np.tile(s.kv, _copies(s)),
            ),
            (
                "Your function repeats axis 0. The heads are on axis −3, whatever is in front of "
                "them.",
                lambda s: np.repeat(s.kv, _copies(s), axis=0),
            ),
            (
                "Your function repeats axis 1. The heads are on axis −3, whatever is in front of "
                "them.",
                lambda s: np.repeat(s.kv, _copies(s), axis=1),
            ),
        ],
        "too-many-copies": (
            "Your function makes `heads` copies of each kv head. It should make heads / kv_heads "
            "copies.",
            lambda s: np.repeat(s.kv, s.heads, axis=-3),
        ),
        "copies-in-a-new-axis": (
            "Your copies are on an axis of their own. The heads and their copies should share "
            "one axis.",
            lambda s: np.stack([s.kv] * _copies(s), axis=-3),
            lambda s: np.stack([s.kv] * _copies(s), axis=-4),
        ),
        "reshaped-repeat": [
            (
                f"The numbers of your heads are in the wrong order: {what} is repeated, and then "
                "the result is reshaped.",
                lambda s, axis=axis: np.repeat(s.kv, _copies(s), axis=axis).reshape(
                    repeat_heads(s.kv, s.heads).shape
                ),
            )
            for what, axis in (("each number", -1), ("each position", -2))
        ],
        "first-kv-head-only": (
            "All heads are copies of the first kv head.",
            lambda s: np.repeat(s.kv[..., :1, :, :], s.heads, axis=-3),
        ),
        "groups-backwards": (
            "The kv heads are in the opposite order.",
            lambda s: repeat_heads(s.kv, s.heads)[..., ::-1, :, :],
        ),
    },
)


def of(change: Any) -> Any:
    return lambda kv: lambda s: change(getattr(s, kv), s.q.shape[-3])


TILED = of(lambda kv, heads: np.take(kv, tiled(heads, kv.shape[-3]), axis=-3))
FIRST = of(lambda kv, heads: np.repeat(kv[..., :1, :, :], heads, axis=-3))
GROUPS = Family(
    None,
    ORDER,
    {
        "tiled": [
            (
                "In your function, head h uses kv head h % kv_heads: 0, 1, 0, 1. Neighbours "
                "should share a kv head: 0, 0, 1, 1.",
                {"K": TILED("k"), "V": TILED("v")},
            ),
            (
                "Head h uses the keys of kv head h % kv_heads: 0, 1, 0, 1. Neighbours should "
                "share a kv head: 0, 0, 1, 1.",
                {"K": TILED("k")},
            ),
            (
                "Head h uses the values of kv head h % kv_heads: 0, 1, 0, 1. Neighbours should "
                "share a kv head: 0, 0, 1, 1.",
                {"V": TILED("v")},
            ),
        ],
        "first-kv-head-only": (
            "All heads use the first kv head.",
            {"K": FIRST("k"), "V": FIRST("v")},
        ),
        "softmax-over-heads": (
            "The softmax runs over the heads (axis −3). It should run over the keys.",
            {"weights": lambda s: softmax(s.blocked, -3)},
        ),
        "scaled-by-heads": (
            "The scores are divided by the root of d_k times the number of heads. Each head has "
            "keys of width d_k, so divide by √d_k.",
            {"scaled": lambda s: scale(s.scores, s.q.shape[-1] * s.q.shape[-3])},
        ),
    },
)
USUAL = chosen(
    FAMILIES,
    "no-scaling divides-by-d-k softmax-over-queries mask-ignored mask-inverted "
    "mask-after-softmax blocked-scores-zero keys-for-values results-swapped output-only",
)
WINDOW = formulas(
    "seen",
    "In your mask, query i sees key j if",
    "i − w < j ≤ i",
    ("window-one-longer", "i − w ≤ j ≤ i: w + 1 positions", lambda s: _within(s, 0, s.w + 1)),
    ("window-one-shorter", "i − w + 1 < j ≤ i: w − 1 positions", lambda s: _within(s, 0, s.w - 1)),
    ("own-position-blocked", "i − w ≤ j < i", lambda s: _within(s, 1, s.w + 1)),
    ("own-position-blocked", "i − w < j < i", lambda s: _within(s, 1, s.w)),
    ("both-sides", "i − w < j < i + w", lambda s: abs(s.distance) < s.w),
    ("both-sides", "i − w ≤ j ≤ i + w", lambda s: abs(s.distance) <= s.w),
    ("both-sides", "i − w / 2 ≤ j ≤ i + w / 2", lambda s: abs(s.distance) <= s.w // 2),
    ("later-positions-open", "i − w < j", lambda s: s.distance < s.w),
    ("no-window", "j ≤ i", lambda s: s.distance >= 0),
    ("window-after-query", "i ≤ j < i + w", lambda s: _within(s, 0, s.w).T),
    ("first-positions", "j < w and j ≤ i", lambda s: (s.distance >= 0) & (np.arange(s.n) < s.w)),
    ("window-outside", "j ≤ i − w", lambda s: s.distance >= s.w),
    ("mask-inverted", "j ≤ i − w or j > i", lambda s: ~_within(s, 0, s.w)),
    (
        "windows-side-by-side",
        "j ≤ i and both are in the same block of w positions",
        lambda s: (s.distance >= 0) & (np.arange(s.n)[:, None] // s.w == np.arange(s.n) // s.w),
    ),
)
KINDS = {
    "additive-mask": (
        "Your mask has 0 for allowed and −∞ (or a very low number) for blocked. It should be true "
        "or 1 for allowed, and false or 0 for blocked.",
        {"seen": lambda s: np.where(_within(s, 0, s.w), 0.0, -np.inf)},
        {"seen": lambda s: np.where(_within(s, 0, s.w), 0.0, -1e9)},
    )
}


def _within(s: Any, low: int, high: int) -> Any:
    return (s.distance >= low) & (s.distance < high)


def repeat_probes(draw: int) -> Sequence[tuple[Any, ...]]:
    rng = np.random.default_rng([220, draw])
    sizes = (2, 1, 1), (3, 4, 2), (2, 2, 3, 2), (2, 2, 2), (2, 3, 2, 4, 3), (3, 3, 3, 3)
    return [(rng.normal(size=each), 2 * each[-3]) for each in sizes] + [
        (rng.normal(size=(2, 3, 2)), 6),
        (rng.normal(size=(1, 2, 3)), 3),
        (rng.normal(size=(4, 1, 2)), 4),
    ]


def attention_probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([221, draw])
    rows = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0]])

    calls = [
        grouped_qkv(rng, 4, 2, 1, 2, 1, 1),
        grouped_qkv(rng, 6, 2, 3, 5, 4, 1),
        grouped_qkv(rng, 4, 2, 4, 4, 4, 4),
        grouped_qkv(rng, 6, 3, 2, 3, 9, 4, batch=(2,)),
        grouped_qkv(rng, 4, 2, 2, 4, 2, 3, batch=(4,)),
        grouped_qkv(rng, 3, 1, 2, 3, 4, 2),
        grouped_qkv(rng, 2, 2, 3, 2, 5, 3),
    ]
    for mask in (rows == 1, rows[:1].astype(float), np.stack([rows, rows[::-1], rows, rows])):
        calls.append([*grouped_qkv(rng, 4, 2, 3, 4, 2, 3), mask])
        calls.append([*grouped_qkv(rng, 4, 2, 3, 4, 5, 2, batch=(2,)), mask])
    large = grouped_qkv(rng, 4, 2, 2, 3, 2, 1)
    far = Probe((500 * large[0], *large[1:]), condition=1e5)
    return [*(Probe(tuple(call)) for call in calls), far]


def window_probes(draw: int) -> Sequence[tuple[int, int]]:
    rng = np.random.default_rng([222, draw])
    drawn = [(int(n), int(w)) for n, w in zip(rng.integers(8, 15, 3), (3, 4, 6), strict=True)]
    return [(4, 2), (3, 1), (6, 3), (4, 4), (3, 5), (7, 5), (1, 1), *drawn]


MISTAKES = Mistakes(
    Recipe(
        repeat_heads,
        repeat_probes,
        (REPEATED,),
        steps={"result": lambda s: repeat_heads(s.kv, s.heads)},
        traits=(Trait(lambda s: s.kv.ndim > 3, "with axes in front of the heads", "without them"),),
    ),
    Recipe(
        "grouped_attention",
        attention_probes,
        (GROUPS, *USUAL),
        steps={
            "Q": lambda s: s.q,
            "K": lambda s: repeat_heads(s.k, s.q.shape[-3]),
            "V": lambda s: repeat_heads(s.v, s.q.shape[-3]),
            "scores": lambda s: scores(s.Q, s.K),
            "scaled": lambda s: scale(s.scores, s.q.shape[-1]),
            "blocked": lambda s: block(s.scaled, s.mask),
            "weights": lambda s: softmax(s.blocked),
            "output": lambda s: combine(s.weights, s.V),
            "results": lambda s: (s.output, s.weights),
        },
        parameters=("q", "k", "v", "mask"),
        defaults={"mask": None},
        alternatives=LOW_FILLS,
        traits=(Trait(lambda s: s.mask is not None, "with a mask", "without a mask"),),
        results=("the output", "the weights"),
        labels=LABELS,
        fallbacks=tuple(inside_attention(USUAL, FAMILIES)),
    ),
    Recipe(
        "window_mask",
        window_probes,
        (WINDOW, Family(None, (), KINDS)),
        steps={"distance": lambda s: distance(s.n), "seen": lambda s: _within(s, 0, s.w)},
        parameters=("n", "w"),
    ),
)
