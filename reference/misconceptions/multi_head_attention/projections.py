"""Misconceptions in the four projections and the returned values."""

from autograder.author import Family
from reference.misconceptions.self_attention.projections import ORDER, OUT, WHICH

PROJECTIONS = (
    Family(
        None,
        WHICH,
        {
            "keys-by-query-matrix": (
                "The keys are made with W_q, the matrix of the queries.",
                {"keys": lambda s: s.x @ s.W_q.T},
            ),
            "queries-by-key-matrix": (
                "The queries are made with W_k, the matrix of the keys.",
                {"queries": lambda s: s.x @ s.W_k.T},
            ),
            "values-by-key-matrix": (
                "The values are made with W_k, the matrix of the keys.",
                {"values": lambda s: s.x @ s.W_k.T},
            ),
            "values-by-query-matrix": (
                "The values are made with W_q, the matrix of the queries.",
                {"values": lambda s: s.x @ s.W_q.T},
            ),
            "all-by-query-matrix": (
                "Queries, keys and values are all made with W_q.",
                {"keys": lambda s: s.x @ s.W_q.T, "values": lambda s: s.x @ s.W_q.T},
            ),
            "queries-and-keys-swapped": (
                "Queries and keys have changed places: your numbers are "
                "those with W_q and W_k exchanged.",
                {"queries": lambda s: s.x @ s.W_k.T, "keys": lambda s: s.x @ s.W_q.T},
            ),
            "keys-and-values-swapped": (
                "Keys and values have changed places: your numbers are "
                "those with W_k and W_v exchanged.",
                {"keys": lambda s: s.x @ s.W_v.T, "values": lambda s: s.x @ s.W_k.T},
            ),
            "values-not-projected": (
                "The values are x itself: W_v takes no part.",
                {"values": lambda s: s.x},
            ),
            "keys-not-projected": (
                "The keys are x itself: W_k takes no part.",
                {"keys": lambda s: s.x},
            ),
            "queries-not-projected": (
                "The queries are x itself: W_q takes no part.",
                {"queries": lambda s: s.x},
            ),
            "scores-from-x": (
                "The scores are computed from x itself: W_q and W_k take no part.",
                {"queries": lambda s: s.x, "keys": lambda s: s.x},
            ),
            "weights-not-transposed": (
                "Your projections are x times the weight; nn.Linear computes "
                "x times the weight transposed.",
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
                "W_o takes no part: the merged heads are returned as they are.",
                lambda s: s.merged,
            ),
            "output-projected-twice": (
                "The output goes through W_o twice.",
                lambda s: s.merged @ s.W_o.T @ s.W_o.T,
            ),
            "output-by-value-matrix": (
                "The output goes through W_v, not through W_o.",
                lambda s: s.merged @ s.W_v.T,
            ),
            "output-matrix-not-transposed": (
                "The output is multiplied by W_o's weight; nn.Linear "
                "multiplies by the weight transposed.",
                lambda s: s.merged @ s.W_o,
            ),
            "input-added": (
                "x is added to the output: a residual connection, which is not asked for here.",
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
                "Only the output is returned; the weights are missing.",
                lambda s: s.projected,
            ),
            "weights-only": (
                "Only the weights are returned; the output is missing.",
                lambda s: s.weights,
            ),
            "weights-averaged": (
                "The weights are the mean over the heads, as "
                "nn.MultiheadAttention gives them by default; each head's own are asked for.",
                lambda s: (s.projected, s.weights.mean(1)),
            ),
            "weights-of-first-head": (
                "Only the weights of head 0 are returned.",
                lambda s: (s.projected, s.weights[:, 0]),
            ),
            "scores-returned": (
                "{The output is right; }the scaled scores are returned instead of the weights.",
                lambda s: (s.projected, s.scaled),
            ),
        },
    ),
)
