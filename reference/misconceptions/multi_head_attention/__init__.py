"""Misconceptions about attention with several heads.

Examples in real code: heads that are declared and never split (S1 of the course's sources), a mask
whose batch axis is aligned with the heads (S4), scaling by the model's width
(karpathy/ng-video-lecture#6).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import (
    Comparison,
    Fact,
    Mistakes,
    ModuleCaller,
    Probe,
    Recipe,
    Trait,
    float32_probe,
)
from reference.attention import block, combine, scale, scores, softmax
from reference.heads import merge_heads, split_heads
from reference.large_scores import LOW_SCORES, projected_to_low_scores
from reference.masks import ODD_MASK, causal_mask
from reference.misconceptions.multi_head_attention.heads import HEADS, with_head_axis
from reference.misconceptions.multi_head_attention.projections import PROJECTIONS
from reference.misconceptions.scaled_dot_product_attention import FAMILIES, facts, inside_attention
from reference.misconceptions.scaled_dot_product_attention.masking import LOW_FILLS, MASKING
from reference.misconceptions.scaled_dot_product_attention.products import SCORES
from reference.misconceptions.scaled_dot_product_attention.scaling import SCALING
from reference.misconceptions.scaled_dot_product_attention.weights import WEIGHTS
from reference.misconceptions.torch_words import chosen, without
from reference.parts import WORDS

MATRICES = ("W_q", "W_k", "W_v", "W_o")


STEPS = {
    "queries": lambda s: s.x @ s.W_q.T,
    "keys": lambda s: s.x @ s.W_k.T,
    "values": lambda s: s.x @ s.W_v.T,
    "split": lambda s: lambda t: split_heads(t, s.num_heads),
    "Q": lambda s: s.split(s.queries),
    "K": lambda s: s.split(s.keys),
    "V": lambda s: s.split(s.values),
    "mask": lambda s: with_head_axis(s.allowed),
    "scores": lambda s: scores(s.Q, s.K),
    "scaled": lambda s: scale(s.scores, s.Q.shape[-1]),
    "blocked": lambda s: block(s.scaled, s.mask),
    "weights": lambda s: softmax(s.blocked),
    "output": lambda s: combine(s.weights, s.V),
    "merged": lambda s: merge_heads(s.output),
    "projected": lambda s: s.merged @ s.W_o.T,
    "results": lambda s: (s.projected, s.weights),
}


LABELS = {
    "queries": "the queries",
    "keys": "the keys",
    "values": "the values",
    "Q": "the heads' queries",
    "K": "the heads' keys",
    "V": "the heads' values",
    "scores": "the scores",
    "scaled": "the scaled scores",
    "blocked": "the masked scores",
    "weights": "the weights",
    "output": "the heads' outputs",
    "merged": "the merged heads",
    "projected": "the output",
}

MISCONCEPTIONS = (
    *HEADS,
    *PROJECTIONS,
    *chosen(
        SCALING,
        "no-scaling divides-by-d-k multiplies-by-root root-of-l-k root-of-axis-0 d-k-squared "
        "fourth-root constant-8",
    ),
    *chosen(SCORES, "keys-not-transposed negative-scores first-query-only"),
    *chosen(
        WEIGHTS,
        "softmax-over-queries softmax-over-axis-0 softmax-over-everything no-softmax "
        "exponentials-only base-2 sigmoid softmax-twice equal-weights",
    ),
    *chosen(
        MASKING,
        "mask-ignored mask-inverted mask-transposed mask-after-softmax blocked-scores-zero "
        "blocked-scores-not-low blocked-scores-large nan-from-mask mask-added own-causal-mask "
        "causal-without-mask always-causal mask-turned-by-tilde blocked-scores-not-below-all",
    ),
)


def probes(draw: int) -> Sequence[Probe]:
    """Return calls with different sizes, and with equal sizes, so that wrong axes also run."""
    rng = np.random.default_rng([32, draw])

    def case(batch: int, length: int, d_model: int, heads: int, mask: Any = None) -> Probe:
        weights = [rng.normal(size=(d_model, d_model)) / np.sqrt(d_model) * 1.5 for _ in MATRICES]
        x = rng.normal(size=(batch, length, d_model))
        return float32_probe(Probe((d_model, heads, x, mask, *weights)))

    def low(heads: int, mask: Any) -> Probe:
        x, *of_scores = projected_to_low_scores(heads)
        others = rng.normal(scale=0.1, size=(2, 4 * heads, 4 * heads))
        args = 4 * heads, heads, x, mask, *of_scores, *others
        return float32_probe(Probe(args, condition=1e4))

    causal, odd = causal_mask(4), ODD_MASK
    each = np.stack([causal, odd])
    return [
        case(1, 3, 4, 1),
        case(2, 3, 4, 2),
        case(2, 4, 6, 3),
        case(3, 5, 8, 2),
        case(2, 2, 4, 2),
        case(2, 3, 9, 3),
        case(4, 4, 16, 4),
        case(1, 5, 10, 2),
        case(2, 4, 6, 2, causal),
        case(3, 4, 6, 3, odd),
        case(2, 4, 8, 4, odd.astype(int)),
        case(3, 4, 8, 2, causal.astype(float)),
        case(4, 4, 8, 2, odd),
        case(4, 4, 6, 3, odd.T.astype(int)),
        case(2, 4, 4, 2, each),
        case(2, 4, 6, 3, each),
        case(2, 4, 6, 2, each[::-1].astype(int)),
        case(3, 4, 6, 2, np.stack([odd, *each])),
        case(2, 4, 6, 3, each[:, None]),
        case(2, 4, 8, 2, each[::-1, None].astype(int)),
        low(1, LOW_SCORES[-1]),
        low(2, LOW_SCORES[-1].astype(int)),
    ]


MISTAKES = Mistakes(
    Recipe(
        "MultiHeadAttention",
        probes,
        MISCONCEPTIONS,
        steps=STEPS,
        parameters=("d_model", "num_heads", "x", "allowed", *MATRICES),
        alternatives=LOW_FILLS,
        defaults={"allowed": None},
        traits=(
            Trait(lambda s: s.num_heads > 1, "with several heads", "with a single head"),
            Trait(lambda s: s.allowed is not None, "with a mask", "without a mask"),
            Trait(
                lambda s: s.allowed is not None and s.allowed.ndim == 3,
                "with a mask of (B, L, L)",
                "without one of (B, L, L)",
            ),
            Trait(
                lambda s: s.allowed is not None and s.allowed.ndim == 4,
                "with a mask of (B, 1, L, L)",
                "without one of (B, 1, L, L)",
            ),
            Trait(
                lambda s: None if s.allowed is None else s.allowed.dtype != bool,
                "with a mask of 0 and 1",
                "with a mask of True and False",
            ),
            Trait(lambda s: len(s.x) > 1, "for a batch of several", "for a batch of one"),
        ),
        facts=(
            Fact(
                "another-factor",
                facts.divisor_in_single,
                "Your numbers match scores divided by {}. They should be divided by "
                "√(E/H), the root of a head's size.",
            ),
            facts.LOW_ENOUGH,
            facts.another_mask(lambda s, p: merge_heads(combine(p, s.V)) @ s.W_o.T),
            facts.ROWS,
        ),
        results=("the output", "the attention weights"),
        labels=LABELS,
        axes=lambda s: {
            "B": s.x.shape[0],
            "L": s.x.shape[1],
            "E": s.d_model,
            "H": s.num_heads,
            "(E/H)": s.d_model // s.num_heads,
        },
        caller=ModuleCaller(
            ("d_model", "num_heads"),
            ("x", "allowed"),
            {f"{name}.weight": name for name in MATRICES},
            WORDS,
        ),
        fallbacks=tuple(inside_attention(MISCONCEPTIONS, without(FAMILIES, ""))),
        comparison=Comparison(precision=np.float32),
    ),
)
