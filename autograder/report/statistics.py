"""Statistics of a class by classical test theory: items, reliability and confidence intervals.

An item is a check or an exercise. `rest` is a student's sum of points in all items except one. The
arrays `points` and `rest` have the shape (students,) or (students, items).
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autograder.course.text import number, several
from autograder.report.overview import Scores, Taken

Floats = npt.NDArray[np.float64]

SEED = 1979
CLASSES = 1000
CELLS = 2_000_000  # maximum size of the table of samples; large classes have fewer samples
LEVEL = 0.95
TENTHS = 10
FEW = 20  # with fewer students, correlations are too uncertain to interpret
RELIABLE = 0.7


class Item(NamedTuple):
    """Statistics of one item. An undefined statistic is NaN."""

    students: int
    facility: float  # mean share of the item's points, from 0 to 1
    deviation: float  # standard deviation of this share
    discrimination: float  # Pearson's correlation of `points` with `rest`


def item_statistics(points: Floats, rest: Floats, maximum: float) -> Item:
    count = len(points)
    part = points / maximum if maximum else np.full(count, np.nan)
    discrimination = np.nan
    if count > 2 and not _constant(points) and not _constant(rest):
        own, other = points - points.mean(), rest - rest.mean()
        r = own @ other / np.sqrt((own @ own) * (other @ other))
        discrimination = float(np.clip(r, -1.0, 1.0))
    return Item(
        count,
        float(part.mean()) if count else np.nan,
        float(part.std(ddof=1)) if count > 1 else np.nan,
        discrimination,
    )


def against_the_grain(points: Floats, rest: Floats) -> list[int]:
    """Return the indices of up to three students who lower the correlation most."""
    if len(points) < 3:
        return []
    pull = (points - points.mean()) * (rest - rest.mean())
    return [int(student) for student in np.argsort(pull, kind="stable")[:3] if pull[student] < 0]


def _constant(values: Floats) -> bool:
    return bool(np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())))


def cronbach_alpha(points: Floats) -> float:
    """Return Cronbach's α (1951, equation 2) for points of shape (students, exercises).

    Exercises with the same points for all students are left out. If α is undefined, return NaN. For
    checks, α would be too large, because the checks of one exercise depend on each other.
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
    if not 0 <= reliability <= 1:
        return np.nan
    return float(points.sum(1).std(ddof=1) * np.sqrt(1 - reliability))


class Interval(NamedTuple):
    """Interval of the middle 95 % of a statistic's values in classes sampled by bootstrap."""

    low: float
    high: float


UNKNOWN = Interval(np.nan, np.nan)


def interval_text(interval: Interval) -> str:
    text = f"{interval.low:.2f} to {interval.high:.2f}".replace("-", "−")
    return text if math.isfinite(interval.low) else ""


def bootstrap_draws(students: int) -> Floats:
    """Return how often each student is in each sampled class, of shape (classes, students).

    The seed is fixed, so all statistics of a class use the same samples.
    """
    classes = max(100, min(CLASSES, CELLS // max(students, 1)))
    rng = np.random.default_rng([SEED, students])
    return rng.multinomial(students, np.full(students, 1 / students), classes).astype(float)


def mean_intervals(points: Floats, drawn: Floats) -> list[Interval]:
    """Return the interval of the mean for each column of `points`, of shape (students, items)."""
    return _intervals(drawn @ points / drawn.sum(1, keepdims=True))


def correlation_intervals(points: Floats, rest: Floats, drawn: Floats) -> list[Interval]:
    size = drawn.sum(1, keepdims=True)
    points, rest = points - points.mean(0), rest - rest.mean(0)
    one, other = drawn @ points / size, drawn @ rest / size
    both = drawn @ (points * rest) / size - one * other
    spread_one = drawn @ points**2 / size - one**2
    spread_other = drawn @ rest**2 / size - other**2
    with np.errstate(invalid="ignore", divide="ignore"):
        sampled = both / np.sqrt(spread_one * spread_other)
    sampled[(spread_one < 1e-12) | (spread_other < 1e-12)] = np.nan
    return _intervals(np.clip(sampled, -1, 1))


def interval_of(statistic: Callable[[Floats], float], points: Floats, drawn: Floats) -> Interval:
    students = np.arange(len(points))
    sampled = [statistic(points[np.repeat(students, row.astype(int))]) for row in drawn]
    return _intervals(np.array(sampled)[:, None])[0]


def _intervals(sampled: Floats) -> list[Interval]:
    intervals = []
    for column in sampled.T:
        known = column[np.isfinite(column)]
        is_known = 2 * len(known) >= len(column)
        tails = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]) if is_known else UNKNOWN
        intervals.append(Interval(*map(float, tails)))
    return intervals


class Measured(NamedTuple):
    """Statistics of an exercise or a check. `against` are students who lower its discrimination."""

    exercise: str
    title: str
    maximum: float
    figures: Item
    facility: Interval
    discrimination: Interval
    bars: tuple[int, ...]
    failed: int
    against: tuple[str, ...]


class Summary(NamedTuple):
    """Statistics of a class. Some are NaN if it is too small, or if all points are the same."""

    students: int
    maximum: float
    mean: float
    median: float
    deviation: float
    bars: tuple[int, ...]  # counts the students in each tenth of the maximum
    alpha: float
    alpha_in: Interval
    error: float
    exercises: tuple[Measured, ...]
    checks: tuple[Measured, ...]


def summarise(scores: Scores) -> Summary:
    totals, count = np.array(scores.totals, float), len(scores.students)
    points = np.array(scores.by_exercise, float)
    maximum = sum(exercise.maximum for exercise in scores.exercises.values())
    measured = [_measured(taken, scores.students, totals) for taken in scores.measured()]
    alpha = cronbach_alpha(points)
    is_known = np.isfinite(alpha)
    return Summary(
        students=count,
        maximum=maximum,
        mean=float(totals.mean()) if count else np.nan,
        median=float(np.median(totals)) if count else np.nan,
        deviation=float(totals.std(ddof=1)) if count > 1 else np.nan,
        bars=tenths(totals, maximum),
        alpha=alpha,
        alpha_in=(
            interval_of(cronbach_alpha, points, bootstrap_draws(count)) if is_known else UNKNOWN
        ),
        error=standard_error_of_measurement(points, alpha) if is_known else np.nan,
        exercises=tuple(items[-1] for items in measured),
        checks=tuple(check for items in measured for check in items[:-1]),
    )


def _measured(taken: Taken, students: Sequence[str], totals: Floats) -> list[Measured]:
    points = np.array(taken.points, float)
    rest = totals[taken.students][:, None] - points
    titles = [*(title for _, title, _ in taken.checks), taken.title]
    maxima = [*(most for _, _, most in taken.checks), taken.maximum]
    drawn = bootstrap_draws(len(points))
    with np.errstate(invalid="ignore", divide="ignore"):
        facilities = mean_intervals(points / np.array(maxima), drawn)
    correlations = correlation_intervals(points, rest, drawn)
    items = []
    for index, (title, maximum) in enumerate(zip(titles, maxima, strict=True)):
        own, own_rest = points[:, index], rest[:, index]
        figures = item_statistics(own, own_rest, maximum)
        pulling = against_the_grain(own, own_rest) if figures.discrimination < 0 else []
        items.append(
            Measured(
                taken.title,
                title,
                maximum,
                figures,
                facilities[index],
                correlations[index],
                bars=tenths(own, maximum),
                failed=int((own < maximum).sum()),
                against=tuple(students[taken.students[place]] for place in pulling),
            )
        )
    return items


def tenths(points: Floats, maximum: float) -> tuple[int, ...]:
    """Count the students in each tenth of the maximum. Higher points are in the last tenth."""
    if not maximum:
        return (0,) * TENTHS
    tenth = np.clip(np.floor(TENTHS * points / maximum + 1e-9), 0, TENTHS - 1).astype(int)
    return tuple(np.bincount(tenth, minlength=TENTHS).tolist())


def class_sentences(summary: Summary) -> list[str]:
    """Return sentences about the whole class. The first one has the number of students."""
    count = summary.students
    if not count:
        return ["Nobody's points are known yet, so there are no figures."]
    sentences = [
        f"Points are known for {several(count, 'student')}. The figures are about these students."
    ]
    if count == 1:
        return [*sentences, "One student is too few for figures about a class."]
    sentences.append(
        f"The mean is {summary.mean:.1f} of {number(summary.maximum)} points, the median "
        f"{summary.median:.1f}, the standard deviation {summary.deviation:.1f}."
    )
    if count < FEW:
        sentences.append(
            f"Fewer than {FEW} students have points. So the figures cannot show which exercises "
            "or checks tell strong work from weak work, or how reliable the points are. The "
            "numbers of students who passed a check are exact."
        )
        return sentences
    if not math.isfinite(summary.alpha):
        reason = "The reliability of the points cannot be computed: the points differ too little."
        return [*sentences, reason]
    low, high = summary.alpha_in
    span = f" (95 % interval {low:.2f} to {high:.2f})" if math.isfinite(low) else ""
    sentences.append(
        f"Cronbach's α over the exercises is {summary.alpha:.2f}{span}. It shows how well the "
        "exercises agree on who did well. It does not use checks, because the checks of one "
        "exercise depend on each other."
    )
    if math.isfinite(summary.error):
        sentences.append(
            f"A student's total is uncertain by about {summary.error:.1f} points (standard error "
            f"of measurement)."
        )
    if summary.alpha < RELIABLE:
        sentences.append("Differences of a few points between students mean little.")
    return sentences


def item_remark(measured: Measured) -> str:
    """Return a sentence on a check or an exercise that a person should look at, if it needs one."""
    figures = measured.figures
    against = ", ".join(measured.against) or "the submissions"
    if figures.students < FEW:
        return ""
    if measured.discrimination.high < 0:
        return (
            f"Students who are good at the other exercises do worse here. Look at {against}, and "
            "make sure that the check asks what the text says."
        )
    if figures.discrimination < 0:
        return (
            "Students who are good at the other exercises do no better here. This may be chance: "
            f"the interval contains 0. Look at {against}."
        )
    if figures.facility == 1:
        return "All students have full points, so this does not distinguish the students."
    if figures.facility == 0:
        return "Nobody has a point here. Is the task clear?"
    return ""


def shown_figures(summary: Summary) -> dict[str, Any]:
    """Return the functions and limits with which page templates show statistics."""
    return {
        "interval": interval_text,
        "remark": item_remark,
        "few": FEW,
        "enough": summary.students >= FEW,
    }
