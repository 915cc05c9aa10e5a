"""Progress in the course: what is done, begun and untouched, by the last check of each exercise.

The last check is kept beside the student's file, for the student alone. Nothing is run here.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.report.model import CheckReport, ExerciseReport, Status
from autograder.report.presentation import LEFT_TO_GRADING
from autograder.student.attempts import FOLDER, read_record, write_record
from autograder.student.find import find_file
from autograder.submission.code import read_code
from autograder.submission.read import UnreadableFile
from autograder.submission.source import Siblings, Source, read_source, with_stated_numbers
from autograder.submission.stubs import Stubs, read_stubs

Stage = Literal["done", "begun", "untouched", "missing", "unreadable"]


class LastCheck(msgspec.Struct, frozen=True):
    """The last check of one exercise, as its student may see it.

    `digest` is of its source, where that was saved; `passed` are the names of the checks that
    passed, of so many `checks`. What a released course leaves to grading is not counted.
    """

    file: str
    digest: str
    checked: datetime
    status: Status
    points: float
    max_points: float
    passed: tuple[str, ...] = ()
    checks: int = 0

    @property
    def is_done(self) -> bool:
        """True if nothing is left to do: full marks, or all answered for a person to read."""
        if self.status == "by hand":
            return len(self.passed) == self.checks
        return self.status == "graded" and self.points == self.max_points


def progress_of(report: ExerciseReport, now: datetime | None = None) -> LastCheck:
    """Return what to keep of a report that its student may see."""
    left_to_grading = [check for check in report.checks if _is_left_to_grading(check)]
    return LastCheck(
        file=report.file,
        digest=report.digest,
        checked=(now or datetime.now(UTC)).replace(microsecond=0),
        status=report.status,
        points=report.points,
        max_points=round(report.max_points - sum(c.max_points for c in left_to_grading), 2),
        passed=tuple(check.name for check in report.checks if check.outcome == "passed"),
        checks=len(report.checks) - len(left_to_grading),
    )


def _is_left_to_grading(check: CheckReport) -> bool:
    return check.outcome == "not told" and (
        check.cause is not None and check.cause.code in LEFT_TO_GRADING
    )


def progress_file(source: Path, exercise: str) -> Path:
    """Return where the last check of a file is kept."""
    return source.parent / FOLDER / f"{exercise}.progress.json"


def read_progress(source: Path, exercise: str) -> LastCheck | None:
    """Read the last check that is kept beside a file; None if there is none."""
    return read_record(progress_file(source, exercise), LastCheck)


def write_progress(source: Path, report: ExerciseReport) -> None:
    """Keep how a student's report on an exercise stands, beside its file."""
    write_record(progress_file(source, report.name), progress_of(report))


class ExerciseProgress(msgspec.Struct, frozen=True):
    """The progress of one exercise. `changed` if its file is another than the one last checked."""

    exercise: Exercise
    state: Stage
    file: Path | None = None
    last_check: LastCheck | None = None
    changed: bool = False
    why: str = ""

    @property
    def points(self) -> float:
        """The points of the last check."""
        return self.last_check.points if self.last_check is not None else 0.0

    @property
    def is_by_hand(self) -> bool:
        """True if a person gives the points."""
        return self.last_check is not None and self.last_check.status == "by hand"


CourseProgress = dict[str, ExerciseProgress]


class AssignmentProgress(msgspec.Struct, frozen=True):
    """Exercises that are due together."""

    title: str
    due: datetime | None
    exercises: tuple[ExerciseProgress, ...]


def course_progress(course: Course) -> CourseProgress:
    """Return where every exercise stands, by name, in the course's order."""
    stubs = read_stubs(course)
    return {e.name: exercise_progress(course, e, stubs) for e in course.exercises.values()}


def exercise_progress(
    course: Course, exercise: Exercise, stubs: Stubs, file: Path | None = None
) -> ExerciseProgress:
    """Return where one exercise stands; `file` is the one that is worked in, if that is known."""
    try:
        file = file or find_file(course, exercise, stubs)
    except UserError:
        return ExerciseProgress(exercise, "missing")
    last = read_progress(file, exercise.name)
    try:
        source = read_source(file, exercise.name, Siblings(file.parent))
    except UnreadableFile as error:
        return ExerciseProgress(exercise, "unreadable", file, last, changed=True, why=str(error))
    source = with_stated_numbers(source, exercise)
    changed = last is not None and last.digest not in {"", source.digest}
    if last is not None and last.is_done:
        return ExerciseProgress(exercise, "done", file, last, changed)
    if not (last is not None and last.points) and _is_untouched(source, stubs):
        return ExerciseProgress(exercise, "untouched", file)
    return ExerciseProgress(exercise, "begun", file, last, changed)


def _is_untouched(source: Source, stubs: Stubs) -> bool:
    stub = stubs.get(source.name)
    if stub is None or not stub.left_to_write():
        return False
    return stub.is_untouched(read_code(source.units), source.answers)


def by_assignment(course: Course, progress: CourseProgress) -> list[AssignmentProgress]:
    """Return the exercises by assignment, in the course's order, then those that are in none."""
    assignments = course.content.assignments
    groups = [
        AssignmentProgress(each.title, each.due, tuple(progress[name] for name in each.exercises))
        for each in assignments
    ]
    placed = {name for each in assignments for name in each.exercises}
    rest = tuple(exercise for name, exercise in progress.items() if name not in placed)
    if rest:
        groups.append(AssignmentProgress("Other exercises" if groups else "", None, rest))
    return groups


def next_unfinished(
    course: Course, progress: CourseProgress, after: str | None = None
) -> ExerciseProgress | None:
    """Return the first exercise that is not done, in the order of due dates; None if all are.

    With `after`, the first behind that one, and then from the start again.
    """
    ordered = in_order_of_due_dates(course, progress)
    names = [each.exercise.name for each in ordered]
    start = names.index(after) + 1 if after in names else 0
    ordered = ordered[start:] + ordered[:start]
    return next((each for each in ordered if each.state not in {"done", "missing"}), None)


def in_order_of_due_dates(course: Course, progress: CourseProgress) -> list[ExerciseProgress]:
    """Return the exercises in the order of the course's assignments."""
    return [exercise for group in by_assignment(course, progress) for exercise in group.exercises]
