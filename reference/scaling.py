"""Measured effects of scaling by √d_k, and intervals for fair measurements."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, log

import numpy as np

from reference.attention import Array, scale, scores, softmax

MEASURES = (
    "scores_std_unscaled",
    "scores_std_scaled",
    "entropy_unscaled",
    "entropy_scaled",
    "max_weight_unscaled",
    "max_weight_scaled",
)


def entropy(weights: Array) -> Array:
    """Return −Σ p·ln p of each row, in nats, with 0·ln 0 = 0 (Shannon 1948, section 6)."""
    weights = np.asarray(weights, dtype=np.float64)
    positive = np.where(weights > 0, weights, 1.0)
    return -(weights * np.log(positive)).sum(axis=-1)


def gradient_norm(scores: Array) -> Array:
    """Return the Frobenius norm of the softmax's Jacobian, for each row of scores.

    With p = softmax(s), ∂pᵢ/∂sⱼ = pᵢ(δᵢⱼ − pⱼ). The sum of its squares is
    Σp² − 2Σp³ + (Σp²)².
    """
    p = softmax(scores)
    jacobian = p[..., :, np.newaxis] * (np.eye(p.shape[-1]) - p[..., np.newaxis, :])
    return np.sqrt((jacobian**2).sum(axis=(-1, -2)))


def measure_trial(
    Q: Array, K: Array, entropy: Callable[[Array], Array] = entropy
) -> dict[str, Array]:
    """Return the six measures of a trial. Leading axes are separate trials."""
    unscaled = scores(Q, K)
    measured = {}
    for name, values in (("unscaled", unscaled), ("scaled", scale(unscaled, Q.shape[-1]))):
        weights = softmax(values)
        measured[f"scores_std_{name}"] = values.std(axis=(-1, -2))
        measured[f"entropy_{name}"] = entropy(weights).mean(axis=-1)
        measured[f"max_weight_{name}"] = weights.max(axis=-1).mean(axis=-1)
    return measured


def measured_as_drawn(
    rng: np.random.Generator,
    dimensions: Sequence[int],
    seq_len: int,
    trials: int,
    axes: int | tuple[int, ...] = (-1, -2),
) -> dict[int, dict[str, Array]]:
    """Return each measure of each trial, if Q and then K are drawn for one trial after another.

    `axes` are the axes of the standard deviations. If there are several, their mean is taken.
    """
    measured = {}
    for d in dimensions:
        Q, K = np.moveaxis(rng.standard_normal((trials, 2, seq_len, d)), 1, 0)
        spread = scores(Q, K).std(axes).reshape(trials, -1).mean(-1)
        stds = {"scores_std_unscaled": spread, "scores_std_scaled": scale(spread, d)}
        measured[d] = measure_trial(Q, K) | stds
    return measured


@dataclass(frozen=True)
class Distribution:
    """Distribution of one trial's value of a measure, estimated from `size` trials."""

    mean: float
    std: float
    skewness: float
    excess_kurtosis: float
    size: int


@lru_cache(maxsize=128)
def sampling_distributions(
    dimension: int,
    seq_len: int,
    size: int = 600,
    entropy: Callable[[Array], Array] = entropy,
) -> Mapping[str, Distribution]:
    """Return the distribution of each measure for a trial with standard normal Q and K.

    `entropy` computes one value for each row.
    """
    rng = np.random.default_rng([dimension, seq_len])
    Q = rng.standard_normal((size, seq_len, dimension))
    K = rng.standard_normal((size, seq_len, dimension))
    return {name: _describe(values) for name, values in measure_trial(Q, K, entropy).items()}


def _describe(values: Array) -> Distribution:
    mean, std = float(values.mean()), float(values.std(ddof=1))
    standard = (values - mean) / std
    return Distribution(
        mean,
        std,
        float((standard**3).mean()),
        float((standard**4).mean()) - 3.0,
        len(values),
    )


def acceptance_interval(
    one_trial: Distribution, trials: int, false_rejection: float
) -> tuple[float, float]:
    """Return the interval that fair means miss with the probability `false_rejection`.

    The quantiles come from a normal distribution, corrected for skewness and kurtosis (Cornish &
    Fisher 1938; Hill & Davis 1968). The correction never makes the interval narrower. The width
    includes the uncertainty of the reference's own estimate.
    """
    from statistics import NormalDist  # only this function needs it, and its import is slow

    z = NormalDist().inv_cdf(1 - false_rejection / 2)
    spread = one_trial.std * np.sqrt(1 / trials + 1 / one_trial.size)
    skewness = one_trial.skewness / np.sqrt(trials)
    kurtosis = one_trial.excess_kurtosis / trials
    low, high = (_corrected(side * z, skewness, kurtosis) for side in (-1, 1))
    return one_trial.mean + spread * min(low, -z), one_trial.mean + spread * max(high, z)


@lru_cache(maxsize=32)
def variance_interval(freedom: int, false_rejection: float) -> tuple[float, float]:
    """Return an interval for observed variance divided by expected variance.

    A fair ratio is outside with the probability `false_rejection`. The ratio is χ² distributed with
    an even number of degrees of freedom. The ends are moved outwards by the factor 1.5, because the
    expected variance is an estimate and trials are not exactly normal.
    """
    low, high = (_chi_square(freedom, false_rejection / 2, upper) for upper in (False, True))
    return low / freedom / 1.5, high / freedom * 1.5


def _chi_square(freedom: int, chance: float, upper: bool) -> float:
    """Return the value that a χ² variable exceeds with the probability `chance`.

    Without `upper`, the variable stays below the value with this probability. For an even number of
    degrees of freedom, both probabilities are sums of a Poisson distribution.
    """

    half = freedom // 2
    counts = range(half) if upper else range(half, half + 200)

    def beyond(value: float) -> float:
        mean = value / 2
        return sum(exp(n * log(mean) - mean - lgamma(n + 1)) for n in counts)

    low, high = 1e-9, 10.0 * freedom + 200
    for _ in range(100):
        middle = (low + high) / 2
        if (beyond(middle) > chance) == upper:
            low = middle
        else:
            high = middle
    return low


def _corrected(z: float, skewness: float, kurtosis: float) -> float:
    return float(
        z
        + (z**2 - 1) * skewness / 6
        + (z**3 - 3 * z) * kurtosis / 24
        - (2 * z**3 - 5 * z) * skewness**2 / 36
    )
