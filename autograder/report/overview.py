"""What is kept of each report while a class is graded: a row, and what statistics need."""

from collections.abc import Sequence

from autograder.course import Exercise
from autograder.report.above import above_maximum
from autograder.report.model import Report
from autograder.report.row import Row
from autograder.report.row_file import RowFile
from autograder.statistics.mistakes import ClassMistakes
from autograder.statistics.scores import Scores


class Overview:
    """A class's results so far."""

    def __init__(
        self, course: str, exercises: Sequence[Exercise], notes: Sequence[str] = ()
    ) -> None:
        self.course = course
        self.exercises = tuple(exercises)
        self.notes = tuple(notes)
        self.said_only: tuple[str, ...] = ()  # to who runs it, and written nowhere
        self.rows = RowFile()
        self.changed: list[str] = []  # what lateness and people made of the points, by student
        self.above: list[str] = []
        self.scores = Scores(exercises)
        self.mistakes = ClassMistakes()

    def add(self, report: Report, page: str) -> None:
        """Take a report into the overview; `page` is where its page lies."""
        notes = [*report.notes, *report.changes]
        self.changed += [f"{report.student}: {said}" for said in report.changes]
        self.above += above_maximum(report)
        told = {each.exercise for each in report.adjustments}
        for exercise in report.exercises:
            if exercise.excused:
                notes += [] if exercise.name in told else [f"{exercise.name}: excused."]
            elif exercise.status not in {"graded", "missing"}:
                notes.append(f"{exercise.name}: {exercise.status}. {exercise.reason}")
            elif exercise.file and exercise.reason and not exercise.points:
                notes.append(f"{exercise.name}: {exercise.reason}")
            self.mistakes.add(len(self.rows), exercise)
        self.scores.add(report)
        self.rows.append(
            Row(
                student=report.student,
                points={e.name: e.points for e in report.exercises},
                statuses={e.name: e.status for e in report.exercises},
                total=report.points,
                maximum=report.max_points,
                status="excused" if report.excused else report.status,
                notes=tuple(notes),
                page=page,
                name=report.hand_in.name if report.hand_in else "",
                excused=frozenset(e.name for e in report.exercises if e.excused),
            )
        )

    @property
    def needs_a_person(self) -> list[Row]:
        return [row for row in self.rows if row.status == "needs a person"]
