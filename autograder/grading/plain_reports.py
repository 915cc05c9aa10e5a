"""Reports that need no check's results: on what was not graded, and on a student's whole work."""

from collections.abc import Sequence

from autograder.course import Course, Exercise
from autograder.report.model import ExerciseReport, Grader, HandIn, Report, Status, worst
from autograder.sandbox.child import GraderTrouble


def ungraded(
    exercise: Exercise, status: Status, reason: str, *, ran: bool = True
) -> ExerciseReport:
    """The report on an exercise that no check could look at.

    Unless the submission `ran`, nothing in the reason is of its making.
    """
    return ExerciseReport(
        name=exercise.name,
        title=exercise.title,
        status=status,
        points=0.0,
        max_points=exercise.points,
        reason=reason,
        reason_is_ours=not ran,
    )


def not_graded(exercise: Exercise, trouble: GraderTrouble) -> ExerciseReport:
    """The report on a submission with which the grader itself failed: it is no fault of it."""
    return ungraded(exercise, "needs a person", trouble.finding)


def whole_report(
    student: str,
    course: Course,
    exercises: Sequence[ExerciseReport],
    graded_by: Grader,
    notes: Sequence[str] = (),
    hand_in: HandIn | None = None,
) -> Report:
    """One student's report."""
    return Report(
        student=student,
        course=course.title,
        status=worst([exercise.status for exercise in exercises]),
        points=round(sum(exercise.points for exercise in exercises), 2),
        max_points=round(sum(exercise.max_points for exercise in exercises), 2),
        grader=graded_by,
        exercises=tuple(exercises),
        notes=tuple(notes),
        hand_in=hand_in,
    )
