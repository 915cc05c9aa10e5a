"""A folder of results as it is now: read once, and again when another command has changed it."""

import threading
import weakref
from collections.abc import Iterator
from pathlib import Path

import msgspec

from autograder.classroom.records import FILE as REPORTS
from autograder.classroom.records import Records
from autograder.classroom.versions import see_settled
from autograder.course import Course, Exercise
from autograder.desk.check_outcomes import ExerciseOutcomes
from autograder.errors import UserError
from autograder.report.model import Report
from autograder.report.overview import Overview
from autograder.report.row import Row
from autograder.statistics.mistakes import MistakeCount
from autograder.statistics.summary import Summary, summarise
from autograder.text import file_name, one_line


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


class ClassNow:
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
        self.overview = Overview(course.title, self.exercises)
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


class ResultsNow:
    """The class in a folder; several threads may ask."""

    def __init__(self, results: Path, course: Course) -> None:
        self.results = results
        self._course = course
        self._lock = threading.Lock()
        self._state = 0, 0, 0
        self._class: ClassNow | None = None

    def read(self) -> ClassNow:
        """The class as it is now.

        Raises:
            UserError: there are no results, or none that can be read.
        """
        with self._lock:
            see_settled(self.results)
            state = _state(self.results / REPORTS)
            if self._class is None or state != self._state:
                self._class = ClassNow(self.results, self._course)
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
