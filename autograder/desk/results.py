"""Results of a class, read from a folder. They are read again when a command changes them."""

import functools
import threading
import weakref
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

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
from autograder.desk.submissions import Submissions
from autograder.desk.unnamed_groups import UnnamedGroups
from autograder.report.model import CheckReport, ExerciseReport, Report
from autograder.report.overview import ClassMistakes, ClassOverview, Row
from autograder.report.presentation import QUIET
from autograder.report.statistics import Summary, summarise

LONGEST = 300
MOST_LINES = 40  # on the map


class Sentence(NamedTuple):
    """Message on a check, and the positions of its students; `named` means it names a mistake."""

    text: str
    by: list[int]
    named: bool


class CheckOutcomes:
    """Outcomes of one check over the class."""

    def __init__(self, check: CheckReport) -> None:
        self.name, self.title, self.hidden = check.name, check.title, check.hidden
        self.maximum = check.max_points
        self.outcomes: Counter[str] = Counter()
        self.not_full: list[int] = []
        self._sentences: dict[str, Sentence] = {}

    def add(self, place: int, check: CheckReport) -> None:
        self.outcomes[check.outcome] += 1
        if check.points < check.max_points:
            self.not_full.append(place)
        if check.outcome not in QUIET:
            diagnosis = check.diagnosis
            text = diagnosis.sentence if diagnosis else check.finding or check.outcome
            new = Sentence(text[:LONGEST], [], diagnosis is not None and diagnosis.kind == "named")
            self._sentences.setdefault(new.text, new).by.append(place)

    def commonest(self) -> Sequence[Sentence]:
        return sorted(self._sentences.values(), key=lambda each: (-len(each.by), each.text))


class ExerciseOutcomes:
    """Outcomes of one exercise over the class: its statuses, and its checks in their order."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.checks: dict[str, CheckOutcomes] = {}

    def add(self, place: int, report: ExerciseReport) -> None:
        self.statuses["excused" if report.excused else report.status] += 1
        for check in report.checks:
            if check.name not in self.checks:
                self.checks[check.name] = CheckOutcomes(check)
            self.checks[check.name].add(place, check)


class ClassMember(NamedTuple):
    """Student. `key` is the student's name in addresses, and `place` the position in the class."""

    id: str
    key: str
    place: int
    name: str
    section: str

    @property
    def address(self) -> str:
        return f"/students/{self.key}"


class ClassResults:
    """Results of a class, read from its records in one pass; threads may share it.

    `overview` has the table, the mistakes and the points. `with_requests` has the ids of students
    with a request. `lines` are to change where a mistake has no name, and `unnamed` are groups of
    students with the same failures without a name. The commonest come first.
    """

    def __init__(self, results: Path, course: Course) -> None:
        """Read the results.

        Raises:
            UserError: there are no results, or they are of another version.
        """
        self._results = results
        self._records = Records(results / REPORTS)
        if not self._records.there:
            raise UserError(
                f"{results} holds no {REPORTS}. Name the folder that grade wrote with --out."
            )
        weakref.finalize(self, self._records.close)
        self._lock = threading.Lock()
        self.exercises = tuple(  # an exercise removed from the course has no points
            course.exercises.get(name) or Exercise(name=name, title=name, points=0)
            for name in self._records.exercises
        )
        self.overview = ClassOverview(course.title, self.exercises)
        self.outcomes = {each.name: ExerciseOutcomes() for each in self.exercises}
        self.students: list[ClassMember] = []
        self.with_requests: set[str] = set()
        groups, lines = UnnamedGroups(), ClassMistakes()
        for student in self._records.students:
            report = self.report(student)
            hand_in = report.hand_in
            member = ClassMember(
                id=report.student,
                key=file_name(report.student),
                place=len(self.students),
                name=one_line(hand_in.name, 80) if hand_in else "",
                section=one_line(hand_in.section, 80) if hand_in else "",
            )
            for exercise in report.exercises:
                self.outcomes[exercise.name].add(member.place, exercise)
                lines.add_line(member.place, exercise)
            self.students.append(member)
            if any(exercise.request for exercise in report.exercises):
                self.with_requests.add(report.student)
            self.overview.add(report, member.address)
            groups.add(report)
        self.by_key = {student.key: student for student in self.students}
        self.mistakes = self.overview.mistakes.commonest()
        self.lines = lines.commonest()[:MOST_LINES]
        self.unnamed = groups.largest()
        self.submissions = Submissions(results, course)

    @functools.cached_property
    def summary(self) -> Summary:
        """Statistics of the class, computed only once because the computation is slow."""
        return summarise(self.overview.scores)

    def row(self, student: ClassMember) -> Row:
        return self.overview.rows[student.place]

    def report(self, student: str) -> Report:
        """Read a student's whole record.

        Raises:
            UserError: the record is of another version.
        """
        with self._lock:
            report = self._records.get(student)
        assert report is not None
        return report

    @functools.cached_property
    def history(self) -> dict[str, list[tuple[ResultsVersion, Change]]]:
        """Changes of each student's grade, with the versions that made them, in order.

        Raises:
            UserError: the history cannot be read.
        """
        changes = defaultdict(list)
        for version, folder in versions(self._results):
            for change in read_changes(folder / CHANGES):
                changes[change.student].append((version, change))
        return changes


class CurrentResults:
    """Results in a folder, read again after a change; threads may share it."""

    def __init__(self, results: Path, course: Course) -> None:
        self.results, self._course = results, course
        self._lock = threading.Lock()
        self._state: tuple[int, ...] = ()
        self._class: ClassResults | None = None

    def read(self) -> ClassResults:
        """Return the current results of the class.

        Raises:
            UserError: there are no results, or they cannot be read.
        """
        with self._lock:
            ensure_settled(self.results)
            try:
                found = (self.results / REPORTS).stat()
                state: tuple[int, ...] = found.st_mtime_ns, found.st_size, found.st_ino
            except OSError:
                state = ()
            if self._class is None or state != self._state:
                self._class, self._state = ClassResults(self.results, self._course), state
            return self._class
