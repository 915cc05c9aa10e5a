"""Exercises and files on a command line, given by name or by folder."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.course.course_file import Course, Exercise, find_course
from autograder.course.errors import UserError
from autograder.course.text import few
from autograder.submission.code import read_code
from autograder.submission.read import UnreadableFile
from autograder.submission.source import SUFFIXES, read_source
from autograder.submission.stubs import Stub, Stubs, exercises_in, read_stubs


class Target(msgspec.Struct, frozen=True):
    """An exercise and the file to check."""

    exercise: Exercise
    path: Path


def course_of(names: Sequence[str], stated: Path | None = None) -> Course:
    """Return the course `stated`. Without it, return the course around the first path."""
    if stated is not None:
        return find_course(named=stated)
    paths = [Path(name) for name in names if _is_path(name)]
    return find_course(*[path if path.is_dir() else path.parent for path in paths[:1]], Path.cwd())


def targets_of(course: Course, names: Sequence[str]) -> list[Target]:
    targets = [target for name in names for target in _targets_named(course, name)]
    return list({(target.exercise.name, target.path): target for target in targets}.values())


def _targets_named(course: Course, name: str) -> list[Target]:
    path = Path(name)
    if name in course.exercises:
        exercise = course.exercise(name)
        return [Target(exercise, find_file(course, exercise))]
    if path.is_file():
        return [Target(exercise_for(course, path), path)]
    if not path.is_dir():
        files = [f"{name}{suffix}" for suffix in SUFFIXES if Path(f"{name}{suffix}").is_file()]
        if files:
            raise UserError(f"There is no exercise {name!r}. Did you mean {' or '.join(files)}?")
        return [Target(course.exercise(path.stem if _is_path(name) else name), path)]
    stubs = read_stubs(course)
    targets = [
        Target(exercise, file)
        for exercise in course.exercises.values()
        if (file := file_in(path, course, exercise, stubs)) is not None
    ]
    if not targets:
        known = few(list(course.exercises), 3)
        raise UserError(f"No file in {path} is named after an exercise of this course ({known}).")
    return targets


def _is_path(name: str) -> bool:
    path = Path(name)
    return path.suffix in SUFFIXES or path.exists()


def find_file(course: Course, exercise: Exercise, stubs: Stubs | None = None) -> Path:
    """Return the student's file, in the working folder or in the course's folder of exercises.

    Of two files, return the one that the student has changed. If both or none are changed, return
    the newer file.
    """
    folders = list(dict.fromkeys([Path.cwd(), course.handed_out]))
    for folder in folders:
        file = file_in(folder, course, exercise, stubs)
        if file is not None:
            return file
    raise UserError(
        f"There is no {exercise.name}.py or {exercise.name}.ipynb in "
        f"{' or '.join(map(str, folders))}. "
        f"If the file is in another folder, run: autograder check FOLDER/{exercise.name}.py"
    )


def file_in(
    folder: Path, course: Course, exercise: Exercise, stubs: Stubs | None = None
) -> Path | None:
    files = [folder / f"{exercise.name}{suffix}" for suffix in SUFFIXES]
    files = [file for file in files if file.is_file()]
    if len(files) > 1:
        stubs = read_stubs(course) if stubs is None else stubs
        files = [file for file in files if _is_written(file, stubs.get(exercise.name))] or files
    return max(files, key=lambda file: file.stat().st_mtime, default=None)


def _is_written(file: Path, stub: Stub | None) -> bool:
    try:
        source = read_source(file, file.stem)
    except UnreadableFile:
        return True
    return stub is None or not stub.is_untouched(read_code(source.units), source.answers)


def exercise_for(course: Course, path: Path) -> Exercise:
    if path.stem in course.exercises:
        return course.exercises[path.stem]
    from autograder.submission.file_names import named_for  # only for files with other names

    names = list(named_for(path.stem, course.exercises))
    if len(names) != 1:
        try:
            source = read_source(path, path.stem)
        except UnreadableFile as error:
            raise UserError(f"{error} ({path})") from None
        names = list(exercises_in(source, read_code(source.units), read_stubs(course)))
    if len(names) > 1:
        raise UserError(
            f"{path.name} contains several exercises: {', '.join(names)}. To check one, save the "
            f"file under its name."
        )
    return course.exercise(names[0] if names else path.stem)
