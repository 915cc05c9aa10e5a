"""Misconceptions in the steps of attention by hand."""

from collections.abc import Callable

import numpy as np

from autograder.author import Family, Hints, Step
from reference.attention import Array, softmax
from reference.by_hand import HandPart

Change = Callable[[HandPart, Array], Array]
SCORES: Hints = (
    "Which two rows does the entry in row i and column j come from?",
    "Entry [i][j] is the dot product of row i of Q with row j of K. This is the matrix Q Kᵀ.",
    "Take row i of Q and row j of K. Multiply them number by number, and add up the products.",
)
SCALED: Hints = (
    "By what does the formula divide the scores?",
    "All scores are divided by the same number: the square root of d_k, the length of a key.",
    "Count the columns of K. This number is d_k. Divide each score by its square root.",
)
WEIGHTS: Hints = (
    "Which numbers have to add up to 1?",
    "Each row has its own softmax: e to the power of each entry, divided by the sum of these "
    "powers.",
    "For one row, calculate the exponentials and add them up. Then divide each exponential by "
    "this sum.",
)
OUTPUT: Hints = (
    "Which rows does row i of the weights mix?",
    "Row i of the output is a sum of the rows of V. Each row of V is multiplied by its weight in "
    "row i.",
    "In row i, column c of the output is weight 1 times V[0][c], plus weight 2 times V[1][c], and "
    "so on.",
)
MASKED: Hints = (
    "Which weight should the blocked position have?",
    "The blocked position should have the weight 0. The weights of the other three positions "
    "should sum to 1.",
    "Leave out the last score. Take the softmax of the other three scores. Put 0 at the end.",
)


def _q(part: HandPart) -> Array:
    return np.array(part.Q, float)


def _k(part: HandPart) -> Array:
    return np.array(part.K, float)


def _v(part: HandPart) -> Array:
    return np.array(part.V, float)


def from_before(change: Change) -> Step:
    return lambda s: change(s.part, s.before)


# Each finding describes the numbers.
WRONG = {
    str(family.target): family
    for family in (
        Family(
            "scores",
            SCORES,
            means=from_before,
            ways={
                "keys-not-transposed": (
                    "those of Q K: K is not transposed",
                    lambda p, _: _q(p) @ _k(p),
                ),
                "queries-transposed": (
                    "those of Qᵀ K. They should be those of Q Kᵀ",
                    lambda p, _: _q(p).T @ _k(p),
                ),
                "scores-transposed": (
                    "those of K Qᵀ: rows and columns are exchanged",
                    lambda p, _: _k(p) @ _q(p).T,
                ),
                "queries-with-queries": ("those of Q Qᵀ", lambda p, _: _q(p) @ _q(p).T),
                "keys-with-keys": ("those of K Kᵀ", lambda p, _: _k(p) @ _k(p).T),
                "queries-with-values": ("those of Q Vᵀ", lambda p, _: _q(p) @ _v(p).T),
                "entry-by-entry": (
                    "products entry by entry. They should be those of a matrix product",
                    lambda p, _: _q(p) * _k(p),
                ),
                "scaled-already": (
                    "already divided by √d_k. The division is the next step",
                    lambda p, _: _q(p) @ _k(p).T / np.sqrt(p.d_k),
                ),
                "sums-for-products": (
                    "sums of two rows. They should be dot products of two rows",
                    lambda p, _: _q(p).sum(1)[:, None] + _k(p).sum(1)[None],
                ),
            },
        ),
        Family(
            "scaled",
            SCALED,
            means=from_before,
            ways={
                "no-scaling": ("the scores. They should be divided by √d_k", lambda p, x: x),
                "divides-by-d-k": (
                    "the scores divided by d_k. They should be divided by √d_k",
                    lambda p, x: x / p.d_k,
                ),
                "multiplies-by-root": (
                    "the scores multiplied by √d_k",
                    lambda p, x: x * np.sqrt(p.d_k),
                ),
                "multiplies-by-d-k": ("the scores multiplied by d_k", lambda p, x: x * p.d_k),
                "root-of-length": (
                    "the scores divided by the root of the number of tokens",
                    lambda p, x: x / np.sqrt(len(x)),
                ),
                "divides-by-length": (
                    "the scores divided by the number of tokens",
                    lambda p, x: x / len(x),
                ),
                "d-k-squared": ("the scores divided by d_k²", lambda p, x: x / p.d_k**2),
                "root-of-scores": (
                    "the square roots of the scores",
                    lambda p, x: np.sqrt(np.maximum(x, 0)),
                ),
                "weights-already": (
                    "weights. The softmax is the next step",
                    lambda p, x: softmax(x / np.sqrt(p.d_k)),
                ),
            },
        ),
        Family(
            "weights",
            WEIGHTS,
            means=from_before,
            ways={
                "softmax-over-columns": (
                    "those of a softmax over each column. Each row should have a softmax",
                    lambda p, x: softmax(x, 0),
                ),
                "softmax-over-everything": (
                    "those of one softmax over the whole matrix",
                    lambda p, x: softmax(x, None),
                ),
                "base-2": (
                    "those of powers of 2 instead of powers of e",
                    lambda p, x: softmax(x * np.log(2)),
                ),
                "no-exponential": (
                    "the scaled scores divided by the sum of their row. There is no exponential",
                    lambda p, x: x / x.sum(1, keepdims=True),
                ),
                "exponentials-only": (
                    "the exponentials. They should be divided by their sum",
                    lambda p, x: np.exp(x),
                ),
                "scores-not-scaled": (
                    "those of a softmax of the scores before scaling",
                    lambda p, x: softmax(x * np.sqrt(p.d_k)),
                ),
                "scaled-again": (
                    "those of scores that are divided by √d_k again",
                    lambda p, x: softmax(x / np.sqrt(p.d_k)),
                ),
                "negative-exponent": (
                    "those of e to the power of minus the entry",
                    lambda p, x: softmax(-x),
                ),
                "causal": (
                    "those of a causal mask. This part has no mask",
                    lambda p, x: softmax(np.where(np.tril(np.ones(x.shape)), x, -np.inf)),
                ),
                "weights-transposed": ("the right ones transposed", lambda p, x: softmax(x).T),
                "all-or-nothing": (
                    "1 for the largest entry of a row and 0 for the others",
                    lambda p, x: (x == x.max(1, keepdims=True)).astype(float),
                ),
            },
        ),
        Family(
            "output",
            OUTPUT,
            means=from_before,
            ways={
                "weights-transposed": (
                    "those of the transposed weights times V",
                    lambda p, w: w.T @ _v(p),
                ),
                "keys-for-values": (
                    "those of the weights times K. They should be the weights times V",
                    lambda p, w: w @ _k(p),
                ),
                "queries-for-values": (
                    "those of the weights times Q. They should be the weights times V",
                    lambda p, w: w @ _q(p),
                ),
                "values-first": (
                    "those of V times the weights. They should be the weights times V",
                    lambda p, w: _v(p) @ w,
                ),
                "entry-by-entry": (
                    "products entry by entry. They should be those of a matrix product",
                    lambda p, w: w * _v(p),
                ),
                "values-transposed": (
                    "those of the weights times V transposed",
                    lambda p, w: w @ _v(p).T,
                ),
                "values-unweighted": (
                    "the plain mean of the rows of V",
                    lambda p, w: np.repeat(_v(p).mean(0, keepdims=True), len(w), 0),
                ),
                "values-added-up": (
                    "the plain sum of the rows of V",
                    lambda p, w: np.repeat(_v(p).sum(0, keepdims=True), len(w), 0),
                ),
                "best-value-only": (
                    "the row of V with the largest weight",
                    lambda p, w: _v(p)[w.argmax(1)],
                ),
                "output-transposed": ("the right ones transposed", lambda p, w: (w @ _v(p)).T),
            },
        ),
    )
}


def from_scores(change: Callable[[Array], Array]) -> Step:
    return lambda s: change(s.before)


MASKED_ROW = Family(
    "masked_row",
    MASKED,
    means=from_scores,
    ways={
        "not-blocked": (
            "the softmax of all four scores. The last position is not blocked",
            lambda row: softmax(row),
        ),
        "not-renormalised": (
            "the softmax of all four scores, with the last weight replaced by 0. The row no "
            "longer sums to 1",
            lambda row: softmax(row) * [1, 1, 1, 0],
        ),
        "blocked-weight-shared-out": (
            "the softmax of all four scores, with the last weight shared out equally among the "
            "others",
            lambda row: np.append(softmax(row)[:3] + softmax(row)[3] / 3, 0),
        ),
        "blocked-scores-zero": (
            "those of a blocked score of 0, and e⁰ is 1",
            lambda row: softmax(row * [1, 1, 1, 0]),
        ),
        "first-blocked": (
            "those with the first position blocked. The last position should be blocked",
            lambda row: np.array([0, *softmax(row[1:])]),
        ),
        "scaled-again": (
            "those of scores that are divided by √d_k again",
            lambda row: np.array([*softmax(row[:3] / 2), 0]),
        ),
        "no-exponential": (
            "the scores divided by their sum. There is no exponential",
            lambda row: np.array([*(row[:3] / row[:3].sum()), 0]),
        ),
        "scores-with-zero": (
            "the scores with a 0 at the end. The softmax is missing",
            lambda row: row * [1, 1, 1, 0],
        ),
        "equal-shares": (
            "equal shares of the three positions. The scores have no effect",
            lambda row: np.array([1 / 3, 1 / 3, 1 / 3, 0]),
        ),
        "base-2": (
            "those of powers of 2 instead of powers of e",
            lambda row: np.array([*softmax(row[:3] * np.log(2)), 0]),
        ),
    },
)


def findings() -> dict[str, dict[str, str]]:
    families = {**WRONG, "masked_row": MASKED_ROW}
    return {
        step: {wrong.id: wrong.finding for wrong in family.misconceptions}
        for step, family in families.items()
    }
