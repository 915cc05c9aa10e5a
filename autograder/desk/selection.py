"""Selection and order of the students on a page, from the parameters in the page's address."""

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from autograder.course.course_file import Course, Exercise
from autograder.desk.results import ClassMember, ClassResults
from autograder.report.overview import HARMLESS, Row

LOOK_AT = "look"  # all statuses that need a person


class StudentFilter(NamedTuple):
    """Filters and order of students."""

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
