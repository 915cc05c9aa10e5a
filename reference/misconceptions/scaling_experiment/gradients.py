"""Misconceptions about the norm of the softmax's Jacobian."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.author import Family, Hints, Probe, Step, Trait, without
from reference.attention import softmax
from reference.misconceptions.formulas import formulas
from reference.misconceptions.reductions import wrong_reductions

JACOBIAN: Hints = (
    "What is the derivative of softmax output i with respect to input j?",
    "The Jacobian is diag(p) − p pᵀ. Its Frobenius norm is the square root of the sum of all "
    "squared entries. Each row of scores has one norm.",
    "For one row p, compare each step of your code with diag(p) − p pᵀ and its norm.",
)


def outer(p: Any) -> Any:
    return p[..., :, None] * p[..., None, :]


def diagonal(p: Any) -> Any:
    return p[..., :, None] * np.eye(p.shape[-1])


def frobenius(j: Any) -> Any:
    return np.sqrt((j**2).sum((-1, -2)))


def _row_norms(j: Any) -> Any:
    return np.sqrt((j**2).sum(-1))


def of_weights(change: Callable[[Any], Any]) -> Step:
    return lambda s: change(s.weights)


def of_jacobian(change: Callable[[Any], Any]) -> Step:
    return lambda s: change(s.jacobian)


def of_scores(change: Callable[[Any], Any]) -> Step:
    return lambda s: change(np.asarray(s.scores, float))


GRADIENT = (
    Family(
        "jacobian",
        JACOBIAN,
        means=of_weights,
        ways={
            "diagonal-only": (
                "Your numbers match only the diagonal p·(1 − p) of the Jacobian, without the "
                "entries −p_i·p_j.",
                lambda p: (p * (1 - p))[..., None] * np.eye(p.shape[-1]),
            ),
            "outer-product-only": (
                "Your numbers match the matrix p pᵀ. It should be diag(p) − p pᵀ.",
                outer,
            ),
            "plus-for-minus": (
                "Your numbers match the matrix diag(p) + p pᵀ. It should be diag(p) − p pᵀ.",
                lambda p: diagonal(p) + outer(p),
            ),
            "weights-only": (
                "Your numbers match the norm of diag(p), or of p, instead of diag(p) − p pᵀ.",
                diagonal,
            ),
            "identity": (
                "Your numbers match the matrix I − p pᵀ. It should be diag(p) − p pᵀ.",
                lambda p: np.eye(p.shape[-1]) - outer(p),
            ),
            "rows-not-weighted": (
                "Your numbers match the matrix δ_ij − p_j. Multiply each row i by p_i.",
                lambda p: np.eye(p.shape[-1]) - p[..., None, :] * np.ones((p.shape[-1], 1)),
            ),
        },
    ),
    formulas(
        "norm",
        "Your numbers are",
        "the Frobenius norms of the Jacobians",
        ("not-rooted", "the sums of squares, without a root", lambda j: (j**2).sum((-1, -2))),
        ("sum-of-sizes", "the sums of absolute values", lambda j: np.abs(j).sum((-1, -2))),
        (
            "mean-square",
            "the roots of the means of squares",
            lambda j: (j**2).mean((-1, -2)) ** 0.5,
        ),
        ("mean-size", "the means of absolute values", lambda j: np.abs(j).mean((-1, -2))),
        (
            "spectral",
            "the largest singular values (the spectral norm)",
            lambda j: np.linalg.norm(j, ord=2, axis=(-2, -1)),
        ),
        ("largest-entry", "the largest entries", lambda j: np.abs(j).max((-1, -2))),
        (
            "largest-row",
            "the largest sums of absolute values in a row",
            lambda j: np.abs(j).sum(-1).max(-1),
        ),
        ("trace", "the traces", lambda j: np.trace(j, axis1=-2, axis2=-1)),
        ("row-norms", "the norms of the rows of each Jacobian", _row_norms),
        (
            "row-norms-together",
            "the means or the sums of the norms of the rows of each Jacobian",
            lambda j: _row_norms(j).mean(-1),
            lambda j: _row_norms(j).sum(-1),
        ),
        ("largest-row-norm", "the largest norms of a row", lambda j: _row_norms(j).max(-1)),
        ("first-row-norm", "the norms of the first rows", lambda j: _row_norms(j)[..., 0]),
        ("jacobian-returned", "the Jacobians", lambda j: j),
        hints=JACOBIAN,
        means=of_jacobian,
    ),
    Family(
        "norm",
        JACOBIAN,
        means=of_jacobian,
        ways={
            "plain-sum": (
                "{Your|The} numbers are 0. The plain sum of the Jacobian's entries is 0, and its "
                "determinant is 0 too.",
                lambda j: j.sum((-1, -2)),
            ),
            "norm-over-everything": (
                "The result is one number for all rows together. It should have one value for "
                "each row.",
                lambda j: np.sqrt((j**2).sum()),
            ),
            "mean-over-rows": (
                "The result is the mean over the rows. It should have one value for each row.",
                lambda j: frobenius(j).mean(),
            ),
        },
    ),
    *(
        family.worded(
            lambda text: text.replace("the queries (axis −2)", "axis −2").replace(
                "run over the keys", "run along the last axis, within each row"
            )
        )
        for family in without(wrong_reductions("scores", JACOBIAN), "maximum-added")  # not-stable
    ),
    Family(
        "weights",
        JACOBIAN,
        means=of_scores,
        ways={
            "sigmoid": (
                "Your numbers match weights from a sigmoid instead of a softmax.",
                lambda x: 1 / (1 + np.exp(-x)),
            ),
            "not-stable": (
                "{The result is right for small scores. }Large scores overflow{, as in a softmax "
                "that does not subtract the maximum| in the exponential}.",
                lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True),
            ),
            "clipped": (
                "Large scores that differ count as equal, as in a softmax that first limits its "
                "scores to a range.",
                *(lambda x, most=most: softmax(np.clip(x, -most, most)) for most in (10, 50)),
            ),
            "scaled-too": (
                "Your numbers match scores divided by √L. Do not divide the scores.",
                lambda x: softmax(x / np.sqrt(x.shape[-1])),
            ),
        },
    ),
)


def score_probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([62, draw])
    return [
        Probe((np.array([[0.0, 1.0 + draw], [0.0, 0.0]]),)),
        Probe((np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0 + draw], [1.0, 0.0, 1.0]]),)),
        Probe((rng.normal(size=(4, 5)),)),
        Probe((rng.normal(size=(3, 3)),)),
        Probe((rng.normal(size=(2, 3, 4)),)),
        Probe((rng.normal(size=(2, 2, 2)),)),
        Probe((rng.normal(size=6),)),
        Probe((np.array([[800.0, 799.0 - draw], [1.0, 0.5]]),), condition=1e3),
        Probe(
            (np.array([[1000.0, 999.5, 0.0], [-1000.0, -1000.5 + draw / 8, -999.0]]),),
            condition=1e3,
        ),
    ]


GRADIENT_TRAITS = (
    Trait(
        lambda s: bool(np.abs(s.scores).max() > 100),
        "for large scores",
        "for small scores",
        both_ways=False,
    ),
    Trait(lambda s: s.scores.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(lambda s: s.scores.ndim < 2, "for an array with one axis", "for several rows"),
)
