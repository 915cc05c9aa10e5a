"""Which exercises and files are meant by the names, files and folders of a command line."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.course.course_file import Course, Exercise, find_course
from autograder.course.errors import UserError
from autograder.course.text import few
from autograder.student.find import exercise_for, file_in, find_file
from autograder.student.progress import by_assignment, course_progress
from autograder.submission.source import SUFFIXES


class Target(msgspec.Struct, frozen=True):
    """An exercise, and the file to check for it."""

    exercise: Exercise
    path: Path


def course_of(names: Sequence[str], stated: Path | None = None) -> Course:
    """The course that is `stated`, else the one around the first file or folder that is named.

    Raises:
        UserError: there is none.
    """
    if stated is not None:
        return find_course(named=stated)
    named = [Path(name) for name in names if _is_path(name)]
    around = [path if path.is_dir() else path.parent for path in named[:1]]
    return find_course(*around, Path.cwd())


def targets_of(course: Course, names: Sequence[str]) -> list[Target]:
    """What to check, each once; without a name, all that is begun, in the course's order.

    Raises:
        UserError: a name is of nothing that there is.
    """
    if not names:
        ordered = [
            each for g in by_assignment(course, course_progress(course)) for each in g.standings
        ]
        return [
            Target(each.exercise, each.file)
            for each in ordered
            if each.file is not None and each.state != "untouched"
        ]
    found = [target for name in names for target in _named(course, name)]
    return list({(each.exercise.name, each.path): each for each in found}.values())


def _named(course: Course, name: str) -> list[Target]:
    path = Path(name)
    if name in course.exercises:
        exercise = course.exercise(name)
        return [Target(exercise, find_file(course, exercise))]
    if path.is_dir():
        return _in_folder(course, path)
    if path.is_file():
        return [Target(exercise_for(course, path), path)]
    exercise = course.exercise(path.stem if _is_path(name) else name)
    return [Target(exercise, path)]


def _in_folder(course: Course, folder: Path) -> list[Target]:
    """The course's exercises that have a file in the folder, in the course's order."""
    from autograder.submission.stubs import read_stubs

    stubs = read_stubs(course)
    found = [
        Target(exercise, path)
        for exercise in course.exercises.values()
        if (path := file_in(folder, course, exercise, stubs)) is not None
    ]
    if not found:
        known = few(list(course.exercises), 3)
        raise UserError(
            f"No file in {folder} has the name of an exercise of this course ({known})."
        )
    return found


def _is_path(name: str) -> bool:
    """Whether a name is a file's or a folder's, as far as can be seen."""
    path = Path(name)
    return path.suffix in SUFFIXES or path.exists()
