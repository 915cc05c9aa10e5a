"""Steps and mistakes of one head with the four matrices."""

from typing import Any

import numpy as np

from autograder.author import Family
from reference.attention import block, combine, scale, scores, softmax
from reference.misconceptions.formulas import formulas

LABELS = {"scaled": "the scaled scores", "weights": "the weights", "output": "the output"}
AFTER_PROJECTION = {
    "scores": lambda s: scores(s.Q, s.K),
    "scaled": lambda s: scale(s.scores, s.W_k.shape[-1]),
    "blocked": lambda s: block(s.scaled, s.mask),
    "weights": lambda s: softmax(s.blocked),
    "output": lambda s: combine(s.weights, s.V) @ s.W_o,
}


def divisors(*rows: tuple[str, str, Any]) -> Family:
    return formulas(
        "scaled",
        "The divisor of the scores is",
        "the root of the number of columns of W_k",
        ("not-scaled", "1", lambda s: 1.0),
        ("scaled-by-width", "the root of the width of x", lambda s: np.sqrt(s.x.shape[-1])),
        ("scaled-without-root", "the number of columns of W_k", lambda s: s.W_k.shape[-1]),
        *rows,
        means=lambda by: lambda s: s.scores / by(s),
    )


def outputs(*rows: tuple[str, str, Any]) -> Family:
    return formulas(
        "output",
        "With w for the weights and V for the values, the output is",
        "w V W_o",
        ("W_o-missing", "w V", lambda s: s.weights @ s.V),
        ("residual-added", "x + w V W_o", lambda s: s.x + s.weights @ s.V @ s.W_o),
        *rows,
    )
