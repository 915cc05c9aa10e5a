"""Misconceptions about the four projections and the returned values."""

import numpy as np

from autograder.author import Family, Hints
from reference.attention import softmax

WHICH: Hints = (
    "Which of the four matrices does each of your projections use?",
    "W_q, W_k and W_v are each applied to x. The attention gets the three results.",
    "Read the three projections one after another, and compare the names on both sides of each "
    "`=`.",
)


OUT: Hints = (
    "What does your code do with the weighted sum of the values before it returns the result?",
    "Apply W_o to the output of the attention, once, and return the result.",
    "Look at the last lines. Return self.W_o(output), and return the weights unchanged.",
)


ORDER: Hints = (
    "Which results should the module return, and in which order?",
    "The module returns two results: first the output after W_o, then the weights.",
    "Look at the return line.",
)


PROJECTIONS = (
    Family(
        None,
        WHICH,
        {
            "keys-by-query-matrix": (
                "The keys are made with W_q. They should be made with W_k.",
                {"K": lambda s: s.x @ s.W_q.T},
            ),
            "queries-by-key-matrix": (
                "The queries are made with W_k. They should be made with W_q.",
                {"Q": lambda s: s.x @ s.W_k.T},
            ),
            "values-by-key-matrix": (
                "The values are made with W_k. They should be made with W_v.",
                {"V": lambda s: s.x @ s.W_k.T},
            ),
            "values-by-query-matrix": (
                "The values are made with W_q. They should be made with W_v.",
                {"V": lambda s: s.x @ s.W_q.T},
            ),
            "all-by-query-matrix": (
                "Queries, keys and values are all made with W_q.",
                {"K": lambda s: s.x @ s.W_q.T, "V": lambda s: s.x @ s.W_q.T},
            ),
            "keys-by-value-matrix": (
                "The keys are made with W_v. They should be made with W_k.",
                {"K": lambda s: s.x @ s.W_v.T},
            ),
            "queries-and-keys-swapped": (
                "Queries and keys are exchanged: your numbers match a module with W_q and W_k "
                "exchanged.",
                {"Q": lambda s: s.x @ s.W_k.T, "K": lambda s: s.x @ s.W_q.T},
            ),
            "keys-and-values-swapped": (
                "Keys and values are exchanged: your numbers match a module with W_k and W_v "
                "exchanged.",
                {"K": lambda s: s.x @ s.W_v.T, "V": lambda s: s.x @ s.W_k.T},
            ),
            "values-not-projected": (
                "The values are x itself: W_v has no effect.",
                {"V": lambda s: s.x},
            ),
            "keys-not-projected": (
                "The keys are x itself: W_k has no effect.",
                {"K": lambda s: s.x},
            ),
            "queries-not-projected": (
                "The queries are x itself: W_q has no effect.",
                {"Q": lambda s: s.x},
            ),
            "scores-from-x": (
                "The scores are computed from x itself: W_q and W_k have no effect.",
                {"Q": lambda s: s.x, "K": lambda s: s.x},
            ),
            "nothing-projected": (
                "Queries, keys and values are all x itself: W_q, W_k and W_v have no effect.",
                {"Q": lambda s: s.x, "K": lambda s: s.x, "V": lambda s: s.x},
            ),
            "queries-projected-twice": (
                "W_q is applied to the queries twice.",
                {"Q": lambda s: s.x @ s.W_q.T @ s.W_q.T},
            ),
            "values-projected-twice": (
                "W_v is applied to the values twice.",
                {"V": lambda s: s.x @ s.W_v.T @ s.W_v.T},
            ),
            "keys-from-queries": (
                "The keys are made from the queries. They should be made from x.",
                {"K": lambda s: s.Q @ s.W_k.T},
            ),
            "values-from-keys": (
                "The values are made from the keys. They should be made from x.",
                {"V": lambda s: s.K @ s.W_v.T},
            ),
            "weights-not-transposed": (
                "Your projections are x times the weight. nn.Linear computes x times the "
                "transposed weight.",
                {
                    "Q": lambda s: s.x @ s.W_q,
                    "K": lambda s: s.x @ s.W_k,
                    "V": lambda s: s.x @ s.W_v,
                },
            ),
        },
    ),
    Family(
        "projected",
        OUT,
        {
            "output-not-projected": (
                "W_o has no effect: the weighted sum of the values is returned unchanged.",
                lambda s: s.output,
            ),
            "output-projected-twice": (
                "W_o is applied to the output twice.",
                lambda s: s.output @ s.W_o.T @ s.W_o.T,
            ),
            "values-projected-out": [
                (
                    f"The output is W_o applied to {what}: the weights do not mix the values.",
                    lambda s, step=step: getattr(s, step) @ s.W_o.T,
                )
                for step, what in (
                    ("V", "the values"),
                    ("x", "x"),
                    ("Q", "the queries"),
                    ("K", "the keys"),
                )
            ],
            "output-by-value-matrix": (
                "The output goes through W_v. It should go through W_o.",
                lambda s: s.output @ s.W_v.T,
            ),
            "input-added": (
                "x is added to the output (a residual connection). The task does not ask for this.",
                lambda s: s.output @ s.W_o.T + s.x,
            ),
            "output-matrix-not-transposed": (
                "The output is multiplied by the weight of W_o. nn.Linear multiplies by the "
                "transposed weight.",
                lambda s: s.output @ s.W_o,
            ),
            "output-cut-at-zero": (
                "Negative numbers of the output are replaced by 0 (a ReLU).",
                lambda s: np.maximum(s.output @ s.W_o.T, 0),
            ),
            "output-normalised": (
                "A softmax is taken of the output.",
                lambda s: softmax(s.output @ s.W_o.T),
            ),
            "output-averaged-over-positions": (
                "The output is the mean over the positions.",
                lambda s: (s.output @ s.W_o.T).mean(-2),
            ),
            "first-position-only": (
                "The output has only the vector of the first position.",
                lambda s: (s.output @ s.W_o.T)[..., 0, :],
            ),
            "last-position-only": (
                "The output has only the vector of the last position.",
                lambda s: (s.output @ s.W_o.T)[..., -1, :],
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
            "scores-returned": (
                "{The output is right, but the|The} scaled scores are returned instead of the "
                "weights.",
                lambda s: (s.projected, s.scaled),
            ),
            "output-twice": (
                "The output is returned twice. The weights are missing.",
                lambda s: (s.projected, s.projected),
            ),
            "mixture-returned-too": (
                "Three results are returned. The module should return two.",
                lambda s: (s.projected, s.weights, s.output),
            ),
        },
    ),
)
