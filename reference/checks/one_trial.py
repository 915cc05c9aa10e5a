"""Tests that measures come from real trials.

A trial of two tokens has two rows of two weights. The weights of a row depend on the gap between
the row's two scores. So the mean entropy and the mean largest weight of a trial determine both
gaps. The gaps contribute to the variance of the four scores. Real trials have these relations for
any generator of random numbers. Numbers from a table with added noise do not. A student could still
draw the scores directly. At dimension 1, a real score is a product of two random numbers, so its
variance differs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log, log1p

import numpy as np
import numpy.typing as npt

from autograder.author import Mismatch
from reference.attention import Array
from reference.checks.fair_trials import FALSE_REJECTION, Sizes, Table, expect_variance
from reference.scaling import measure_trial, sampling_distributions

RUNS = 41  # the variance of this many has an even number of degrees of freedom
AT_ONE = Sizes([1], 12, 3)
REAL = 1000  # number of the course's own trials for comparison
SURE = 1 - 1e-5  # above this weight, the gap is only known to be large
EXACT = 1e-4  # the error of single precision and of log(p + 1e-9)
KINDS = ("unscaled", "scaled")

Run = Callable[[Sizes, int], Table]
Measures = Mapping[str, float]


@dataclass(frozen=True)
class Rows:
    """Gaps between the scores of a trial with two tokens."""

    large: float  # the larger gap
    small: float


def expect_trials(run: Run, dimension: int, entropy: bool) -> None:
    """Pass if single trials are real. `run(sizes, n)` runs the experiment with the n-th generator.

    If `entropy` is false, the check does not use the entropies.
    """
    two = Sizes([dimension], 2, 1)
    trials = [run(two, number)[dimension] for number in range(RUNS)]
    for kind in KINDS:
        expect_rows(trials, kind, dimension, entropy)
    tables = [run(AT_ONE, number)[1] for number in range(RUNS)]
    fair = sampling_distributions(1, AT_ONE.seq_len, 4000)
    for kind in KINDS:
        name = f"scores_std_{kind}"
        values = np.array([table[name] for table in tables])
        expect_variance(
            values.var(ddof=1) * AT_ONE.trials / fair[name].std ** 2,
            RUNS - 1,
            f"In {RUNS} runs at dimension 1, {name} varies far less than it does if the scores are "
            "products of random queries and keys.",
            f"In {RUNS} runs at dimension 1, {name} varies far more than it does if the scores are "
            "products of random queries and keys.",
        )


def expect_rows(trials: Sequence[Measures], kind: str, dimension: int, entropy: bool) -> None:
    """Pass if the measures of the trials belong to rows of weights, and vary like real trials."""
    found = [rows_of(each, kind, entropy) for each in trials]
    for unbiased in (1.0, 0.75):  # both ddof=0 and ddof=1 are right
        variances = [unbiased * each[f"scores_std_{kind}"] ** 2 for each in trials]
        if all(
            variance >= 0.98 * explained(rows) - EXACT
            for variance, rows in zip(variances, found, strict=True)
        ):
            break
    else:
        raise Mismatch(
            f"In some trials of two tokens, scores_std_{kind} is smaller than "
            f"the standard deviation that such weights need."
        )
    rng = np.random.default_rng([dimension, 2])
    Q, K = rng.standard_normal((2, REAL, 2, dimension))
    fair = measure_trial(Q, K)
    real = [{name: float(fair[name][n]) for name in fair} for n in range(len(Q))]
    mine = described(found, variances)
    usual = described(
        [rows_of(each, kind, entropy) for each in real],
        [each[f"scores_std_{kind}"] ** 2 for each in real],
    )
    for what, values in mine.items():
        if not entropy and what == RATIO:
            continue
        if distance(values, usual[what]) > np.sqrt(np.log(2 / FALSE_REJECTION) / (2 * RUNS)):
            raise Mismatch(
                f"In {RUNS} runs of one trial with two tokens at dimension {dimension}, {what} "
                f"({kind}) do not vary like those of random queries and keys."
            )


def rows_of(measures: Measures, kind: str, entropy: bool) -> Rows:
    """Return the gaps of the two rows.

    If the entropy is not reliable, assume that both gaps are equal.

    Raises:
        Mismatch: no rows have these measures.
    """
    mean = measures[f"max_weight_{kind}"]
    if not 0.5 - EXACT <= mean <= 1 + EXACT:
        raise Mismatch(
            f"max_weight_{kind} of one trial with two tokens is {mean:.4g}. The larger of two "
            "weights is between 0.5 and 1."
        )
    mean = min(max(mean, 0.5), 1.0)
    low, high = 0.0, min(1 - mean, mean - 0.5)  # the distance of the rows from their mean
    if not entropy:
        return Rows(gap(mean), gap(mean))
    wanted = measures[f"entropy_{kind}"]
    if not mean_entropy(mean, high) - EXACT <= wanted <= mean_entropy(mean, low) + EXACT:
        raise Mismatch(
            f"In one trial with two tokens, entropy_{kind} is {wanted:.4g} and max_weight_{kind} "
            f"{mean:.4g}; no two rows of two weights have both."
        )
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_entropy(mean, middle) > wanted else (low, middle)
    return Rows(gap(mean + low), gap(mean - low))


def gap(weight: float) -> float:
    """Return the gap between two scores. `weight` is the larger of their two weights."""
    weight = min(max(weight, 0.5), SURE)
    return log(weight / (1 - weight))


def mean_entropy(mean: float, apart: float) -> float:
    """Return the mean entropy of two rows.

    Their larger weights are `mean` + `apart` and `mean` − `apart`.
    """
    rows = [min(mean + apart, 1 - 1e-16), mean - apart]
    return -sum(p * log(p) + (1 - p) * log1p(-p) for p in rows) / 2


def explained(rows: Rows) -> float:
    """Return the part of the four scores' variance that the gaps within rows explain."""
    return (rows.large**2 + rows.small**2) / 8


RATIO = "the two rows' gaps, one by the other,"


def described(found: Sequence[Rows], variances: Sequence[float]) -> dict[str, Array]:
    large = np.array([rows.large for rows in found])
    small = np.array([rows.small for rows in found])
    within = np.array([explained(rows) for rows in found])
    return {
        "the gaps between scores": large,
        RATIO: small / np.maximum(large, 1e-9),
        "the spreads between the rows": np.sqrt(np.maximum(np.array(variances) - within, 0.0)),
    }


def distance(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    """Return the largest difference between the distribution functions of two samples."""
    everything = np.sort(np.concatenate([one, other]))
    shares = [
        np.searchsorted(np.sort(each), everything, side="right") / len(each)
        for each in (one, other)
    ]
    return float(np.abs(shares[0] - shares[1]).max())
