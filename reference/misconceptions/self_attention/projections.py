"""Misconceptions about the four projections and the returned values."""

from autograder.author import Family, Hints, Step

WHICH: Hints = (
    "Which of the four matrices makes the queries, the keys and the values in your code?",
    "W_q, W_k and W_v are each applied to x. The attention gets the three results.",
    "Follow the queries, the keys and the values from x to the scores and the output. Is each of "
    "them used where it belongs?",
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


def projections(queries: str, keys: str, values: str) -> Family:
    """Return the mistakes in three projections of x. The arguments are the names of their steps."""

    def made(**by: str) -> dict[str, Step]:
        """Return changes that make these steps with other matrices, or leave them as x."""
        return {
            step: lambda s, name=name: s.x @ getattr(s, name).T if name else s.x
            for step, name in by.items()
        }

    return Family(
        None,
        WHICH,
        {
            **{
                f"{made_wrong}-by-{name}-matrix": (
                    f"Your numbers match {made_wrong} made with {wrong}. The {made_wrong} should "
                    f"be made with {right}.",
                    made(**{step: wrong}),
                )
                for made_wrong, step, right, name, wrong in (
                    ("keys", keys, "W_k", "query", "W_q"),
                    ("keys", keys, "W_k", "value", "W_v"),
                    ("queries", queries, "W_q", "key", "W_k"),
                    ("values", values, "W_v", "key", "W_k"),
                    ("values", values, "W_v", "query", "W_q"),
                )
            },
            **{
                f"{plain}-not-projected": (
                    f"The {plain} are x itself: {matrix} has no effect.",
                    made(**{step: ""}),
                )
                for plain, step, matrix in (
                    ("values", values, "W_v"),
                    ("keys", keys, "W_k"),
                    ("queries", queries, "W_q"),
                )
            },
            "all-by-query-matrix": (
                "Your numbers match queries, keys and values that are all made with W_q.",
                made(**{keys: "W_q", values: "W_q"}),
            ),
            "queries-and-keys-swapped": (
                "Queries and keys are exchanged: your numbers match a module with W_q and W_k "
                "exchanged.",
                made(**{queries: "W_k", keys: "W_q"}),
            ),
            "keys-and-values-swapped": (
                "Keys and values are exchanged: your numbers match a module with W_k and W_v "
                "exchanged.",
                made(**{keys: "W_v", values: "W_k"}),
            ),
            "scores-from-x": (
                "The scores are computed from x itself: W_q and W_k have no effect.",
                made(**{queries: "", keys: ""}),
            ),
            "weights-not-transposed": (
                "Your projections are x times the weight. nn.Linear computes x times the "
                "transposed weight.",
                {
                    queries: lambda s: s.x @ s.W_q,
                    keys: lambda s: s.x @ s.W_k,
                    values: lambda s: s.x @ s.W_v,
                },
            ),
        },
    )


RESULTS = (
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
            "mixture-returned-too": (
                "Three results are returned. The module should return two.",
                lambda s: (s.projected, s.weights, s.output),
            ),
        },
    ),
)


PROJECTIONS = (
    projections("Q", "K", "V"),
    Family(
        None,
        WHICH,
        {
            "nothing-projected": (
                "Queries, keys and values are all x itself: W_q, W_k and W_v have no effect.",
                {"Q": lambda s: s.x, "K": lambda s: s.x, "V": lambda s: s.x},
            ),
            "queries-projected-twice": (
                "W_q acts twice, instead of once.",
                {"Q": lambda s: s.x @ s.W_q.T @ s.W_q.T},
            ),
            "values-projected-twice": (
                "W_v acts twice, instead of once.",
                {"V": lambda s: s.x @ s.W_v.T @ s.W_v.T},
            ),
            "keys-from-queries": (
                "Your numbers match keys made from the queries. They should be made from x.",
                {"K": lambda s: s.Q @ s.W_k.T},
            ),
            "values-from-keys": (
                "Your numbers match values made from the keys. They should be made from x.",
                {"V": lambda s: s.K @ s.W_v.T},
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
                "W_o acts twice, instead of once.",
                lambda s: s.output @ s.W_o.T @ s.W_o.T,
            ),
            "output-by-value-matrix": (
                "The output is made with W_v. It should be made with W_o.",
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
            "last-position-only": (
                "The output has only the vector of the last position.",
                lambda s: (s.output @ s.W_o.T)[..., -1, :],
            ),
        },
    ),
    *RESULTS,
)
