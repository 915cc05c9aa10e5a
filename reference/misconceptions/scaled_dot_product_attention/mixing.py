"""The mean of the values, and what is returned, done wrong."""

import numpy as np

from autograder.diagnosis.recipe import Hints, Misconception
from reference.attention import softmax
from reference.misconceptions.scaled_dot_product_attention.products import transposed
from reference.misconceptions.scaled_dot_product_attention.weights import shifted

MIXING: Hints = (
    "What is mixed, and in what proportions?",
    "Row i of the output is the sum of the rows of V, each times its weight in row i.",
    "Look at the last product: the weights stand on the left, V on the right, neither transposed.",
)


RESULTS: Hints = (
    "What does the function promise to return, and in which order?",
    "Two results: first the output, then the weights that were used for it.",
    "Look at the return line.",
)


OUTPUT = (
    Misconception(
        "weights-transposed",
        "The weights are right; the output is the transposed weights times V.",
        MIXING, {"output": lambda s: transposed(s.weights) @ s.V},
    ),
    Misconception(
        "keys-for-values", "The weights are right; the output mixes the keys, not the values.",
        MIXING, {"output": lambda s: s.weights @ s.K},
    ),
    Misconception(
        "queries-for-values", "The weights are right; the output mixes the queries, not the "
        "values.",
        MIXING, {"output": lambda s: s.weights @ s.Q},
    ),
    Misconception(
        "scores-times-values",
        "The weights are right; the output is the scaled scores times V, not the weights times V.",
        MIXING, {"output": lambda s: s.scaled @ s.V},
    ),
    Misconception(
        "raw-scores-times-values",
        "The weights are right; the output is the scores times V, not the weights times V.",
        MIXING, {"output": lambda s: s.scores @ s.V},
    ),
    Misconception(
        "values-unweighted", "The weights are right; the output is the plain mean of all values.",
        MIXING,
        {"output": lambda s: np.broadcast_to(s.V.mean(-2, keepdims=True), s.output_shape)
         if hasattr(s, "output_shape")
         else np.repeat(s.V.mean(-2, keepdims=True), s.Q.shape[-2], axis=-2)},
    ),
    Misconception(
        "values-added-up", "The weights are right; the output is the plain sum of all values.",
        MIXING, {"output": lambda s: np.repeat(s.V.sum(-2, keepdims=True), s.Q.shape[-2], -2)},
    ),
    Misconception(
        "entry-by-entry",
        "The weights are right; the output is weights and V multiplied entry by entry, not as "
        "matrices.",
        MIXING, {"output": lambda s: s.weights * s.V},
    ),
    Misconception(
        "best-value-only",
        "The weights are right; the output is the value of the heaviest key alone.",
        MIXING,
        {"output": lambda s: (s.weights == s.weights.max(-1, keepdims=True)).astype(float) @ s.V},
    ),
    Misconception(
        "queries-added", "The weights are right; the queries are added to the output.",
        MIXING, {"output": lambda s: s.weights @ s.V + s.Q},
    ),
    Misconception(
        "values-added", "The weights are right; the values are added to the output.",
        MIXING, {"output": lambda s: s.weights @ s.V + s.V},
    ),
    Misconception(
        "values-normalised", "The weights are right; a softmax was taken of the output.",
        MIXING, {"output": lambda s: softmax(s.weights @ s.V)},
    ),
    Misconception(
        "values-transposed",
        "The weights are right; the output is the weights times V transposed.",
        MIXING, {"output": lambda s: s.weights @ transposed(s.V)},
    ),
    Misconception(
        "values-first",
        "The weights are right; the output is V times the weights: the factors have changed "
        "places.",
        MIXING, {"output": lambda s: s.V @ s.weights},
    ),
    Misconception(
        "output-averaged",
        "The weights are right; the output is divided by the number of keys.",
        MIXING, {"output": lambda s: s.weights @ s.V / s.K.shape[-2]},
    ),
    Misconception(
        "output-cut-at-zero",
        "The weights are right; negative numbers of the output are cut off (a ReLU).",
        MIXING, {"output": lambda s: np.maximum(s.weights @ s.V, 0)},
    ),
    Misconception(
        "output-averaged-over-queries",
        "The weights are right; the output has been averaged over the queries.",
        MIXING, {"output": lambda s: (s.weights @ s.V).mean(-2)},
    ),
    Misconception(
        "values-reversed",
        "The weights are right; they meet the values in reverse order.",
        MIXING, {"output": lambda s: s.weights @ s.V[..., ::-1, :]},
    ),
    Misconception(
        "output-summed-over-queries",
        "The weights are right; the output has been added up over the queries.",
        MIXING, {"output": lambda s: (s.weights @ s.V).sum(-2)},
    ),
)  # fmt: skip


RETURNS = (
    Misconception(
        "results-swapped",
        "Both results are right, but in the wrong order: (weights, output).",
        RESULTS, {"results": lambda s: (s.weights, s.output)},
    ),
    Misconception(
        "output-only", "Only the output is returned; the weights are missing.",
        RESULTS, {"results": lambda s: s.output},
    ),
    Misconception(
        "weights-only", "Only the weights are returned; the output is missing.",
        RESULTS, {"results": lambda s: s.weights},
    ),
    Misconception(
        "scores-returned",
        "The output is right; in place of the weights the scaled scores are returned.",
        RESULTS, {"results": lambda s: (s.output, s.scaled)},
    ),
    Misconception(
        "raw-scores-returned",
        "The output is right; in place of the weights the scores Q Kᵀ are returned.",
        RESULTS, {"results": lambda s: (s.output, s.scores)},
    ),
    Misconception(
        "masked-scores-returned",
        "The output is right; in place of the weights the masked scores are returned.",
        RESULTS, {"results": lambda s: (s.output, s.blocked)},
    ),
    *(
        Misconception(
            "logarithms-returned",
            "The output is right; the weights are returned as logarithms.",
            RESULTS, {"results": lambda s, e=e: (s.output, np.log(s.weights + e))},
        )
        for e in (0.0, 1e-9, 1e-12)
    ),
    Misconception(
        "weights-returned-transposed",
        "The output is right; the weights are returned transposed.",
        RESULTS, {"results": lambda s: (s.output, transposed(s.weights))},
    ),
    Misconception(
        "output-twice", "The output is returned twice; the weights are missing.",
        RESULTS, {"results": lambda s: (s.output, s.output)},
    ),
    Misconception(
        "exponentials-returned",
        "The output is right; the weights that are returned are exponentials, not divided by "
        "their sum.",
        RESULTS, {"results": lambda s: (s.output, np.exp(shifted(s)))},
    ),
)  # fmt: skip
