"""Misconceptions in the transformer block.

Many published blocks use pre-norm instead of post-norm (Xiong et al., 2020). Code that uses one
name for two values may add the block's input again, instead of the result of the first norm.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import Comparison, Family, ModuleCaller, Probe, Recipe, Trait, float32_probe
from reference.attention import block, combine, scale, scores, softmax
from reference.heads import merge_heads, split_heads
from reference.masks import ODD_MASK, causal_mask
from reference.misconceptions.language_model.parts import PARTS, RARE, norm
from reference.misconceptions.multi_head_reshape.merge import BACK
from reference.misconceptions.multi_head_reshape.split import BLOCKS
from reference.misconceptions.scaled_dot_product_attention import FAMILIES, inside_attention
from reference.misconceptions.scaled_dot_product_attention.masking import LOW_FILLS, MASKING
from reference.misconceptions.scaled_dot_product_attention.scaling import SCALE, SCALING
from reference.misconceptions.scaled_dot_product_attention.weights import WEIGHTS
from reference.misconceptions.self_attention.projections import OUT, WHICH
from reference.misconceptions.torch_words import chosen, without
from reference.parts import WORDS

WEIGHT_NAMES = {
    **{f"attention.{name}.weight": name for name in ("W_q", "W_k", "W_v", "W_o")},
    **{f"feed_forward.{place}.weight": f"W_{place}" for place in (0, 2)},
    **{f"feed_forward.{place}.bias": f"b_{place}" for place in (0, 2)},
    **{f"norm{place}.weight": f"g_{place}" for place in (1, 2)},
    **{f"norm{place}.bias": f"s_{place}" for place in (1, 2)},
}


STEPS = {
    "queries": lambda s: s.x @ s.W_q.T,
    "keys": lambda s: s.x @ s.W_k.T,
    "values": lambda s: s.x @ s.W_v.T,
    "split": lambda s: lambda t: split_heads(t, s.num_heads),
    "Q": lambda s: s.split(s.queries),
    "K": lambda s: s.split(s.keys),
    "V": lambda s: s.split(s.values),
    "scores": lambda s: scores(s.Q, s.K),
    "scaled": lambda s: scale(s.scores, s.Q.shape[-1]),
    "blocked": lambda s: block(s.scaled, s.mask),
    "weights": lambda s: softmax(s.blocked),
    "output": lambda s: combine(s.weights, s.V),
    "merged": lambda s: merge_heads(s.output),
    "attended": lambda s: s.merged @ s.W_o.T,
    "sum_1": lambda s: s.x + s.attended,
    "norm_1": lambda s: norm(s.sum_1, s.g_1, s.s_1),
    "hidden": lambda s: s.norm_1 @ s.W_0.T + s.b_0,
    "active": lambda s: np.maximum(s.hidden, 0),
    "fed": lambda s: s.active @ s.W_2.T + s.b_2,
    "sum_2": lambda s: s.norm_1 + s.fed,
    "norm_2": lambda s: norm(s.sum_2, s.g_2, s.s_2),
}


LABELS = {
    "queries": "the queries",
    "keys": "the keys",
    "values": "the values",
    "scores": "the scores",
    "scaled": "the scaled scores",
    "blocked": "the masked scores",
    "weights": "the weights",
    "merged": "the merged heads",
    "attended": "the attention's result",
    "sum_1": "the first sum",
    "norm_1": "the first norm's result",
    "hidden": "the hidden values",
    "active": "the hidden values after ReLU",
    "fed": "the network's result",
    "sum_2": "the second sum",
    "norm_2": "the block's result",
}

ATTENTION = (
    Family(
        "attended",
        OUT,
        {
            "attention-output-not-projected": (
                "In your code, W_o of the attention has no effect.",
                lambda s: s.merged,
            ),
        },
    ),
    Family(
        None,
        BLOCKS,
        {
            "attention-one-head": (
                "The attention acts as one with a single head. Each head should get its own "
                "features.",
                {"split": lambda s: lambda t: t[:, None], "merged": lambda s: s.output[:, 0]},
            ),
            "attention-reshape-only": (
                "The attention mixes features of different tokens, as with a reshape straight to "
                "(B, H, L, d).",
                {"split": lambda s: lambda t: t.reshape(len(t), s.num_heads, t.shape[1], -1)},
            ),
        },
    ),
    Family(
        "merged",
        BACK,
        {
            "attention-merged-without-moving": (
                "The attention mixes features of different tokens, as with heads that are merged "
                "without moving their axis back.",
                lambda s: s.output.reshape(s.x.shape),
            ),
        },
    ),
    Family(
        "scaled",
        SCALE,
        {
            "attention-root-of-d-model": (
                "The scores of the attention are divided by √d_model. They should be divided by "
                "the root of d_model / num_heads, the number of features of a head.",
                lambda s: s.scores / np.sqrt(s.d_model),
            ),
        },
    ),
    Family(
        None,
        WHICH,
        {
            "keys-by-query-matrix": (
                "Your numbers match keys made with W_q. The keys should be made with W_k.",
                {"keys": lambda s: s.x @ s.W_q.T},
            ),
            "queries-and-keys-swapped": (
                "Queries and keys are exchanged: your numbers match W_q and W_k exchanged.",
                {"queries": lambda s: s.x @ s.W_k.T, "keys": lambda s: s.x @ s.W_q.T},
            ),
            "values-not-projected": (
                "The values of your attention are x itself: W_v has no effect.",
                {"values": lambda s: s.x},
            ),
        },
    ),
    *chosen(SCALING, "no-scaling divides-by-d-k multiplies-by-root"),
    *chosen(WEIGHTS, "softmax-over-queries no-softmax"),
)


MASKS = chosen(
    MASKING,
    "mask-ignored mask-inverted mask-transposed mask-after-softmax blocked-scores-zero "
    "causal-without-mask always-causal own-causal-mask",
)


def draw_block(rng: np.random.Generator, d_model: int, d_ff: int) -> dict[str, Any]:
    root = np.sqrt(d_model)
    weights = {
        name: rng.normal(size=(d_model, d_model)) / root * 1.5
        for name in ("W_q", "W_k", "W_v", "W_o")
    }
    weights |= {
        "W_0": rng.normal(size=(d_ff, d_model)) / root,
        "W_2": rng.normal(size=(d_model, d_ff)) / np.sqrt(d_ff),
        "b_0": rng.normal(size=d_ff),
        "b_2": rng.normal(size=d_model),
    }
    for place in (1, 2):
        weights[f"g_{place}"] = 1 + 0.3 * rng.normal(size=d_model)
        weights[f"s_{place}"] = 0.3 * rng.normal(size=d_model)
    return weights


def probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([33, draw])

    def case(batch: int, length: int, d_model: int, heads: int, d_ff: int, mask: Any) -> Probe:
        x = 1.5 * rng.normal(size=(batch, length, d_model))
        given = {"d_model": d_model, "num_heads": heads, "d_ff": d_ff, "x": x, "mask": mask}
        return float32_probe(Probe((), given | draw_block(rng, d_model, d_ff), condition=100.0))

    causal, odd = causal_mask(4), ODD_MASK
    return [
        case(1, 3, 4, 1, 5, None),
        case(2, 3, 4, 2, 4, None),
        case(2, 4, 4, 4, 6, None),
        case(3, 5, 6, 3, 7, None),
        case(2, 2, 8, 2, 3, None),
        case(2, 4, 6, 2, 5, causal),
        case(2, 4, 4, 2, 6, odd),
        case(1, 4, 6, 3, 4, odd.astype(int)),
        case(4, 4, 4, 2, 5, odd),
        case(4, 4, 6, 3, 5, odd.T.astype(int)),
        case(3, 4, 4, 1, 5, causal.astype(float)),
    ]


def axes(state: Any) -> dict[str, int]:
    return {
        "B": state.x.shape[0],
        "L": state.x.shape[1],
        "E": state.d_model,
        "H": state.num_heads,
        "d_ff": state.d_ff,
    }


BLOCK = Recipe(
    "TransformerBlock",
    probes,
    (*PARTS, *ATTENTION, *MASKS),
    steps=STEPS,
    parameters=("d_model", "num_heads", "d_ff", "x", "mask", *WEIGHT_NAMES.values()),
    alternatives=LOW_FILLS,
    defaults={"mask": None},
    traits=(
        Trait(lambda s: s.mask is not None, "with a mask", "without a mask"),
        Trait(lambda s: s.num_heads > 1, "with several heads", "with a single head"),
        Trait(
            lambda s: None if s.mask is None else s.mask.dtype != bool,
            "with a mask of 0 and 1",
            "with a mask of True and False",
        ),
    ),
    labels=LABELS,
    axes=axes,
    caller=ModuleCaller(("d_model", "num_heads", "d_ff"), ("x", "mask"), WEIGHT_NAMES, WORDS),
    comparison=Comparison(precision=np.float32),
    fallbacks=(
        *(each for family in RARE for each in family.misconceptions),
        *inside_attention((*PARTS, *ATTENTION, *MASKS), without(FAMILIES, "")),
    ),
)
