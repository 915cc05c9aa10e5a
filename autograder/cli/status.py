"""`autograder`, `autograder status` and `autograder next`: list the course without grading."""

from datetime import datetime
from pathlib import Path

import click

from autograder.cli.options import course_option, plain_option
from autograder.course.course_file import find_course
from autograder.student.listing import course_lines, next_lines
from autograder.student.progress import by_assignment, course_progress, next_unfinished
from autograder.student.terminal import Terminal, from_here


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
