"""Intervals by bootstrap: what a figure would be in other classes like this one (percentiles)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .scores import Floats

SEED = 1979
CLASSES = 1000
CELLS = 2_000_000  # of the table of draws; larger classes are drawn less often
LEVEL = 0.95


class Interval(NamedTuple):
    """Where the middle 95 % lie."""

    low: float
    high: float


def draws(students: int) -> Floats:
    """How often each student is in each of the classes drawn, of shape (classes, students).

    The same for all figures of a class, so that they can be compared; the seed is fixed.
    """
    classes = max(100, min(CLASSES, CELLS // max(students, 1)))
    rng = np.random.default_rng([SEED, students])
    return rng.multinomial(students, np.full(students, 1 / students), classes).astype(float)


def means(points: Floats, drawn: Floats) -> list[Interval]:
    """Intervals of the mean of each column of points (students, items)."""
    return _intervals(drawn @ points / drawn.sum(1, keepdims=True))


def correlations(points: Floats, rest: Floats, drawn: Floats) -> list[Interval]:
    """Intervals of the correlation of points with rest, by column; both (students, items)."""
    size = drawn.sum(1, keepdims=True)
    points, rest = points - points.mean(0), rest - rest.mean(0)
    one, other = drawn @ points / size, drawn @ rest / size
    both = drawn @ (points * rest) / size - one * other
    spread_one = drawn @ points**2 / size - one**2
    spread_other = drawn @ rest**2 / size - other**2
    with np.errstate(invalid="ignore", divide="ignore"):
        found = both / np.sqrt(spread_one * spread_other)
    found[(spread_one < 1e-12) | (spread_other < 1e-12)] = np.nan
    return _intervals(np.clip(found, -1, 1))


def of(statistic: Callable[[Floats], float], points: Floats, drawn: Floats) -> Interval:
    """The interval of any statistic of points (students, items), class by class."""
    number = np.arange(len(points))
    found = [statistic(points[np.repeat(number, row.astype(int))]) for row in drawn]
    return _intervals(np.array(found)[:, None])[0]


def _intervals(found: Floats) -> list[Interval]:
    """Of each column; NaN where most of the classes drawn leave it undefined."""
    tails = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    intervals = []
    for column in found.T:
        known = column[np.isfinite(column)]
        if 2 * len(known) < len(column):
            intervals.append(Interval(np.nan, np.nan))
        else:
            low, high = np.quantile(known, tails)
            intervals.append(Interval(float(low), float(high)))
    return intervals
