"""What the terminal can show, and lines printed so: colour, width, or words alone."""

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from autograder.report.wrap import StyledLine, plain, wrapped
from autograder.text import one_line

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
    """The standard output, as it is now.

    `width` is None where lines need not fit: in a pipe, in a file, and for `spoken` output, which
    a screen reader breaks by itself. `moves` says whether what is shown can be shown anew in place.
    """

    def __init__(self, spoken: bool = False) -> None:
        is_one = sys.stdout.isatty()
        dumb = os.environ.get("TERM", "dumb" if os.name == "posix" else "") == "dumb"
        self.spoken = spoken
        self.moves = is_one and not dumb and not spoken
        self.colours = self.moves and not os.environ.get("NO_COLOR")
        self.fits = (is_one or "COLUMNS" in os.environ) and not spoken

    @property
    def width(self) -> int | None:
        """How many places a line may take."""
        return max(self.size[0], NARROWEST) if self.fits else None

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines: the terminal's own, or what the environment says of them."""
        with contextlib.suppress(OSError, ValueError):
            columns, lines = os.get_terminal_size(sys.stdout.fileno())
            if columns and lines:
                return columns, lines
        return shutil.get_terminal_size((80, 24))

    def text(self, line: StyledLine) -> str:
        """A line with its styles, where they can be shown."""
        if not self.colours:
            return plain(line)
        return "".join(click.style(text, **STYLES[style]) for text, style in line)

    def show(self, lines: Iterable[StyledLine]) -> None:
        """Print lines that fit."""
        for line in wrapped(lines, self.width):
            click.echo(self.text(line), color=True)


def from_here(path: Path) -> str:
    """A file's path from where one is, or the whole of it where that is shorter."""
    whole = str(path.resolve())
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive
        near = whole
    return one_line(min(near, whole, key=len), 200)
