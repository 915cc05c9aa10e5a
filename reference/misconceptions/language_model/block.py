"""The transformer block, done wrong.

Sources: pre-norm for post-norm is the commonest difference between published blocks (Xiong et al.,
2020); a second sum with the block's input in place of the first norm's result is a slip seen in
code that keeps one name for both.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.diagnosis import Comparison, Family, Hints, Probe, Recipe, Trait
from autograder.diagnosis.blueprint import Blueprint, single
from reference.attention import block, combine, scale, scores, softmax
from reference.heads import merge_heads, split_heads
from reference.misconceptions.multi_head_reshape import BACK, BLOCKS
from reference.misconceptions.scaled_dot_product_attention.masking import MASKING, fill, masked
from reference.misconceptions.scaled_dot_product_attention.scaling import SCALE, SCALING
from reference.misconceptions.scaled_dot_product_attention.weights import WEIGHTS
from reference.misconceptions.self_attention.whole import OUT, WHICH
from reference.misconceptions.torch_words import chosen
from reference.parts import WORDS

EPSILON = 1e-5  # nn.LayerNorm's own

WEIGHT_NAMES = {
    **{f"attention.{name}.weight": name for name in ("W_q", "W_k", "W_v", "W_o")},
    **{f"feed_forward.{place}.weight": f"W_{place}" for place in (0, 2)},
    **{f"feed_forward.{place}.bias": f"b_{place}" for place in (0, 2)},
    **{f"norm{place}.weight": f"g_{place}" for place in (1, 2)},
    **{f"norm{place}.bias": f"s_{place}" for place in (1, 2)},
}


def norm(x: Any, weight: Any, bias: Any) -> Any:
    """Layer normalisation over the features (Ba, Kiros & Hinton, 2016)."""
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * weight + bias


def feed(s: Any, x: Any) -> Any:
    """The feed-forward network."""
    return np.maximum(x @ s.W_0.T + s.b_0, 0) @ s.W_2.T + s.b_2


def attend(s: Any, x: Any) -> Any:
    """Attention in heads of any x, as it should be."""
    q, k, v = (split_heads(x @ w.T, s.num_heads) for w in (s.W_q, s.W_k, s.W_v))
    weights = softmax(block(scale(scores(q, k), q.shape[-1]), s.mask))
    return merge_heads(weights @ v) @ s.W_o.T


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

SUMS: Hints = (
    "What is added to what, before each of the two norms?",
    "Each part works on x and is added to x; the second time x is the result of the first norm.",
    "x = norm1(x + attention(x, mask)[0]), then norm2(x + feed_forward(x)).",
)
NORMS: Hints = (
    "What is normalised in your block, and when?",
    "Each norm acts on a sum, after it: norm1 after the attention, norm2 after the network.",
    "x = norm1(x + attention(x, mask)[0]), then norm2(x + feed_forward(x)).",
)
NETWORK: Hints = (
    "Of which three parts is the feed-forward network made?",
    "Linear to d_ff, ReLU, Linear back to d_model, in this order, once.",
    "nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))",
)


def _tanh_gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def _gelu(x: Any) -> Any:
    from math import erf

    return 0.5 * x * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def _pre_norm(s: Any) -> Any:
    first = s.x + attend(s, norm(s.x, s.g_1, s.s_1))
    return first + feed(s, norm(first, s.g_2, s.s_2))


PARTS = (
    Family(
        None,
        SUMS,
        {
            "no-residual": (
                "Neither sum is taken: the result of each part is normalised alone, "
                "without the x that went in.",
                {"sum_1": lambda s: s.attended, "sum_2": lambda s: s.fed},
            ),
            "no-first-residual": (
                "The first sum is missing: x is not added to the attention.",
                {"sum_1": lambda s: s.attended},
            ),
            "no-second-residual": (
                "The second sum is missing: nothing is added to the network's result.",
                {"sum_2": lambda s: s.fed},
            ),
            "second-sum-with-input": (
                "The second sum adds the block's own input, in place of the first norm's result.",
                {"sum_2": lambda s: s.x + s.fed},
            ),
            "second-sum-with-attention": (
                "The second sum adds the attention's result, in place of the first norm's.",
                {"sum_2": lambda s: s.attended + s.fed},
            ),
            "second-sum-before-norm": (
                "The second sum adds the first sum before its norm.",
                {"sum_2": lambda s: s.sum_1 + s.fed},
            ),
            "network-left-out": (
                "The feed-forward network takes no part.",
                {"sum_2": lambda s: s.norm_1, "fed": lambda s: s.norm_1},
            ),
            "attention-left-out": ("The attention takes no part.", {"sum_1": lambda s: s.x}),
            "difference-for-sum": (
                "The attention is taken from x, in place of being added.",
                {"sum_1": lambda s: s.x - s.attended},
            ),
            "products-for-sums": (
                "x is multiplied by the attention, in place of being added.",
                {"sum_1": lambda s: s.x * s.attended},
            ),
        },
    ),
    Family(
        None,
        NORMS,
        {
            "pre-norm": (
                "The norms act before attention and network (“pre-norm”); here each acts "
                "after the sum.",
                {"norm_2": _pre_norm},
            ),
            "norm-before-sum": (
                "The norms act on the parts' results, before x is added; here each "
                "acts on the sum.",
                {
                    "norm_1": lambda s: s.x + norm(s.attended, s.g_1, s.s_1),
                    "norm_2": lambda s: s.norm_1 + norm(s.fed, s.g_2, s.s_2),
                },
            ),
            "no-norms": (
                "Neither norm is taken.",
                {"norm_1": lambda s: s.sum_1, "norm_2": lambda s: s.sum_2},
            ),
            "no-first-norm": ("The first norm is missing.", {"norm_1": lambda s: s.sum_1}),
            "no-second-norm": ("The second norm is missing.", {"norm_2": lambda s: s.sum_2}),
            "first-norm-twice": (
                "norm1 stands in both places; norm2 takes no part.",
                {"norm_2": lambda s: norm(s.sum_2, s.g_1, s.s_1)},
            ),
            "norms-swapped": (
                "norm1 and norm2 have changed places.",
                {
                    "norm_1": lambda s: norm(s.sum_1, s.g_2, s.s_2),
                    "norm_2": lambda s: norm(s.sum_2, s.g_1, s.s_1),
                },
            ),
            "norm-over-positions": (
                "The norms run over the positions; they should run over the "
                "features of each position.",
                {
                    "norm_1": lambda s: _over_positions(s.sum_1) * s.g_1 + s.s_1,
                    "norm_2": lambda s: _over_positions(s.sum_2) * s.g_2 + s.s_2,
                },
            ),
        },
    ),
    Family(
        None,
        NETWORK,
        {
            "no-activation": (
                "The feed-forward network has no ReLU.",
                {"active": lambda s: s.hidden},
            ),
            "gelu": (
                "The feed-forward network has a GELU in place of the ReLU.",
                {"active": lambda s: _gelu(s.hidden)},
                {"active": lambda s: _tanh_gelu(s.hidden)},
            ),
            "tanh": (
                "The feed-forward network has a tanh in place of the ReLU.",
                {"active": lambda s: np.tanh(s.hidden)},
            ),
            "sigmoid-in-network": (
                "The feed-forward network has a sigmoid in place of the ReLU.",
                {"active": lambda s: 1 / (1 + np.exp(-s.hidden))},
            ),
            "activation-at-the-end": (
                "A ReLU cuts the network's result off at 0; it belongs between the two Linear.",
                {
                    "active": lambda s: s.hidden,
                    "fed": lambda s: np.maximum(s.active @ s.W_2.T + s.b_2, 0),
                },
            ),
            "second-activation": (
                "A second ReLU cuts the network's result off at 0.",
                {"fed": lambda s: np.maximum(s.active @ s.W_2.T + s.b_2, 0)},
            ),
            "network-of-input": (
                "The feed-forward network works on the block's input, in place "
                "of the first norm's result.",
                {"hidden": lambda s: s.x @ s.W_0.T + s.b_0},
            ),
            "network-of-sum": (
                "The feed-forward network works on the first sum before its norm.",
                {"hidden": lambda s: s.sum_1 @ s.W_0.T + s.b_0},
            ),
            "network-twice": (
                "The feed-forward network is applied twice.",
                {"fed": lambda s: feed(s, s.active @ s.W_2.T + s.b_2)},
            ),
            "no-biases": (
                "The biases of the feed-forward network take no part.",
                {"hidden": lambda s: s.norm_1 @ s.W_0.T, "fed": lambda s: s.active @ s.W_2.T},
            ),
        },
    ),
)


def _over_positions(x: Any) -> Any:
    return (x - x.mean(-2, keepdims=True)) / np.sqrt(x.var(-2, keepdims=True) + EPSILON)


ATTENTION = (
    Family(
        "attended",
        OUT,
        {
            "attention-output-not-projected": (
                "In the attention W_o takes no part.",
                lambda s: s.merged,
            ),
        },
    ),
    Family(
        None,
        BLOCKS,
        {
            "attention-one-head": (
                "The attention's heads are never split: your numbers are those of a single head.",
                {"split": lambda s: lambda t: t[:, None], "merged": lambda s: s.output[:, 0]},
            ),
            "attention-reshape-only": (
                "In the attention the features are cut straight into "
                "(B, H, L, d): the words are mixed.",
                {"split": lambda s: lambda t: t.reshape(len(t), s.num_heads, t.shape[1], -1)},
            ),
        },
    ),
    Family(
        "merged",
        BACK,
        {
            "attention-merged-without-moving": (
                "In the attention the heads are merged without moving "
                "them back: the words are mixed.",
                lambda s: s.output.reshape(s.x.shape),
            ),
        },
    ),
    Family(
        "scaled",
        SCALE,
        {
            "attention-root-of-d-model": (
                "The attention's scores are divided by √d_model; each head "
                "has d_model / num_heads features only.",
                lambda s: s.scores / np.sqrt(s.d_model),
            ),
        },
    ),
    Family(
        None,
        WHICH,
        {
            "keys-by-query-matrix": (
                "In the attention the keys are made with W_q.",
                {"keys": lambda s: s.x @ s.W_q.T},
            ),
            "queries-and-keys-swapped": (
                "In the attention W_q and W_k have changed places.",
                {"queries": lambda s: s.x @ s.W_k.T, "keys": lambda s: s.x @ s.W_q.T},
            ),
            "values-not-projected": (
                "In the attention the values are x itself: W_v takes no part.",
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
STYLES = (
    fill(-1e9),
    {"blocked": lambda s: masked(s, lambda m: s.scaled + (1 - m) * -1e9)},
)


def draw_block(rng: np.random.Generator, d_model: int, d_ff: int) -> dict[str, Any]:
    """The block's weights by the recipe's names."""
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
    """Calls with one head and several, with and without masks."""
    rng = np.random.default_rng([33, draw])

    def case(batch: int, length: int, d_model: int, heads: int, d_ff: int, mask: Any) -> Probe:
        x = 1.5 * rng.normal(size=(batch, length, d_model))
        given = {"d_model": d_model, "num_heads": heads, "d_ff": d_ff, "x": x, "mask": mask}
        return single(Probe((), given | draw_block(rng, d_model, d_ff), condition=100.0))

    causal = np.tril(np.ones((4, 4), bool))
    odd = np.array(
        [
            [True, False, True, True],
            [True, True, False, False],
            [False, True, True, True],
            [True, False, False, True],
        ]
    )
    return [
        case(1, 3, 4, 1, 5, None),
        case(2, 3, 4, 2, 4, None),
        case(2, 4, 4, 4, 6, None),
        case(3, 5, 6, 3, 7, None),
        case(2, 2, 8, 2, 3, None),
        case(2, 4, 6, 2, 5, causal),
        case(2, 4, 4, 2, 6, odd),
        case(1, 4, 6, 3, 4, odd.astype(int)),
        case(3, 4, 4, 1, 5, causal.astype(float)),
    ]


def axes(state: Any) -> dict[str, int]:
    """The sizes by name."""
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
    styles=STYLES,
    defaults={"mask": None},
    traits=(
        Trait(lambda s: s.mask is not None, "with a mask", "without a mask"),
        Trait(lambda s: s.num_heads > 1, "with several heads", "with a single head"),
        Trait(
            lambda s: s.mask is not None and s.mask.dtype != bool,
            "with a mask of 0 and 1",
            "with a mask of True and False, or none",
        ),
    ),
    axes=axes,
    call=Blueprint(("d_model", "num_heads", "d_ff"), ("x", "mask"), WEIGHT_NAMES, WORDS),
    comparison=Comparison(precision=np.float32),
)
