"""Misconceptions in the steps of attention by hand. Each finding describes the numbers."""

from collections.abc import Callable

import numpy as np

from autograder.author import Family, Hints, Step
from reference.attention import Array, softmax
from reference.by_hand import HandPart

Change = Callable[[HandPart, Array], Array]


SCORES: Hints = (
    "Which two rows does the entry in row i and column j come from?",
    "Entry [i][j] is the dot product of row i of Q with row j of K: that is Q Kᵀ.",
    "Take row i of Q and row j of K, multiply them number by number, and add up.",
)


SCALED: Hints = (
    "By what does the formula divide the scores?",
    "All scores are divided by one number: the square root of d_k, the length of a key.",
    "Count the columns of K; that is d_k. Divide each score by its square root.",
)


WEIGHTS: Hints = (
    "Which numbers have to add up to 1?",
    "Each row has its own softmax: e to the power of each entry, over the sum of these.",
    "For one row: work out the exponentials, add them, divide each by that sum.",
)


OUTPUT: Hints = (
    "Which rows do the weights mix, and in what proportions?",
    "Row i of the output is the sum of the rows of V, each times its weight in row i.",
    "Column c of output row i: weight 1 times V[0][c], plus weight 2 times V[1][c], and so on.",
)


MASKED: Hints = (
    "Which weight should the blocked position have in the result?",
    "The blocked position has the weight 0. The weights of the three other positions sum to 1.",
    "Leave the last score out, take the softmax of the other three, and put 0 at the end.",
)


def _q(part: HandPart) -> Array:
    return np.array(part.Q, float)


def _k(part: HandPart) -> Array:
    return np.array(part.K, float)


def _v(part: HandPart) -> Array:
    return np.array(part.V, float)


def from_before(change: Change) -> Step:
    """Return a step that applies `change` to the part and to the step before."""
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
                    "those of Q K, with K not transposed",
                    lambda p, _: _q(p) @ _k(p),
                ),
                "queries-transposed": ("those of Qᵀ K, not of Q Kᵀ", lambda p, _: _q(p).T @ _k(p)),
                "scores-transposed": (
                    "those of K Qᵀ: rows and columns are exchanged",
                    lambda p, _: _k(p) @ _q(p).T,
                ),
                "queries-with-queries": ("those of Q Qᵀ", lambda p, _: _q(p) @ _q(p).T),
                "keys-with-keys": ("those of K Kᵀ", lambda p, _: _k(p) @ _k(p).T),
                "queries-with-values": ("those of Q Vᵀ", lambda p, _: _q(p) @ _v(p).T),
                "entry-by-entry": (
                    "products entry by entry, not of matrices",
                    lambda p, _: _q(p) * _k(p),
                ),
                "scaled-already": (
                    "already divided by √d_k; that is the next step",
                    lambda p, _: _q(p) @ _k(p).T / np.sqrt(p.d_k),
                ),
                "sums-for-products": (
                    "sums of the two rows, not their dot products",
                    lambda p, _: _q(p).sum(1)[:, None] + _k(p).sum(1)[None],
                ),
            },
        ),
        Family(
            "scaled",
            SCALED,
            means=from_before,
            ways={
                "no-scaling": ("the scores as they were: they are not divided", lambda p, x: x),
                "divides-by-d-k": (
                    "the scores divided by d_k, without the square root",
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
                    "weights already: the softmax is the next step",
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
                    "those of a softmax over each column: the columns sum to 1, not the rows",
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
                    "the scaled scores divided by their row's sum, without an exponential",
                    lambda p, x: x / x.sum(1, keepdims=True),
                ),
                "exponentials-only": (
                    "the exponentials, not divided by their sum",
                    lambda p, x: np.exp(x),
                ),
                "scores-not-scaled": (
                    "those of a softmax of the scores before scaling",
                    lambda p, x: softmax(x * np.sqrt(p.d_k)),
                ),
                "scaled-again": (
                    "those of scores that are divided by √d_k once more",
                    lambda p, x: softmax(x / np.sqrt(p.d_k)),
                ),
                "negative-exponent": (
                    "those of e to the power of minus the entry",
                    lambda p, x: softmax(-x),
                ),
                "causal": (
                    "those of a causal mask, and nothing is masked here",
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
                "keys-for-values": ("those of the weights times K, not V", lambda p, w: w @ _k(p)),
                "queries-for-values": (
                    "those of the weights times Q, not V",
                    lambda p, w: w @ _q(p),
                ),
                "values-first": (
                    "those of V times the weights: the factors have changed places",
                    lambda p, w: _v(p) @ w,
                ),
                "entry-by-entry": (
                    "products entry by entry, not of matrices",
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
                    "the row of V with the largest weight alone",
                    lambda p, w: _v(p)[w.argmax(1)],
                ),
                "output-transposed": ("the right ones transposed", lambda p, w: (w @ _v(p)).T),
            },
        ),
    )
}


def from_scores(change: Callable[[Array], Array]) -> Step:
    """Return a step that applies `change` to the scores of the causal row."""
    return lambda s: change(s.before)


MASKED_ROW = Family(
    "masked_row",
    MASKED,
    means=from_scores,
    ways={
        "not-blocked": (
            "those of all four scores: the last position is not blocked",
            lambda row: softmax(row),
        ),
        "not-renormalised": (
            "those of a softmax over all four with the last one set to 0: the row "
            "no longer sums to 1",
            lambda row: softmax(row) * [1, 1, 1, 0],
        ),
        "blocked-weight-shared-out": (
            "those of a softmax over all four, of which the last weight was shared out equally "
            "among the others",
            lambda row: np.append(softmax(row)[:3] + softmax(row)[3] / 3, 0),
        ),
        "blocked-scores-zero": (
            "those of a blocked score of 0, and e⁰ is 1",
            lambda row: softmax(row * [1, 1, 1, 0]),
        ),
        "first-blocked": (
            "those with the first position blocked, not the last",
            lambda row: np.array([0, *softmax(row[1:])]),
        ),
        "scaled-again": (
            "those of scores that are divided by √d_k once more",
            lambda row: np.array([*softmax(row[:3] / 2), 0]),
        ),
        "no-exponential": (
            "the scores divided by their sum, without an exponential",
            lambda row: np.array([*(row[:3] / row[:3].sum()), 0]),
        ),
        "scores-with-zero": (
            "the scores themselves with a 0 at the end: the softmax is missing",
            lambda row: row * [1, 1, 1, 0],
        ),
        "equal-shares": (
            "equal shares of the three positions: the scores take no part",
            lambda row: np.array([1 / 3, 1 / 3, 1 / 3, 0]),
        ),
        "base-2": (
            "those of powers of 2 instead of powers of e",
            lambda row: np.array([*softmax(row[:3] * np.log(2)), 0]),
        ),
    },
)


def findings() -> dict[str, dict[str, str]]:
    """Return for each step the words for each mistake."""
    families = {**WRONG, "masked_row": MASKED_ROW}
    return {
        step: {wrong.id: wrong.finding for wrong in family.misconceptions}
        for step, family in families.items()
    }
