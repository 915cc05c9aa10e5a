"""`autograder adjust`: a person changes what the grader gave, and says why."""

from collections.abc import Mapping
from pathlib import Path

import click

from autograder.classroom.adjustments import TABLE, Adjustments, check_named, decision_row, doubt_of
from autograder.classroom.grades import read_reports
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.course.course_file import Course, find_course
from autograder.course.errors import UserError
from autograder.course.text import several
from autograder.report.model import Report

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
    name = (check or "") if undo else check_named(reports, results, student, exercise, check)
    if undo:
        done, trouble = _undone(table, student, exercise, name)
    else:
        change, amount = _change(add, points, excuse, why)
        where = {"student": student, "exercise": exercise, "check": name}
        trouble = table.enter(where | decision_row(change, amount, why, by))
        doubt = doubt_of(reports[student], exercise, name, change, amount)
        done = f"Entered in {results / TABLE}.{doubt}"
    if trouble:
        raise UserError(f"{trouble}, and run the same command again.")
    click.echo(f"{done} {AGAIN}")
    return 0


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
