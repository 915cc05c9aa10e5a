"""Statistics of a class: its totals, and the points of each exercise and check."""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from autograder.course.text import number, several
from autograder.report.overview import Scores, Taken

TENTHS = 10
FEW = 20  # with fewer students, an exercise that all or none solve means little


class Measured(NamedTuple):
    """Statistics of an exercise or a check, among the students who handed the exercise in.

    `facility` is the mean share of the points, from 0 to 1, or NaN if there are none to get.
    """

    exercise: str
    title: str
    students: int
    facility: float
    bars: tuple[int, ...]  # counts the students in each tenth of the points
    failed: int


class Summary(NamedTuple):
    """Statistics of a class. `deviation` is NaN for one student. Of no students, all are NaN."""

    students: int
    maximum: float
    mean: float
    median: float
    deviation: float
    bars: tuple[int, ...]  # counts the students in each tenth of the maximum
    exercises: tuple[Measured, ...]
    checks: tuple[Measured, ...]


def summarise(scores: Scores) -> Summary:
    totals = scores.totals
    maximum = sum(exercise.maximum for exercise in scores.exercises.values())
    measured = [_measured(taken) for taken in scores.measured()]
    return Summary(
        students=len(totals),
        maximum=maximum,
        mean=statistics.fmean(totals) if totals else math.nan,
        median=statistics.median(totals) if totals else math.nan,
        deviation=statistics.stdev(totals) if len(totals) > 1 else math.nan,
        bars=tenths(totals, maximum),
        exercises=tuple(items[-1] for items in measured),
        checks=tuple(check for items in measured for check in items[:-1]),
    )


def _measured(taken: Taken) -> list[Measured]:
    """Return the statistics of an exercise's checks, then of the exercise."""
    items = [*((title, most) for _, title, most in taken.checks), (taken.title, taken.maximum)]
    return [
        Measured(
            taken.title,
            title,
            students=len(points),
            facility=statistics.fmean(points) / maximum if maximum else math.nan,
            bars=tenths(points, maximum),
            failed=sum(own < maximum for own in points),
        )
        for (title, maximum), points in zip(items, zip(*taken.points, strict=True), strict=True)
    ]


def tenths(points: Sequence[float], maximum: float) -> tuple[int, ...]:
    """Count the students in each tenth of the maximum. Higher points are in the last tenth."""
    bars = [0] * TENTHS
    for own in points if maximum else ():
        bars[min(max(math.floor(TENTHS * own / maximum + 1e-9), 0), TENTHS - 1)] += 1
    return tuple(bars)


def class_sentences(summary: Summary) -> list[str]:
    """Return sentences about the whole class. The first one has the number of students."""
    count = summary.students
    if not count:
        return ["Nobody's points are known yet, so there are no figures."]
    first = (
        f"Points are known for {several(count, 'student')}. The figures are about these students."
    )
    if count == 1:
        return [first, "One student is too few for figures about a class."]
    return [
        first,
        f"The mean is {summary.mean:.1f} of {number(summary.maximum)} points, the median "
        f"{summary.median:.1f}, the standard deviation {summary.deviation:.1f}.",
    ]


def item_remark(measured: Measured) -> str:
    """Return a sentence on a check or an exercise that a person should look at, if it needs one."""
    if measured.students >= FEW and measured.facility == 1:
        return "All students have full points, so this does not distinguish the students."
    if measured.students >= FEW and measured.facility == 0:
        return "Nobody has a point here. Is the task clear?"
    return ""
