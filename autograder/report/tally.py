"""The points of a class as arrays, and its mistakes: what statistics are made of."""

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from autograder.course.course_file import Exercise
from autograder.report.model import ExerciseReport, Report

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


Floats: TypeAlias = "npt.NDArray[np.float64]"
MistakeKey = tuple[str, str, str]  # exercise, function, ids
NOT_MEASURED = {"missing", "needs a person", "by hand", "not loaded"}


class Taken:
    """One exercise, of those who handed it in: their points by check, and who they are."""

    def __init__(self, name: str, title: str, maximum: float) -> None:
        self.name, self.title, self.maximum = name, title, maximum
        self.checks: list[tuple[str, str, float]] = []  # name, title, points
        self.students: list[int] = []
        self._points = array("d")

    def add(self, student: int, report: ExerciseReport) -> None:
        """Take one student's results; of the checks, those that the first report names."""
        if not self.checks:
            self.checks = [(each.name, each.title, each.max_points) for each in report.checks]
        points = {each.name: each.points for each in report.checks}
        self.students.append(student)
        self._points.extend(points.get(name, 0.0) for name, _, _ in self.checks)
        self._points.append(report.points)

    @property
    def points(self) -> Floats:
        """Points of shape (students, checks + 1): those of each check, and last what counts."""
        import numpy as np

        return np.array(self._points).reshape(len(self.students), len(self.checks) + 1)


class Scores:
    """The points of all who are not excused and handed in something.

    An exercise is *measured* for those who handed it in and whose points are known. A student's
    total, which an item is held against, counts what was not handed in as 0, as the grade does.
    """

    def __init__(self, exercises: Sequence[Exercise]) -> None:
        self.exercises = {e.name: Taken(e.name, e.title, e.points) for e in exercises}
        self.students: list[str] = []
        self._totals = array("d")
        self._by_exercise = array("d")

    def add(self, report: Report) -> None:
        """Take one student's report."""
        measured = [e for e in report.exercises if e.status not in NOT_MEASURED and not e.excused]
        if report.excused or not measured:
            return
        number = len(self.students)
        self.students.append(report.student)
        for each in measured:
            if each.checks:
                self.exercises[each.name].add(number, each)
        points = {each.name: each.points for each in report.exercises}
        self._by_exercise.extend(points.get(name, 0.0) for name in self.exercises)
        self._totals.append(sum(points.values()))

    @property
    def totals(self) -> Floats:
        """Each student's points in all exercises, before lateness; shape (students,)."""
        import numpy as np

        return np.array(self._totals)

    @property
    def by_exercise(self) -> Floats:
        """Points of shape (students, exercises); 0 for what was not handed in."""
        import numpy as np

        return np.array(self._by_exercise).reshape(len(self.students), len(self.exercises))

    def measured(self) -> list[Taken]:
        """Return the exercises of which somebody's points are known."""
        return [each for each in self.exercises.values() if each.students]


class MistakeCount(msgspec.Struct):
    """A mistake in one exercise: what a student reads, who made it, and the points it cost them."""

    exercise: str
    finding: str
    ids: str
    by: list[int] = []
    lost: float = 0.0
    also: tuple[str, ...] = ()

    @property
    def students(self) -> int:
        """The number of students who made it."""
        return len(self.by)


class ClassMistakes:
    """The mistakes that have a name, over a class; students are known by their row."""

    def __init__(self) -> None:
        self._made: dict[MistakeKey, MistakeCount] = {}

    def add(self, row: int, exercise: ExerciseReport) -> None:
        """Take one exercise of the student of that row; a mistake counts once in it."""
        for check in exercise.checks:
            diagnosis = check.diagnosis
            if diagnosis is None or not diagnosis.misconceptions:
                continue
            ids = "+".join(diagnosis.misconceptions)
            new = MistakeCount(exercise.title, diagnosis.sentence, ids)
            count = self._made.setdefault((exercise.name, diagnosis.function, ids), new)
            if not count.by or count.by[-1] != row:
                count.by.append(row)
            count.lost += check.max_points - check.points

    def commonest(self) -> list[MistakeCount]:
        """Return all, those that most students made first, each with where else it was made."""
        made = sorted(self._made.values(), key=lambda m: (-m.students, m.exercise, m.finding))
        for each in made:
            each.also = _also(each, made)
        return made


def costliest(made: Sequence[MistakeCount], most: int = 5) -> list[MistakeCount]:
    """Return the mistakes that cost the class most points."""
    cost = [each for each in made if each.lost > 0]
    return sorted(cost, key=lambda m: (-m.lost, -m.students, m.exercise, m.finding))[:most]


def _also(one: MistakeCount, made: Sequence[MistakeCount]) -> tuple[str, ...]:
    """Return the other exercises in which some of the same students made the same mistake."""
    found: dict[str, set[int]] = {}
    for other in made:
        if other.ids == one.ids and other.exercise != one.exercise:
            found.setdefault(other.exercise, set()).update(set(one.by) & set(other.by))
    return tuple(f"{name} ({len(by)} of these)" for name, by in sorted(found.items()) if by)


def students_by_mistakes(made: Sequence[MistakeCount]) -> list[int]:
    """Return the rows of all who made one of these mistakes, the same ones side by side."""
    has: dict[int, list[int]] = {}
    for number, each in enumerate(made):
        for row in each.by:
            has.setdefault(row, []).append(number)
    return sorted(has, key=lambda row: (has[row], row))
