"""Options and arguments that several commands share."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

T = TypeVar("T")

PATH = click.Path(path_type=Path)
# A date, or a date and time with or without a zone.
MOMENT = click.DateTime(
    [
        "%Y-%m-%d",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%dT%H:%M%z",
        "%Y-%m-%dT%H:%M:%S%z",
    ]
)


class ExerciseName(click.types.StringParamType):
    """Name of an exercise, with shell completion. If `files` is true, a path is allowed too."""

    name = "exercise"

    def __init__(self, files: bool = False) -> None:
        self.files = files

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> "list[CompletionItem]":
        """Return the exercises that begin with the text, or else files. Never raise an error."""
        from click.shell_completion import CompletionItem

        from autograder.course.course_file import find_course
        from autograder.course.errors import UserError

        items = []
        with contextlib.suppress(UserError, OSError):
            course = find_course(Path.cwd(), named=ctx.params.get("course_path"))
            items = [
                CompletionItem(exercise.name, help=exercise.title)
                for exercise in course.exercises.values()
                if exercise.name.startswith(incomplete)
            ]
        return items or ([CompletionItem(incomplete, type="file")] if self.files else [])


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
    type=ExerciseName(),
    help="Only this exercise; may be repeated.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), help="Seed of the random inputs.  [default: the course's]"
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
    help="After the grades are written, search wrong answers for the line to change, if the "
    "report names neither the mistake nor its line.  [default: search]",
)
json_lines_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object per line, for scripts."
)


def cluster_options(command: Callable[..., T]) -> Callable[..., T]:
    """Add the options with which a user chooses the machines for grading."""
    for option in (
        click.option("--tls-key", type=PATH, help="Your key for the scheduler, a PEM file."),
        click.option(
            "--tls-cert", type=PATH, help="Your certificate for the scheduler, a PEM file."
        ),
        click.option("--tls-ca-file", type=PATH, help="The cluster's CA certificate, a PEM file."),
        click.option(
            "--local-cluster",
            type=click.IntRange(1, 256),
            help="Grade with this many Dask workers on this machine.",
        ),
        click.option(
            "--scheduler", help="Grade on the machines of this Dask scheduler: tls://HOST:PORT."
        ),
    ):
        command = option(command)
    return command
