"""Options and arguments that several commands share."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

PATH = click.Path(path_type=Path)
# A date, or a date and time with or without a zone.
TIMES = "%H:%M", "%H:%M:%S", "%H:%M%z", "%H:%M:%S%z"
MOMENT = click.DateTime(["%Y-%m-%d", *(f"%Y-%m-%dT{time}" for time in TIMES)])


def complete_exercise(
    context: click.Context, _: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """Return the exercises that begin with the text. If there are none, return files."""
    from click.shell_completion import CompletionItem

    from autograder.course.course_file import find_course
    from autograder.course.errors import UserError

    items = []
    with contextlib.suppress(UserError, OSError):
        course = find_course(Path.cwd(), named=context.params.get("course_path"))
        items = [
            CompletionItem(exercise.name, help=exercise.title)
            for exercise in course.exercises.values()
            if exercise.name.startswith(incomplete)
        ]
    return items or [CompletionItem(incomplete, type="file")]


course_option = click.option(
    "--course",
    "course_path",
    type=click.Path(path_type=Path, exists=True),
    help="The course's folder.  [default: this folder or one above]",
)
exercises_option = click.option(
    "--exercise",
    "exercises",
    multiple=True,
    metavar="EXERCISE",
    shell_complete=complete_exercise,
    help="Only this exercise. May be repeated.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), help="Seed of the random inputs.  [default: the course's]"
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Number of grading processes.  [default: one per core, if memory allows]",
)
plain_option = click.option(
    "--plain",
    is_flag=True,
    envvar="AUTOGRADER_PLAIN",
    help="Plain words, one sentence per line, for screen readers.",
)
repairs_option = click.option(
    "--repairs/--no-repairs",
    default=True,
    help="Search wrong answers for the line to change, if the report names neither the mistake nor "
    "its line. The search changes no points.  [default: search]",
)
json_lines_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per line, for scripts."
)
