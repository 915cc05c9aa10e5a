"""A person's decision on points, from what they say of it to a row of the table."""

import getpass
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from autograder.classroom.adjustments import TOTAL
from autograder.errors import UserError
from autograder.report.model import CheckReport, ExerciseReport, Report
from autograder.text import number, one_line


def row_of(change: str, amount: float | None, why: str, by: str | None) -> dict[str, str]:
    """What was decided, by whom and when."""
    return {
        "change": change,
        "points": "" if amount is None else number(amount),
        "why": one_line(why, 500),
        "by": one_line(by or getpass.getuser(), 100),
        "when": date.today().isoformat(),
    }


def check_named(
    reports: Mapping[str, Report], results: Path, student: str, exercise: str, check: str | None
) -> str:
    """The check's own name, for a name or a title; the student and the exercise are there.

    Raises:
        UserError: one of them is not.
    """
    if student not in reports:
        raise UserError(f"There is nobody called {student!r} in {results}. See its grades.csv.")
    graded = {each.name: each for each in reports[student].exercises}
    if exercise not in {*graded, TOTAL}:
        raise UserError(f"{exercise!r} was not graded. Name one of {', '.join(graded)}, {TOTAL}.")
    if check is None:
        return ""
    checks = graded[exercise].checks if exercise in graded else ()
    found = [each.name for each in checks if check in {each.name, each.title}]
    if len(found) != 1:
        known = ", ".join(each.name for each in checks) or "none"
        raise UserError(f"{exercise} has no check {check!r} of its own. It has: {known}.")
    return found[0]


def doubt_of(report: Report, exercise: str, check: str, change: str, amount: float | None) -> str:
    """What is odd about a change of the points that there were when grade last ran."""
    parts: list[Report | ExerciseReport | CheckReport] = [report]
    if exercise != TOTAL:
        one = next(each for each in report.exercises if each.name == exercise)
        parts = [c for c in one.checks if c.name == check] if check else [one]
    if amount is None:
        return ""
    before, most = parts[0].points, parts[0].max_points
    after = amount if change == "set" else before + amount
    if after < 0:
        return f" There were {number(before)} points, so no more than these are taken off."
    if after > most and amount:
        return f" That makes {number(after)} of {number(most)} points: see that it is meant."
    return ""
