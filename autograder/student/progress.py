"""Progress in the course: the last check of each exercise.

The progress is saved in the folder of the student's file, and only the student can read it.
"""

import contextlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.files import opened_folder, plain_folder, write_atomically
from autograder.report.model import ExerciseReport, Status
from autograder.report.presentation import is_left_to_grading
from autograder.student.targets import Target, find_file
from autograder.submission.code import read_code
from autograder.submission.read import UnreadableFile, read_bytes
from autograder.submission.source import read_own
from autograder.submission.stubs import Stubs, read_stubs

FOLDER = ".autograder"  # beside the student's file; never follow a link, which others may have made
MOST = 1024 * 1024

Stored = TypeVar("Stored", bound=msgspec.Struct)
Stage = Literal["done", "graded when handed in", "begun", "untouched", "missing", "unreadable"]


def read_record(source: Path, name: str, kind: type[Stored]) -> Stored | None:
    """Read the record for a file. If it is missing, damaged or a link, return None."""
    path = source.parent / FOLDER / f"{name}.json"
    try:
        with opened_folder(path.parent) as folder:
            return msgspec.json.decode(read_bytes(path, MOST, folder), type=kind)
    except (OSError, UnreadableFile, msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def write_record(source: Path, name: str, record: msgspec.Struct) -> None:
    """Write a record for a student's file, if possible. Only the student can read it."""
    path = source.parent / FOLDER / f"{name}.json"
    with contextlib.suppress(OSError):
        plain_folder(path.parent, 0o700)
        with opened_folder(path.parent) as folder:
            write_atomically(path.parent / ".gitignore", "*\n", folder)
            text = msgspec.json.format(msgspec.json.encode(record), indent=2)
            write_atomically(path, text, folder)


class LastCheck(msgspec.Struct, frozen=True):
    """The visible parts of an exercise's last check."""

    file: str
    digest: str
    checked: datetime
    status: Status
    points: float
    max_points: float
    passed: tuple[str, ...] = ()  # names of passed checks
    checks: int = 0  # number of all checks, without hidden checks of a released course
    when_handed_in: int = 0  # counts the visible checks that could not be judged

    @property
    def is_done(self) -> bool:
        """True if the student has full points or has answered every question in words."""
        if self.status == "by hand":
            return len(self.passed) == self.checks
        return self.status == "graded" and self.points == self.max_points


def progress_of(report: ExerciseReport) -> LastCheck:
    left = [check for check in report.checks if is_left_to_grading(check)]
    hidden = [check for check in left if check.hidden]
    return LastCheck(
        file=report.file,
        digest=report.digest,
        checked=datetime.now(UTC).replace(microsecond=0),
        status=report.status,
        points=report.points,
        max_points=round(report.max_points - sum(c.max_points for c in hidden), 2),
        passed=tuple(check.name for check in report.checks if check.outcome == "passed"),
        checks=len(report.checks) - len(hidden),
        when_handed_in=len(left) - len(hidden),
    )


def stage_of(last: LastCheck) -> Stage:
    if last.is_done:
        return "done"
    is_graded = last.status in {"graded", "by hand"} and last.when_handed_in > 0
    none_failed = len(last.passed) + last.when_handed_in == last.checks
    return "graded when handed in" if is_graded and none_failed else "begun"


def read_progress(source: Path, exercise: str) -> LastCheck | None:
    return read_record(source, f"{exercise}.progress", LastCheck)


def write_progress(source: Path, report: ExerciseReport) -> None:
    write_record(source, f"{report.name}.progress", progress_of(report))


class ExerciseProgress(msgspec.Struct, frozen=True):
    exercise: Exercise
    state: Stage
    file: Path | None = None
    last_check: LastCheck | None = None
    changed: bool = False  # true if the file has changed since the last check
    why: str = ""

    @property
    def points(self) -> float:
        return self.last_check.points if self.last_check is not None else 0.0

    @property
    def is_by_hand(self) -> bool:
        return self.last_check is not None and self.last_check.status == "by hand"


CourseProgress = dict[str, ExerciseProgress]


class AssignmentProgress(msgspec.Struct, frozen=True):
    """Exercises of one assignment, with the same due date."""

    title: str
    due: datetime | None
    exercises: tuple[ExerciseProgress, ...]


def course_progress(course: Course) -> CourseProgress:
    stubs = read_stubs(course)
    return {e.name: exercise_progress(course, e, stubs) for e in course.exercises.values()}


def exercise_progress(
    course: Course, exercise: Exercise, stubs: Stubs, file: Path | None = None
) -> ExerciseProgress:
    try:
        file = file or find_file(course, exercise, stubs)
    except UserError:
        return ExerciseProgress(exercise, "missing")
    last = read_progress(file, exercise.name)
    try:
        source = read_own(file, exercise)
    except UnreadableFile as error:
        return ExerciseProgress(exercise, "unreadable", file, last, changed=True, why=str(error))
    changed = last is not None and last.digest not in {"", source.digest}
    if last is not None and (last.points or stage_of(last) != "begun"):
        return ExerciseProgress(exercise, stage_of(last), file, last, changed)
    stub = stubs.get(exercise.name)
    is_untouched = (
        stub is not None
        and stub.left_to_write() > 0
        and stub.is_untouched(read_code(source.units), source.answers)
    )
    if is_untouched:
        return ExerciseProgress(exercise, "untouched", file)
    return ExerciseProgress(exercise, "begun", file, last, changed)


def by_assignment(course: Course, progress: CourseProgress) -> list[AssignmentProgress]:
    assignments = course.content.assignments
    groups = [
        AssignmentProgress(a.title, a.due, tuple(progress[name] for name in a.exercises))
        for a in assignments
    ]
    placed = {name for assignment in assignments for name in assignment.exercises}
    rest = tuple(exercise for name, exercise in progress.items() if name not in placed)
    if rest:
        groups.append(AssignmentProgress("Other exercises" if groups else "", None, rest))
    return groups


def _in_order(course: Course, progress: CourseProgress) -> list[ExerciseProgress]:
    return [exercise for group in by_assignment(course, progress) for exercise in group.exercises]


def next_unfinished(
    course: Course, progress: CourseProgress, after: str | None = None
) -> ExerciseProgress | None:
    """Return the first unfinished exercise, or None. The order is that of the assignments.

    If `after` is given, begin after this exercise and continue at the start. Exercises that are
    graded only when handed in come last.
    """
    ordered = _in_order(course, progress)
    names = [exercise.exercise.name for exercise in ordered]
    start = names.index(after) + 1 if after in names else 0
    ordered = ordered[start:] + ordered[:start]
    ordered.sort(key=lambda e: e.state == "graded when handed in" and not e.changed)
    return next((e for e in ordered if e.state not in {"done", "missing"}), None)


def begun_targets(course: Course) -> list[Target]:
    """Return the exercises that the student has begun, with their files, by assignment."""
    return [
        Target(exercise.exercise, exercise.file)
        for exercise in _in_order(course, course_progress(course))
        if exercise.file is not None and exercise.state != "untouched"
    ]
