"""Misconceptions about the projections to queries, keys and values."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from autograder.author import Fact, Family, Hints, Mistakes, Probe, Recipe, Trait, constant

STEPS = {
    "project": lambda s: lambda x, w: x @ w,
    "queries": lambda s: s.project(s.X, s.W_Q),
    "keys": lambda s: s.project(s.X, s.W_K),
    "values": lambda s: s.project(s.X, s.W_V),
    "results": lambda s: (s.queries, s.keys, s.values),
}

WHICH: Hints = (
    "Which matrix makes each of your three results?",
    "W_Q makes the queries, W_K makes the keys, and W_V makes the values. Multiply X by each of "
    "the three.",
    "Look at the line that makes each result, and at the line with return.",
)
SIDES: Hints = (
    "In which order do the shapes of X and W_Q fit together?",
    "Row i of the result is row i of X times the matrix. X is on the left, and nothing is "
    "transposed.",
    "Look at each product: X on the left, the matrix on the right, and no axes exchanged.",
)
PLAIN: Hints = (
    "What else does your code do with X, the matrices or the products?",
    "A projection is only a product. Scaling and softmax come later.",
    "Compute only X times each matrix, and return these three products.",
)
ORDER: Hints = (
    "Which results should the function return, and in which order?",
    "The function returns first the queries, then the keys, then the values.",
    "Look at the names in the return line, and at the line that makes each of them.",
)


MADE = {"queries": "W_Q", "keys": "W_K", "values": "W_V"}
MATRICES = (("query", "W_Q"), ("key", "W_K"), ("value", "W_V"))
ORDERS = (
    ("queries-and-keys-swapped", "keys, queries, values"),
    ("keys-and-values-swapped", "queries, values, keys"),
    ("values-first", "values, keys, queries"),
)
MISCONCEPTIONS = (
    Family(
        "project",
        SIDES,
        means=constant,
        ways={
            "matrix-transposed": (
                "Your numbers match X times the transposed matrices.",
                lambda x, w: x @ w.T,
            ),
            "matrix-first": (
                "Your numbers match W X: the matrix is on the left. X should be on the left.",
                lambda x, w: w @ x,
            ),
            "words-transposed": (
                "Your numbers match Xᵀ W: the product runs over the positions. It should "
                "run over the features.",
                lambda x, w: np.swapaxes(x, -1, -2) @ w,
            ),
            "entry-by-entry": (
                "Your numbers are products entry by entry (*). They should be matrix products (@).",
                lambda x, w: x * w,
            ),
            **{
                f"products-{name}": (
                    f"Your numbers match the products x·w of each feature and its matrix entry, "
                    f"{words}. They should be added up over the features.",
                    lambda x, w, does=does: does(x[..., None] * w),
                )
                for name, words, does in (
                    ("not-added", "which are not added up", lambda p: p),
                    ("over-columns", "added up over the columns", lambda p: p.sum(-1)),
                    ("over-positions", "added up over the positions", lambda p: p.sum(-3)),
                    ("maximum", "of which only the largest is kept", lambda p: p.max(-2)),
                )
            },
            "first-item-only": (
                "The results have only the first item of a batch.",
                lambda x, w: x[:1] @ w if x.ndim > 2 else x @ w,
            ),
        },
    ),
    Family(
        "project",
        PLAIN,
        means=constant,
        ways={
            "scaled": (
                "Your projections are divided by the root of their width. Return the plain "
                "products. Scaling comes later, with the scores.",
                lambda x, w: x @ w / np.sqrt(w.shape[-1]),
            ),
            "words-added": (
                "X is added to each projection. Return the plain products.",
                lambda x, w: x @ w + x,
            ),
        },
    ),
    Family(
        None,
        WHICH,
        {
            **{
                f"{made}-by-{name}-matrix": (
                    f"Your numbers match {made} made with {wrong}. The {made} should use {right}.",
                    {made: lambda s, wrong=wrong: s.project(s.X, getattr(s, wrong))},
                )
                for (made, right), (name, wrong) in product(MADE.items(), MATRICES)
                if wrong != right and (made, wrong) != ("queries", "W_V")
            },
            **{
                f"{made}-not-projected": (
                    f"The {made} are X itself: {matrix} has no effect.",
                    {made: lambda s: s.X},
                )
                for made, matrix in MADE.items()
            },
            "all-by-query-matrix": (
                "Your numbers match queries, keys and values that are all made with W_Q.",
                {
                    "keys": lambda s: s.project(s.X, s.W_Q),
                    "values": lambda s: s.project(s.X, s.W_Q),
                },
            ),
        },
    ),
    Family(
        "results",
        ORDER,
        {
            **{
                name: (
                    f"The results have the order {order}.",
                    lambda s, order=order: tuple(getattr(s, each) for each in order.split(", ")),
                )
                for name, order in ORDERS
            },
            "queries-only": ("Only the queries are returned.", lambda s: s.queries),
            "two-only": (
                "Only two results are returned. The values are missing.",
                lambda s: (s.queries, s.keys),
            ),
            "side-by-side": (
                "The three results are joined into one array, side by side.",
                lambda s: np.concatenate([s.queries, s.keys, s.values], axis=-1),
            ),
            "scores-returned": (
                "The scores Q Kᵀ are returned. They belong to a later step.",
                lambda s: s.queries @ np.swapaxes(s.keys, -1, -2),
            ),
        },
    ),
)


def _side_by_side(results: Any) -> Any:
    return np.concatenate(results, axis=-1).round(6)


def probes(draw: int) -> Sequence[Probe]:
    """Return calls with different sizes, and with equal sizes, so that wrong products also run."""
    rng = np.random.default_rng([70, draw])

    def case(batch: tuple[int, ...], length: int, d_model: int, d_k: int, d_v: int) -> Probe:
        sizes = ((*batch, length, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v))
        return Probe(tuple(rng.normal(size=size) for size in sizes))

    def whole(size: int) -> Probe:
        return Probe(
            tuple(rng.permutation(size * size).reshape(size, size) - 1.0 for _ in range(4))
        )

    return [
        whole(2),
        whole(3),
        case((), 3, 4, 2, 5),
        case((), 4, 4, 4, 4),
        case((2,), 4, 3, 5, 1),
        case((3,), 3, 3, 3, 3),
        case((2, 3), 5, 4, 1, 6),
        case((2, 2), 2, 2, 2, 2),
        case((2,), 3, 5, 5, 5),
    ]


MISTAKES = Mistakes(
    Recipe(
        "project_qkv",
        probes,
        MISCONCEPTIONS,
        steps=STEPS,
        parameters=("X", "W_Q", "W_K", "W_V"),
        traits=(
            Trait(lambda s: s.X.ndim > 2, "with batch axes", "without a batch axis"),
            Trait(lambda s: s.X.ndim == 3, "with one batch axis", "with two batch axes or none"),
            Trait(lambda s: s.X.ndim > 3, "with two batch axes", "with at most one"),
        ),
        facts=(
            Fact(
                "cut-elsewhere",
                lambda s, v: np.array_equal(_side_by_side(v), _side_by_side(s.result)),
                "Side by side, your three results are the right numbers, but cut into three in "
                "other places. Q and K have d_k columns, and V has d_v.",
            ),
        ),
        results=("Q", "K", "V"),
        labels={"queries": "Q", "keys": "K", "values": "V"},
        axes=lambda s: {
            **{f"B{i or ''}": size for i, size in enumerate(s.X.shape[:-2])},
            "L": s.X.shape[-2],
            "d_model": s.X.shape[-1],
            "d_k": s.W_Q.shape[-1],
            "d_v": s.W_V.shape[-1],
        },
    )
)
