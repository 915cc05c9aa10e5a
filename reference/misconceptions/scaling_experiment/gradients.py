"""The norm of the softmax's Jacobian, done wrong."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.diagnosis.recipe import Hints, Misconception, Probe, Trait
from reference.attention import softmax

JACOBIAN: Hints = (
    "What is the derivative of softmax output i with respect to input j?",
    "The Jacobian is diag(p) − p pᵀ. Its Frobenius norm is the root of the sum of all its squared "
    "entries, for each row of scores.",
    "Look at how the matrix is put together from p, and over which axes its squares are added up.",
)


def outer(p: Any) -> Any:
    return p[..., :, None] * p[..., None, :]


def diagonal(p: Any) -> Any:
    return p[..., :, None] * np.eye(p.shape[-1])


def frobenius(j: Any) -> Any:
    return np.sqrt((j**2).sum((-1, -2)))


def _jacobian(id: str, matrix: Callable[[Any], Any], finding: str) -> Misconception:
    return Misconception(id, finding, JACOBIAN, {"jacobian": lambda s: matrix(s.p)})


def _norm(id: str, norm: Callable[[Any], Any], finding: str) -> Misconception:
    return Misconception(id, finding, JACOBIAN, {"norm": lambda s: norm(s.jacobian)})


def _weights(id: str, p: Callable[[Any], Any], finding: str) -> Misconception:
    return Misconception(id, finding, JACOBIAN, {"p": lambda s: p(np.asarray(s.scores, float))})


GRADIENT = (
    _jacobian("diagonal-only", lambda p: (p * (1 - p))[..., None] * np.eye(p.shape[-1]),
              "Only the diagonal p·(1 − p) of the Jacobian is counted; the entries −p_i·p_j are "
              "missing."),
    _jacobian("outer-product-only", outer,
              "Only p pᵀ is counted; the diagonal of p is missing."),
    _jacobian("plus-for-minus", lambda p: diagonal(p) + outer(p),
              "Your matrix is diag(p) + p pᵀ; the sign in the middle is minus."),
    _jacobian("weights-only", diagonal, "Your matrix is diag(p); − p pᵀ is missing."),
    _jacobian("identity", lambda p: np.eye(p.shape[-1]) - outer(p),
              "Your matrix is 1 − p pᵀ: the ones on the diagonal should be the weights p."),
    _jacobian("rows-not-weighted",
              lambda p: np.eye(p.shape[-1]) - p[..., None, :] * np.ones((p.shape[-1], 1)),
              "Your matrix is δ_ij − p_j; its rows still have to be multiplied by p_i."),
    _norm("not-rooted", lambda j: (j**2).sum((-1, -2)),
          "Your numbers are the sums of squares; the square root is missing."),
    _norm("sum-of-sizes", lambda j: np.abs(j).sum((-1, -2)),
          "Your numbers are the sums of the entries' sizes, not the root of the sum of squares."),
    _norm("plain-sum", lambda j: j.sum((-1, -2)),
          "Your numbers are 0 throughout, as the plain sum of the Jacobian's entries and its "
          "determinant are."),
    _norm("spectral", lambda j: np.linalg.norm(j, ord=2, axis=(-2, -1)),
          "Your numbers are the largest singular value (the spectral norm), not the Frobenius "
          "norm."),
    _norm("largest-entry", lambda j: np.abs(j).max((-1, -2)),
          "Your numbers are the largest entry of the Jacobian, not its Frobenius norm."),
    _norm("largest-row", lambda j: np.abs(j).sum(-1).max(-1),
          "Your numbers are the largest sum of a row, not the Frobenius norm."),
    _norm("trace", lambda j: np.trace(j, axis1=-2, axis2=-1),
          "Your numbers are the trace of the Jacobian, not its Frobenius norm."),
    _norm("mean-square", lambda j: np.sqrt((j**2).mean((-1, -2))),
          "Your numbers are the root of the mean square; the Frobenius norm adds the squares up."),
    _norm("mean-size", lambda j: np.abs(j).mean((-1, -2)),
          "Your numbers are the mean size of the entries, not the Frobenius norm."),
    _norm("row-norms", lambda j: np.sqrt((j**2).sum(-1)),
          "Each row of the Jacobian has its own norm in your result; one number for the whole "
          "matrix is asked for."),
    _norm("jacobian-returned", lambda j: j, "The Jacobian comes back; its norm is asked for."),
    _norm("norm-over-everything", lambda j: np.sqrt((j**2).sum()),
          "The result is one number for all rows together; one value a row is asked for."),
    _norm("mean-over-rows", lambda j: frobenius(j).mean(),
          "The result is the mean over the rows; one value a row is asked for."),
    _weights("no-softmax", lambda x: x,
             "The scores are taken for weights: the softmax is missing."),
    _weights("sigmoid", lambda x: 1 / (1 + np.exp(-x)),
             "The weights are those of a sigmoid, not of a softmax."),
    _weights("softmax-over-columns", lambda x: softmax(x, -2),
             "The softmax runs over the columns (axis −2), not over each row."),
    _weights("softmax-over-axis-0", lambda x: softmax(x, 0),
             "The softmax runs along axis 0, not over each row."),
    _weights("softmax-over-everything", lambda x: softmax(x, None),  # type: ignore[arg-type]
             "One softmax runs over the whole array, not one over each row."),
    _weights("not-stable", lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True),
             "Right for small scores; large ones overflow, as in a softmax that exponentiates its "
             "scores as they are."),
    _weights("largest-of-all",
             lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(-1, keepdims=True),
             "The maximum of the whole array is subtracted, and rows far below it vanish."),
    _weights("softmax-twice", lambda x: softmax(softmax(x)), "A softmax is taken of a softmax."),
    _weights("scaled-too", lambda x: softmax(x / np.sqrt(x.shape[-1])),
             "The scores are divided by a root first; they are to be taken as they are."),
)  # fmt: skip


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
        Probe((np.array([[1000.0, 999.5, 0.0], [-1000.0, -1000.5 + draw / 8, -999.0]]),),
              condition=1e3),
    ]  # fmt: skip


GRADIENT_TRAITS = (
    Trait(lambda s: bool(np.abs(s.scores).max() > 100), "for large scores", "for small scores"),
    Trait(lambda s: s.scores.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(lambda s: s.scores.ndim < 2, "for a single row", "for several rows"),
)
