"""`autograder check`, `watch`, `status` and `next`: check your own work, or list it."""

import importlib.util
import signal
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.cli.options import complete_exercise, course_option, plain_option, seed_option
from autograder.cli.result_files import (
    ResultFiles,
    junit_option,
    summary_option,
    write_check_result_files,
)
from autograder.course.course_file import Course, find_course
from autograder.course.errors import UserError
from autograder.course.installation import require_libraries
from autograder.student.listing import course_lines, next_lines
from autograder.student.progress import (
    begun_targets,
    by_assignment,
    course_progress,
    next_unfinished,
    progress_of,
)
from autograder.student.targets import Target, course_of, targets_of
from autograder.student.terminal import Terminal, from_here

if TYPE_CHECKING:
    from autograder.sandbox.child import Children


@click.command()
@click.argument("work", nargs=-1, shell_complete=complete_exercise)
@click.option("--hint", "more", is_flag=True, help="Show one more hint, if the course allows it.")
@click.option("--all", "show_all", is_flag=True, help="Show the values of every failed check.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option(
    "--plot",
    is_flag=True,
    help="Save a picture of your values, the expected ones and the difference.",
)
@click.option(
    "--repairs/--no-repairs",
    default=None,
    help="Search wrong answers for the line to change.  [default: if there is one file]",
)
@junit_option
@summary_option
@click.option(
    "--annotate", is_flag=True, help="Print the line of each failure as a GitHub annotation."
)
@plain_option
@course_option
@seed_option
def check(
    work: tuple[str, ...],
    plain: bool,
    course_path: Path | None,
    junit: Path | None,
    summary: Path | None,
    annotate: bool,
    **options: Any,
) -> None:
    """Check your own work. WORK is an exercise's name, a .py or .ipynb file, or a folder of them.

    Without WORK, every exercise that you have begun is checked. If there are several exercises,
    each report is short. --all shows full reports.

    The exit code is 0 only if everything is done: each check passes, apart from hidden ones that
    the kit cannot judge, and each question that a person grades has an answer.
    """
    course = course_of(work, course_path)
    targets = targets_of(course, work) if work else begun_targets(course)
    require_libraries(target.exercise for target in targets)
    if options["plot"] and importlib.util.find_spec("matplotlib") is None:
        raise UserError(
            "autograder check --plot needs matplotlib (not installed). Run: pip install matplotlib"
        )
    terminal = Terminal(plain)
    files = ResultFiles(junit, summary, annotate)
    if not targets:
        text = "You have not begun any exercise yet. To see where to start, run `autograder next`."
        terminal.show([[(text, "")]])
        write_check_result_files(files, [], [])
        raise SystemExit(1)
    children = _children(course, targets[0])
    try:
        from autograder.student.check import CheckOptions, check_targets

        reports = check_targets(course, targets, children, terminal, CheckOptions(**options))
    finally:
        children.close()
    write_check_result_files(files, [target.path for target in targets], reports)
    raise SystemExit(0 if all(progress_of(report).is_done for report in reports) else 1)


def _children(course: Course, target: Target) -> "Children":
    from autograder.sandbox.levels import children_for
    from autograder.sandbox.spawn import keep_to_one_thread

    keep_to_one_thread()
    return children_for(course, target.exercise.needs, target.path)


@click.command()
@click.argument("work", required=False, shell_complete=complete_exercise)
@plain_option
@course_option
def watch(work: str | None, plain: bool, course_path: Path | None) -> None:
    """Check a file each time you save it, and show its report. WORK is an exercise, or its file.

    Without WORK, the command begins with your next exercise. If you save the file of another
    exercise, the report is about that exercise.
    """
    course = course_of([work] if work is not None else [], course_path)
    target = _first_target(course, work)
    children = _children(course, target)

    from autograder.grading.judge import Judge
    from autograder.student.watch import Watch

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with Judge(course, course.content.exercises, children) as judge:
        Watch(course, target, judge, Terminal(plain)).run()


def _first_target(course: Course, work: str | None) -> Target:
    """Return the named exercise, or else the next unfinished exercise."""
    if work is not None:
        targets = targets_of(course, [work])
        if len(targets) > 1:
            raise UserError(
                f"{work} contains several exercises. Name one of them, or leave out WORK."
            )
        return targets[0]
    progress = course_progress(course)
    following = next_unfinished(course, progress) or next(iter(progress.values()))
    if following.file is None:
        raise UserError(
            "There is no exercise file here to watch. `autograder status` lists the exercises."
        )
    return Target(following.exercise, following.file)


@click.command()
@plain_option
@course_option
def status(plain: bool, course_path: Path | None) -> None:
    """List all exercises, and how far you are with each.

    Nothing is checked again. The list shows the last check of each exercise, its age, and whether
    the file has changed since.
    """
    _show(plain, course_path, with_list=True)


@click.command("next")
@plain_option
@course_option
def next_exercise(plain: bool, course_path: Path | None) -> None:
    """Show which exercise comes next, and where its file is."""
    _show(plain, course_path, with_list=False)


def _show(plain: bool, course_path: Path | None, with_list: bool) -> None:
    course = find_course(Path.cwd(), named=course_path)
    terminal, now = Terminal(plain), datetime.now().astimezone()
    progress = course_progress(course)
    if with_list:
        terminal.show(course_lines(course.title, by_assignment(course, progress), now, plain))
        terminal.show([[]])
    following = next_unfinished(course, progress)
    where = from_here(following.file) if following and following.file else ""
    terminal.show(next_lines(following, list(progress.values()), where, now))
