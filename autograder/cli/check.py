"""`autograder check`: one student, one exercise."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.cli.find import find_file, meant
from autograder.course import Course, Exercise, find_course
from autograder.errors import UserError
from autograder.extras import require_libraries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from autograder.grading.session import Graded, Judge
    from autograder.report.model import ExerciseReport, Report
    from autograder.report.terminal import Line
    from autograder.sandbox.child import Children
    from autograder.submission.source import Source

STYLES: dict[str, dict[str, Any]] = {
    "": {},
    "bold": {"bold": True},
    "dim": {"dim": True},
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "odd": {"fg": "magenta"},
    "hint": {"fg": "cyan", "bold": True},
    "full": {"fg": "green", "bold": True},
    "partial": {"fg": "yellow", "bold": True},
}


def run(
    name: str,
    more: bool,
    show_all: bool,
    as_json: bool,
    plot: bool,
    course_path: Path | None,
    seed: int | None,
) -> int:
    path = Path(name)
    is_file = path.suffix in {".py", ".ipynb"} or path.exists()
    course = find_course(*([path.parent] if is_file else []), Path.cwd(), named=course_path)
    exercise = (
        meant(course, path) if path.is_file() else course.exercise(path.stem if is_file else name)
    )
    require_libraries([exercise])
    path = path if is_file else find_file(course, exercise)

    # The worker warms up on another core while this process imports what it needs.
    from autograder.sandbox.unconfined import children_for

    children = children_for(course, exercise.needs)
    try:
        return _check(course, exercise, path, children, seed, more, show_all, as_json, plot)
    finally:
        children.close()


def _check(
    course: Course,
    exercise: Exercise,
    path: Path,
    children: "Children",
    seed: int | None,
    more: bool,
    show_all: bool,
    as_json: bool,
    plot: bool,
) -> int:
    # First what the worker does not import: the two would be in each other's way with numpy.
    import pytest  # noqa: F401

    from autograder.grading.scoring import exercise_report
    from autograder.grading.session import Judge
    from autograder.report.terminal import exercise_lines, repair_lines

    source = _read(path, exercise)
    with Judge(course, [exercise], children, seed) as judge:
        graded = judge.grade(source)
        result = exercise_report(exercise, source, graded.results, graded.client)
        report_on = _view(course, path, result, seed, more)
        if not as_json:
            shown = report_on(result).exercises[0]
            _print(exercise_lines(shown, details=1000 if show_all else 1))
        result = _with_repair(judge, exercise, source, graded, result)
    report = report_on(result)
    if as_json:
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(report), indent=2).decode())
    else:
        _print(repair_lines(report.exercises[0]))
    if plot:
        from autograder.report.picture import save_picture

        print(save_picture(report.exercises[0], Path(f"{exercise.name}-check.png")))
    return 0 if result.points == result.max_points else 1


def _read(path: Path, exercise: Exercise) -> "Source":
    from autograder.submission.read import UnreadableFile
    from autograder.submission.siblings import Siblings
    from autograder.submission.source import read_source, with_stated_numbers

    try:
        source = read_source(path, exercise.name, Siblings(path.parent))
    except UnreadableFile as error:
        raise UserError(f"{error} ({path})") from None
    return with_stated_numbers(source, exercise)


def _view(
    course: Course, path: Path, result: "ExerciseReport", seed: int | None, more: bool
) -> "Callable[[ExerciseReport], Report]":
    """What the student may see of a report, after this attempt is noted."""
    from autograder.grading.scoring import grader, whole_report
    from autograder.report.attempts import attempts_file, read_attempts, write_attempts
    from autograder.report.hints import hints_shown, next_step
    from autograder.report.redact import for_student

    kept = attempts_file(path, result.name)
    attempts = next_step(read_attempts(kept), result, course.content.hints, more)
    write_attempts(kept, attempts)
    graded_by = grader(course, course.content.seed if seed is None else seed)

    def report_on(result: "ExerciseReport") -> "Report":
        full = whole_report("", course, [result], graded_by)
        return for_student(full, course.content.hints, hints_shown(attempts))

    return report_on


def _print(lines: "Iterable[Line]") -> None:
    for line in lines:
        click.echo("".join(click.style(text, **STYLES[style]) for text, style in line))


def _with_repair(
    judge: "Judge", exercise: Exercise, source: "Source", graded: "Graded", result: "ExerciseReport"
) -> "ExerciseReport":
    """The report with what a search finds, where no mistake has a name; it says that it looks."""
    from autograder.repair import LOOKING
    from autograder.repair.look import is_worth_looking, with_repair

    if not is_worth_looking(exercise, graded.results, judge.course.content.hints):
        return result
    screen = sys.stderr.isatty()
    if screen:
        click.echo(click.style(LOOKING, dim=True), nl=False, err=True)
    try:
        return with_repair(result, judge, exercise, source, graded)
    finally:
        if screen:
            click.echo(f"\r{' ' * len(LOOKING)}\r", nl=False, err=True)
