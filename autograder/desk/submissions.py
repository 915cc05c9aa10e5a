"""Submitted files, read again to show code in the desk."""

import contextlib
import functools
import re
import threading
import weakref
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.classroom.adjustments import Adjustments
from autograder.classroom.decisions import Decision, place_of
from autograder.classroom.hand_ins import Folder
from autograder.classroom.history import GradeCommand, grade_commands
from autograder.classroom.pseudonyms import Pseudonyms
from autograder.classroom.submissions import StudentWork, opened, read_work_guarded
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import one_line
from autograder.report.model import ExerciseReport, Line
from autograder.submission.choice import FoundFile
from autograder.submission.source import Source
from autograder.submission.stubs import read_stubs

CACHED = 20  # students whose files stay in memory, for quick browsing
MAX_LINES = 3000  # the most lines that are shown of one file
MAX_LETTERS = 400  # the most letters that are shown of one line

_DEFINED = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
Notes = dict[tuple[str, int], list[str]]


class Submissions:
    """Submissions of a class. They are opened when needed, and threads share them."""

    def __init__(self, results: Path, course: Course) -> None:
        self._results, self._course = results, course
        self._open = contextlib.ExitStack()
        weakref.finalize(self, self._open.close)  # removes the unpacked files
        self._lock = threading.Lock()
        self._folders: dict[GradeCommand, dict[str, Folder]] = {}
        self._stubs = read_stubs(course)
        self._work = functools.lru_cache(maxsize=CACHED)(self._read)

    def works(self, student: str) -> list[StudentWork]:
        """Return the student's work in the submissions of each stored command, newest first."""
        with self._lock:
            name = Pseudonyms(self._course).student(student)
            choices = tuple(Adjustments(self._results, self._course).choices(student))
            commands = grade_commands(self._results)
            return [self._work(command, name, choices) for command in commands]

    def several(self, student: str, exercise: str) -> Sequence[FoundFile]:
        for work in self.works(student):
            if exercise in work.several:
                return work.several[exercise]
        raise UserError(f"There are no longer several files for {one_line(exercise, 60)}.")

    def _read(
        self, command: GradeCommand, student: str, choices: Sequence[Decision]
    ) -> StudentWork:
        if command not in self._folders:  # stays empty if the folder is gone
            self._folders[command] = {}
            place, platform = Path(command.submissions), command.platform or None
            roster = Path(command.roster) if command.roster else None
            with contextlib.suppress(UserError, OSError):
                hand_ins = self._open.enter_context(opened(place, self._course, platform, roster))
                self._folders[command] = {folder.student: folder for folder in hand_ins.folders}
        folder = self._folders[command].get(student)
        if folder is None:
            return StudentWork(student)
        return read_work_guarded(folder, self._course.exercises, self._stubs, choices)


class CodeLine(NamedTuple):
    number: int
    text: str
    notes: tuple[str, ...]


class CodeFile(NamedTuple):
    """File or cell. `unit` is its position in the run, from 1, or 0 for an imported file."""

    name: str
    lines: Sequence[CodeLine]
    left_out: int = 0  # counts lines that are not shown
    unit: int = 0


def code_of(
    report: ExerciseReport, sources: Iterable[Source | None], comments: Iterable[Decision] = ()
) -> tuple[list[CodeFile], str]:
    """Return the graded code. If it is missing or has changed since grading, add a warning.

    Of several sources, the function uses the source that was graded, if there is one, and else the
    first. The returned code includes people's comments.
    """
    there = [source for source in sources if source is not None]
    if not there:
        return [], "The code is no longer in the folder in which it was graded."
    graded = next((source for source in there if source.digest == report.digest), None)
    source = graded or there[0]
    notes = _notes(report, source)
    for comment in comments if graded else ():
        place = place_of(comment, source)
        if place is not None and comment.exercise == report.name:
            by = f"{comment.by}: " if comment.by else ""
            notes[place.file, place.line].append(f"{by}{comment.why}")
    files = [
        _file(unit.label, unit.text, notes, number) for number, unit in enumerate(source.units, 1)
    ]
    files += [_file(f"{name}.py", text, notes, 0) for name, text in source.helpers.items()]
    if graded:
        return files, ""
    return (
        files,
        "This file has changed since it was graded, so messages may be at the wrong lines.",
    )


def _file(name: str, text: str, notes: Notes, unit: int) -> CodeFile:
    lines = text.removesuffix("\n").split("\n") if text else []
    shown = [
        CodeLine(
            number,
            line if len(line) <= MAX_LETTERS else f"{line[:MAX_LETTERS]} …",
            tuple(notes.get((name, number), ())),
        )
        for number, line in enumerate(lines[:MAX_LINES], 1)
    ]
    return CodeFile(name, shown, max(0, len(lines) - MAX_LINES), unit)


def _definitions(source: Source) -> dict[str, Line]:
    return {
        match[1]: Line(file=unit.label, line=number)
        for unit in source.units
        for number, line in enumerate(unit.text.split("\n"), 1)
        if (match := _DEFINED.match(line[:MAX_LETTERS]))
    }


def _notes(report: ExerciseReport, source: Source) -> Notes:
    notes: Notes = defaultdict(list)

    def add(place: Line | None, text: str) -> None:
        if place is not None and text and text not in notes[place.file, place.line]:
            notes[place.file, place.line].append(text)

    defined = _definitions(source)
    for check in report.checks:
        diagnosis = check.diagnosis
        text = diagnosis.sentence if diagnosis else ""
        add(check.place, text or check.finding or check.title)
        if diagnosis is not None:
            for place in diagnosis.places:
                add(place, text)
            if check.place is None and not diagnosis.places:
                add(defined.get(diagnosis.function.partition(".")[0]), text)
    if report.repair is not None:
        for place in report.repair.places:
            add(place, report.repair.said)
    return notes
