"""Reports on ungraded work, and on the whole work of a student."""

import functools
import platform
from collections.abc import Sequence
from pathlib import Path

from autograder.course.cache import cache_key, files_key
from autograder.course.course_file import Course, Exercise
from autograder.course.installation import engine_folder, version, version_of
from autograder.report.model import ExerciseReport, Grader, HandIn, Report, Status, worst
from autograder.sandbox.child import InternalError
from autograder.worker.confinement import Level


def report_without_checks(
    exercise: Exercise, status: Status, reason: str, *, ran: bool = True
) -> ExerciseReport:
    """Return the report on an unchecked exercise. If `ran`, `reason` may quote the submission."""
    return ExerciseReport(
        name=exercise.name,
        title=exercise.title,
        status=status,
        points=0.0,
        max_points=exercise.points,
        reason=reason,
        reason_is_ours=not ran,
    )


def report_of_internal_error(exercise: Exercise, error: InternalError) -> ExerciseReport:
    return report_without_checks(exercise, "needs a person", error.finding)


def whole_report(
    student: str,
    course: Course,
    exercises: Sequence[ExerciseReport],
    graded_by: Grader,
    notes: Sequence[str] = (),
    hand_in: HandIn | None = None,
) -> Report:
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


READ = ("*.py", "*.json")  # a course's code, and the recorded answers of mistakes


def grader_record(course: Course, seed: int, confinement: Level = "none") -> Grader:
    """Return the grader's versions, and digests of course file, engine, checks and reference."""
    uses_torch = any(exercise.needs == "torch" for exercise in course.content.exercises)
    return Grader(
        version=version(),
        python=platform.python_version(),
        numpy=version_of("numpy"),
        torch=version_of("torch") if uses_torch else "",
        digest=_digest(course.root, course.grading),
        seed=seed,
        confinement=confinement,
    )


@functools.cache
def _digest(root: Path, folders: tuple[Path, ...]) -> str:
    keys = [
        files_key(folder, sorted(path for pattern in READ for path in folder.rglob(pattern)))
        for folder in (engine_folder(), *folders)
    ]
    return cache_key((root / "course.yml").read_bytes(), *keys)[:16]
