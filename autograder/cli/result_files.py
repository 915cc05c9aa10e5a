"""The files that continuous integration asks for, written where it wants them."""

import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from autograder.course.errors import UserError
from autograder.course.files import write_atomically

if TYPE_CHECKING:
    from autograder.report.test_results import ShownExercise


class ResultFiles(msgspec.Struct, frozen=True):
    """Which files are asked for, and whether the log gets annotations."""

    junit: Path | None = None
    ctrf: Path | None = None
    summary: Path | None = None
    annotate: bool = False

    def __bool__(self) -> bool:
        return self.annotate or any((self.junit, self.ctrf, self.summary))


def write_result_files(wanted: ResultFiles, shown: "Sequence[ShownExercise]") -> None:
    """Write what is asked for, and print annotations, to where no program reads the output.

    Raises:
        UserError: a file cannot be written.
    """
    from autograder.report.test_results import annotations, ctrf, job_summary, junit

    made = ((wanted.junit, junit), (wanted.ctrf, ctrf), (wanted.summary, job_summary))
    for path, make in made:
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(path, make(shown))
            except OSError as error:
                raise UserError(f"{path} cannot be written: {error.strerror}.") from None
    if wanted.annotate:
        for line in annotations(shown):
            print(line, file=sys.stderr)


# What continuous integration reads: the options for it, and the files of a class.


_FILE = click.Path(path_type=Path, dir_okay=False)
COUNTS = {0, 1}  # exit codes with which results were written

Command = Callable[..., None]


def result_files(command: Command) -> Command:
    """The options that name the files."""
    options = (
        click.option("--junit", type=_FILE, help="Write the results as JUnit's XML to this file."),
        click.option("--ctrf", type=_FILE, help="Write them as CTRF, in JSON."),
        click.option(
            "--summary", type=_FILE, help="Write a summary in Markdown, for a job's page."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def with_result_files(command: Command) -> Command:
    """The same options for a command that grades a class into `out`, and then the files."""

    @functools.wraps(command)
    def run(junit: Path | None, ctrf: Path | None, summary: Path | None, **options: Any) -> None:
        wanted = ResultFiles(junit, ctrf, summary)
        try:
            command(**options)
        except SystemExit as done:
            if wanted and done.code in COUNTS and not options["dry_run"]:
                write_class_result_files(wanted, options["out"], options["course_path"])
            raise

    return result_files(run)


def write_class_result_files(wanted: ResultFiles, results: Path, course_path: Path | None) -> None:
    """Write the files from a folder of results, with what students may see: logs are read by many.

    Raises:
        UserError: the results cannot be read, or a file not be written.
    """
    from autograder.classroom.grades import read_reports
    from autograder.course.course_file import find_course
    from autograder.report.redaction import for_student
    from autograder.report.test_results import ShownExercise

    course = find_course(Path.cwd(), named=course_path)
    found = []
    for report in read_reports(results):
        shown = for_student(report, course.content.hints)
        found += [
            ShownExercise(each, each.file, student=report.student) for each in shown.exercises
        ]
    write_result_files(wanted, found)
