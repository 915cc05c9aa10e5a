"""Results in a folder, and selections of their students."""

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec

from autograder.classroom.grade_difference import Change
from autograder.classroom.history import (
    CHANGES,
    ResultsVersion,
    read_changes,
    versions,
)
from autograder.classroom.records import REPORTS, Records
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.text import file_name, one_line
from autograder.desk.submissions import Submissions
from autograder.report.html import ON_THE_MAP
from autograder.report.model import CheckReport, ExerciseReport, HandIn, Report
from autograder.report.overview import HARMLESS, ClassOverview, Row
from autograder.report.presentation import QUIET
from autograder.report.statistics import Summary, summarise

LONGEST, LONGEST_IN_GROUP = 300, 500  # characters of a message
LOOK_AT = "look"  # all statuses that need a person
GROUP = re.compile(r"[0-9a-f]{10}")


class Sentence(NamedTuple):
    """Message on a check, and the positions in the class of the students who got it."""

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
    """Outcomes of one exercise over the class: statuses, and checks in order."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.checks: dict[str, CheckOutcomes] = {}

    def add(self, place: int, report: ExerciseReport) -> None:
        self.statuses["excused" if report.excused else report.status] += 1
        for check in report.checks:
            if check.name not in self.checks:
                self.checks[check.name] = CheckOutcomes(check)
            self.checks[check.name].add(place, check)


class UnnamedGroup(msgspec.Struct):
    """Students with the same wrong results in an exercise, which no known mistake explains."""

    exercise: str
    id: str
    students: dict[str, set[str]] = {}  # dict from ids of students to their messages
    failed: Counter[str] = msgspec.field(default_factory=Counter)  # failures of each check
    lost: float = 0.0  # sum of the lost points

    def add(self, student: str, check: CheckReport) -> None:
        messages = self.students.setdefault(student, set())
        text = check.diagnosis.finding if check.diagnosis else check.finding
        if text:
            messages.add(one_line(text, LONGEST_IN_GROUP))
        self.failed[one_line(check.title, LONGEST_IN_GROUP)] += 1
        self.lost += check.max_points - check.points

    @property
    def points(self) -> float:
        return round(self.lost, 2)

    @property
    def checks(self) -> list[tuple[str, int]]:
        return _commonest(self.failed)

    @property
    def said(self) -> list[tuple[str, int]]:
        return _commonest(Counter(text for texts in self.students.values() for text in texts))


def _commonest(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


class ClassMember(NamedTuple):
    id: str
    key: str  # student's name in addresses
    place: int  # position in the class
    name: str
    section: str

    @property
    def address(self) -> str:
        return f"/students/{self.key}"


class ClassResults:
    """Results of a class, read from its records in one pass.

    Threads may share the object. `overview` has the table, the mistakes and the points.
    `with_requests` has the ids of students with a request. `lines` are sentences about lines to
    change. `unnamed` has the groups of students with the same unnamed failures, largest group
    first.
    """

    def __init__(self, results: Path, course: Course) -> None:
        self._results = results
        self._records = Records(results / REPORTS)
        if not self._records.there:
            raise UserError(
                f"{results} holds no {REPORTS}. Give the folder that you named with --out."
            )
        self.exercises = tuple(  # an exercise removed from the course has no points
            course.exercises.get(name) or Exercise(name=name, title=name, points=0)
            for name in self._records.exercises
        )
        self.overview = ClassOverview(course.title, self.exercises)
        self.outcomes = {exercise.name: ExerciseOutcomes() for exercise in self.exercises}
        self.students: list[ClassMember] = []
        self.with_requests: set[str] = set()
        groups: dict[tuple[str, str], UnnamedGroup] = {}
        for place, id in enumerate(self._records.students):
            report = self.report(id)
            hand_in = report.hand_in or HandIn()
            name, section = one_line(hand_in.name, 80), one_line(hand_in.section, 80)
            student = ClassMember(id, file_name(id), place, name, section)
            self.students.append(student)
            for exercise in report.exercises:
                self.outcomes[exercise.name].add(place, exercise)
                if exercise.request:
                    self.with_requests.add(id)
                for check in exercise.checks:
                    if GROUP.fullmatch(check.group):
                        key = exercise.name, check.group
                        groups.setdefault(key, UnnamedGroup(*key)).add(id, check)
            self.overview.add(report, student.address)
        self.by_key = {student.key: student for student in self.students}
        self.mistakes = self.overview.mistakes.commonest()
        self.lines = self.overview.lines.commonest()[:ON_THE_MAP]
        self.unnamed = sorted(groups.values(), key=lambda g: (-len(g.students), g.exercise, g.id))
        self.submissions = Submissions(results, course)

    @functools.cached_property
    def summary(self) -> Summary:
        return summarise(self.overview.scores)

    def row(self, student: ClassMember) -> Row:
        return self.overview.rows[student.place]

    def report(self, student: str) -> Report:
        """Read the whole record of a student."""
        return self._records.report(student)

    @functools.cached_property
    def history(self) -> dict[str, list[tuple[ResultsVersion, Change]]]:
        changes = defaultdict(list)
        for version, folder in versions(self._results):
            for change in read_changes(folder / CHANGES):
                changes[change.student].append((version, change))
        return changes


class StudentFilter(NamedTuple):
    """Filters and order of the students on a page, from the parameters in its address."""

    q: str = ""  # part of an id or a name
    status: str = ""
    section: str = ""
    assignment: str = ""
    mistake: str = ""  # index of a mistake of the class
    check: str = ""  # such as "sort/test_empty": only students without full points in it
    sort: str = ""
    down: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "StudentFilter":
        return cls(**{name: query.get(name, "")[:200] for name in cls._fields})

    def address(self, path: str = "/", **changes: str) -> str:
        values = {**self._asdict(), **changes}
        query = urlencode({name: value for name, value in values.items() if value})
        return f"{path}?{query}" if query else path

    @property
    def filters(self) -> bool:
        return any((self.q, self.status, self.section, self.mistake, self.check))

    def exercises(self, now: ClassResults, course: Course) -> list[Exercise]:
        for assignment in course.content.assignments:
            if assignment.name == self.assignment:
                return [e for e in now.exercises if e.name in assignment.exercises]
        return list(now.exercises)

    def total(self, row: Row, exercises: list[Exercise]) -> float | None:
        """Return the total, or the sum of an assignment. If points are unknown, return None."""
        if not self.assignment:
            return row.total
        points = [row.points.get(e.name) for e in exercises if e.name not in row.excused]
        known = [value for value in points if value is not None]
        return sum(known) if known else None

    def students(self, now: ClassResults, course: Course) -> list[ClassMember]:
        places = self._places(now)
        words = self.q.casefold().split()
        harmless = HARMLESS if self.status == LOOK_AT else ()
        selected = [
            student
            for student in now.students
            if student.place in places
            and (not self.section or student.section == self.section)
            and self.status in {"", LOOK_AT, now.row(student).status}
            and now.row(student).status not in harmless
            and all(word in f"{student.id} {student.name}".casefold() for word in words)
        ]
        rank = functools.partial(self._rank, now=now, exercises=self.exercises(now, course))
        return sorted(selected, key=rank, reverse=bool(self.down))

    def _rank(self, student: ClassMember, now: ClassResults, exercises: list[Exercise]) -> Any:
        row = now.row(student)
        if self.sort == "name":
            return (student.name or student.id).casefold()
        if self.sort == "status":
            return row.status
        if self.sort == "total":
            points = self.total(row, exercises)
        elif self.sort in now.outcomes:
            points = None if self.sort in row.excused else row.points.get(self.sort)
        else:
            return student.place
        return -1.0 if points is None else points

    def _places(self, now: ClassResults) -> set[int]:
        places = set(range(len(now.students)))
        if self.mistake:
            number = int(self.mistake) if self.mistake.isdecimal() else -1
            places &= set(now.mistakes[number].by if 0 <= number < len(now.mistakes) else ())
        if self.check:
            exercise, _, name = self.check.partition("/")
            check = now.outcomes[exercise].checks.get(name) if exercise in now.outcomes else None
            places &= set(check.not_full if check else ())
        return places
