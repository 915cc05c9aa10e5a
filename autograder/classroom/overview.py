"""What is kept of each report while a class is graded: a row of numbers, and counts of failures."""

from collections.abc import Sequence

import msgspec

from autograder.course import Exercise
from autograder.report.model import Report, Status


class Row(msgspec.Struct, frozen=True):
    """One student's line in the tables."""

    student: str
    points: dict[str, float]
    statuses: dict[str, Status]
    total: float
    maximum: float
    status: Status
    notes: tuple[str, ...]
    page: str


class CheckCount(msgspec.Struct):
    """How often a check was failed, among those who handed the exercise in."""

    exercise: str
    title: str
    failed: int = 0
    handed_in: int = 0


class Overview:
    """A class's results so far."""

    def __init__(
        self, course: str, exercises: Sequence[Exercise], notes: Sequence[str] = ()
    ) -> None:
        self.course = course
        self.exercises = tuple(exercises)
        self.notes = tuple(notes)
        self.rows: list[Row] = []
        self.checks: dict[tuple[str, str], CheckCount] = {}

    def add(self, report: Report, page: str) -> None:
        """Take a report into the overview; `page` is where its page lies."""
        notes = list(report.notes)
        for exercise in report.exercises:
            if exercise.status in {"needs a person", "crashed", "timed out"}:
                notes.append(f"{exercise.name}: {exercise.status}. {exercise.reason}")
            for check in exercise.checks:
                key = (exercise.name, check.name)
                count = self.checks.setdefault(key, CheckCount(exercise.title, check.title))
                count.handed_in += 1
                count.failed += check.outcome != "passed"
        self.rows.append(
            Row(
                student=report.student,
                points={e.name: e.points for e in report.exercises},
                statuses={e.name: e.status for e in report.exercises},
                total=report.points,
                maximum=report.max_points,
                status=report.status,
                notes=tuple(notes),
                page=page,
            )
        )

    @property
    def needs_a_person(self) -> list[Row]:
        return [row for row in self.rows if row.status == "needs a person"]

    def hardest(self, most: int = 12) -> list[CheckCount]:
        """The checks that most of those who handed in have failed."""
        failed = [count for count in self.checks.values() if count.failed]
        return sorted(failed, key=lambda c: (-c.failed / c.handed_in, c.exercise, c.title))[:most]
