"""`autograder export`: files for learning platforms, made from a class's results."""

import functools
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import msgspec

from autograder.classroom.adjustments import unapplied_entries
from autograder.classroom.grades import grade_of, read_reports, under_policy
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.cli.options import PATH, course_option
from autograder.course.course_file import Course, find_course
from autograder.course.errors import UserError
from autograder.course.files import refuse_unwritable, write_atomically, zipped
from autograder.course.text import few, number
from autograder.platforms import gradescope, moodle
from autograder.platforms.blackboard import BLACKBOARD_GRADEBOOK
from autograder.platforms.brightspace import BRIGHTSPACE_GRADEBOOK
from autograder.platforms.canvas import CANVAS_GRADEBOOK
from autograder.platforms.gradebook import (
    ExportFile,
    ExportRequest,
    fill_in,
    name_of,
    names_note,
    page_bytes,
)
from autograder.report.grades_table import EXCUSED, safe_cell, table_lines
from autograder.report.html import page_of
from autograder.report.model import HandIn
from autograder.report.overview import above_maximum, above_maximum_note

TABLE = "mail-merge.csv"
COLUMNS = ("id", "name", "email", "section", "points", "maximum", "status", "page")


def pages(request: ExportRequest) -> ExportFile:
    files = [(page_of(report), page_bytes(request, report)) for report in request.reports]
    rows: list[Sequence[str]] = [COLUMNS]
    for report in request.reports:
        known = report.hand_in or HandIn()
        grade = grade_of(report, [exercise.name for exercise in report.exercises])
        points = number(grade.points) if grade.points is not None else ""  # for missing work
        if grade.excused:
            points = points or EXCUSED
        status = "excused" if grade.excused else report.status
        about = (report.student, known.name, known.email, known.section)
        of_points = (points, number(report.max_points), status)
        rows.append([*map(safe_cell, about), *of_points, page_of(report)])
    data = "".join(table_lines(rows, newline="\r\n")).encode("utf-8-sig")  # for Word and Excel
    lost = [name_of(r) for r in request.reports if not (r.hand_in and r.hand_in.email)]
    notes = names_note("No e-mail address is known for", lost)
    if len(lost) == len(request.reports):
        notes = [
            "No e-mail address is known. To add them, grade with a roster that has a column "
            "`email`."
        ]
    return ExportFile(zipped([(TABLE, data), *files]), notes)


EXPORTS: dict[str, Callable[[ExportRequest], ExportFile]] = {
    "canvas": functools.partial(fill_in, CANVAS_GRADEBOOK),
    "moodle": moodle.worksheet,
    "moodle-feedback": moodle.feedback,
    "gradescope": gradescope.results_zip,
    "blackboard": functools.partial(fill_in, BLACKBOARD_GRADEBOOK),
    "brightspace": functools.partial(fill_in, BRIGHTSPACE_GRADEBOOK),
    "feedback": pages,
}
WITHOUT_TEMPLATE = {"gradescope", "feedback"}


def export_file(
    platform: str,
    results: Path,
    course: Course,
    template: Path | None,
    column: str | None = None,
    scale: bool = False,
) -> ExportFile:
    if template is None and platform not in WITHOUT_TEMPLATE:
        raise UserError(
            f"Choose the file that you downloaded from {platform.partition('-')[0]} (--template). "
            f"The export fills it in, and adds no rows or columns."
        )
    reports = read_reports(results)
    unapplied, exercises = unapplied_entries(results, course, reports)
    if unapplied:
        of = f" for {few(sorted(exercises), 5)}" if exercises else ""
        raise UserError(f"{unapplied} Run the same grade command{of} again, then export.")
    reports = [under_policy(report, course) for report in Pseudonyms(course).with_names(reports)]
    request = ExportRequest(reports, course, results, template or results, column, scale)
    file = EXPORTS[platform](request)
    above = above_maximum_note(name for report in reports for name in above_maximum(report))
    return msgspec.structs.replace(file, notes=[*file.notes, *above])


@click.command()
@click.argument("platform", metavar="PLATFORM", type=click.Choice(list(EXPORTS)))
@click.argument("results", type=PATH)
@click.option("--template", type=PATH, help="File downloaded from the platform, to fill in.")
@click.option("--out", type=PATH, required=True, help="File to write, for the upload.")
@click.option("--column", help="Fill in this column.  [default: the assignment's title]")
@click.option("--scale", is_flag=True, help="Scale the points to the platform's maximum.")
@course_option
def export(
    platform: str,
    results: Path,
    template: Path | None,
    out: Path,
    column: str | None,
    scale: bool,
    course_path: Path | None,
) -> None:
    """Fill in PLATFORM's gradebook file from the RESULTS folder of `grade`.

    PLATFORM is canvas, moodle, moodle-feedback, gradescope, blackboard or brightspace. With
    `feedback`, the command packs every student's page, and a table for a mail program.

    The exit code is 1 if the file has no row for a student. The command names these students.
    """
    if template is not None and template.resolve() == out.resolve():
        raise UserError("--out is the same file as --template. Name another file.")
    course = find_course(Path.cwd(), named=course_path)
    file = export_file(platform, results, course, template, column, scale)
    with refuse_unwritable(out):
        write_atomically(out, file.data)
    for line in (*file.notes, f"Written   {out}"):
        click.echo(line)
    raise SystemExit(1 if file.left_out else 0)
