"""Misconceptions in the four projections and the returned values."""

from autograder.author import Family, chosen
from reference.misconceptions.self_attention.projections import (
    ORDER,
    OUT,
    RESULTS,
    projections,
)

PROJECTIONS = (
    projections("queries", "keys", "values"),
    Family(
        "projected",
        OUT,
        {
            "output-not-projected": (
                "In your code, W_o has no effect: the merged heads are returned unchanged.",
                lambda s: s.merged,
            ),
            "output-projected-twice": (
                "W_o acts twice, instead of once.",
                lambda s: s.merged @ s.W_o.T @ s.W_o.T,
            ),
            "output-by-value-matrix": (
                "The output is made with W_v. It should be made with W_o.",
                lambda s: s.merged @ s.W_v.T,
            ),
            "output-matrix-not-transposed": (
                "The output is multiplied by the weight of W_o. nn.Linear multiplies by the "
                "transposed weight.",
                lambda s: s.merged @ s.W_o,
            ),
            "input-added": (
                "x is added to the output (a residual connection). The task does not ask for this.",
                lambda s: s.merged @ s.W_o.T + s.x,
            ),
        },
    ),
    *chosen(RESULTS, "results-swapped output-only weights-only scores-returned"),
    Family(
        "results",
        ORDER,
        {
            "weights-averaged": (
                "The weights are the mean over the heads, as nn.MultiheadAttention returns them "
                "by default. Return the weights of each head.",
                lambda s: (s.projected, s.weights.mean(1)),
            ),
            "weights-of-first-head": (
                "Only the weights of head 0 are returned.",
                lambda s: (s.projected, s.weights[:, 0]),
            ),
        },
    ),
)
