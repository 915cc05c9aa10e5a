"""Misconceptions about the projections around attention."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import (
    Comparison,
    Fact,
    Family,
    ModuleCaller,
    Probe,
    Recipe,
    Trait,
    float32_probe,
)
from reference.attention import block, combine, scale, scores, softmax
from reference.masks import ODD_MASK, causal_mask
from reference.misconceptions.scaled_dot_product_attention import FAMILIES, facts, inside_attention
from reference.misconceptions.scaled_dot_product_attention.masking import LOW_FILLS, MASKING
from reference.misconceptions.scaled_dot_product_attention.mixing import OUTPUT
from reference.misconceptions.scaled_dot_product_attention.products import SCORES
from reference.misconceptions.scaled_dot_product_attention.scaling import SCALE, SCALING
from reference.misconceptions.scaled_dot_product_attention.weights import WEIGHTS
from reference.misconceptions.self_attention.projections import PROJECTIONS
from reference.misconceptions.torch_words import chosen, without
from reference.parts import WORDS

STEPS = {
    "Q": lambda s: s.x @ s.W_q.T,
    "K": lambda s: s.x @ s.W_k.T,
    "V": lambda s: s.x @ s.W_v.T,
    "scores": lambda s: scores(s.Q, s.K),
    "scaled": lambda s: scale(s.scores, s.Q.shape[-1]),
    "blocked": lambda s: block(s.scaled, s.mask),
    "weights": lambda s: softmax(s.blocked),
    "output": lambda s: combine(s.weights, s.V),
    "projected": lambda s: s.output @ s.W_o.T,
    "results": lambda s: (s.projected, s.weights),
}


INSIDE = (
    *chosen(
        SCALING,
        "no-scaling divides-by-d-k multiplies-by-root root-of-d-v root-of-l-k root-of-axis-0 "
        "root-of-axis-1 d-k-squared fourth-root scaled-after-softmax",
    ),
    Family(
        "scaled",
        SCALE,
        {
            "root-of-d-model": (
                "Your numbers match scores divided by √d_model, where d_model is the width "
                "of x. They should be divided by √d_k.",
                lambda s: s.scores / np.sqrt(s.x.shape[-1]),
            ),
        },
    ),
    *chosen(
        SCORES,
        "keys-not-transposed all-axes-transposed negative-scores first-query-only first-batch-only",
    ),
    *chosen(
        WEIGHTS,
        "softmax-over-queries softmax-over-axis-0 softmax-over-axis-1 softmax-over-everything "
        "no-softmax exponentials-only base-2 sigmoid softmax-twice equal-weights logarithm",
    ),
    *chosen(
        MASKING,
        "mask-ignored mask-inverted mask-transposed mask-after-softmax blocked-scores-zero "
        "blocked-scores-not-low blocked-scores-large nan-from-mask mask-added own-causal-mask "
        "causal-without-mask always-causal mask-turned-by-tilde",
    ),
    *chosen(
        OUTPUT,
        "weights-transposed scores-times-values values-unweighted values-added-up",
    ),
)


def probes(draw: int) -> Sequence[Probe]:
    """Return calls with different sizes, and with equal sizes, so that wrong axes also run."""
    rng = np.random.default_rng([31, draw])

    def case(batch: tuple[int, ...], length: int, sizes: tuple[int, int, int], mask: Any) -> Probe:
        d_model, d_k, d_v = sizes
        matrices = (d_k, d_model), (d_k, d_model), (d_v, d_model), (d_model, d_v)
        weights = [rng.normal(size=size) for size in matrices]
        return float32_probe(
            Probe((*sizes, rng.normal(size=(*batch, length, d_model)), mask, *weights))
        )

    causal, odd = causal_mask(4), ODD_MASK
    return [
        case((), 3, (4, 2, 5), None),
        case((), 3, (3, 3, 3), None),
        case((), 4, (4, 4, 4), None),
        case((2,), 3, (5, 4, 6), None),
        case((2,), 4, (4, 4, 4), None),
        case((3,), 3, (3, 3, 3), None),
        case((2, 3), 5, (4, 1, 4), None),  # only d_k differs from d_model
        case((), 5, (2, 2, 9), None),  # only d_v
        case((), 4, (3, 5, 2), causal),
        case((2,), 4, (3, 2, 5), causal),
        case((2,), 4, (4, 4, 4), odd),
        case((2,), 4, (3, 5, 2), odd.astype(int)),
        case((2,), 4, (4, 2, 3), causal.astype(int)),
        case((4,), 4, (4, 4, 4), None),
        case((3,), 4, (5, 3, 2), odd.T.astype(float)),
        case((2,), 4, (2, 6, 3), np.stack([odd, causal])),
        case((4,), 4, (3, 5, 2), odd),
        case((4,), 4, (4, 4, 4), odd.T.astype(int)),
        case((2, 2), 4, (3, 5, 2), np.stack([odd, causal])),
        case((2, 2), 4, (4, 4, 4), np.stack([causal, odd]).astype(int)),
    ]


def axes(state: Any) -> dict[str, int]:
    sizes = {f"B{i or ''}": size for i, size in enumerate(state.x.shape[:-2])}
    return sizes | {
        "L": state.x.shape[-2],
        "d_model": state.d_model,
        "d_k": state.d_k,
        "d_v": state.d_v,
    }


TRAITS = (
    Trait(lambda s: s.mask is not None, "with a mask", "without a mask"),
    Trait(lambda s: s.x.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(lambda s: s.x.ndim != 3, "with two batch axes or none", "with one batch axis", False),
    Trait(
        lambda s: s.d_k != s.d_model,
        "if d_k is not d_model",
        "if d_k is d_model",
    ),
    Trait(
        lambda s: s.d_v != s.d_model,
        "if d_v is not d_model",
        "if d_v is d_model",
    ),
    Trait(
        lambda s: None if s.mask is None else s.mask.dtype != bool,
        "with a mask of 0 and 1",
        "with a mask of True and False",
    ),
)


WHOLE = Recipe(
    "SelfAttention",
    probes,
    (*PROJECTIONS, *INSIDE),
    steps=STEPS,
    parameters=("d_model", "d_k", "d_v", "x", "mask", "W_q", "W_k", "W_v", "W_o"),
    alternatives=LOW_FILLS,
    defaults={"mask": None},
    traits=TRAITS,
    facts=(
        Fact(
            "another-factor",
            facts.divisor_in_single,
            "Your numbers match scores divided by {}. They should be divided by √d_k.",
        ),
        facts.NAN,
        facts.LOW_ENOUGH,
        facts.another_mask(lambda s, weights: weights @ s.V @ s.W_o.T),
        facts.ROWS,
        Fact(
            "follows",
            lambda s, v: (
                np.allclose(v[0], v[1] @ s.V @ s.W_o.T, atol=1e-3)
                and not np.allclose(v[1], s.weights, atol=1e-3)
            ),
            "The output follows from your weights, so the mistake is in the weights.",
        ),
    ),
    results=("the output", "the attention weights"),
    labels={
        "Q": "the queries",
        "K": "the keys",
        "V": "the values",
        "scores": "the scores",
        "scaled": "the scaled scores",
        "blocked": "the masked scores",
        "weights": "the weights",
        "output": "the mixed values",
        "projected": "the output",
    },
    axes=axes,
    caller=ModuleCaller(
        ("d_model", "d_k", "d_v"),
        ("x", "mask"),
        {f"{name}.weight": name for name in ("W_q", "W_k", "W_v", "W_o")},
        WORDS,
    ),
    fallbacks=tuple(inside_attention((*PROJECTIONS, *INSIDE), without(FAMILIES, ""))),
    comparison=Comparison(precision=np.float32),
)
