"""A student's code as lines, with what its report says of a line beside it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from autograder.report.model import ExerciseReport, Line
from autograder.report.told import diagnosed
from autograder.submission.source import Source

MOST_LINES = 3000  # of one file
MOST_LETTERS = 400  # of one line


_DEFINED = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
Notes = dict[tuple[str, int], list[str]]


class CodeLine(NamedTuple):
    """A line, its number, and what is said of it."""

    number: int
    text: str
    notes: tuple[str, ...]


class CodeFile(NamedTuple):
    """A file or a cell; `left_out` counts the lines that are not shown."""

    name: str
    lines: Sequence[CodeLine]
    left_out: int = 0


def code_of(report: ExerciseReport, sources: Iterable[Source | None]) -> tuple[list[CodeFile], str]:
    """The code that was graded, and what a person should know of it.

    Of several sources it is the one that the report is about; without such a one the first is
    shown, and said to be another.
    """
    found = [source for source in sources if source is not None]
    same = [source for source in found if source.digest == report.digest]
    if not found:
        return [], "The code is not where it was when it was graded."
    said = "" if same else "This file has changed since it was graded: lines may not fit."
    source = (same or found)[0]
    units = [(unit.label, unit.text) for unit in source.units]
    units += [(f"{name}.py", text) for name, text in source.helpers.items()]
    notes = _notes(report, _definitions(units[: len(source.units)]))
    return [_file(name, text, notes) for name, text in units], said


def _file(name: str, text: str, notes: Notes) -> CodeFile:
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    shown = [
        CodeLine(number, _cut(line), tuple(notes.get((name, number), ())))
        for number, line in enumerate(lines[:MOST_LINES], 1)
    ]
    return CodeFile(name, shown, max(0, len(lines) - MOST_LINES))


def _cut(line: str) -> str:
    return line if len(line) <= MOST_LETTERS else f"{line[:MOST_LETTERS]} …"


def _definitions(units: Iterable[tuple[str, str]]) -> dict[str, Line]:
    """Where each function and class is defined; of several of one name the last, which counts."""
    return {
        found[1]: Line(file=name, line=number)
        for name, text in units
        for number, line in enumerate(text.split("\n"), 1)
        if (found := _DEFINED.match(line[:MOST_LETTERS]))
    }


def _notes(report: ExerciseReport, defined: dict[str, Line]) -> Notes:
    """What is said of each line, each sentence once; what has no line stands at its function."""
    found: Notes = defaultdict(list)

    def add(place: Line | None, said: str) -> None:
        if place is not None and said and said not in found[place.file, place.line]:
            found[place.file, place.line].append(said)

    for check in report.checks:
        diagnosis = check.diagnosis
        told = diagnosed(check) if diagnosis is not None else ""
        add(check.place, told or check.finding or check.title)
        for place in diagnosis.places if diagnosis is not None else ():
            add(place, told)
        if diagnosis is not None and check.place is None and not diagnosis.places:
            add(defined.get(diagnosis.function.partition(".")[0]), told)
    for place in report.repair.places if report.repair is not None else ():
        add(place, report.repair.said if report.repair is not None else "")
    return found
