"""Misconceptions about the weighted sum of values, and about the returned values."""

import numpy as np

from autograder.author import Family, Hints
from reference.attention import softmax
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


OUTPUT = (
    Family(
        "output",
        MIXING,
        {
            "weights-transposed": (
                "{The weights are right, but the|The} output is the transposed weights times V.",
                lambda s: transposed(s.weights) @ s.V,
            ),
            "keys-for-values": (
                "{The weights are right, but the|The} output mixes the keys. It should mix the "
                "values.",
                lambda s: s.weights @ s.K,
            ),
            "queries-for-values": (
                "{The weights are right, but the|The} output mixes the queries. It should mix the "
                "values.",
                lambda s: s.weights @ s.Q,
            ),
            "scores-times-values": (
                "{The weights are right, but the|The} output is the scaled scores times V. It "
                "should be the weights times V.",
                lambda s: s.scaled @ s.V,
            ),
            "raw-scores-times-values": (
                "{The weights are right, but the|The} output is the scores times V. It should be "
                "the weights times V.",
                lambda s: s.scores @ s.V,
            ),
            "values-unweighted": (
                "{The weights are right, but the|The} output is the plain mean of all values.",
                lambda s: (
                    np.broadcast_to(s.V.mean(-2, keepdims=True), s.output_shape)
                    if hasattr(s, "output_shape")
                    else np.repeat(s.V.mean(-2, keepdims=True), s.Q.shape[-2], axis=-2)
                ),
            ),
            "values-added-up": (
                "{The weights are right, but the|The} output is the plain sum of all values.",
                lambda s: np.repeat(s.V.sum(-2, keepdims=True), s.Q.shape[-2], -2),
            ),
            "entry-by-entry": (
                "{The weights are right, but the|The} output is weights and V multiplied entry by "
                "entry. It should be their matrix product.",
                lambda s: s.weights * s.V,
            ),
            "best-value-only": (
                "{The weights are right, but the|The} output is only the value of the key with "
                "the largest weight.",
                lambda s: (s.weights == s.weights.max(-1, keepdims=True)).astype(float) @ s.V,
            ),
            "queries-added": (
                "{The weights are right, but the|The} queries are added to the output.",
                lambda s: s.weights @ s.V + s.Q,
            ),
            "values-added": (
                "{The weights are right, but the|The} values are added to the output.",
                lambda s: s.weights @ s.V + s.V,
            ),
            "values-normalised": (
                "{The weights are right, but a|A} softmax is taken of the output.",
                lambda s: softmax(s.weights @ s.V),
            ),
            "values-transposed": (
                "{The weights are right, but the|The} output is the weights times V transposed.",
                lambda s: s.weights @ transposed(s.V),
            ),
            "values-first": (
                "{The weights are right, but the|The} output is V times the weights. It should be "
                "the weights times V.",
                lambda s: s.V @ s.weights,
            ),
            "output-averaged": (
                "{The weights are right, but the|The} output is divided by the number of keys.",
                lambda s: s.weights @ s.V / s.K.shape[-2],
            ),
            "output-cut-at-zero": (
                "{The weights are right, but negative|Negative} numbers of the output are "
                "replaced by 0 (a ReLU).",
                lambda s: np.maximum(s.weights @ s.V, 0),
            ),
            "output-averaged-over-queries": (
                "{The weights are right, but the|The} output is averaged over the queries.",
                lambda s: (s.weights @ s.V).mean(-2),
            ),
            "values-reversed": (
                "{The weights are right, but the|The} order of the values is reversed before the "
                "product with the weights.",
                lambda s: s.weights @ s.V[..., ::-1, :],
            ),
            "output-summed-over-queries": (
                "{The weights are right, but the|The} output is summed over the queries.",
                lambda s: (s.weights @ s.V).sum(-2),
            ),
        },
    ),
)


RETURNS = (
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
            "scores-returned": (
                "{The output is right, but the|The} scaled scores are returned instead of the "
                "weights.",
                lambda s: (s.output, s.scaled),
            ),
            "raw-scores-returned": (
                "{The output is right, but the|The} scores Q Kᵀ are returned instead of the "
                "weights.",
                lambda s: (s.output, s.scores),
            ),
            "masked-scores-returned": (
                "{The output is right, but the|The} masked scores are returned instead of the "
                "weights.",
                lambda s: (s.output, s.blocked),
            ),
            "logarithms-returned": (
                "{The output is right, but the|The} weights are returned as logarithms.",
                *(lambda s, e=e: (s.output, np.log(s.weights + e)) for e in (0.0, 1e-9, 1e-12)),
            ),
            "weights-returned-transposed": (
                "{The output is right, but the|The} weights are returned transposed.",
                lambda s: (s.output, transposed(s.weights)),
            ),
            "output-twice": (
                "The output is returned twice. The weights are missing.",
                lambda s: (s.output, s.output),
            ),
            "exponentials-returned": (
                "{The output is right, but the|The} exponentials are returned instead of the "
                "weights. They should be divided by their sum.",
                lambda s: (s.output, np.exp(shifted(s))),
            ),
        },
    ),
)
