"""All figures of a class, with their intervals: what its pages and reports show."""

from typing import NamedTuple

import numpy as np

from . import items, reliability, resampled
from .items import Item
from .resampled import Interval
from .scores import Floats, Scores, Taken

BARS = 10
UNKNOWN = Interval(np.nan, np.nan)


class Measured(NamedTuple):
    """An exercise or a check, measured; `against` are students who pull its discrimination down."""

    exercise: str
    title: str
    maximum: float
    figures: Item
    facility: Interval
    discrimination: Interval
    bars: tuple[int, ...] = ()
    failed: int = 0
    against: tuple[str, ...] = ()


class Summary(NamedTuple):
    """A class in figures; NaN where it is too small or too alike for one.

    `bars` count the students by tenths of the points that can be had.
    """

    students: int
    maximum: float
    mean: float
    median: float
    deviation: float
    bars: tuple[int, ...]
    alpha: float
    alpha_in: Interval
    error: float
    exercises: tuple[Measured, ...]
    checks: tuple[Measured, ...]


def summarise(scores: Scores) -> Summary:
    """The figures of all who handed in something."""
    totals, count = scores.totals, len(scores.students)
    maximum = sum(each.maximum for each in scores.exercises.values())
    exercises: list[Measured] = []
    checks: list[Measured] = []
    for taken in scores.measured():
        own, of_checks = _measured(taken, scores.students, totals)
        exercises.append(own)
        checks += of_checks
    alpha = reliability.alpha(scores.by_exercise)
    known = np.isfinite(alpha)
    return Summary(
        students=count,
        maximum=maximum,
        mean=float(totals.mean()) if count else np.nan,
        median=float(np.median(totals)) if count else np.nan,
        deviation=float(totals.std(ddof=1)) if count > 1 else np.nan,
        bars=bars(totals, maximum),
        alpha=alpha,
        alpha_in=resampled.of(reliability.alpha, scores.by_exercise, resampled.draws(count))
        if known
        else UNKNOWN,
        error=reliability.error_of_measurement(scores.by_exercise, alpha) if known else np.nan,
        exercises=tuple(exercises),
        checks=tuple(checks),
    )


def _measured(taken: Taken, students: list[str], totals: Floats) -> tuple[Measured, list[Measured]]:
    """An exercise and its checks, among those who handed it in."""
    own = totals[taken.students]
    names = [students[number] for number in taken.students]
    points = taken.points
    maxima = np.array([*(most for _, _, most in taken.checks), taken.maximum])
    rest = own[:, None] - points
    drawn = resampled.draws(len(own))
    with np.errstate(invalid="ignore", divide="ignore"):
        facilities = resampled.means(points / maxima, drawn)
    correlations = resampled.correlations(points, rest, drawn)
    found = []
    titles = [*(title for _, title, _ in taken.checks), taken.title]
    for number, title in enumerate(titles):
        figures = items.item(points[:, number], rest[:, number], float(maxima[number]))
        against = (
            items.against_the_grain(points[:, number], rest[:, number])
            if figures.discrimination < 0
            else []
        )
        found.append(
            Measured(
                taken.title,
                title,
                float(maxima[number]),
                figures,
                facilities[number],
                correlations[number],
                failed=int((points[:, number] < maxima[number]).sum()),
                against=tuple(names[each] for each in against),
            )
        )
    return found[-1]._replace(bars=bars(points[:, -1], taken.maximum)), found[:-1]


def bars(points: Floats, maximum: float) -> tuple[int, ...]:
    """How many have each tenth of the maximum; full marks are in the last, what is above too."""
    if not maximum:
        return (0,) * BARS
    tenth = np.clip(np.floor(BARS * points / maximum + 1e-9), 0, BARS - 1).astype(int)
    return tuple(int(each) for each in np.bincount(tenth, minlength=BARS))
