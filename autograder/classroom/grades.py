"""The grades of a class, computed from its reports."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.classroom.history import ensure_settled
from autograder.classroom.records import REPORTS, Records
from autograder.course.course_file import CellWithoutPoints, Course, ExportPolicy
from autograder.course.errors import UserError
from autograder.course.text import number
from autograder.report.model import WITHOUT_POINTS, ExerciseReport, Report, worst


class Grade(msgspec.Struct, frozen=True):
    """A student's points for some exercises, or the reason why there are no points."""

    points: float | None
    maximum: float
    why_not: str = ""
    excused: bool = False
    of_less: bool = False  # true if the student is excused from some of the exercises


class Scale(msgspec.Struct, frozen=True):
    """Maximum points on a platform. If `allowed` is true, points are scaled to this maximum."""

    maximum: float | None
    allowed: bool

    def text(self, grade: Grade, where: str) -> str:
        """Return the points of a grade as text, with at most two decimals."""
        assert grade.points is not None
        if self.maximum is None or abs(self.maximum - grade.maximum) < 0.005:
            return number(grade.points)
        if not self.allowed and grade.of_less:
            raise UserError(
                f"{where} has a maximum of {number(self.maximum)} points, but a student excused "
                f"from a part can get only {number(grade.maximum)}. Add --scale to scale these "
                f"points to the maximum."
            )
        if not self.allowed:
            raise UserError(
                f"{where} has a maximum of {number(self.maximum)} points, and the results "
                f"have {number(grade.maximum)}. If both are for the same exercises, set the "
                f"maximum there to {number(grade.maximum)}, or add --scale. If the points "
                f"there are for fewer exercises, grade only these into another folder: grade "
                f"--exercise NAME --out FOLDER."
            )
        return number(grade.points * self.maximum / grade.maximum if grade.maximum else 0.0)


def read_reports(results: Path) -> list[Report]:
    ensure_settled(results)
    records = Records(results / REPORTS)
    if not records.there:
        raise UserError(
            f"{records.path} does not exist. Give the folder that you named with --out."
        )
    return [records.report(student) for student in records.students]


def under_policy(report: Report, course: Course) -> Report:
    """Apply the course's `export` policy for work without points. The total does not change."""
    policy = course.content.export
    lost = {late.assignment for late in report.lateness if late.percent >= 100}
    late = {e for a in course.content.assignments if a.name in lost for e in a.exercises}
    exercises = [_under_policy(each, policy, each.name in late) for each in report.exercises]
    keeps_late = policy.too_late == 0
    return msgspec.structs.replace(
        report,
        exercises=tuple(exercises),
        max_points=round(sum(each.max_points for each in exercises if not each.excused), 2),
        lateness=tuple(x for x in report.lateness if keeps_late or x.assignment not in lost),
    )


def _under_policy(each: ExerciseReport, policy: ExportPolicy, too_late: bool) -> ExerciseReport:
    cell: CellWithoutPoints | None = None
    if each.status == "missing":
        cell = policy.missing
    elif too_late:
        cell = policy.too_late
    elif each.status == "not loaded" and each.known_points is None:
        cell = policy.not_loaded
    if each.excused or cell is None:
        return each
    if cell == "excused":
        return msgspec.structs.replace(each, points=0.0, excused=True)
    if cell == 0:
        status = "graded" if each.status in WITHOUT_POINTS else each.status
        return msgspec.structs.replace(each, status=status)
    return msgspec.structs.replace(each, points=0.0, status="missing") if too_late else each


def grade_of(report: Report, exercises: Sequence[str], assignment: str = "") -> Grade:
    """Return a student's grade for some exercises, after the assignment's late penalty."""
    every = [exercise for exercise in report.exercises if exercise.name in exercises]
    parts = [exercise for exercise in every if not exercise.excused]
    points = sum(part.points for part in parts)
    maximum = sum(part.max_points for part in parts)
    status = worst([part.status for part in parts]) if parts else "missing"
    if len(every) == len(report.exercises):
        points = report.points
    elif assignment:
        points -= sum(late.points for late in report.lateness if late.assignment == assignment)
    if every and not parts:
        return Grade(None, maximum, "excused", excused=True)
    if status in WITHOUT_POINTS:
        rest = " in the exercises not excused" if len(parts) < len(every) else ""
        so_far = f", {number(points)} of {number(maximum)} so far" if points else ""
        return Grade(None, maximum, f"{status}{rest}{so_far}")
    return Grade(round(points, 2), maximum, of_less=len(parts) < len(every))
