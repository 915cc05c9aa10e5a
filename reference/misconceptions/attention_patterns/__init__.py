"""Misconceptions about measures and links in a matrix of attention weights."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.author import Fact, Mistakes, Probe, Recipe, Trait
from reference.attention import softmax
from reference.misconceptions.attention_patterns.links import LINK_MISTAKES, STEPS
from reference.misconceptions.attention_patterns.measures import MEASURES
from reference.scaling import entropy


def embeddings(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([80, draw])
    return [
        Probe((np.eye(2) + draw,)),
        Probe((np.array([[1.0, 0.0, 2.0], [0.0, 1.0 + draw, 1.0], [2.0, 2.0, 0.0]]),)),
        Probe((rng.normal(size=(3, 4)),)),
        Probe((rng.normal(size=(4, 4)),)),
        Probe((rng.normal(size=(6, 3)),)),
        Probe((rng.normal(size=(5, 9)),)),
        Probe((60.0 * rng.normal(size=(4, 5)),), condition=1e5),
        Probe((90.0 * rng.normal(size=(3, 2)),), condition=1e5),
        Probe((90.0 * np.eye(3 + draw),), condition=1e5),
        Probe((80.0 * np.eye(2, 4),), condition=1e5),
    ]


NAMES = ("entropy", "max_attention", "self_attention")


def _factor(name: str) -> Callable[[Any, Any], float]:
    """Return a function that gives the factor of a measure, if the others are right."""

    def factor(s: Any, v: Any) -> float:
        values = {each: float(value) for each, value in zip(NAMES, v, strict=True)}
        if not all(np.isclose(values[e], getattr(s, e), 1e-6) for e in NAMES if e != name):
            raise ValueError("another measure is wrong too")
        return values[name] / right if (right := getattr(s, name)) > 1e-9 else np.nan

    return factor


def weights(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([81, draw])

    def drawn(length: int) -> Any:
        return softmax(rng.normal(size=(length, length)))

    twice = ["the", "cat", "the", "mat"]
    return [
        Probe(
            (
                np.array([[0.5, 0.2, 0.3], [0.1, 0.7, 0.2], [0.3, 0.6, 0.1]])[rng.permutation(3)],
                ["a", "b", "c"],
            )
        ),
        Probe((drawn(4), ["w", "x", "y", "z"])),
        Probe((drawn(6), ["The", "cat", "sat", "on", "the", "mat"], 3)),
        Probe((drawn(4), twice, 1)),
        Probe((drawn(4), twice, 3)),
        Probe((drawn(4), twice, 4)),
        Probe((drawn(3), ["p", "q", "r"], 7)),
        Probe((drawn(5), list("abcde"), 9)),
        Probe((drawn(4), twice, 2)),
    ]


MISTAKES = Mistakes(
    Recipe(
        "analyze_pattern",
        embeddings,
        MEASURES,
        steps={
            "e": lambda s: np.asarray(s.embeddings, dtype=np.float64),
            "scores": lambda s: s.e @ s.e.T,
            "scaled": lambda s: s.scores / np.sqrt(s.e.shape[1]),
            "weights": lambda s: softmax(s.scaled),
            "self_attention": lambda s: np.diag(s.weights).mean(),
            "max_attention": lambda s: s.weights.max(),
            "entropy": lambda s: entropy(s.weights).mean(),
            "results": lambda s: {
                "self_attention": s.self_attention,
                "max_attention": s.max_attention,
                "entropy": s.entropy,
            },
        },
        parameters=("embeddings",),
        results=NAMES,
        labels={
            "e": "the embeddings",
            "scores": "the scores",
            "scaled": "the scaled scores",
            "weights": "the weights",
            "self_attention": "self_attention",
            "max_attention": "max_attention",
            "entropy": "entropy",
        },
        traits=(
            Trait(
                lambda s: bool(np.abs(s.scaled).max() > 100),
                "for large embeddings",
                "for small ones",
                both_ways=False,
            ),
        ),
        axes=lambda s: {"L": len(s.embeddings), "d": s.embeddings.shape[1]},
        facts=(
            *(
                Fact(
                    f"{name}-factor",
                    _factor(name),
                    f"{name} is the right number times {{}}, where L is the number of tokens and d "
                    "the number of columns.",
                )
                for name in NAMES
            ),
            Fact(
                "nan",
                lambda s, v: bool(np.isnan(np.concatenate([np.ravel(part) for part in v])).any()),
                "There are NaN in the result.",
            ),
        ),
    ),
    Recipe(
        "strongest_links",
        weights,
        LINK_MISTAKES,
        steps=STEPS,
        parameters=("weights", "tokens", "k"),
        defaults={"k": 2},
        traits=(
            Trait(
                lambda s: s.k > len(s.tokens),
                "if k is larger than the number of tokens",
                "if there are at least k tokens",
            ),
            Trait(
                lambda s: len(set(s.tokens)) < len(s.tokens),
                "if a token repeats",
                "if every token is different",
            ),
            Trait(lambda s: "k" in s.given, "if k is given", "if k is left out"),
        ),
    ),
)
