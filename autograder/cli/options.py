"""What several commands have in common: options, names that a shell completes, their order."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from click.shell_completion import CompletionItem, get_completion_class

from autograder.course.course_file import find_course
from autograder.course.errors import UserError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


T = TypeVar("T")

course_option = click.option(
    "--course",
    "course_path",
    type=click.Path(path_type=Path, exists=True),
    help="The course's folder.  [default: where you are, or above]",
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), help="Draw other random inputs.  [default: the course's]"
)


plain_option = click.option(
    "--plain",
    is_flag=True,
    envvar="AUTOGRADER_PLAIN",
    help="In words, a sentence a line, for screen readers.",
)


def cluster_options(command: Callable[..., T]) -> Callable[..., T]:
    """The options that say on which machines a class is graded."""
    path = click.Path(path_type=Path)
    for option in (
        click.option("--tls-key", type=path, help="Your key for the scheduler, a PEM file."),
        click.option("--tls-cert", type=path, help="Your certificate for the scheduler."),
        click.option("--tls-ca-file", type=path, help="Who signed the cluster's certificates."),
        click.option(
            "--local-cluster", type=click.IntRange(1, 256), help="On so many Dask workers here."
        ),
        click.option(
            "--scheduler", help="On the machines of this Dask scheduler: tls://HOST:PORT."
        ),
    ):
        command = option(command)
    return command


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
    """The name of an exercise, or where `files` are taken too, a path; the shell completes it."""

    name = "exercise"

    def __init__(self, files: bool = False) -> None:
        self.files = files

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> "list[CompletionItem]":

        return complete_exercises(ctx.params.get("course_path"), incomplete, self.files)


exercises_option = click.option(
    "--exercise",
    "exercises",
    multiple=True,
    type=ExerciseName(),
    help="Only this one; may be repeated.",
)


class InOrder(click.Group):
    """Commands in the order in which they are written: a student's come first."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)


# What a shell completes: the names of the course's exercises, and files.


VARIABLE = "_AUTOGRADER_COMPLETE"


def complete_exercises(course: Path | None, incomplete: str, files: bool) -> list[CompletionItem]:
    """The exercises that begin so, or else files. Never an error, which nobody could read there."""
    try:
        known = list(find_course(Path.cwd(), named=course).exercises.values())
    except (UserError, OSError):
        known = []
    found = [
        CompletionItem(each.name, help=each.title)
        for each in known
        if each.name.startswith(incomplete)
    ]
    return found or ([CompletionItem(incomplete, type="file")] if files else [])


def completion_script(app: click.Command, shell: str) -> str:
    """What the shell has to read."""
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(app, {}, "autograder", VARIABLE).source()
