"""How an exercise stood when it was last checked, kept beside the work for whoever did it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.report.model import CheckReport, ExerciseReport, Status
from autograder.report.reasons import is_left_to_grading
from autograder.student.attempts import FOLDER, read_record, write_record
from autograder.student.find import find_file
from autograder.submission.code import read_code
from autograder.submission.read import UnreadableFile
from autograder.submission.source import Siblings, Source, read_source, with_stated_numbers
from autograder.submission.stubs import Stubs, read_stubs


class LastCheck(msgspec.Struct, frozen=True):
    """What a check of one exercise found; `digest` is of its source, where that was saved.

    `passed` are the names of the checks that passed, `checks` is how many there are.
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
        """Whether nothing is left to do: full marks, or all answered for a person to read."""
        if self.status == "by hand":
            return len(self.passed) == self.checks
        return self.status == "graded" and self.points == self.max_points


def progress_file(source: Path, exercise: str) -> Path:
    """Where it is kept."""
    return source.parent / FOLDER / f"{exercise}.progress.json"


def read_progress(source: Path, exercise: str) -> LastCheck | None:
    """What is kept of the exercise beside a file; None where nothing is."""
    return read_record(progress_file(source, exercise), LastCheck)


def progress_of(shown: ExerciseReport, now: datetime | None = None) -> LastCheck:
    """What to keep of a report: of what its student may see, and of nothing else."""
    return LastCheck(
        file=shown.file,
        digest=shown.digest,
        checked=(now or datetime.now(UTC)).replace(microsecond=0),
        status=shown.status,
        points=shown.points,
        max_points=round(shown.max_points - sum(map(_untold, shown.checks)), 2),
        passed=tuple(check.name for check in shown.checks if check.outcome == "passed"),
        checks=sum(not _is_untold(check) for check in shown.checks),
    )


def _untold(check: CheckReport) -> float:
    """The points of a check that a released course does not tell."""
    return check.max_points if _is_untold(check) else 0.0


def _is_untold(check: CheckReport) -> bool:
    """Whether it is told when the work is graded, and not before."""
    return check.outcome == "not told" and is_left_to_grading(check.finding)


def write_progress(source: Path, shown: ExerciseReport) -> None:
    """Keep how a student's report on an exercise stands, beside its file."""
    write_record(progress_file(source, shown.name), progress_of(shown))


# How the course stands: what is done, begun and untouched, by what is kept; nothing is run.


Stage = Literal["done", "begun", "untouched", "missing", "unreadable"]


class ExerciseProgress(msgspec.Struct, frozen=True):
    """Where one exercise stands. `changed` if its file is another than the one last checked."""

    exercise: Exercise
    state: Stage
    file: Path | None = None
    progress: LastCheck | None = None
    changed: bool = False
    why: str = ""

    @property
    def points(self) -> float:
        """The points of the last check."""
        return self.progress.points if self.progress is not None else 0.0


class AssignmentProgress(msgspec.Struct, frozen=True):
    """Exercises that are due together."""

    title: str
    due: datetime | None
    standings: tuple[ExerciseProgress, ...]


def course_progress(course: Course) -> dict[str, ExerciseProgress]:
    """Where every exercise stands, by name, in the course's order."""
    stubs = read_stubs(course)
    return {
        name: exercise_progress(course, exercise, stubs)
        for name, exercise in course.exercises.items()
    }


def exercise_progress(
    course: Course, exercise: Exercise, stubs: Stubs, file: Path | None = None
) -> ExerciseProgress:
    """Where one exercise stands; `file` is the one that is worked in, where that is known."""
    try:
        file = file or find_file(course, exercise, stubs)
    except UserError:
        return ExerciseProgress(exercise, "missing")
    progress = read_progress(file, exercise.name)
    try:
        source = read_source(file, exercise.name, Siblings(file.parent))
    except UnreadableFile as error:
        return ExerciseProgress(
            exercise, "unreadable", file, progress, changed=True, why=str(error)
        )
    source = with_stated_numbers(source, exercise)
    changed = progress is not None and progress.digest not in {"", source.digest}
    if progress is not None and progress.is_done:
        return ExerciseProgress(exercise, "done", file, progress, changed)
    if not (progress is not None and progress.points) and _is_untouched(source, stubs):
        return ExerciseProgress(exercise, "untouched", file)
    return ExerciseProgress(exercise, "begun", file, progress, changed)


def _is_untouched(source: Source, stubs: Stubs) -> bool:
    stub = stubs.get(source.name)
    if stub is None or not stub.left_to_write():
        return False
    return stub.is_untouched(read_code(source.units), source.answers)


def by_assignment(course: Course, found: dict[str, ExerciseProgress]) -> list[AssignmentProgress]:
    """The exercises by assignment, in the course's order, and then those that are in none."""
    groups = [
        AssignmentProgress(each.title, each.due, tuple(found[name] for name in each.exercises))
        for each in course.content.assignments
    ]
    placed = {name for each in course.content.assignments for name in each.exercises}
    rest = tuple(standing for name, standing in found.items() if name not in placed)
    if rest:
        groups.append(AssignmentProgress("Other exercises" if groups else "", None, rest))
    return groups


def next_unfinished(
    course: Course, found: dict[str, ExerciseProgress], after: str | None = None
) -> ExerciseProgress | None:
    """The first exercise that is not done, in the order in which they are due; None if all are.

    With `after`, the first behind that one, and then from the start again.
    """
    ordered = [each for group in by_assignment(course, found) for each in group.standings]
    names = [each.exercise.name for each in ordered]
    start = names.index(after) + 1 if after in names else 0
    return _first_open(ordered[start:]) or _first_open(ordered[:start])


def _first_open(ordered: Sequence[ExerciseProgress]) -> ExerciseProgress | None:
    return next((each for each in ordered if each.state not in {"done", "missing"}), None)
