"""The terminal: width, colours, and the screen of `watch`."""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from autograder.course.text import one_line, several
from autograder.report.terminal import StyledLine, plain, wrapped

Lines = list[StyledLine]
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
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
HOME, REST_OF_LINE, REST = "\x1b[H", "\x1b[K", "\x1b[J"


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


class Screen:
    """Screen of `watch`: the terminal's alternate screen."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.page = 0

    def enter(self) -> "Screen":
        if self.terminal.moves:
            self._write(ENTER)
        return self

    def leave(self, *_: object) -> None:
        if self.terminal.moves:
            self._write(LEAVE)

    __enter__, __exit__ = enter, leave

    def draw(self, top: Lines, report: Lines, foot: Lines) -> None:
        """Show a frame. If possible, it replaces the previous frame."""
        if not self.terminal.moves:
            self.terminal.show([*top, [], *report, [], *foot, []])
            sys.stdout.flush()
            return
        width, height = self.terminal.width, shutil.get_terminal_size().lines
        top, report, foot = (list(wrapped(part, width)) for part in (top, report, foot))
        report = self._paged(report, max(height - len(top) - len(foot) - 2, 3))
        lines = [self.terminal.text(line) for line in [*top, [], *report, [], *foot]]
        shown = f"{REST_OF_LINE}\n".join(lines[:height])
        self._write(f"{HOME}{shown}{REST_OF_LINE}{REST}")

    def _paged(self, report: Lines, room: int) -> Lines:
        if len(report) <= room:
            self.page = 0
            return report
        size = room - 1
        self.page %= -(-len(report) // size)
        start = min(self.page * size, len(report) - size)
        left = len(report) - start - size
        more = f"{several(left, 'more line')}: press" if left > 0 else "back to the top: press"
        return [*report[start : start + size], [(f"  … {more} space", "dim")]]

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
