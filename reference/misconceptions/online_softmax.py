"""Misconceptions about a softmax in one pass: the factor, the start and the blocks.

Examples in real code: a maximum that becomes 0 in a blocked block (flash-attention#2082), NaN from
−∞ − (−∞) (pytorch#130014), blocked scores that are not low enough (flashinfer#4401).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import Family, Mistakes, Probe, Recipe, Trait, chosen
from reference import online
from reference.attention import block, scale, scores
from reference.block_calls import MASKS, blocked_blocks, some_blocks
from reference.matrices import qkv
from reference.misconceptions.formulas import formulas
from reference.misconceptions.scaled_dot_product_attention import FAMILIES
from reference.misconceptions.scaled_dot_product_attention.masking import LOW_FILLS
from reference.online import exponentials, larger


def _first(s: Any) -> Any:
    return ((s.factor * s.l)[..., None] * s.o + s.e @ s.v) / s.sum[..., None]


MAXIMUM = formulas(
    "new",
    "Your new maximum m′ is",
    "the larger of m and the query's largest score in the block",
    ("maximum-of-block", "the largest score of the block", lambda s: s.scores.max(-1)),
    ("maximum-not-updated", "the old maximum m", lambda s: s.m + 0 * s.scores.max(-1)),
    ("maximum-at-least-0", "never below 0", lambda s: larger(s.m, s.scores).clip(0)),
    (
        "maximum-0-for-minus-infinity",
        "0 if all keys are blocked",
        lambda s: np.nan_to_num(larger(s.m, s.scores), neginf=0),
    ),
)
FACTORS = formulas(
    "factor",
    "Your factor for the earlier sum and output is",
    "e^(m − m′)",
    ("not-rescaled", "1", lambda s: 1.0 + 0.0 * s.l),
    ("factor-inverted", "e^(m′ − m)", lambda s: np.exp(s.new - s.m)),
)
EXPONENTIALS = formulas(
    "e",
    "Your exponentials of the new block are",
    "e^(s − m′)",
    ("not-shifted", "e^s", lambda s: np.exp(s.scores)),
    ("relative-to-old-maximum", "e^(s − m)", lambda s: exponentials(s.scores, s.m)),
    (
        "relative-to-block",
        "e^(s − m_block)",
        lambda s: exponentials(s.scores, s.scores.max(-1)),
    ),
)
RESCALING = "With f for the factor e^(m − m′), your new"
SUM = formulas(
    "sum",
    f"{RESCALING} sum is",
    "f·l plus the sum of the new exponentials",
    ("sum-not-rescaled", "l plus the sum of the new exponentials", lambda s: s.l + s.e.sum(-1)),
    ("old-sum-lost", "only the sum of the new exponentials", lambda s: s.e.sum(-1)),
)
OUTPUT = formulas(
    "weighted",
    f"{RESCALING} output is",
    "f·o plus the new exponentials times v",
    ("output-not-rescaled", "o plus the new part", lambda s: s.o + s.e @ s.v),
    (
        "output-divided",
        "divided by l′",
        lambda s: (s.factor[..., None] * s.o + s.e @ s.v) / s.sum[..., None],
    ),
    ("output-of-divided", "(f·l·o + e·v) / l′, as if o were divided by l", _first),
    ("old-output-lost", "only the new exponentials times v", lambda s: s.e @ s.v),
)
STATE = Family(
    None,
    (),
    {
        "nan-if-all-blocked": (
            "If all keys of a query are blocked so far, your function computes −∞ − (−∞): NaN.",
            {
                "factor": lambda s: np.exp(s.m - s.new),
                "e": lambda s: np.exp(s.scores - s.new[..., None]),
            },
            {"factor": lambda s: np.exp(s.m - s.new)},
        ),
        "results-in-another-order": (
            "The three results are in another order. They should be m, l, o.",
            {"results": lambda s: (s.sum, s.new, s.weighted)},
            {"results": lambda s: (s.weighted, s.new, s.sum)},
        ),
    },
)
TILES = Family(
    None,
    (),
    {
        "maximum-starts-at-0": (
            "{Ordinary scores are right. }The maximum starts at 0, so all exponentials are 0 for "
            "very low scores. It should start at −∞.",
            {"start": lambda s: [np.zeros_like(part) for part in online.start_of(s.scaled, s.v)]},
        ),
        "last-block-dropped": (
            "The last block is left out if it has fewer keys than the others.",
            {"parts": lambda s: [p for p in s.parts_of if p.stop - p.start == s.block]},
        ),
        "first-columns-of-mask": (
            "Each block uses the mask's first columns. It should use the columns of its own keys.",
            {"blocked": lambda s: _first_columns(s)},
        ),
    },
)
OUTPUTS = formulas(
    "output",
    "Your output is",
    "o / l, with o and l after the last block",
    ("not-divided", "o after the last block", lambda s: s.state[2]),
    ("blocks-averaged", "the mean of the outputs of the blocks", lambda s: _averaged(s)),
)


def _averaged(s: Any) -> Any:
    each = [online.state_after(s.start, [part], s.blocked, s.v) for part in s.parts]
    return np.mean([o / total[..., None] for _, total, o in each], axis=0)


def _first_columns(s: Any) -> Any:
    if s.mask is None or np.shape(s.mask)[-1] == 1:
        return block(s.scaled, s.mask)
    columns = [np.asarray(s.mask)[..., : part.stop - part.start] for part in s.parts_of]
    return block(s.scaled, np.concatenate(columns, axis=-1))


USUAL = chosen(FAMILIES, "no-scaling divides-by-d-k mask-ignored mask-inverted blocked-scores-zero")


def merge_probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([230, draw])
    calls = [*some_blocks(rng), *blocked_blocks(rng)]
    for batch, l_q, n, d in ((), 2, 2, 2), ((2,), 3, 2, 4), ((), 4, 4, 4):
        m, total = rng.normal(size=(*batch, l_q)), rng.uniform(1, 4, (*batch, l_q))
        o, v = rng.normal(size=(*batch, l_q, d)), rng.normal(size=(*batch, n, d))
        calls.append((m, total, o, rng.normal(size=(*batch, l_q, n)), v))
        calls.append((m - 2, total, o, rng.normal(size=(*batch, l_q, n)) - 4, v))
    return [Probe(call) for call in calls]


def tile_probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([231, draw])
    calls = [
        (np.ones((1, 1)), np.log([[1.0], [2.0], [4.0]]), np.array([[1.0], [4.0], [10.0]]), 2),
        *((*qkv(rng, 2, 7, 4, 3), size) for size in (3, 7, 9)),
        (*qkv(rng, 3, 6, 9, 2, (2,)), 4),
        (*qkv(rng, 2, 4, 2, 1), 2),
    ]
    for mask in MASKS:
        calls.append((*qkv(rng, 3, 5, 4, 2), 2, mask))
        calls.append((*qkv(rng, 3, 5, 3, 2, (2,)), 3, mask))
    q, k, v = qkv(rng, 2, 5, 1, 1)
    low = [(50 + abs(q), -30 - 5 * draw % 7 - abs(k), v, size) for size in (2, 3)]
    return [*(Probe(call) for call in calls), *(Probe(call, condition=1e4) for call in low)]


MISTAKES = Mistakes(
    Recipe(
        online.merge,
        merge_probes,
        (MAXIMUM, FACTORS, EXPONENTIALS, SUM, OUTPUT, STATE),
        steps={
            "new": lambda s: larger(s.m, s.scores),
            "factor": lambda s: online.factor(s.m, s.new),
            "e": lambda s: exponentials(s.scores, s.new),
            "sum": lambda s: s.factor * s.l + s.e.sum(-1),
            "weighted": lambda s: s.factor[..., None] * s.o + s.e @ s.v,
            "results": lambda s: (s.new, s.sum, s.weighted),
        },
        results=("the maximum", "the sum", "the output"),
        labels={"new": "the maximum", "factor": "the factor", "e": "the exponentials"},
        traits=(
            Trait(lambda s: bool(np.isneginf(s.scores).any()), "with blocked keys", "otherwise"),
        ),
    ),
    Recipe(
        "tiled_attention",
        tile_probes,
        (TILES, OUTPUTS, *USUAL),
        steps={
            "Q": lambda s: s.q,
            "parts_of": lambda s: list(online.blocks_of(s.k.shape[-2], s.block)),
            "scores": lambda s: scores(s.q, s.k),
            "scaled": lambda s: scale(s.scores, s.q.shape[-1]),
            "blocked": lambda s: block(s.scaled, s.mask),
            "start": lambda s: online.start_of(s.blocked, s.v),
            "parts": lambda s: s.parts_of,
            "state": lambda s: online.state_after(s.start, s.parts, s.blocked, s.v),
            "output": lambda s: s.state[2] / s.state[1][..., None],
        },
        parameters=("q", "k", "v", "block", "mask"),
        defaults={"mask": None},
        alternatives=LOW_FILLS,
        traits=(
            Trait(lambda s: s.mask is not None, "with a mask", "without a mask"),
            Trait(lambda s: s.k.shape[-2] % s.block > 0, "with a smaller last block", "otherwise"),
        ),
        labels={"scaled": "the scaled scores", "output": "the output"},
    ),
)
