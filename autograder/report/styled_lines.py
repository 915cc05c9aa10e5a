"""Styled lines: their width in a terminal, and words wrapped to the next line."""

from collections.abc import Iterable, Iterator

from rich.cells import cell_len as cells
from rich.cells import get_character_cell_size

__all__ = ["StyledLine", "cells", "plain", "wrapped"]

# A line is a list of (text, style); what a style looks like is for whoever prints it.
StyledLine = list[tuple[str, str]]

FAR = 24  # what comes before the words of a line is kept clear of them, if it is not wider


def plain(line: StyledLine) -> str:
    """Return a line without its styles."""
    return "".join(text for text, _ in line)


def wrapped(lines: Iterable[StyledLine], width: int | None) -> Iterator[StyledLine]:
    """Yield the lines, none wider than `width` if that is given; continued ones are indented."""
    for line in lines:
        if width is None or cells(plain(line)) <= width:
            yield line
        else:
            yield from _broken(line, width)


def _broken(line: StyledLine, width: int) -> Iterator[StyledLine]:
    text = plain(line)
    hang = min(_hang(line), width // 2)
    start, room, indent = 0, width, ""
    while start < len(text):
        end = _end(text, start, room, hang if not start else 0)
        yield [(indent, ""), *_part(line, start, end)] if indent else _part(line, start, end)
        start = end
        while start < len(text) and text[start] == " ":
            start += 1
        room, indent = width - hang, " " * hang


def _hang(line: StyledLine) -> int:
    """Return where the words of a line begin: behind its mark or its label."""
    before = cells("".join(text for text, _ in line[:-1]))
    text = plain(line)
    leading = len(text) - len(text.lstrip(" "))
    return before + len(line[-1][0]) - len(line[-1][0].lstrip(" ")) if before <= FAR else leading


def _end(text: str, start: int, room: int, indent: int) -> int:
    """Return where to break what begins at `start`: at a blank, or within a word too long."""
    end, used = start, 0
    while end < len(text) and used + get_character_cell_size(text[end]) <= room:
        used += get_character_cell_size(text[end])
        end += 1
    if end == len(text):
        return end
    blank = text.rfind(" ", start + indent + 1, end + 1)
    return blank if blank > 0 else max(end, start + 1)


def _part(line: StyledLine, start: int, end: int) -> StyledLine:
    """Return the characters of a line from `start` to `end`, with their styles."""
    part: StyledLine = []
    at = 0
    for text, style in line:
        piece = text[max(0, start - at) : max(0, end - at)]
        if piece:
            part.append((piece, style))
        at += len(text)
    return part
