"""The terminal: width and colours."""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from autograder.course.text import one_line
from autograder.report.terminal import StyledLine, plain, wrapped

NARROWEST = 40
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


class Terminal:
    """Standard output, which may be a terminal, a pipe or a file.

    `width` is None if lines may have any length: in a pipe, in a file, and for `spoken` output,
    because a screen reader wraps lines itself. `moves` is true if a frame can replace the previous
    frame.
    """

    def __init__(self, spoken: bool = False) -> None:
        is_terminal = sys.stdout.isatty()
        dumb = os.environ.get("TERM", "dumb" if os.name == "posix" else "") == "dumb"
        self.spoken = spoken
        self.moves = is_terminal and not dumb and not spoken
        self.colours = self.moves and not os.environ.get("NO_COLOR")
        self.fits = (is_terminal or "COLUMNS" in os.environ) and not spoken

    @property
    def width(self) -> int | None:
        return max(shutil.get_terminal_size().columns, NARROWEST) if self.fits else None

    def text(self, line: StyledLine) -> str:
        if not self.colours:
            return plain(line)
        return "".join(click.style(text, **STYLES[style]) for text, style in line)

    def show(self, lines: Iterable[StyledLine]) -> None:
        for line in wrapped(lines, self.width):
            click.echo(self.text(line), color=True)


def from_here(path: Path) -> str:
    """Return a file's relative or absolute path, whichever is shorter."""
    whole = str(path.resolve())
    try:
        near = os.path.relpath(path)
    except ValueError:  # on another drive
        near = whole
    return one_line(min(near, whole, key=len), 200)
