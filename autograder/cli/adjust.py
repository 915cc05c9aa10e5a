"""`autograder adjust`: a person changes what the grader gave, and says why."""

import getpass
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import click

from autograder.classroom.adjustments import TABLE, TOTAL, Adjustments
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.course import Course, find_course
from autograder.errors import UserError
from autograder.exports.grades import read_reports
from autograder.report.model import CheckReport, ExerciseReport, Report
from autograder.text import number, one_line, several

AGAIN = "Run the same grade command again: it says what changes, and grades and pages have it."


def run(
    results: Path,
    student: str,
    exercise: str,
    check: str | None,
    add: float | None,
    points: float | None,
    excuse: bool,
    undo: bool,
    why: str,
    by: str | None,
    course_path: Path | None,
) -> int:
    course = find_course(Path.cwd(), named=course_path)
    table = Adjustments(results / TABLE, course)
    reports = {} if undo else {report.student: report for report in read_reports(results)}
    student = _called(student, course, reports, table)
    name = (check or "") if undo else _check(reports, results, student, exercise, check)
    if undo:
        done, trouble = _undone(table, student, exercise, name)
    else:
        change, amount = _change(add, points, excuse, why)
        where = {"student": student, "exercise": exercise, "check": name}
        trouble = table.enter(where | _row(change, amount, why, by))
        doubt = _doubt(reports[student], exercise, name, change, amount)
        done = f"Entered in {results / TABLE}.{doubt}"
    if trouble:
        raise UserError(f"{trouble}, and run the same command again.")
    click.echo(f"{done} {AGAIN}")
    return 0


def _row(change: str, amount: float | None, why: str, by: str | None) -> dict[str, str]:
    """What was decided, by whom and when."""
    return {
        "change": change,
        "points": "" if amount is None else number(amount),
        "why": one_line(why, 500),
        "by": one_line(by or getpass.getuser(), 100),
        "when": date.today().isoformat(),
    }


def _undone(table: Adjustments, student: str, exercise: str, check: str) -> tuple[str, str]:
    """What was taken out, and why that cannot be."""
    count, trouble = table.undo(student, exercise, check)
    if not count:
        raise UserError(f"{table.table.path} has no row for {student}, {exercise}.")
    return f"{several(count, 'row')} taken out.", trouble


def _called(student: str, course: Course, reports: Mapping[str, Report], table: Adjustments) -> str:
    """What a student is called in the results, which may have no names."""
    called = Pseudonyms(course.root / PSEUDONYMS).called(student)
    return called if called in reports or table.has(called) else student


def _change(
    add: float | None, points: float | None, excuse: bool, why: str
) -> tuple[str, float | None]:
    """What is to be done: one thing."""
    said = [add is not None, points is not None, excuse]
    if sum(said) > 1:
        raise UserError("Say one of --add, --set and --excuse.")
    if not any(said) and not why:
        raise UserError("Say what to change: --add, --set or --excuse, or --why for a comment.")
    if add is not None:
        return "add", add
    if points is not None:
        return "set", points
    return ("excuse", None) if excuse else ("comment", None)


def _doubt(report: Report, exercise: str, check: str, change: str, amount: float | None) -> str:
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


def _check(
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
