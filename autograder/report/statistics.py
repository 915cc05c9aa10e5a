"""How hard an item is, and whether who is good at the rest is good at it (classical test theory).

An item is a check or an exercise; `rest` is what a student has in all others together. Shapes:
points and rest are (students,) or (students, items).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from autograder.course.text import number, several

from .tally import Floats, Scores, Taken

END = 0.27  # of a class at either end: Kelley (1939), the share at which the ends differ most


class Item(NamedTuple):
    """The statistics of one item; NaN where the numbers leave one undefined.

    `facility` is the mean part of its points (0 to 1), `deviation` the standard deviation of that
    part, `discrimination` Pearson's correlation of the points with the rest, `efficiency` the same
    covariance as a part of the largest that these points and totals could have, and `ends` the
    facility in the upper 27 % by total less that in the lower 27 %.
    """

    students: int
    facility: float
    deviation: float
    discrimination: float
    efficiency: float
    ends: float


def item_statistics(points: Floats, rest: Floats, maximum: float) -> Item:
    """The statistics of an item of `maximum` points; both arrays of shape (students,)."""
    count = len(points)
    part = points / maximum if maximum else np.full(count, np.nan)
    return Item(
        count,
        float(part.mean()) if count else np.nan,
        float(part.std(ddof=1)) if count > 1 else np.nan,
        correlation(points, rest),
        efficiency(points, rest),
        ends(part, points + rest),
    )


def correlation(one: Floats, other: Floats) -> float:
    """Pearson's r; NaN for fewer than three students, or where one of the two never differs."""
    if len(one) < 3 or _constant(one) or _constant(other):
        return np.nan
    a, b = one - one.mean(), other - other.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def efficiency(points: Floats, rest: Floats) -> float:
    """Covariance with the rest, as a part of what it were if both had the same order."""
    if len(points) < 3 or _constant(points) or _constant(rest):
        return np.nan
    centred = rest - rest.mean()
    return float((points @ centred) / (np.sort(points) @ np.sort(centred)))


def ends(part: Floats, totals: Floats) -> float:
    """Mean part of the points in the upper 27 % by total, less that in the lower 27 %.

    Students of the same total at a border share its places: the order of the class has no say.
    """
    size = int(np.floor(END * len(part)))
    if size < 1:
        return np.nan
    return _mean_of_top(part, totals, size) - _mean_of_top(part, -totals, size)


def _mean_of_top(part: Floats, totals: Floats, size: int) -> float:
    border = np.sort(totals)[-size]
    above, at = totals > border, totals == border
    places = size - int(above.sum())
    return float((part[above].sum() + places * part[at].mean()) / size)


def against_the_grain(points: Floats, rest: Floats, most: int = 3) -> list[int]:
    """The students who pull a correlation down most: good at the rest and not here, or reverse."""
    if len(points) < 3:
        return []
    pull = (points - points.mean()) * (rest - rest.mean())
    order = np.lexsort((np.arange(len(pull)), pull))
    return [int(each) for each in order[:most] if pull[each] < 0]


def _constant(values: Floats) -> bool:
    return bool(np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())))


# Whether the exercises measure one thing: Cronbach (1951), equation 2, over exercises.
#
# Not over checks: those of one exercise depend on each other, which makes the figure too good.


def cronbach_alpha(points: Floats) -> float:
    """Cronbach's α of points (students, exercises); NaN where it is not defined.

    Exercises in which all have the same points say nothing and are left out.
    """
    if len(points) < 3:
        return np.nan
    varying = points[:, np.ptp(points, axis=0) > 1e-12]
    exercises = varying.shape[1]
    total = varying.sum(1).var(ddof=1) if exercises else 0.0
    if exercises < 2 or total <= 0:
        return np.nan
    return float(exercises / (exercises - 1) * (1 - varying.var(axis=0, ddof=1).sum() / total))


def standard_error_of_measurement(points: Floats, reliability: float) -> float:
    """The standard error of a total, in points: s·√(1 − α); NaN for an α below 0 or unknown."""
    if not 0 <= reliability <= 1:
        return np.nan
    return float(points.sum(1).std(ddof=1) * np.sqrt(1 - reliability))


# Intervals by bootstrap: what a figure would be in other classes like this one (percentiles).


SEED = 1979
CLASSES = 1000
CELLS = 2_000_000  # of the table of draws; larger classes are drawn less often
LEVEL = 0.95


class Interval(NamedTuple):
    """Where the middle 95 % lie."""

    low: float
    high: float


def bootstrap_draws(students: int) -> Floats:
    """How often each student is in each of the classes drawn, of shape (classes, students).

    The same for all figures of a class, so that they can be compared; the seed is fixed.
    """
    classes = max(100, min(CLASSES, CELLS // max(students, 1)))
    rng = np.random.default_rng([SEED, students])
    return rng.multinomial(students, np.full(students, 1 / students), classes).astype(float)


def mean_intervals(points: Floats, drawn: Floats) -> list[Interval]:
    """Intervals of the mean of each column of points (students, items)."""
    return _intervals(drawn @ points / drawn.sum(1, keepdims=True))


def correlation_intervals(points: Floats, rest: Floats, drawn: Floats) -> list[Interval]:
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


def interval_of(statistic: Callable[[Floats], float], points: Floats, drawn: Floats) -> Interval:
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


# All figures of a class, with their intervals: what its pages and reports show.


TENTHS = 10
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
    alpha = cronbach_alpha(scores.by_exercise)
    known = np.isfinite(alpha)
    return Summary(
        students=count,
        maximum=maximum,
        mean=float(totals.mean()) if count else np.nan,
        median=float(np.median(totals)) if count else np.nan,
        deviation=float(totals.std(ddof=1)) if count > 1 else np.nan,
        bars=tenths(totals, maximum),
        alpha=alpha,
        alpha_in=interval_of(cronbach_alpha, scores.by_exercise, bootstrap_draws(count))
        if known
        else UNKNOWN,
        error=standard_error_of_measurement(scores.by_exercise, alpha) if known else np.nan,
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
    drawn = bootstrap_draws(len(own))
    with np.errstate(invalid="ignore", divide="ignore"):
        facilities = mean_intervals(points / maxima, drawn)
    correlations = correlation_intervals(points, rest, drawn)
    found = []
    titles = [*(title for _, title, _ in taken.checks), taken.title]
    for index, title in enumerate(titles):
        figures = item_statistics(points[:, index], rest[:, index], float(maxima[index]))
        against = (
            against_the_grain(points[:, index], rest[:, index])
            if figures.discrimination < 0
            else []
        )
        found.append(
            Measured(
                taken.title,
                title,
                float(maxima[index]),
                figures,
                facilities[index],
                correlations[index],
                failed=int((points[:, index] < maxima[index]).sum()),
                against=tuple(names[each] for each in against),
            )
        )
    return found[-1]._replace(bars=tenths(points[:, -1], taken.maximum)), found[:-1]


def tenths(points: Floats, maximum: float) -> tuple[int, ...]:
    """How many have each tenth of the maximum; full marks are in the last, what is above too."""
    if not maximum:
        return (0,) * TENTHS
    tenth = np.clip(np.floor(TENTHS * points / maximum + 1e-9), 0, TENTHS - 1).astype(int)
    return tuple(int(each) for each in np.bincount(tenth, minlength=TENTHS))


# What the figures of a class mean, in sentences, and what they cannot say.


FEW = 20  # students: below this, correlations swing by more than what they are used to tell
RELIABLE = 0.7


def class_sentences(summary: Summary) -> list[str]:
    """Sentences about the class as a whole; the first says of whom they are."""
    count = summary.students
    if not count:
        return ["Nobody's points are known yet, so there are no figures."]
    said = [
        f"{several(count, 'student')} handed in something whose points are known; these figures "
        f"are about them."
    ]
    if count == 1:
        return [*said, "Of one student no figure about a class can be made."]
    said.append(
        f"The mean is {summary.mean:.1f} of {number(summary.maximum)} points, the median "
        f"{summary.median:.1f}, the standard deviation {summary.deviation:.1f}."
    )
    if count < FEW:
        return [
            *said,
            f"With fewer than {FEW} students it cannot be said which exercise or check tells good "
            f"work from the rest, nor how reliable the points are: other students would give other "
            f"figures. How many passed a check is a count, and holds.",
        ]
    return [*said, *_of_reliability(summary)]


def _of_reliability(summary: Summary) -> list[str]:
    if not math.isfinite(summary.alpha):
        return ["How reliable the points are cannot be said: the exercises do not differ enough."]
    low, high = summary.alpha_in
    span = f" (95 % interval {low:.2f} to {high:.2f})" if math.isfinite(low) else ""
    said = [
        f"Cronbach's α over the exercises is {summary.alpha:.2f}{span}: how far they agree on who "
        f"did well. It is taken over exercises since the checks of one depend on each other."
    ]
    if math.isfinite(summary.error):
        said.append(
            f"A student's total is uncertain by about {summary.error:.1f} points (standard error "
            f"of measurement)."
        )
    if summary.alpha < RELIABLE:
        said.append("Differences of a few points between students say little.")
    return said


def item_remark(measured: Measured) -> str:
    """A sentence where a check or exercise needs a look; empty where nothing is odd."""
    figures = measured.figures
    if figures.students < FEW:
        return ""
    if measured.discrimination.high < 0:
        return (
            f"Who is good at the rest does worse here. Look at {_names(measured.against)}, and at "
            f"whether the check asks what the text says."
        )
    if figures.discrimination < 0:
        return (
            f"Who is good at the rest does no better here (by chance perhaps: the interval holds "
            f"0). Look at {_names(measured.against)}."
        )
    if figures.facility == 1:
        return "All have full points, so it tells nobody from another."
    if figures.facility == 0:
        return "Nobody has a point here. Is it asked for clearly?"
    return ""


def _names(students: tuple[str, ...]) -> str:
    return ", ".join(students) or "the submissions"
