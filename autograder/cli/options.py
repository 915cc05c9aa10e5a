"""What several commands have in common: options, names that a shell completes, their order."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

T = TypeVar("T")

course_option = click.option(
    "--course",
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
        from autograder.cli.completion import exercises

        return exercises(ctx.params.get("course"), incomplete, self.files)


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
