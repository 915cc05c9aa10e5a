"""`autograder check`: one's own work, one exercise of it or several."""

from pathlib import Path
from typing import Any

import click

from autograder.cli.options import ExerciseName, course_option, plain_option, seed_option
from autograder.cli.result_files import ResultFiles, result_file_options, write_check_result_files
from autograder.course.installation import require_libraries
from autograder.student.targets import course_of, targets_of
from autograder.student.terminal import Terminal


@click.command()
@click.argument("work", nargs=-1, type=ExerciseName(files=True))
@click.option("--hint", "more", is_flag=True, help="Show one hint more, where the course allows.")
@click.option("--all", "show_all", is_flag=True, help="Show the values of every failure.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--plot", is_flag=True, help="Save a picture: yours, expected, difference.")
@result_file_options
@click.option("--annotate", is_flag=True, help="Say for GitHub at which line each failure is.")
@plain_option
@course_option
@seed_option
def check(
    work: tuple[str, ...],
    plain: bool,
    course_path: Path | None,
    junit: Path | None,
    ctrf: Path | None,
    summary: Path | None,
    annotate: bool,
    **options: Any,
) -> None:
    """Check your own work: WORK is names of exercises, .py or .ipynb files, or folders of them.

    Without any, all that is begun is checked. Of several, each is shown in short, unless --all.

    The exit code is 0 only for full marks, or where a person gives them, if all is answered.
    """
    course = course_of(work, course_path)
    targets = targets_of(course, work)
    require_libraries(target.exercise for target in targets)
    terminal = Terminal(plain)
    files = ResultFiles(junit, ctrf, summary, annotate)
    if not targets:
        terminal.show([[("Nothing is begun yet. `autograder next` says where to start.", "")]])
        write_check_result_files(files, [], [])
        raise SystemExit(1)

    # The worker warms up on another core while this process imports what it needs.
    from autograder.sandbox.levels import children_for
    from autograder.sandbox.spawn import keep_to_one_thread

    keep_to_one_thread()
    children = children_for(course, targets[0].exercise.needs, targets[0].path)
    try:
        from autograder.student.check import CheckOptions, check_targets

        reports = check_targets(course, targets, children, terminal, CheckOptions(**options))
    finally:
        children.close()
    write_check_result_files(files, [target.path for target in targets], reports)
    from autograder.student.progress import progress_of

    raise SystemExit(0 if all(progress_of(report).is_done for report in reports) else 1)
