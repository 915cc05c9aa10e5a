"""A folder of results as it is now: read once, and again when another command has changed it."""

import threading
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from autograder.classroom.grade_difference import Change
from autograder.classroom.history import (
    CHANGES,
    ResultsVersion,
    ensure_settled,
    read_changes,
    versions,
)
from autograder.classroom.records import FILE as REPORTS
from autograder.classroom.records import Records
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.text import file_name, one_line
from autograder.report.model import CheckReport, ExerciseReport, Report
from autograder.report.overview import ClassOverview, Row
from autograder.report.presentation import QUIET, diagnosed
from autograder.report.statistics import Summary, summarise
from autograder.report.tally import MistakeCount

# What becomes of each check over a class: how it ends, and what is said of it to how many.


LONGEST = 300


class Sentence(NamedTuple):
    """A sentence about a check, and the places of those who read it; `named` if a mistake's."""

    text: str
    by: list[int]
    named: bool


class CheckOutcomes:
    """One check of one exercise, over the class."""

    def __init__(self, check: CheckReport) -> None:
        self.name, self.title, self.hidden = check.name, check.title, check.hidden
        self.maximum = check.max_points
        self.outcomes: Counter[str] = Counter()
        self.not_full: list[int] = []
        self._said: dict[str, Sentence] = {}

    def add(self, place: int, check: CheckReport) -> None:
        """Take the outcome of the student at a place."""
        self.outcomes[check.outcome] += 1
        if check.points < check.max_points:
            self.not_full.append(place)
        if check.outcome in QUIET:
            return
        text = _sentence(check)[:LONGEST]
        new = Sentence(text, [], check.diagnosis is not None and check.diagnosis.kind == "named")
        self._said.setdefault(text, new).by.append(place)

    def commonest(self) -> Sequence[Sentence]:
        """What is said, the sentence that most read first."""
        return sorted(self._said.values(), key=lambda said: (-len(said.by), said.text))


def _sentence(check: CheckReport) -> str:
    if check.diagnosis is not None:
        return diagnosed(check)
    return check.finding or check.outcome


class ExerciseOutcomes:
    """One exercise over the class: statuses, and its checks in their order."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.checks: dict[str, CheckOutcomes] = {}

    def add(self, place: int, report: ExerciseReport) -> None:
        """Take the report of the student at a place."""
        self.statuses["excused" if report.excused else report.status] += 1
        for check in report.checks:
            if check.name not in self.checks:
                self.checks[check.name] = CheckOutcomes(check)
            self.checks[check.name].add(place, check)


class ClassMember(msgspec.Struct, frozen=True):
    """What tables show of a student besides points.

    `key` stands for the student in addresses; `place` is that in the class.
    """

    id: str
    key: str
    place: int
    name: str
    section: str

    @property
    def address(self) -> str:
        return f"/students/{self.key}"


class ClassResults:
    """A class, read from its records in one pass; a student's whole record is read when asked for.

    `overview` has the table, the mistakes and the points; `students` are in the table's order;
    `outcomes` is what became of each exercise's checks; `mistakes` are those that have a name, the
    commonest first.
    """

    def __init__(self, results: Path, course: Course) -> None:
        """Read it.

        Raises:
            UserError: there is none, or it is of another version.
        """
        self._records = Records(results / REPORTS)
        if not self._records.there:
            raise UserError(
                f"{results} holds no {REPORTS}. Name the folder that grade wrote with --out."
            )
        weakref.finalize(self, self._records.close)
        self._lock, self._counting = threading.Lock(), threading.Lock()
        self.exercises = tuple(_exercise(course, name) for name in self._records.exercises)
        self.overview = ClassOverview(course.title, self.exercises)
        self.outcomes = {each.name: ExerciseOutcomes() for each in self.exercises}
        self.students: list[ClassMember] = []
        for student in self._records.students:
            self._take(self._whole(student))
        self.by_key = {student.key: student for student in self.students}
        self.mistakes: list[MistakeCount] = self.overview.mistakes.commonest()
        self._summary: Summary | None = None

    def _take(self, report: Report) -> None:
        hand_in = report.hand_in
        student = ClassMember(
            id=report.student,
            key=file_name(report.student),
            place=len(self.students),
            name=one_line(hand_in.name, 80) if hand_in else "",
            section=one_line(hand_in.section, 80) if hand_in else "",
        )
        for exercise in report.exercises:
            self.outcomes[exercise.name].add(student.place, exercise)
        self.students.append(student)
        self.overview.add(report, student.address)

    @property
    def summary(self) -> Summary:
        """The class in figures: made once, which takes longest of all."""
        with self._counting:
            if self._summary is None:
                self._summary = summarise(self.overview.scores)
            return self._summary

    def row(self, student: ClassMember) -> Row:
        """A student's line in the table."""
        return self.overview.rows[student.place]

    def report(self, student: ClassMember) -> Report:
        """A student's whole record.

        Raises:
            UserError: it is of another version.
        """
        return self._whole(student.id)

    def _whole(self, student: str) -> Report:
        with self._lock:
            report = self._records.get(student)
        assert report is not None
        return report

    def reports(self) -> Iterator[Report]:
        """Everybody's record, one after the other."""
        return (self.report(student) for student in self.students)


def _exercise(course: Course, name: str) -> Exercise:
    """An exercise of the course; one that is no longer in it has no points."""
    return course.exercises.get(name) or Exercise(name=name, title=name, points=0)


class CurrentResults:
    """The class in a folder; several threads may ask."""

    def __init__(self, results: Path, course: Course) -> None:
        self.results = results
        self._course = course
        self._lock = threading.Lock()
        self._state = 0, 0, 0
        self._class: ClassResults | None = None

    def read(self) -> ClassResults:
        """The class as it is now.

        Raises:
            UserError: there are no results, or none that can be read.
        """
        with self._lock:
            ensure_settled(self.results)
            state = _state(self.results / REPORTS)
            if self._class is None or state != self._state:
                self._class = ClassResults(self.results, self._course)
                self._state = state
                begun = self._class  # the figures are ready before somebody wants them
                threading.Thread(target=lambda: begun.summary, daemon=True).start()
            return self._class


def _state(path: Path) -> tuple[int, int, int]:
    """What tells whether a file is still the same."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_size, found.st_ino


# What became of a student's grades, version by version: read once, and again after a change.


class GradeHistory:
    """The history of a folder of results; threads may share it."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._lock = threading.Lock()
        self._versions: list[ResultsVersion] = []
        self._changes: dict[str, list[PastChange]] = {}

    def of(self, student: str) -> list["PastChange"]:
        """What became of a student's grade, the latest first.

        Raises:
            UserError: the history cannot be read.
        """
        with self._lock:
            found = versions(self._results)
            known = [version for version, _ in found]
            if known != self._versions:
                self._changes = {}
                for version, folder in found:
                    for change in read_changes(folder / CHANGES):
                        mine = self._changes.setdefault(change.student, [])
                        mine.append(PastChange(version, change))
                self._versions = known
            return self._changes.get(student, [])[::-1]


class PastChange(NamedTuple):
    """A change of a student's grade, and the version in which it came into force."""

    version: ResultsVersion
    change: Change
