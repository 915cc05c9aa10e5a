"""Statistical bounds that a fair run exceeds once in 10⁹ runs."""

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Hits = npt.NDArray[np.bool_]

FALSE_ALARM = 1e-9
FAR = 8.0  # standard deviations: enough for thousands of sums that are only roughly normal
MOST_EQUAL = 16  # allowed repetitions of rare rows, of which one is expected at most


def chi_square(freedom: int, chance: float) -> float:
    """Return the quantile of χ² by Wilson & Hilferty (1931), but at least 0."""
    if not freedom:
        return 0.0
    spread = 2 / (9 * freedom)
    root = 1 - spread + NormalDist().inv_cdf(chance) * spread**0.5
    return float(freedom * max(0.0, root) ** 3)


def are_independent(hits: Hits, rate: float) -> bool:
    """Return True if entries that are hit with this probability look independent of each other.

    There are four tests: entries at a fixed distance, two slices along an axis, repeated rows, and
    the number of hits in each row and column.
    """
    return (
        _no_distance_tells(hits, rate)
        and all(_no_slice_tells(np.moveaxis(hits, axis, 0)) for axis in range(hits.ndim))
        and not _rows_come_again(hits.reshape(-1, hits.shape[-1]), rate)
        and _shares_vary(hits, rate)
        and _shares_vary(hits.swapaxes(-1, -2), rate)
    )


def _no_distance_tells(hits: Hits, rate: float) -> bool:
    """Return True if entries at a fixed distance are not correlated (Wiener–Khinchin theorem)."""
    apart = np.asarray(hits, np.float64) - rate
    found = np.fft.ifftn(np.abs(np.fft.fftn(apart)) ** 2).real.reshape(hits.shape)
    there = np.indices(hits.shape)
    sizes = np.reshape(hits.shape, (-1, *(1,) * hits.ndim))
    halfway = (2 * there % sizes == 0).all(axis=0)  # each pair counts twice, once in each direction
    spread = rate * (1 - rate) * np.sqrt(hits.size * (1 + halfway))
    found[(0,) * hits.ndim] = 0.0
    return bool((np.abs(found) <= FAR * spread).all())


def _no_slice_tells(slices: Hits) -> bool:
    rows = slices.reshape(len(slices), -1).astype(np.int64)
    count, size = rows.shape
    common, each = rows @ rows.T, rows.sum(-1)
    expected = np.outer(each, each) / size
    variance = np.outer(each * (size - each), each * (size - each)) / (size**2 * max(1, size - 1))
    limit = FALSE_ALARM / max(1, count * (count - 1))
    for i, j in np.argwhere(np.abs(common - expected) > 4 * np.sqrt(variance)):
        if i < j and _hypergeometric(size, each[i], each[j], common[i, j]) < limit:
            return False
    return True


def _hypergeometric(size: int, one: int, other: int, common: int) -> float:
    size, one, other, common = int(size), int(one), int(other), int(common)
    least, most = max(0, one + other - size), min(one, other)
    all_ways = math.comb(size, other)

    def ways(shared: range) -> float:
        total = sum(math.comb(one, k) * math.comb(size - one, other - k) for k in shared)
        return total / all_ways

    return min(ways(range(least, common + 1)), ways(range(common, most + 1)))


def _rows_come_again(rows: Hits, rate: float) -> bool:
    hits = rows.sum(-1)
    chances = rate**hits * (1 - rate) ** (rows.shape[-1] - hits)
    rare = rows[chances <= 2 / len(rows) ** 2]
    _, counts = np.unique(rare, axis=0, return_counts=True)
    return bool((counts * (counts - 1) // 2).sum() >= MOST_EQUAL)


def _shares_vary(hits: Hits, rate: float) -> bool:
    rows = hits.reshape(-1, hits.shape[-1])
    size = rows.shape[-1]
    found = ((rows.sum(-1) - size * rate) ** 2).sum() / (size * rate * (1 - rate))
    chance = FALSE_ALARM / 100
    return chi_square(len(rows), chance) <= found <= chi_square(len(rows), 1 - chance)
