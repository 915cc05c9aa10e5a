"""Tests of the values and the variance of numbers from fair trials."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.author import Curve, Mismatch
from reference.scaling import Distribution, acceptance_interval, variance_interval

FALSE_REJECTION = 1e-9
MANY, FEW_TRIALS = 28, 2  # number of dimensions; the variance over them is known
SMOOTH = 4  # allowed errors of a formula: a polynomial in ln d with this many coefficients

Table = Mapping[int, Mapping[str, float]]
Distributions = Callable[[int], Mapping[str, Distribution]]


@dataclass(frozen=True)
class Sizes:
    dimensions: list[int]
    seq_len: int
    trials: int


def drawn_sizes(rng: np.random.Generator, *ranges: tuple[int, int]) -> Sizes:
    dimensions = rng.permutation([int(rng.integers(*each)) for each in ranges])
    return Sizes(dimensions.tolist(), int(rng.integers(5, 13)), int(rng.integers(30, 51)))


def usual_sizes(rng: np.random.Generator) -> Sizes:
    return drawn_sizes(rng, (3, 10), (17, 50), (65, 100), (110, 180))


def many_sizes(rng: np.random.Generator) -> Sizes:
    dimensions = rng.choice(np.arange(3, 50), size=MANY, replace=False)
    return Sizes(dimensions.tolist(), int(rng.integers(5, 10)), FEW_TRIALS)


def fair_interval(
    distributions: Mapping[str, Distribution], name: str, seq_len: int, trials: int
) -> tuple[float, float]:
    """Return the interval in which fair measurements of `name` lie."""
    low, high = acceptance_interval(distributions[name], trials, FALSE_REJECTION)
    if name.startswith("scores_std"):  # both ddof=0 and ddof=1 are right
        count = seq_len**2
        high *= np.sqrt(count / (count - 1))
    return low, high


def expect_fair(
    table: Table, names: Sequence[str], sizes: Sizes, distributions: Distributions
) -> None:
    """Pass if each named measure lies in the interval of a fair experiment.

    `distributions(dimension)` returns the distributions for one trial.
    """
    seq_len, trials = sizes.seq_len, sizes.trials
    curves, first = [], ""
    for name in names:
        dimensions = sorted(table)
        bands = [fair_interval(distributions(d), name, seq_len, trials) for d in dimensions]
        mine = [table[d][name] for d in dimensions]
        outside = [
            (d, value, low, high)
            for d, value, (low, high) in zip(dimensions, mine, bands, strict=True)
            if not low <= value <= high
        ]
        if outside:
            curves.append(
                Curve(
                    name=name,
                    against="dimension",
                    x=tuple(float(d) for d in dimensions),
                    yours=tuple(mine),
                    low=tuple(float(low) for low, _ in bands),
                    high=tuple(float(high) for _, high in bands),
                )
            )
            d, value, low, high = outside[0]
            digits = 4 if f"{value:.4g}" not in {f"{low:.4g}", f"{high:.4g}"} else 9
            first = first or (
                f"{name} at dimension {d} is {value:.{digits}g}. With {trials} trials of length "
                f"{seq_len}, a fair measurement lies between {low:.{digits}g} and "
                f"{high:.{digits}g}."
            )
    if curves:
        raise Mismatch(first, curves=tuple(curves))


def expect_scatter(
    table: Table, names: Sequence[str], sizes: Sizes, distributions: Distributions
) -> None:
    """Pass if the measures of many dimensions vary around their expectations as in random trials.

    Values from a formula fail, because they vary too little.
    """
    powers = np.log(list(table))[:, None] ** np.arange(SMOOTH)
    for name in names:
        known = {d: distributions(d)[name] for d in table}
        scales = np.sqrt(sizes.trials) / np.array([known[d].std for d in table])
        off = scales * [table[d][name] - known[d].mean for d in table]
        rough = off - powers @ np.linalg.lstsq(powers, off, rcond=None)[0]
        freedom = len(off) - SMOOTH
        expect_variance(
            np.square(rough).sum() / freedom,
            freedom,
            f"{name} at {len(off)} dimensions varies less than with any {sizes.trials} trials. So "
            "the random numbers are not sampled for each dimension.",
            f"{name} at {len(off)} dimensions varies more than a mean over {sizes.trials} trials "
            "does.",
        )


def expect_variance(ratio: float, freedom: int, too_small: str, too_large: str) -> None:
    """Pass if fair trials can have this ratio of observed to expected variance."""
    low, high = variance_interval(freedom, FALSE_REJECTION)
    if ratio < low:
        raise Mismatch(too_small, mistake="varies-too-little")
    if ratio > high:
        raise Mismatch(too_large)


def follow_draws(
    names: Sequence[str],
    seq_len: int,
    tiny: Mapping[str, float],
    single: Mapping[str, float],
    double: Mapping[str, float],
) -> bool:
    """Return True if the measures depend on the numbers that the generator makes.

    The first call gets numbers near 0, so all its weights are nearly equal. The second call gets
    other numbers. The third call gets twice these numbers, so its scores are four times as large.
    """
    level = {"entropy": np.log(seq_len), "max_weight": 1 / seq_len}
    for name in names:
        if name.startswith("scores_std"):
            follows = single[name] > 0 and np.isclose(double[name] / single[name], 4, rtol=1e-4)
        else:
            follows = abs(tiny[name] - level[name.rpartition("_")[0]]) < 1e-4
        if not follows:
            return False
    return True
