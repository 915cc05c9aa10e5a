"""Points above the maximum: a bonus, or a slip of whoever entered them."""

from collections.abc import Iterable

from autograder.report.model import Report
from autograder.text import few, number, one_line

MAX_SHOWN = 20


def told_of(above: Iterable[str]) -> list[str]:
    """A sentence that names them, or none."""
    shown = [one_line(each, 200) for each in above]
    if not shown:
        return []
    return [
        f"More points than the maximum, which is right only for a bonus: {few(shown, MAX_SHOWN)}."
    ]


def above_maximum(report: Report) -> list[str]:
    """Where a student has more points than there are: in a check, an exercise, all together."""
    counted = [exercise for exercise in report.exercises if not exercise.excused]
    places = [
        (f"{exercise.name}, {check.title}: ", check.points, check.max_points)
        for exercise in counted
        for check in exercise.checks
    ]
    places += [(f"{each.name}: ", each.points, each.max_points) for each in counted]
    places.append(("", report.points, report.max_points))
    return [
        f"{report.student} ({where}{number(points)} of {number(maximum)})"
        for where, points, maximum in places
        if points > maximum + 0.005
    ]
