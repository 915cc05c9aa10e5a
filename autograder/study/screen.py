"""What `watch` shows: a frame in place of the last, or where that cannot be, one after another."""

import sys
from collections.abc import Sequence

import msgspec

from autograder.report.wrap import StyledLine, wrapped
from autograder.study.terminal import Terminal
from autograder.text import several

ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
HOME, REST_OF_LINE, REST = "\x1b[H", "\x1b[K", "\x1b[J"


class Frame(msgspec.Struct, frozen=True):
    """The lines above the report, the report itself, and those below it."""

    top: list[StyledLine]
    report: list[StyledLine]
    foot: list[StyledLine]


class Screen:
    """The terminal while something is watched. Use it as a context manager."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.page = 0

    def __enter__(self) -> "Screen":
        self.enter()
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def enter(self) -> None:
        """Have a screen of one's own, beside what is on the terminal."""
        if self.terminal.moves:
            self._write(ENTER)

    def leave(self) -> None:
        """Give back the terminal as it was."""
        if self.terminal.moves:
            self._write(LEAVE)

    def draw(self, frame: Frame) -> None:
        """Show a frame, in place of the one before where the terminal can."""
        if not self.terminal.moves:
            self.terminal.show([*frame.top, [], *frame.report, [], *frame.foot, []])
            sys.stdout.flush()
            return
        top, foot = self._fitted(frame.top), self._fitted(frame.foot)
        report = self._paged(self._fitted(frame.report), len(top) + len(foot) + 2)
        lines = [self.terminal.text(line) for line in [*top, [], *report, [], *foot]]
        shown = f"{REST_OF_LINE}\n".join(lines[: self.terminal.size[1]])
        self._write(f"{HOME}{shown}{REST_OF_LINE}{REST}")

    def say(self, line: StyledLine) -> None:
        """Say something where frames follow each other; in place, the next frame has it."""
        if not self.terminal.moves:
            self.terminal.show([line])
            sys.stdout.flush()

    def _fitted(self, lines: Sequence[StyledLine]) -> list[StyledLine]:
        return list(wrapped(lines, self.terminal.width))

    def _paged(self, report: list[StyledLine], others: int) -> list[StyledLine]:
        """As much of the report as there is room for, from the page that is wanted."""
        room = max(self.terminal.size[1] - others, 3)
        if len(report) <= room:
            self.page = 0
            return report
        a_page = room - 1
        self.page %= -(-len(report) // a_page)
        start = min(self.page * a_page, len(report) - a_page)
        left = len(report) - start - a_page
        more = f"  … {several(left, 'line')} more: space" if left > 0 else "  … the top: space"
        return [*report[start : start + a_page], [(more, "dim")]]

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
