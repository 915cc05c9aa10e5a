"""`autograder check`: one student, one exercise."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.cli.find import find_file, meant
from autograder.course import Course, Exercise, find_course
from autograder.errors import UserError
from autograder.extras import require_libraries

if TYPE_CHECKING:
    from autograder.sandbox.child import Children

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

    from autograder.grading.scoring import exercise_report, grader, whole_report
    from autograder.grading.session import Judge
    from autograder.lint.course import refuse_slips_in_code
    from autograder.report.attempts import attempts_file, read_attempts, write_attempts
    from autograder.report.hints import hints_shown, next_step
    from autograder.report.redact import for_student
    from autograder.report.terminal import exercise_lines
    from autograder.submission.read import UnreadableFile
    from autograder.submission.siblings import Siblings
    from autograder.submission.source import read_source, with_stated_numbers

    try:
        source = read_source(path, exercise.name, Siblings(path.parent))
    except UnreadableFile as error:
        raise UserError(f"{error} ({path})") from None
    source = with_stated_numbers(source, exercise)
    with Judge(course, [exercise], children, seed) as judge:
        refuse_slips_in_code(course, [exercise])
        graded = judge.grade(source)
    result = exercise_report(exercise, source, graded.results, graded.client)
    graded_by = grader(course, course.content.seed if seed is None else seed)
    full = whole_report("", course, [result], graded_by)
    kept = attempts_file(path, exercise.name)
    attempts = next_step(read_attempts(kept), result, course.content.hints, more)
    write_attempts(kept, attempts)
    report = for_student(full, course.content.hints, hints_shown(attempts))
    if as_json:
        import msgspec

        print(msgspec.json.format(msgspec.json.encode(report), indent=2).decode())
    else:
        for line in exercise_lines(report.exercises[0], details=1000 if show_all else 1):
            click.echo("".join(click.style(text, **STYLES[style]) for text, style in line))
    if plot:
        from autograder.report.picture import save_picture

        print(save_picture(report.exercises[0], Path(f"{exercise.name}-check.png")))
    return 0 if result.points == result.max_points else 1
