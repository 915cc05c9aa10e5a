"""What a shell completes: the names of the course's exercises, and files."""

from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from autograder.course import find_course
from autograder.errors import UserError

VARIABLE = "_AUTOGRADER_COMPLETE"


def exercises(course: Path | None, incomplete: str, files: bool) -> list[CompletionItem]:
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


def script(app: click.Command, shell: str) -> str:
    """What the shell has to read."""
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(app, {}, "autograder", VARIABLE).source()
