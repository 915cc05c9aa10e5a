"""Result files for continuous integration: JUnit, a summary, and annotations in the log."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from autograder.course.files import refuse_unwritable, write_atomically

if TYPE_CHECKING:
    from autograder.report.model import ExerciseReport
    from autograder.report.test_results import ShownExercise

FILE = click.Path(path_type=Path, dir_okay=False)
COUNTS = {0, 1}  # exit codes of `grade` if the results count
junit_option = click.option(
    "--junit", type=FILE, help="Write the results as JUnit XML to this file."
)
summary_option = click.option(
    "--summary", type=FILE, help="Write a Markdown summary to this file, for a CI job's page."
)


class ResultFiles(msgspec.Struct, frozen=True):
    """Paths of the result files to write. `annotate` adds annotations to the log."""

    junit: Path | None = None
    summary: Path | None = None
    annotate: bool = False

    def __bool__(self) -> bool:
        return self.annotate or any((self.junit, self.summary))


def write_check_result_files(
    files: ResultFiles, paths: "Sequence[Path]", reports: "Sequence[ExerciseReport]"
) -> None:
    if not files:
        return
    from autograder.report.test_results import with_text
    from autograder.student.terminal import from_here

    both = zip(paths, reports, strict=True)
    write_result_files(files, [with_text(report, path, from_here(path)) for path, report in both])


def write_class_result_files(
    files: ResultFiles, results: Path, course_path: Path | None, code: int
) -> None:
    """Write the result files for a class. They contain only the parts that students may see.

    If the exit code shows that the results do not count, write nothing.
    """
    if not files or code not in COUNTS:
        return
    from autograder.classroom.grades import read_reports
    from autograder.course.course_file import find_course
    from autograder.report.redaction import for_student
    from autograder.report.test_results import ShownExercise

    course = find_course(Path.cwd(), named=course_path)
    shown = []
    for report in read_reports(results):
        visible = for_student(report, course.content.hints, hidden=course.hidden_checks)
        for exercise in visible.exercises:
            shown.append(ShownExercise(exercise, exercise.file, student=report.student))
    write_result_files(files, shown)


def write_result_files(files: ResultFiles, shown: "Sequence[ShownExercise]") -> None:
    """Write the requested files. Print annotations to stderr, so that stdout stays readable."""
    from autograder.report.test_results import annotations, job_summary, junit

    for path, text_of in ((files.junit, junit), (files.summary, job_summary)):
        if path is not None:
            with refuse_unwritable(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(path, text_of(shown))
    if files.annotate:
        for line in annotations(shown):
            print(line, file=sys.stderr)
