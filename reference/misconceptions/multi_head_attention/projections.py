"""Misconceptions in the four projections and the returned values."""

from autograder.author import Family
from reference.misconceptions.self_attention.projections import ORDER, OUT, WHICH

PROJECTIONS = (
    Family(
        None,
        WHICH,
        {
            "keys-by-query-matrix": (
                "The keys are made with W_q. They should be made with W_k.",
                {"keys": lambda s: s.x @ s.W_q.T},
            ),
            "queries-by-key-matrix": (
                "The queries are made with W_k. They should be made with W_q.",
                {"queries": lambda s: s.x @ s.W_k.T},
            ),
            "values-by-key-matrix": (
                "The values are made with W_k. They should be made with W_v.",
                {"values": lambda s: s.x @ s.W_k.T},
            ),
            "values-by-query-matrix": (
                "The values are made with W_q. They should be made with W_v.",
                {"values": lambda s: s.x @ s.W_q.T},
            ),
            "all-by-query-matrix": (
                "Your code makes queries, keys and values with the same matrix, W_q.",
                {"keys": lambda s: s.x @ s.W_q.T, "values": lambda s: s.x @ s.W_q.T},
            ),
            "queries-and-keys-swapped": (
                "Queries and keys are exchanged: your numbers match a module with W_q and W_k "
                "exchanged.",
                {"queries": lambda s: s.x @ s.W_k.T, "keys": lambda s: s.x @ s.W_q.T},
            ),
            "keys-and-values-swapped": (
                "Keys and values are exchanged: your numbers match a module with W_k and W_v "
                "exchanged.",
                {"keys": lambda s: s.x @ s.W_v.T, "values": lambda s: s.x @ s.W_k.T},
            ),
            "values-not-projected": (
                "Your values are x itself: W_v has no effect.",
                {"values": lambda s: s.x},
            ),
            "keys-not-projected": (
                "Your keys are x itself: W_k has no effect.",
                {"keys": lambda s: s.x},
            ),
            "queries-not-projected": (
                "Your queries are x itself: W_q has no effect.",
                {"queries": lambda s: s.x},
            ),
            "scores-from-x": (
                "Your scores are computed from x itself: W_q and W_k have no effect.",
                {"queries": lambda s: s.x, "keys": lambda s: s.x},
            ),
            "weights-not-transposed": (
                "Your projections are x times the weight. nn.Linear computes x times the "
                "transposed weight.",
                {
                    "queries": lambda s: s.x @ s.W_q,
                    "keys": lambda s: s.x @ s.W_k,
                    "values": lambda s: s.x @ s.W_v,
                },
            ),
        },
    ),
    Family(
        "projected",
        OUT,
        {
            "output-not-projected": (
                "In your code, W_o has no effect: the merged heads are returned unchanged.",
                lambda s: s.merged,
            ),
            "output-projected-twice": (
                "Your code applies W_o to the output twice.",
                lambda s: s.merged @ s.W_o.T @ s.W_o.T,
            ),
            "output-by-value-matrix": (
                "The output goes through W_v. It should go through W_o.",
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
    Family(
        "results",
        ORDER,
        {
            "results-swapped": (
                "{Both results are right, but|The results are} in the wrong order: (weights, "
                "output).",
                lambda s: (s.weights, s.projected),
            ),
            "output-only": (
                "Only the output is returned. The weights are missing.",
                lambda s: s.projected,
            ),
            "weights-only": (
                "Only the weights are returned. The output is missing.",
                lambda s: s.weights,
            ),
            "weights-averaged": (
                "The weights are the mean over the heads, as nn.MultiheadAttention returns them "
                "by default. Return the weights of each head.",
                lambda s: (s.projected, s.weights.mean(1)),
            ),
            "weights-of-first-head": (
                "Only the weights of head 0 are returned.",
                lambda s: (s.projected, s.weights[:, 0]),
            ),
            "scores-returned": (
                "{The output is right, but the|The} scaled scores are returned instead of the "
                "weights.",
                lambda s: (s.projected, s.scaled),
            ),
        },
    ),
)
