"""Statistics of a class by classical test theory: items, reliability and confidence intervals.

An item is a check or an exercise. `rest` is a student's sum of points in all items except one. The
arrays `points` and `rest` have the shape (students,).
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autograder.course.text import number, several
from autograder.report.overview import Scores, Taken

Floats = npt.NDArray[np.float64]

NORMAL = 1.96  # a 95 % interval has this many standard errors on each side
TENTHS = 10
FEW = 20  # with fewer students, correlations are too uncertain to interpret
RELIABLE = 0.7


class Interval(NamedTuple):
    """Confidence interval of 95 %, or NaN."""

    low: float
    high: float


class Measured(NamedTuple):
    """Statistics of an item. An undefined statistic is NaN.

    `against` are up to three students who lower a negative discrimination most.
    """

    exercise: str
    title: str
    maximum: float
    students: int
    facility: float  # mean share of the item's points, from 0 to 1
    facility_in: Interval
    deviation: float  # standard deviation of this share
    discrimination: float  # Pearson's correlation of `points` with `rest`
    discrimination_in: Interval
    bars: tuple[int, ...]
    failed: int
    against: tuple[str, ...]


def measure(
    exercise: str, title: str, maximum: float, points: Floats, rest: Floats, names: Sequence[str]
) -> Measured:
    """Return the statistics of an item. `names` are the students' ids, in the same order."""
    count = len(points)
    part = points / maximum if maximum else np.full(count, np.nan)
    facility = float(part.mean()) if count else np.nan
    deviation = float(part.std(ddof=1)) if count > 1 else np.nan
    margin = NORMAL * deviation / math.sqrt(count) if count else np.nan
    discrimination, against = np.nan, []
    if count > 2 and not _constant(points) and not _constant(rest):
        own, other = points - points.mean(), rest - rest.mean()
        r = own @ other / np.sqrt((own @ own) * (other @ other))
        discrimination = float(np.clip(r, -1.0, 1.0))
        pull = own * other
        against = [place for place in np.argsort(pull, kind="stable")[:3] if pull[place] < 0]
    return Measured(
        exercise,
        title,
        maximum,
        count,
        facility,
        Interval(max(facility - margin, 0.0), min(facility + margin, 1.0)),
        deviation,
        discrimination,
        _correlation_interval(discrimination, count),
        bars=tenths(points, maximum),
        failed=int((points < maximum).sum()),
        against=tuple(names[place] for place in against) if discrimination < 0 else (),
    )


def _constant(values: Floats) -> bool:
    return bool(np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())))


def _correlation_interval(r: float, count: int) -> Interval:
    """Return the interval of a correlation by Fisher's transformation."""
    if count < 4 or abs(r) >= 1:
        return Interval(np.nan, np.nan)
    centre, margin = math.atanh(r), NORMAL / math.sqrt(count - 3)
    return Interval(math.tanh(centre - margin), math.tanh(centre + margin))


def interval_text(interval: Interval) -> str:
    text = f"{interval.low:.2f} to {interval.high:.2f}".replace("-", "−")
    return text if math.isfinite(interval.low) else ""


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


class Summary(NamedTuple):
    """Statistics of a class. Some are NaN if it is too small, or if all points are the same."""

    students: int
    maximum: float
    mean: float
    median: float
    deviation: float
    bars: tuple[int, ...]  # counts the students in each tenth of the maximum
    alpha: float
    error: float
    exercises: tuple[Measured, ...]
    checks: tuple[Measured, ...]


def summarise(scores: Scores) -> Summary:
    totals, count = np.array(scores.totals, float), len(scores.students)
    points = np.array(scores.by_exercise, float)
    maximum = sum(exercise.maximum for exercise in scores.exercises.values())
    measured = [_measured(taken, scores.students, totals) for taken in scores.measured()]
    alpha = cronbach_alpha(points)
    return Summary(
        students=count,
        maximum=maximum,
        mean=float(totals.mean()) if count else np.nan,
        median=float(np.median(totals)) if count else np.nan,
        deviation=float(totals.std(ddof=1)) if count > 1 else np.nan,
        bars=tenths(totals, maximum),
        alpha=alpha,
        error=standard_error_of_measurement(points, alpha),
        exercises=tuple(items[-1] for items in measured),
        checks=tuple(check for items in measured for check in items[:-1]),
    )


def _measured(taken: Taken, students: Sequence[str], totals: Floats) -> list[Measured]:
    """Return the statistics of an exercise's checks, then of the exercise."""
    points = np.array(taken.points, float)
    rest = totals[taken.students][:, None] - points
    names = [students[place] for place in taken.students]
    items = [*((title, most) for _, title, most in taken.checks), (taken.title, taken.maximum)]
    return [
        measure(taken.title, title, most, points[:, item], rest[:, item], names)
        for item, (title, most) in enumerate(items)
    ]


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
    sentences.append(
        f"Cronbach's α over the exercises is {summary.alpha:.2f}. It shows how well the "
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
    against = ", ".join(measured.against) or "the submissions"
    if measured.students < FEW:
        return ""
    if measured.discrimination_in.high < 0:
        return (
            f"Students who are good at the other exercises do worse here. Look at {against}, and "
            "make sure that the check asks what the text says."
        )
    if measured.discrimination < 0:
        return (
            "Students who are good at the other exercises do no better here. This may be chance: "
            f"the interval contains 0. Look at {against}."
        )
    if measured.facility == 1:
        return "All students have full points, so this does not distinguish the students."
    if measured.facility == 0:
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
