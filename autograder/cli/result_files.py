"""What continuous integration reads: the options for it, and the files of a class."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from autograder.report.ci.result_files import ResultFiles

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
                of_a_class(wanted, options["out"], options["course"])
            raise

    return result_files(run)


def of_a_class(wanted: ResultFiles, results: Path, course_path: Path | None) -> None:
    """Write the files from a folder of results, with what students may see: logs are read by many.

    Raises:
        UserError: the results cannot be read, or a file not be written.
    """
    from autograder.course import find_course
    from autograder.exports.grades import read_reports
    from autograder.report.ci.case import Shown
    from autograder.report.ci.result_files import write
    from autograder.report.redact import for_student

    course = find_course(Path.cwd(), named=course_path)
    found = []
    for report in read_reports(results):
        shown = for_student(report, course.content.hints)
        found += [Shown(each, each.file, student=report.student) for each in shown.exercises]
    write(wanted, found)
