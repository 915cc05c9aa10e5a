"""Misconceptions in the sums, the norms and the network of a block."""

from typing import Any

import numpy as np

from autograder.author import Family, Hints
from reference.misconceptions.formulas import formulas

EPSILON = 1e-5  # the value of nn.LayerNorm


def norm(x: Any, weight: Any, bias: Any) -> Any:
    """Return layer normalisation over the features (Ba, Kiros & Hinton, 2016)."""
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * weight + bias


def feed(s: Any, x: Any) -> Any:
    return np.maximum(x @ s.W_0.T + s.b_0, 0) @ s.W_2.T + s.b_2


SUMS: Hints = (
    "What is added before each of the two norms?",
    "Add the result of each part to the input x of this part. The second part's x is the result "
    "of the first norm.",
    "x = norm1(x + attention(x, mask)[0]), then norm2(x + feed_forward(x)).",
)
NORMS: Hints = (
    "To which sum does each norm of your block apply?",
    "Each norm acts on a sum: norm1 after the attention, norm2 after the network.",
    "x = norm1(x + attention(x, mask)[0]), then norm2(x + feed_forward(x)).",
)
NETWORK: Hints = (
    "What are the three parts of the feed-forward network?",
    "The three parts are a Linear to d_ff, a ReLU, and a Linear back to d_model, in this order.",
    "Look at the parts of self.feed_forward in __init__, and at the lines of forward that use it.",
)


def _tanh_gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def _gelu(x: Any) -> Any:
    from math import erf

    return 0.5 * x * (1 + np.vectorize(erf)(x / np.sqrt(2)))


PARTS = (
    formulas(
        "sum_2",
        "The second sum adds",
        "the result of the first norm",
        ("second-sum-with-input", "the block's own input", lambda s: s.x + s.fed),
        ("second-sum-with-attention", "the result of the attention", lambda s: s.attended + s.fed),
        ("second-sum-before-norm", "the first sum without the norm", lambda s: s.sum_1 + s.fed),
        hints=SUMS,
    ),
    Family(
        None,
        SUMS,
        {
            "no-residual": (
                "Both sums have no effect. Add the inputs of the attention and of the network to "
                "their results.",
                {"sum_1": lambda s: s.attended, "sum_2": lambda s: s.fed},
            ),
            "no-first-residual": (
                "The first sum has no effect. Add x to the result of the attention.",
                {"sum_1": lambda s: s.attended},
            ),
            "no-second-residual": (
                "The second sum has no effect. Add the network's input to its result.",
                {"sum_2": lambda s: s.fed},
            ),
            "network-left-out": (
                "In your code, the feed-forward network has no effect.",
                {"sum_2": lambda s: s.norm_1, "fed": lambda s: s.norm_1},
            ),
            "attention-left-out": (
                "In your code, the attention has no effect.",
                {"sum_1": lambda s: s.x},
            ),
        },
    ),
    Family(
        None,
        NORMS,
        {
            "pre-norm": (
                "The norms act before the attention and before the network (“pre-norm”). Each "
                "norm should act after a sum.",
                {
                    "queries": lambda s: norm(s.x, s.g_1, s.s_1) @ s.W_q.T,
                    "keys": lambda s: norm(s.x, s.g_1, s.s_1) @ s.W_k.T,
                    "values": lambda s: norm(s.x, s.g_1, s.s_1) @ s.W_v.T,
                    "norm_1": lambda s: norm(s.sum_1, s.g_2, s.s_2),
                    "sum_2": lambda s: s.sum_1 + s.fed,
                    "norm_2": lambda s: s.sum_2,
                },
            ),
            "norm-before-sum": (
                "Each norm acts on the result of a part, before x is added. It should act on the "
                "sum.",
                {
                    "norm_1": lambda s: s.x + norm(s.attended, s.g_1, s.s_1),
                    "norm_2": lambda s: s.norm_1 + norm(s.fed, s.g_2, s.s_2),
                },
            ),
            "no-norms": (
                "Both norms have no effect.",
                {"norm_1": lambda s: s.sum_1, "norm_2": lambda s: s.sum_2},
            ),
            "no-first-norm": ("The first norm has no effect.", {"norm_1": lambda s: s.sum_1}),
            "no-second-norm": ("The second norm has no effect.", {"norm_2": lambda s: s.sum_2}),
            "first-norm-twice": (
                "The second norm is norm1 again: norm2 has no effect.",
                {"norm_2": lambda s: norm(s.sum_2, s.g_1, s.s_1)},
            ),
            "norms-swapped": (
                "The two norms are exchanged.",
                {
                    "norm_1": lambda s: norm(s.sum_1, s.g_2, s.s_2),
                    "norm_2": lambda s: norm(s.sum_2, s.g_1, s.s_1),
                },
            ),
            "norm-over-positions": (
                "The norms run over the positions. They should run over the features of each "
                "position.",
                {
                    "norm_1": lambda s: _over_positions(s.sum_1) * s.g_1 + s.s_1,
                    "norm_2": lambda s: _over_positions(s.sum_2) * s.g_2 + s.s_2,
                },
            ),
        },
    ),
    formulas(
        "active",
        "The feed-forward network acts as one with",
        "a ReLU",
        ("gelu", "a GELU", lambda s: _gelu(s.hidden), lambda s: _tanh_gelu(s.hidden)),
        ("tanh", "a tanh", lambda s: np.tanh(s.hidden)),
        ("sigmoid-in-network", "a sigmoid", lambda s: 1 / (1 + np.exp(-s.hidden))),
        hints=NETWORK,
    ),
    Family(
        None,
        NETWORK,
        {
            "no-activation": (
                "The feed-forward network acts as one without a ReLU.",
                {"active": lambda s: s.hidden},
            ),
            "activation-at-the-end": (
                "A ReLU replaces the negative results of the network by 0. The ReLU belongs "
                "between the two Linear.",
                {
                    "active": lambda s: s.hidden,
                    "fed": lambda s: np.maximum(s.active @ s.W_2.T + s.b_2, 0),
                },
            ),
            "second-activation": (
                "A second ReLU replaces the negative results of the network by 0.",
                {"fed": lambda s: np.maximum(s.active @ s.W_2.T + s.b_2, 0)},
            ),
            "network-twice": (
                "The feed-forward network acts twice.",
                {"fed": lambda s: feed(s, s.active @ s.W_2.T + s.b_2)},
            ),
            "no-biases": (
                "In your code, the biases of the feed-forward network have no effect.",
                {"hidden": lambda s: s.norm_1 @ s.W_0.T, "fed": lambda s: s.active @ s.W_2.T},
            ),
        },
    ),
)


def _over_positions(x: Any) -> Any:
    return (x - x.mean(-2, keepdims=True)) / np.sqrt(x.var(-2, keepdims=True) + EPSILON)


RARE = (
    formulas(
        "active",
        "The feed-forward network acts as one with",
        "a ReLU",
        (
            "leaky",
            "a leaky ReLU",
            *(
                lambda s, slope=slope: np.where(s.hidden > 0, 1, slope) * s.hidden
                for slope in (0.01, 0.1, 0.2)
            ),
        ),
        ("silu", "a SiLU", lambda s: s.hidden / (1 + np.exp(-s.hidden))),
        hints=NETWORK,
    ),
    Family(
        None,
        NETWORK,
        {
            "first-bias-left-out": (
                "In your code, the first bias of the feed-forward network has no effect.",
                {"hidden": lambda s: s.norm_1 @ s.W_0.T},
            ),
            "second-bias-left-out": (
                "In your code, the second bias of the feed-forward network has no effect.",
                {"fed": lambda s: s.active @ s.W_2.T},
            ),
        },
    ),
)
