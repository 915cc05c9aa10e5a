"""Which file a student means, and which exercise a file is for."""

from pathlib import Path

from autograder.course import Course, Exercise
from autograder.errors import UserError


def find_file(course: Course, exercise: Exercise) -> Path:
    """The student's file: here, or among those that the course hands out.

    Of two, the one that is written; if both are, or neither is, the newer one.

    Raises:
        UserError: there is none.
    """
    folders = [Path.cwd(), course.handed_out]
    for folder in folders:
        files = [folder / f"{exercise.name}{suffix}" for suffix in (".py", ".ipynb")]
        found = [file for file in files if file.is_file()]
        if len(found) > 1:
            found = _written(course, exercise, found) or found
        if found:
            return max(found, key=lambda file: file.stat().st_mtime)
    raise UserError(
        f"No file {exercise.name}.py or {exercise.name}.ipynb in {folders[0]} or {folders[1]}. "
        f"Name the file: autograder check FOLDER/{exercise.name}.py"
    )


def meant(course: Course, path: Path) -> Exercise:
    """The exercise that a file is for: by its name, or else by what it defines.

    Raises:
        UserError: neither says one exercise.
    """
    if path.stem in course.exercises:
        return course.exercises[path.stem]
    from autograder.submission.code import read_code
    from autograder.submission.intake import named_for
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


def _written(course: Course, exercise: Exercise, files: list[Path]) -> list[Path]:
    """The files that are not as they were handed out any more."""

    from autograder.submission.code import read_code
    from autograder.submission.read import UnreadableFile
    from autograder.submission.source import read_source
    from autograder.submission.stubs import read_stubs

    stub = read_stubs(course).get(exercise.name)
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
