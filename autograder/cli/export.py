"""`autograder export`: what a platform takes, from a folder of results."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from autograder.classroom.entered_since import refuse_entered_since
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.course import Course, find_course
from autograder.errors import UserError
from autograder.exports.grades import read_reports
from autograder.files import write_whole
from autograder.report.above import above_maximum, told_of
from autograder.report.model import Report

PLATFORMS = ("canvas", "moodle", "moodle-feedback", "gradescope")


def run(
    platform: str,
    results: Path,
    template: Path | None,
    out: Path,
    column: str | None,
    scale: bool,
    course_path: Path | None,
) -> int:
    """Write the file, and say what is not in it; the exit code is 1 if somebody is not."""
    if template is None and platform != "gradescope":
        raise UserError(
            f"--template is missing: name the file that {platform.partition('-')[0]} gave you. "
            f"What is not in it is never added."
        )
    if template is not None and template.resolve() == out.resolve():
        raise UserError("--out is the template itself. Name another file.")
    reports = read_reports(results)
    course = find_course(Path.cwd(), named=course_path)
    refuse_entered_since(results, course, reports)
    reports = Pseudonyms(course.root / PSEUDONYMS).with_names(reports)
    data, notes = _made(platform, reports, course, results, template, column, scale)
    try:
        write_whole(out, data)
    except OSError as error:
        raise UserError(f"{out} cannot be written: {error.strerror}.") from None
    console = Console(highlight=False)
    for note in [*notes, *told_of(name for each in reports for name in above_maximum(each))]:
        console.print(Text(note))
    console.print(Text(f"Written   {out}"))
    return 1 if any(note.startswith(("Without a", "Row ")) for note in notes) else 0


def _made(
    platform: str,
    reports: Sequence[Report],
    course: Course,
    results: Path,
    template: Path | None,
    column: str | None,
    scale: bool,
) -> tuple[bytes, list[str]]:
    """The file, and what is to be said of it."""
    if template is None or platform == "gradescope":
        from autograder.exports.gradescope import results_zip

        return results_zip(reports, course.content.hints)
    if platform == "canvas":
        from autograder.exports import canvas

        return canvas.fill_in(reports, course, template, column, scale)
    from autograder.exports import moodle

    if platform == "moodle":
        return moodle.fill_in(reports, template, column, scale)
    return moodle.feedback(reports, results, template, column)
