"""Misconceptions about the scaling experiment: what is measured, over what, and how often.

The student's random numbers are the student's own, so `measure_scaling` is replayed many times
for each misconception, and an answer is told by where it lies.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from autograder.diagnosis.finding import Finding
from autograder.diagnosis.recipe import Fact, Hints, Made, Misconception, Probe, Recipe, Trait
from reference.attention import scores, softmax
from reference.scaling import MEASURES, entropy

NATS: Hints = (
    "How large is the entropy of one row of four equal weights? (It is ln 4 = 1.386.)",
    "Entropy is −Σ p·ln p over each row: the natural logarithm, and one value for every row.",
    "Look at the logarithm, the minus sign, and the axis of the sum.",
)
ZERO: Hints = (
    "What does NumPy give for 0 * np.log(0)?",
    "p·ln p goes to 0 as p goes to 0, so a weight of 0 adds nothing.",
    "Take the logarithm of p + 1e-12, or only where p > 0.",
)
JACOBIAN: Hints = (
    "What is the derivative of softmax output i with respect to input j?",
    "The Jacobian is diag(p) − p pᵀ. Its Frobenius norm is the root of the sum of all its squared "
    "entries, for each row of scores.",
    "Look at how the matrix is put together from p, and over which axes its squares are added up.",
)
MEASURE: Hints = (
    "Of which numbers is each measure taken, and over which of them does the mean run?",
    "For each trial: the spread of all L × L scores; the mean over the rows of their entropy, and "
    "of their largest weight. Then the mean over the trials.",
    "Work through one trial by hand: which line computes this measure, and from what?",
)
DRAWS: Hints = (
    "How are the entries of Q and K distributed in your code, and how often are they drawn?",
    "Each trial draws a new Q and a new K of shape (seq_len, d), standard normal, from `rng`.",
    "Look at the lines that draw: rng.standard_normal, for Q and for K, inside the loop over "
    "trials.",
)
DIVISOR: Hints = (
    "By what are the scores divided for the scaled measures?",
    "The scaled scores are the same scores divided by √d, with d the dimension at hand.",
    "Look at the line that makes scaled scores from unscaled ones.",
)


def _terms(s: Any) -> Any:
    p = s.p
    return -p * np.log(np.where(p > 0, p, 1.0))


def _entropy(
    id: str, change: Callable[[Any], Any], finding: str, hints: Hints = NATS
) -> Misconception:
    return Misconception(id, finding, hints, {"entropy": change})


ENTROPY = (
    _entropy("base-2", lambda s: _terms(s).sum(-1) / np.log(2),
             "Your numbers are in bits: the logarithm has base 2, and nats have base e."),
    _entropy("base-10", lambda s: _terms(s).sum(-1) / np.log(10),
             "Your numbers are those of a logarithm with base 10; nats have base e."),
    _entropy("no-minus", lambda s: -_terms(s).sum(-1),
             "The minus sign is missing: entropy is −Σ p·ln p and never negative."),
    _entropy("sum-over-everything", lambda s: _terms(s).sum(),
             "The sum runs over the whole array: one value a row is asked for."),
    _entropy("mean-over-rows", lambda s: _terms(s).sum(-1).mean(),
             "The result is one number, the mean over the rows; one value a row is asked for."),
    _entropy("mean-of-terms", lambda s: _terms(s).mean(-1),
             "The terms −p·ln p are averaged; they have to be added up."),
    _entropy("over-columns", lambda s: _terms(s).sum(-2),
             "The sum runs over the columns (axis −2), not over each row."),
    _entropy("over-axis-0", lambda s: _terms(s).sum(0),
             "The sum runs along axis 0, not over each row."),
    _entropy("over-axis-1", lambda s: _terms(s).sum(1),
             "The sum runs along axis 1, which is the row only where there is no batch."),
    _entropy("nan-for-zero", lambda s: -(s.p * np.log(s.p)).sum(-1),
             "A weight of 0 gives NaN: 0 · ln 0 is not a number for NumPy, and counts as 0 here.",
             ZERO),
    _entropy("weight-left-out", lambda s: -np.log(np.where(s.p > 0, s.p, 1.0)).sum(-1),
             "Your numbers are −Σ ln p: the factor p is missing."),
    _entropy("mean-logarithm", lambda s: -np.log(np.where(s.p > 0, s.p, 1.0)).mean(-1),
             "Your numbers are the mean of −ln p, not weighted by p."),
    _entropy("largest-term", lambda s: _terms(s).max(-1),
             "Your numbers are the largest term −p·ln p of each row, not their sum."),
    _entropy("terms-not-added", _terms, "The terms −p·ln p come back; they have to be added up."),
    _entropy("relative", lambda s: _terms(s).sum(-1) / np.log(s.p.shape[-1]),
             "Your numbers are divided by ln L, so that they end at 1; plain nats are asked for."),
    _entropy("perplexity", lambda s: np.exp(_terms(s).sum(-1)),
             "Your numbers are the exponential of the entropy (the perplexity)."),
    _entropy("gini", lambda s: 1 - (s.p**2).sum(-1),
             "Your numbers are 1 − Σp², another measure of spread; entropy has a logarithm."),
    _entropy("sum-of-squares", lambda s: (s.p**2).sum(-1),
             "Your numbers are Σp²; entropy is −Σ p·ln p."),
    _entropy("collision", lambda s: -np.log((s.p**2).sum(-1)),
             "Your numbers are −ln Σp² (Rényi's entropy of order 2); Shannon's is −Σ p·ln p."),
    _entropy("smallest", lambda s: -np.log(s.p.max(-1)),
             "Your numbers are −ln of the largest weight; entropy takes all weights."),
    _entropy("both-sides", lambda s: _terms(s).sum(-1)
             - ((1 - s.p) * np.log(np.where(s.p < 1, 1 - s.p, 1.0))).sum(-1),
             "Your numbers count (1 − p)·ln(1 − p) too, as for yes-or-no questions."),
    _entropy("softmax-first", lambda s: entropy(softmax(s.p)),
             "A softmax is taken of the weights first; they are weights already."),
    _entropy("axis-kept", lambda s: _terms(s).sum(-1, keepdims=True),
             "The numbers are right, but an axis of size 1 is left at the end (keepdims)."),
    _entropy("large-epsilon", lambda s: -(s.p * np.log(s.p + 1e-3)).sum(-1),
             "The number added inside the logarithm (1e-3) is so large that it changes the result.",
             ZERO),
    _entropy("large-epsilon", lambda s: -(s.p * np.log(s.p + 1e-2)).sum(-1),
             "The number added inside the logarithm (1e-2) is so large that it changes the result.",
             ZERO),
    _entropy("spread", lambda s: s.p.std(-1),
             "Your numbers are the standard deviation of the weights, not their entropy."),
)  # fmt: skip


def _outer(p: Any) -> Any:
    return p[..., :, None] * p[..., None, :]


def _diagonal(p: Any) -> Any:
    return p[..., :, None] * np.eye(p.shape[-1])


def _frobenius(j: Any) -> Any:
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
    _jacobian("outer-product-only", _outer,
              "Only p pᵀ is counted; the diagonal of p is missing."),
    _jacobian("plus-for-minus", lambda p: _diagonal(p) + _outer(p),
              "Your matrix is diag(p) + p pᵀ; the sign in the middle is minus."),
    _jacobian("weights-only", _diagonal, "Your matrix is diag(p); − p pᵀ is missing."),
    _jacobian("identity", lambda p: np.eye(p.shape[-1]) - _outer(p),
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
    _norm("mean-over-rows", lambda j: _frobenius(j).mean(),
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


REPLAYS = 240


class _At:
    """A state as seen from one dimension: what steps made for each of them is that of this one."""

    def __init__(self, state: Any, d: int) -> None:
        self._state = state
        self.d = d

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._state, name)
        return value[self.d] if isinstance(value, _PerDimension) else value


class _PerDimension(dict[int, Any]):
    """A step's value for each dimension."""


def _each(step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A step for one dimension, made into one for all of them."""
    return lambda s: _PerDimension((d, step(_At(s, d))) for d in s.dimensions)


@lru_cache(maxsize=64)
def _drawn(d: int, seq_len: int, which: int) -> Any:
    """Standard normal Q (0) or K (1) of all replayed trials; the same for every replay."""
    return np.random.default_rng([60, d, seq_len, which]).standard_normal((REPLAYS, seq_len, d))


@lru_cache(maxsize=64)
def _scores(d: int, seq_len: int) -> Any:
    return scores(_drawn(d, seq_len, 0), _drawn(d, seq_len, 1))


def _product(s: Any) -> Any:
    """The scores of Q and K; of the usual draws they are computed once."""
    usual = s.Q is _drawn(s.d, s.seq_len, 0) and s.K is _drawn(s.d, s.seq_len, 1)
    return _scores(s.d, s.seq_len) if usual else scores(s.Q, s.K)


def _described(s: Any, kind: str) -> Any:
    values = getattr(s, kind)
    weights = getattr(s, f"weights_{kind}")
    return {
        f"scores_std_{kind}": s.std(values, weights),
        f"entropy_{kind}": s.entropy(weights),
        f"max_weight_{kind}": s.largest(weights),
    }


# Many trials at once: Q and K are (trials, L, d), and every measure has one value a trial.
ONE_DIMENSION: dict[str, Callable[[Any], Any]] = {
    "generator": lambda s: np.random.default_rng([60, s.d, s.seq_len]),
    "Q": lambda s: _drawn(s.d, s.seq_len, 0),
    "K": lambda s: _drawn(s.d, s.seq_len, 1),
    "unscaled": _product,
    "scaled": lambda s: s.unscaled / np.sqrt(s.d),
    "weights_unscaled": lambda s: softmax(s.unscaled),
    "weights_scaled": lambda s: softmax(s.scaled),
    "std": lambda s: lambda values, weights: values.std((-1, -2)),
    "entropy": lambda s: lambda weights: entropy(weights).mean(-1),
    "largest": lambda s: lambda weights: weights.max(-1).mean(-1),
    "averaged": lambda s: lambda trials: trials,
    "row": lambda s: _described(s, "unscaled") | _described(s, "scaled"),
}


def _measure(id: str, finding: str, hints: Hints, **replaces: Callable[[Any], Any]) -> Any:
    return Misconception(id, finding, hints, {name: _each(step) for name, step in replaces.items()})


MEASURING: tuple[Misconception, ...] = (
    _measure("scaled-not-scaled", "The scaled measures are those of scores that are not scaled.",
             DIVISOR, scaled=lambda s: s.unscaled),
    _measure("divides-by-d", "The scaled scores are divided by d, without the square root.",
             DIVISOR, scaled=lambda s: s.unscaled / s.d),
    _measure("multiplies-by-root", "The scaled scores are multiplied by √d; they have to be "
             "divided.", DIVISOR, scaled=lambda s: s.unscaled * np.sqrt(s.d)),
    _measure("divides-by-root-of-length", "The scaled scores are divided by √seq_len, not by √d.",
             DIVISOR, scaled=lambda s: s.unscaled / np.sqrt(s.seq_len)),
    _measure("divides-by-length", "The scaled scores are divided by seq_len, not by √d.",
             DIVISOR, scaled=lambda s: s.unscaled / s.seq_len),
    _measure("fourth-root", "The scaled scores are divided by the fourth root of d.",
             DIVISOR, scaled=lambda s: s.unscaled / s.d**0.25),
    _measure("unscaled-is-scaled", "The unscaled measures are those of scaled scores.",
             DIVISOR, unscaled=lambda s: _product(s) / np.sqrt(s.d),
             scaled=lambda s: s.unscaled),
    _measure("scaled-twice", "All scores are divided by √d before anything is measured, and the "
             "scaled ones once more.", DIVISOR,
             unscaled=lambda s: _product(s) / np.sqrt(s.d)),
    _measure("exchanged", "Scaled and unscaled are exchanged in the result.", MEASURE,
             row=lambda s: {
                 name.replace("_unscaled", "_S").replace("_scaled", "_unscaled")
                 .replace("_S", "_scaled"): value
                 for name, value in (_described(s, "unscaled") | _described(s, "scaled")).items()
             }),
    _measure("spread-of-weights", "The standard deviation is that of the weights, not of the "
             "scores.", MEASURE, std=lambda s: lambda values, weights: weights.std((-1, -2))),
    _measure("variance", "The spread is the variance; its square root, the standard deviation, is "
             "asked for.", MEASURE, std=lambda s: lambda values, weights: values.var((-1, -2))),
    _measure("mean-size", "The spread is the mean size of the scores, not their standard "
             "deviation.", MEASURE, std=lambda s: lambda values, weights: np.abs(values).mean((-1, -2))),
    _measure("mean-of-scores", "The spread is the mean of the scores, which is near 0; their "
             "standard deviation is asked for.", MEASURE,
             std=lambda s: lambda values, weights: values.mean((-1, -2))),
    _measure("largest-score", "The spread is the largest score, not the standard deviation.",
             MEASURE, std=lambda s: lambda values, weights: values.max((-1, -2))),
    _measure("range-of-scores", "The spread is the distance of largest and smallest score, not "
             "the standard deviation.", MEASURE,
             std=lambda s: lambda values, weights: np.ptp(values, axis=(-1, -2))),
    _measure("sum-of-entropies", "The entropies of the rows are added up; their mean is asked for.",
             MEASURE, entropy=lambda s: lambda weights: entropy(weights).sum(-1)),
    _measure("entropy-in-bits", "The entropies are in bits (base 2); nats are asked for.",
             MEASURE, entropy=lambda s: lambda weights: entropy(weights).mean(-1) / np.log(2)),
    _measure("entropy-in-base-10", "The entropies are those of a logarithm with base 10; nats are "
             "asked for.", MEASURE,
             entropy=lambda s: lambda weights: entropy(weights).mean(-1) / np.log(10)),
    _measure("entropy-relative", "The entropies are divided by ln L; plain nats are asked for.",
             MEASURE,
             entropy=lambda s: lambda weights: entropy(weights).mean(-1) / np.log(s.seq_len)),
    _measure("entropy-negative", "The entropies are negative: the minus sign of −Σ p·ln p is "
             "missing.", MEASURE,
             entropy=lambda s: lambda weights: -entropy(weights).mean(-1)),
    _measure("entropy-per-entry", "The terms −p·ln p are averaged over all entries; each row's "
             "are added up.", MEASURE,
             entropy=lambda s: lambda weights: entropy(weights).mean(-1) / s.seq_len),
    _measure("entropy-largest", "The entropy is that of the row with the largest; the mean of the "
             "rows is asked for.", MEASURE,
             entropy=lambda s: lambda weights: entropy(weights).max(-1)),
    _measure("largest-of-all", "The largest weight is that of the whole matrix; the mean of the "
             "rows' largest is asked for.", MEASURE,
             largest=lambda s: lambda weights: weights.max((-1, -2))),
    _measure("sum-of-largest", "The rows' largest weights are added up; their mean is asked for.",
             MEASURE, largest=lambda s: lambda weights: weights.max(-1).sum(-1)),
    _measure("mean-weight", "The mean weight stands where the largest is asked for.", MEASURE,
             largest=lambda s: lambda weights: weights.mean((-1, -2))),
    _measure("smallest-weight", "The smallest weight stands where the largest is asked for.",
             MEASURE, largest=lambda s: lambda weights: weights.min(-1).mean(-1)),
    _measure("largest-of-columns", "Rows and columns are mixed up: the softmax runs along one, and "
             "the largest weight is taken along the other.", MEASURE, largest=lambda s: lambda weights: weights.max(-2).mean(-1)),
    _measure("uniform", "Q and K are drawn evenly between 0 and 1; standard normal numbers are "
             "asked for.", DRAWS,
             Q=lambda s: s.generator.random((REPLAYS, s.seq_len, s.d)),
             K=lambda s: s.generator.random((REPLAYS, s.seq_len, s.d))),
    _measure("uniform-both-signs", "Q and K are drawn evenly between −1 and 1; standard normal "
             "numbers are asked for.", DRAWS,
             Q=lambda s: s.generator.uniform(-1, 1, (REPLAYS, s.seq_len, s.d)),
             K=lambda s: s.generator.uniform(-1, 1, (REPLAYS, s.seq_len, s.d))),
    _measure("keys-are-queries", "K is the same as Q: the two have to be drawn apart.", DRAWS,
             K=lambda s: s.Q),
    _measure("draws-divided", "Q and K are divided by √d each, so the unscaled scores are scaled "
             "twice over.", DRAWS,
             Q=lambda s: _drawn(s.d, s.seq_len, 0) / np.sqrt(s.d),
             K=lambda s: _drawn(s.d, s.seq_len, 1) / np.sqrt(s.d)),
    _measure("length-and-dimension-exchanged", "Q and K are (d, seq_len): length and dimension "
             "have changed places.", DRAWS,
             Q=lambda s: s.generator.standard_normal((REPLAYS // 4, s.d, s.seq_len)),
             K=lambda s: s.generator.standard_normal((REPLAYS // 4, s.d, s.seq_len))),
    _measure("softmax-over-everything", "One softmax runs over the whole matrix, not one over "
             "each row.", MEASURE,
             weights_unscaled=lambda s: softmax(s.unscaled, (-1, -2)),  # type: ignore[arg-type]
             weights_scaled=lambda s: softmax(s.scaled, (-1, -2))),  # type: ignore[arg-type]
    _measure("same-weights", "Entropy and largest weight of the scaled scores are those of the "
             "unscaled ones.", MEASURE, weights_scaled=lambda s: s.weights_unscaled),
    _measure("same-weights-scaled", "Entropy and largest weight of the unscaled scores are those "
             "of the scaled ones.", MEASURE, weights_unscaled=lambda s: softmax(s.scaled)),
    _measure("added-over-trials", "The measures are added up over the trials; their mean is asked "
             "for.", MEASURE, averaged=lambda s: lambda trials: trials * s.trials),
    _measure("divided-once-too-often", "The measures are divided by the number of trials once too "
             "often.", MEASURE, averaged=lambda s: lambda trials: trials / s.trials),
)  # fmt: skip


def _results(s: Any) -> dict[int, dict[str, Any]]:
    """All trials' values of each measure, for each dimension."""
    return {d: {name: s.averaged[d](s.row[d][name]) for name in MEASURES} for d in s.dimensions}


def _summary(s: Any) -> tuple[Any, Any]:
    """The mean of each measure, and how far a mean over the call's trials may lie from it.

    Six standard errors, of the student's mean and of this replay's own.
    """
    middle, allowed = {}, {}
    for d, row in s.result.items():
        middle[d] = {name: float(values.mean()) for name, values in row.items()}
        allowed[d] = {
            name: 6 * float(values.std()) * np.sqrt(1 / s.trials + 1 / len(values))
            + 1e-9
            + (0.008 * float(values.mean()) if name.startswith("scores_std") else 0.0)
            for name, values in row.items()
        }
    return middle, allowed


def _sample(s: Any) -> Any:
    """The means over as many of the replayed trials as are asked for, drawn from `rng`."""
    drawn = s.rng.integers(min(len(next(iter(row.values()))) for row in s.result.values()),
                           size=s.trials)
    return {
        d: {name: float(values[drawn].mean()) for name, values in row.items()}
        for d, row in s.result.items()
    }


def measure_probes(draw: int) -> Sequence[Probe]:
    make = partial(np.random.default_rng)
    return [
        Probe((dims, length, 60, Made("numpy.random.default_rng", (seed + 100 * draw,), make)))
        for dims, length, seed in (
            ([4, 64], 8, 1),
            ([16, 256], 8, 2),
            ([9, 49], 5, 3),
            ([4, 36], 12, 4),
        )
    ]


def row_probes(draw: int) -> Sequence[Probe]:
    """Rows of weights, some with zeros."""
    rng = np.random.default_rng([61, draw])
    zeros = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.25, 0.75, 0.0]])[rng.permutation(3)]
    return [
        Probe((np.array([[0.5, 0.5], [0.9 - 0.1 * draw, 0.1 + 0.1 * draw]]),)),
        Probe((np.full((2, 4), 0.25),)),
        Probe((softmax(rng.normal(size=(3, 5))),)),
        Probe((softmax(rng.normal(size=(3, 3))),)),
        Probe((softmax(rng.normal(size=(2, 3, 4))),)),
        Probe((softmax(rng.normal(size=(2, 2, 2))),)),
        Probe((softmax(rng.normal(size=6)),)),
        Probe((zeros,)),
        Probe((np.eye(3)[rng.permutation(3)],)),
    ]


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


ENTROPY_TRAITS = (
    Trait(lambda s: bool((s.p == 0).any()), "with weights of 0", "without weights of 0"),
    Trait(lambda s: s.p.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(lambda s: s.p.ndim < 2, "for a single row", "for several rows"),
)
GRADIENT_TRAITS = (
    Trait(lambda s: bool(np.abs(s.scores).max() > 100), "for large scores", "for small scores"),
    Trait(lambda s: s.scores.ndim > 2, "with batch axes", "without a batch axis"),
    Trait(lambda s: s.scores.ndim < 2, "for a single row", "for several rows"),
)


def _part(part: str) -> Callable[[Any, Any], bool]:
    """Whether all measures are right but those whose names hold `part`."""

    def test(s: Any, v: Any) -> bool:
        middle, allowed = _summary(s)
        answers = iter(v)
        for d in sorted(s.dimensions, key=repr):
            for name in sorted(MEASURES, key=repr):
                answer = float(next(answers))
                right = abs(answer - middle[d][name]) <= allowed[d][name]
                if not right and part not in name:
                    return False
        return True

    return test


def _scatters(s: Any, v: Any) -> bool:
    """Whether every number lies where that of one single trial may."""
    answers = iter(v)
    for d in sorted(s.dimensions, key=repr):
        for name in sorted(MEASURES, key=repr):
            trials = s.result[d][name]
            if abs(float(next(answers)) - trials.mean()) > 5 * trials.std():
                return False
    return True


ONE_TRIAL = Fact(
    "one-trial",
    _scatters,
    "The numbers scatter as those of one trial, or of very few; a mean over all `trials` lies "
    "closer to what is expected.",
    is_named=True,
)
MEASURE_FACTS = (ONE_TRIAL,) + tuple(
    Fact(f"only-{part}", _part(part), f"All measures are right but {words}.")
    for part, words in (
        ("scores_std_scaled", "the spread of the scaled scores"),
        ("scores_std_unscaled", "the spread of the unscaled scores"),
        ("entropy_scaled", "the entropy of the scaled weights"),
        ("entropy_unscaled", "the entropy of the unscaled weights"),
        ("max_weight_scaled", "the largest weight of the scaled weights"),
        ("max_weight_unscaled", "the largest weight of the unscaled weights"),
        ("scores_std", "the spread of the scores, scaled and unscaled"),
        ("entropy", "the entropies, scaled and unscaled"),
        ("max_weight", "the largest weights, scaled and unscaled"),
        ("_scaled", "those of the scaled scores"),
        ("_unscaled", "those of the unscaled scores"),
    )
)

RECIPES = {
    "attention_entropy": Recipe(
        "attention_entropy",
        ("weights",),
        {
            "p": lambda s: np.asarray(s.weights, dtype=np.float64),
            "entropy": lambda s: entropy(s.p),
        },
        row_probes,
        ENTROPY,
        traits=ENTROPY_TRAITS,
        facts=(
            Fact("nan", lambda s, v: bool(np.isnan(v).any()), "There are NaN in the result."),
            Fact("negative", lambda s, v: bool((v < 0).any()), "Some values are negative."),
        ),
    ),
    "softmax_gradient_norm": Recipe(
        "softmax_gradient_norm",
        ("scores",),
        {
            "p": lambda s: softmax(s.scores),
            "jacobian": lambda s: _diagonal(s.p) - _outer(s.p),
            "norm": lambda s: _frobenius(s.jacobian),
        },
        score_probes,
        GRADIENT,
        traits=GRADIENT_TRAITS,
        facts=(Fact("nan", lambda s, v: bool(np.isnan(v).any()), "There are NaN in the result."),),
    ),
    "measure_scaling": Recipe(
        "measure_scaling",
        ("dimensions", "seq_len", "trials", "rng"),
        {**{name: _each(step) for name, step in ONE_DIMENSION.items()}, "results": _results},
        measure_probes,
        MEASURING,
        facts=MEASURE_FACTS,
        summary=_summary,
        sample=_sample,
    ),
}

EXPONENTS = (
    (1.0, "variance-exponent", "1 is the exponent of the variance; the standard deviation is its "
     "root"),
    (0.0, "scaled-exponent", "0 is what the scaled spread does, which stays level; the question is "
     "about the unscaled one"),
    (2.0, "squared-exponent", "2 would make the spread 16 times as large when d grows 4 times"),
    (0.25, "fourth-root-exponent", "0.25 would make the spread 1.41 times as large when d grows 4 "
     "times"),
    (-0.5, "inverse-exponent", "−0.5 would make the spread smaller as d grows; it grows"),
)  # fmt: skip
EXPONENT: Hints = (
    "By what factor does the unscaled spread grow when d grows by a factor of 4?",
    "The variance of a dot product of d random pairs is d; the spread is the root of the variance.",
    "The spread grows like d to the power that turns 4 into that factor.",
)
CONCLUSION: Hints = (
    "Which of your curves stays level as d grows?",
    "Scaled scores keep their spread, and with it the entropy; unscaled ones grow, and a softmax "
    "that is nearly all 0 and 1 hardly reacts.",
    "Look at entropy_scaled for your dimensions, and at softmax_gradient_norm for large scores.",
)


def explain_value(name: str, read: Callable[[str], Any]) -> Finding | None:
    """What is behind a wrong entry of `CONCLUSION`."""
    answer = read(name)
    if name != "CONCLUSION" or not isinstance(answer, dict):
        return None
    exponent = answer.get("growth_exponent")
    if isinstance(exponent, int | float) and abs(exponent - 0.5) > 0.05:
        for value, id, words in EXPONENTS:
            if abs(exponent - value) <= 0.05:
                return Finding("named", f"CONCLUSION: growth_exponent: {words}.", (id,), EXPONENT)
    if answer.get("steady") == "unscaled":
        says = "CONCLUSION: it is the other entropy that stays level: the unscaled one falls as d "
        return Finding("named", says + "grows.", ("other-is-steady",), CONCLUSION)
    if answer.get("gradient") == "grows":
        says = "CONCLUSION: the gradient of the unscaled softmax does not grow with d: the larger "
        says += "the scores, the less the weights react."
        return Finding("named", says, ("gradient-grows",), CONCLUSION)
    return None
