"""Misconceptions about the weighted sum of values, and about the returned values."""

from typing import Any

import numpy as np

from autograder.author import Family, Hints
from reference.misconceptions.formulas import formulas
from reference.misconceptions.scaled_dot_product_attention.products import transposed
from reference.misconceptions.scaled_dot_product_attention.weights import shifted

MIXING: Hints = (
    "Which rows does attention mix?",
    "Row i of the output is the sum of the rows of V, each times its weight in row i.",
    "Look at the last product: the weights on the left, V on the right, and neither of them "
    "transposed. Nothing else is done to the result.",
)


RESULTS: Hints = (
    "Which results should the function return, and in which order?",
    "The function returns two results: first the output, then the weights from which the output "
    "is made.",
    "Look at the return line.",
)


def _plain_mean(s: Any) -> Any:
    mean = s.V.mean(-2, keepdims=True)
    if hasattr(s, "output_shape"):
        return np.broadcast_to(mean, s.output_shape)
    return np.repeat(mean, s.Q.shape[-2], axis=-2)


OUTPUT = (
    formulas(
        "output",
        "{The weights are right, but the|The} output is",
        "the weights times V",
        (
            "weights-transposed",
            "the transposed weights times V",
            lambda s: transposed(s.weights) @ s.V,
        ),
        ("keys-for-values", "the weights times K", lambda s: s.weights @ s.K),
        ("queries-for-values", "the weights times Q", lambda s: s.weights @ s.Q),
        (
            "exponentials-times-values",
            "the exponentials times V, before the division by their sum",
            lambda s: np.exp(shifted(s)) @ s.V,
            lambda s: np.exp(s.blocked) @ s.V,
        ),
        ("scores-times-values", "the scaled scores times V", lambda s: s.scaled @ s.V),
        ("raw-scores-times-values", "the scores times V", lambda s: s.scores @ s.V),
        ("values-unweighted", "the plain mean of all values", _plain_mean),
        (
            "values-added-up",
            "the plain sum of all values",
            lambda s: np.repeat(s.V.sum(-2, keepdims=True), s.Q.shape[-2], -2),
        ),
        ("values-transposed", "the weights times Vᵀ", lambda s: s.weights @ transposed(s.V)),
        ("values-first", "V times the weights", lambda s: s.V @ s.weights),
        (
            "best-value-only",
            "the value of the key with the largest weight",
            lambda s: (s.weights == s.weights.max(-1, keepdims=True)).astype(float) @ s.V,
            lambda s: np.eye(s.V.shape[-2])[s.weights.argmax(-1)] @ s.V,
        ),
        hints=MIXING,
    ),
    Family(
        "output",
        MIXING,
        {
            "entry-by-entry": (
                "{The weights are right, but the|The} output is weights and V multiplied entry by "
                "entry. It should be their matrix product.",
                lambda s: s.weights * s.V,
            ),
        },
    ),
)


RETURNS = (
    formulas(
        "results",
        "{The output is right, but the|The} second result is",
        "the weights",
        ("scores-returned", "the scaled scores", lambda s: s.scaled),
        ("raw-scores-returned", "the scores Q Kᵀ", lambda s: s.scores),
        ("masked-scores-returned", "the masked scores", lambda s: s.blocked),
        ("exponentials-returned", "the exponentials", lambda s: np.exp(shifted(s))),
        ("output-twice", "the output again", lambda s: s.output),
        (
            "logarithms-returned",
            "the logarithms of the weights",
            *(lambda s, e=e: np.log(s.weights + e) for e in (0.0, 1e-9, 1e-12)),
        ),
        hints=RESULTS,
        means=lambda second: lambda s: (s.output, second(s)),
    ),
    Family(
        "results",
        RESULTS,
        {
            "results-swapped": (
                "{Both results are right, but|The results are} in the wrong order: (weights, "
                "output).",
                lambda s: (s.weights, s.output),
            ),
            "output-only": (
                "Only the output is returned. The weights are missing.",
                lambda s: s.output,
            ),
            "weights-only": (
                "Only the weights are returned. The output is missing.",
                lambda s: s.weights,
            ),
        },
    ),
)
