"""Misconceptions about scaled dot-product attention.

Examples in real code: scale by the model's size (karpathy/ng-video-lecture#6), the softmax on a
wrong axis (fastNLP#254), the polarity of the mask (rasbt/LLMs-from-scratch#1061).
"""

from collections.abc import Iterable, Iterator
from typing import Any

from autograder.author import Fact, Family, Misconception, Mistakes, Recipe
from reference.attention import block, combine, scale, scores, softmax
from reference.misconceptions.scaled_dot_product_attention.facts import FACTS, divisor
from reference.misconceptions.scaled_dot_product_attention.masking import LOW_FILLS, MASKING
from reference.misconceptions.scaled_dot_product_attention.mixing import OUTPUT, RETURNS
from reference.misconceptions.scaled_dot_product_attention.probes import TRAITS, probes
from reference.misconceptions.scaled_dot_product_attention.products import SCORES
from reference.misconceptions.scaled_dot_product_attention.scaling import SCALING
from reference.misconceptions.scaled_dot_product_attention.weights import WEIGHTS

STEPS = {
    "scores": lambda s: scores(s.Q, s.K),
    "scaled": lambda s: scale(s.scores, s.Q.shape[-1]),
    "blocked": lambda s: block(s.scaled, s.mask),
    "weights": lambda s: softmax(s.blocked),
    "output": lambda s: combine(s.weights, s.V),
    "results": lambda s: (s.output, s.weights),
}

LABELS = {
    "scores": "the scores",
    "scaled": "the scaled scores",
    "blocked": "the masked scores",
    "weights": "the weights",
    "output": "the output",
}


def axes(state: Any) -> dict[str, int]:
    sizes = {f"B{i or ''}": size for i, size in enumerate(state.Q.shape[:-2])}
    return sizes | {
        "L_q": state.Q.shape[-2],
        "L_k": state.K.shape[-2],
        "d_k": state.Q.shape[-1],
        "d_v": state.V.shape[-1],
    }


def inside_attention(own: Iterable[Family], families: Iterable[Family]) -> Iterator[Misconception]:
    """Yield the mistakes in the steps from scores to weights, except those named in `own`."""
    known = {name for family in own for name in family.ways}
    for each in (each for family in families for each in family.misconceptions):
        if set(each.replaces) <= INSIDE and each.id not in known:
            yield each


INSIDE = {"scores", "scaled", "blocked", "weights"}
FAMILIES = (*SCALING, *SCORES, *WEIGHTS, *MASKING, *OUTPUT, *RETURNS)

MISTAKES = Mistakes(
    Recipe(
        "scaled_dot_product_attention",
        probes,
        FAMILIES,
        steps=STEPS,
        parameters=("Q", "K", "V", "mask"),
        alternatives=LOW_FILLS,
        defaults={"mask": None},
        traits=TRAITS,
        facts=(
            Fact(
                "another-factor",
                divisor,
                "Your numbers match scores divided by {}. They should be divided by √d_k.",
            ),
            *FACTS,
        ),
        results=("the output", "the attention weights"),
        labels=LABELS,
        axes=axes,
    ),
)
