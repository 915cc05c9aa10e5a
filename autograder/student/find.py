"""Which file a student means, and which exercise a file is for."""

from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.submission.source import SUFFIXES

if TYPE_CHECKING:
    from autograder.submission.stubs import Stubs


def find_file(course: Course, exercise: Exercise, stubs: "Stubs | None" = None) -> Path:
    """The student's file: here, or among those that the course hands out.

    Of two, the one that is written; if both are, or neither is, the newer one. `stubs` are the
    course's, where they have been read already.

    Raises:
        UserError: there is none.
    """
    folders = list(dict.fromkeys([Path.cwd(), course.handed_out]))
    for folder in folders:
        found = file_in(folder, course, exercise, stubs)
        if found is not None:
            return found
    raise UserError(
        f"No file {exercise.name}.py or {exercise.name}.ipynb in "
        f"{' or '.join(map(str, folders))}. "
        f"Name the file: autograder check FOLDER/{exercise.name}.py"
    )


def file_in(
    folder: Path, course: Course, exercise: Exercise, stubs: "Stubs | None" = None
) -> Path | None:
    """The exercise's file in one folder, as `find_file` chooses it; None if there is none."""
    files = [folder / f"{exercise.name}{suffix}" for suffix in SUFFIXES]
    found = [file for file in files if file.is_file()]
    if len(found) > 1:
        found = _written(course, exercise, found, stubs) or found
    return max(found, key=lambda file: file.stat().st_mtime, default=None)


def exercise_for(course: Course, path: Path) -> Exercise:
    """The exercise that a file is for: by its name, or else by what it defines.

    Raises:
        UserError: neither says one exercise.
    """
    if path.stem in course.exercises:
        return course.exercises[path.stem]
    from autograder.submission.code import read_code
    from autograder.submission.file_names import named_for
    from autograder.submission.read import UnreadableFile
    from autograder.submission.source import read_source
    from autograder.submission.stubs import exercises_in, read_stubs

    found = list(named_for(path.stem, course.exercises))
    if len(found) != 1:
        try:
            source = read_source(path, path.stem)
        except UnreadableFile as error:
            raise UserError(f"{error} ({path})") from None
        found = list(exercises_in(source, read_code(source.units), read_stubs(course)))
    if len(found) > 1:
        raise UserError(
            f"{path.name} has several exercises in it: {', '.join(found)}. To check one, save it "
            f"under that name."
        )
    return course.exercise(found[0] if found else path.stem)


def _written(
    course: Course, exercise: Exercise, files: list[Path], stubs: "Stubs | None"
) -> list[Path]:
    """The files that are not as they were handed out any more."""
    from autograder.submission.code import read_code
    from autograder.submission.read import UnreadableFile
    from autograder.submission.source import read_source
    from autograder.submission.stubs import read_stubs

    stub = (read_stubs(course) if stubs is None else stubs).get(exercise.name)
    kept = []
    for file in files:
        try:
            source = read_source(file, exercise.name)
        except UnreadableFile:
            kept.append(file)
            continue
        if stub is None or not stub.is_untouched(read_code(source.units), source.answers):
            kept.append(file)
    return kept
