"""Selection and order of the students on a page. The address of the page contains both."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from autograder.course.course_file import Course, Exercise
from autograder.desk.results import ClassMember, ClassResults
from autograder.report.overview import HARMLESS, Row

LOOK_AT = "look"  # all statuses that need a person


class StudentFilter(NamedTuple):
    """Filters and order from an address. An empty filter selects all students.

    `q` is a part of an id or a name. `mistake` is the index of one of the class's mistakes. `check`
    is an exercise and a check, such as "sort/test_empty"; it selects students without full points.
    """

    q: str = ""
    status: str = ""
    section: str = ""
    assignment: str = ""
    mistake: str = ""
    check: str = ""
    sort: str = ""
    down: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "StudentFilter":
        return cls(**{name: query.get(name, "")[:200] for name in cls._fields})

    def address(self, path: str = "/", **changes: str) -> str:
        """Return the address of a page with this selection, after changes to some fields."""
        values = {**self._asdict(), **changes}
        query = urlencode({name: value for name, value in values.items() if value})
        return f"{path}?{query}" if query else path

    @property
    def filters(self) -> bool:
        return any((self.q, self.status, self.section, self.mistake, self.check))


def shown_exercises(choice: StudentFilter, now: ClassResults, course: Course) -> list[Exercise]:
    """Return the exercises of the chosen assignment, or all exercises."""
    for assignment in course.content.assignments:
        if assignment.name == choice.assignment:
            return [each for each in now.exercises if each.name in assignment.exercises]
    return list(now.exercises)


def selected(choice: StudentFilter, now: ClassResults, course: Course) -> list[ClassMember]:
    """Return the selected students, in order."""
    places = _places(choice, now)
    words = choice.q.casefold().split()
    harmless = HARMLESS if choice.status == LOOK_AT else ()
    found = [
        student
        for student in now.students
        if (places is None or student.place in places)
        and (not choice.section or student.section == choice.section)
        and choice.status in {"", LOOK_AT, now.row(student).status}
        and now.row(student).status not in harmless
        and all(word in f"{student.id} {student.name}".casefold() for word in words)
    ]
    return _sorted(found, choice, now, shown_exercises(choice, now, course))


def _places(choice: StudentFilter, now: ClassResults) -> set[int] | None:
    """Return the positions of the students whom `mistake` and `check` select; None for all."""
    places: set[int] | None = None
    if choice.mistake:
        number = int(choice.mistake) if choice.mistake.isdecimal() else -1
        places = set(now.mistakes[number].by) if 0 <= number < len(now.mistakes) else set()
    if choice.check:
        exercise, _, name = choice.check.partition("/")
        check = now.outcomes[exercise].checks.get(name) if exercise in now.outcomes else None
        of_check = set(check.not_full) if check else set()
        places = of_check if places is None else places & of_check
    return places


def points_in(row: Row, exercises: list[Exercise]) -> float | None:
    """Return the points of some exercises that are not excused; None if no points are known."""
    points = [row.points.get(e.name) for e in exercises if e.name not in row.excused]
    known = [each for each in points if each is not None]
    return sum(known) if known else None


def _sorted(
    found: list[ClassMember], choice: StudentFilter, now: ClassResults, exercises: list[Exercise]
) -> list[ClassMember]:
    names = {exercise.name for exercise in now.exercises}

    def points(student: ClassMember) -> float:
        row = now.row(student)
        if choice.sort == "total":
            points = points_in(row, exercises) if choice.assignment else row.total
        else:
            points = None if choice.sort in row.excused else row.points.get(choice.sort)
        return -1.0 if points is None else points

    down = bool(choice.down)
    if choice.sort == "total" or choice.sort in names:
        return sorted(found, key=points, reverse=down)
    if choice.sort == "name":
        return sorted(found, key=lambda s: (s.name or s.id).casefold(), reverse=down)
    if choice.sort == "status":
        return sorted(found, key=lambda s: now.row(s).status, reverse=down)
    return found[::-1] if down else found
