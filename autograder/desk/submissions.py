"""What students handed in, read again from where it was graded: the code beside its report."""

import contextlib
import re
import threading
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.hand_ins import Folder
from autograder.classroom.history import GradeCommand, grade_commands
from autograder.classroom.pseudonyms import FILE as PSEUDONYMS
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.classroom.records import FILE as REPORTS
from autograder.classroom.submissions import StudentWork, guarded, opened, read_work
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.report.model import ExerciseReport, Line
from autograder.report.presentation import diagnosed
from autograder.submission.source import Source
from autograder.submission.stubs import read_stubs

KEPT = 20  # students whose files are held, so that next and previous are quick


class Submissions:
    """The submissions of a folder of results, opened when first asked for; threads may share it."""

    def __init__(self, results: Path, course: Course) -> None:
        self._results, self._course = results, course
        self._open = contextlib.ExitStack()
        weakref.finalize(self, self._open.close)  # removes what was unpacked
        self._lock = threading.Lock()
        self._folders: dict[GradeCommand, dict[str, Folder]] = {}
        self._read: OrderedDict[tuple[GradeCommand, str], StudentWork] = OrderedDict()
        self._as_of = 0
        self._stubs = read_stubs(course)

    def sources(self, student: str) -> list[dict[str, Source]]:
        """A student's sources by exercise, of each folder that was graded, the latest first."""
        with self._lock:
            self._forget_what_was_graded_again()
            known = Pseudonyms(self._course.root / PSEUDONYMS)
            return [
                self._work(command, known.student(student)).sources
                for command in grade_commands(self._results)
            ]

    def _forget_what_was_graded_again(self) -> None:
        """Look anew at what was handed in, once the results have changed."""
        with contextlib.suppress(OSError):
            now = (self._results / REPORTS).stat().st_mtime_ns
            if now != self._as_of:
                self._folders.clear()
                self._read.clear()
                self._as_of = now

    def _work(self, command: GradeCommand, student: str) -> StudentWork:
        key = command, student
        if key not in self._read:
            folder = self._opened(command).get(student)
            names = self._course.exercises
            self._read[key] = StudentWork(student)
            if folder is not None:
                self._read[key] = guarded(
                    folder, names, lambda: read_work(folder, names, self._stubs), lambda work: work
                )
            while len(self._read) > KEPT:
                self._read.popitem(last=False)
        return self._read[key]

    def _opened(self, command: GradeCommand) -> dict[str, Folder]:
        """The students' folders; none where they are no longer there."""
        if command not in self._folders:
            roster = Path(command.roster) if command.roster else None
            self._folders[command] = {}
            with contextlib.suppress(UserError, OSError):
                found = self._open.enter_context(
                    opened(
                        Path(command.submissions), self._course, command.platform or None, roster
                    )
                )
                self._folders[command] = {folder.student: folder for folder in found.folders}
        return self._folders[command]


# A student's code as lines, with what its report says of a line beside it.


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
