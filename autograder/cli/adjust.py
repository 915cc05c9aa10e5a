"""`autograder adjust`: an instructor changes points, with a reason."""

from collections.abc import Collection
from pathlib import Path

import click

from autograder.classroom.adjustments import ADJUSTMENTS, Adjustments
from autograder.classroom.decisions import (
    TOTAL,
    check_named,
    decision_row,
    doubt_of,
    line_named,
    part_named,
    refuse_without_reason,
)
from autograder.classroom.grades import read_reports
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.cli.options import PATH, course_option
from autograder.course.course_file import Course, find_course
from autograder.course.errors import UserError
from autograder.course.text import several

AGAIN = "To apply it, run the same grade command again. It shows what changes."


@click.command()
@click.argument("results", type=PATH)
@click.argument("student")
@click.argument("exercise")
@click.option("--check", default="", help="Change only this check, by its name or title.")
@click.option("--line", default="", help="Put the comment at this line: 12, or 3:12 for cell 3.")
@click.option("--add", type=float, help="Add this many points; --add -2 takes 2 off.")
@click.option("--set", "points", type=float, help="Set the points to this number.")
@click.option(
    "--excuse", is_flag=True, help="Count the exercise neither in the points nor in the maximum."
)
@click.option("--undo", is_flag=True, help="Remove the earlier entry for this exercise.")
@click.option("--why", default="", help="The reason or comment. The student reads it.")
@click.option("--by", help="The person who decided.  [default: your user name]")
@course_option
def adjust(
    results: Path,
    student: str,
    exercise: str,
    check: str,
    line: str,
    add: float | None,
    points: float | None,
    excuse: bool,
    undo: bool,
    why: str,
    by: str | None,
    course_path: Path | None,
) -> None:
    """Change STUDENT's points for EXERCISE (or `total`) in the RESULTS folder of `grade`.

    A change needs --why. Without --add, --set and --excuse, the text of --why is only a comment.
    --line puts the comment at a line of the code.
    """
    course = find_course(Path.cwd(), named=course_path)
    exercise = part_named(exercise, course)
    table = Adjustments(results, course)
    reports = {} if undo else {report.student: report for report in read_reports(results)}
    student = _name_in_results(student, course, reports, table)
    if undo:
        count, problem = table.undo(student, exercise, check or line_named(line))
        if not count:
            raise UserError(f"{table.table.path} has no row for {student} and {exercise}.")
        done = f"{several(count, 'row')} removed."
    else:
        check = check_named(reports, results, student, exercise, check or None)
        change, amount = _change(add, points, excuse, why)
        if line and (check or change != "comment" or exercise == TOTAL):
            raise UserError("--line is for a comment on one exercise. Use it with --why only.")
        check = check or line_named(line)
        place = {"student": student, "exercise": exercise, "check": check}
        problem = table.enter(place | decision_row(change, amount, why, by))
        doubt = doubt_of(table.upcoming(reports[student]), exercise, check, change, amount)
        done = f"Entered in {results / ADJUSTMENTS}.{doubt}"
    if problem:
        raise UserError(f"{problem}, then run the same command again.")
    click.echo(f"{done} {AGAIN}")
    for note in table.put_back_notes():
        click.echo(note)


def _name_in_results(
    student: str, course: Course, graded: Collection[str], table: Adjustments
) -> str:
    pseudonym = Pseudonyms(course).called(student)
    return pseudonym if pseudonym in graded or table.of(pseudonym) else student


def _change(
    add: float | None, points: float | None, excuse: bool, why: str
) -> tuple[str, float | None]:
    changes = [add is not None, points is not None, excuse]
    if sum(changes) > 1:
        raise UserError("Use only one of --add, --set and --excuse.")
    if not any(changes) and not why.strip():
        raise UserError("Nothing to change. Use --add, --set or --excuse, or --why for a comment.")
    refuse_without_reason(why, "Add --why TEXT.")
    if add is not None:
        return "add", add
    if points is not None:
        return "set", points
    return ("excuse", None) if excuse else ("comment", None)
