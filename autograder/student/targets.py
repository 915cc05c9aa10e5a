"""The exercises and files that are meant by the names, files and folders of a command line."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.course.course_file import Course, Exercise, find_course
from autograder.course.errors import UserError
from autograder.course.text import few
from autograder.student.find import exercise_for, file_in, find_file
from autograder.student.progress import course_progress, in_order_of_due_dates
from autograder.submission.source import SUFFIXES
from autograder.submission.stubs import read_stubs


class Target(msgspec.Struct, frozen=True):
    """An exercise, and the file to check for it."""

    exercise: Exercise
    path: Path


def course_of(names: Sequence[str], stated: Path | None = None) -> Course:
    """Return the course that is `stated`, else the one around the first file or folder named.

    Raises:
        UserError: there is none.
    """
    if stated is not None:
        return find_course(named=stated)
    paths = [Path(name) for name in names if _is_path(name)]
    around = [path if path.is_dir() else path.parent for path in paths[:1]]
    return find_course(*around, Path.cwd())


def targets_of(course: Course, names: Sequence[str]) -> list[Target]:
    """Return what to check, each once; without a name, all that is begun, in the course's order.

    Raises:
        UserError: a name is of nothing that there is.
    """
    if not names:
        return [
            Target(each.exercise, each.file)
            for each in in_order_of_due_dates(course, course_progress(course))
            if each.file is not None and each.state != "untouched"
        ]
    targets = [target for name in names for target in _targets_named(course, name)]
    return list({(each.exercise.name, each.path): each for each in targets}.values())


def _targets_named(course: Course, name: str) -> list[Target]:
    path = Path(name)
    if name in course.exercises:
        exercise = course.exercise(name)
        return [Target(exercise, find_file(course, exercise))]
    if path.is_dir():
        return _targets_in(course, path)
    if path.is_file():
        return [Target(exercise_for(course, path), path)]
    return [Target(course.exercise(path.stem if _is_path(name) else name), path)]


def _targets_in(course: Course, folder: Path) -> list[Target]:
    """Return the exercises that have a file in a folder, in the course's order."""
    stubs = read_stubs(course)
    targets = [
        Target(exercise, path)
        for exercise in course.exercises.values()
        if (path := file_in(folder, course, exercise, stubs)) is not None
    ]
    if not targets:
        known = few(list(course.exercises), 3)
        raise UserError(
            f"No file in {folder} has the name of an exercise of this course ({known})."
        )
    return targets


def _is_path(name: str) -> bool:
    path = Path(name)
    return path.suffix in SUFFIXES or path.exists()
