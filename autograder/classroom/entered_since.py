"""Whether people have entered anything that the results of a class do not have yet."""

from collections.abc import Sequence
from pathlib import Path

from autograder.classroom.adjustments import TABLE as ADJUSTMENTS
from autograder.classroom.adjustments import Adjustments
from autograder.classroom.by_hand import TABLE as MARKS
from autograder.classroom.by_hand import Marks
from autograder.classroom.marks_log import FILE as LOG
from autograder.course import Course
from autograder.errors import UserError
from autograder.report.model import Report
from autograder.text import few, one_line

MAX_SHOWN = 5


def refuse_entered_since(results: Path, course: Course, reports: Sequence[Report]) -> None:
    """See that marks and adjustments are all in the reports, so that no old points go out.

    Raises:
        UserError: somebody's are not; it names the table and whose they are.
    """
    adjustments = Adjustments(results / ADJUSTMENTS, course)
    marks = Marks(results / MARKS, course, course.exercises.values())
    later = {
        ADJUSTMENTS: [each.student for each in reports if not adjustments.are_in(each)],
        MARKS: [each.student for each in reports if not _has(each, marks)],
    }
    for table, students in later.items():
        if students:
            who = few([one_line(student, 60) for student in students], MAX_SHOWN)
            desk = f" or {LOG}" if table == MARKS and marks.log.there else ""
            raise UserError(
                f"{results / table}{desk} was changed since grade ran, so the points of {who} "
                f"are old. Run the same grade command again, and then export."
            )


def _has(report: Report, marks: Marks) -> bool:
    return all(
        marks.given(exercise, report.student).answers == exercise.answers
        for exercise in report.exercises
    )
