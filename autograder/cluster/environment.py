"""Environment of grading: everything except the submission that affects a grade."""

import platform
from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder.course.cache import files_key
from autograder.course.course_file import FILE_NAME, Course
from autograder.course.installation import engine_folder, version_of
from autograder.grading.reports import grader_record
from autograder.worker.confinement import Level

LIBRARIES = ("einops", "matplotlib", "msgspec", "pandas", "pytest", "scipy", "seaborn")
DIGITS = 12  # the number of digits of a digest
ENGINE = "autograder's files"

Environment = dict[str, str]  # from the name of each part, as in messages, to its version


def environment_of(course: Course, seed: int, level: Level) -> Environment:
    """Return the properties of this machine that affect grades, in the order of messages."""
    grader = grader_record(course, seed, level)
    files = {course.root / FILE_NAME, *_files([*course.grading, course.solutions])}
    return {
        "autograder": grader.version,
        "Python": grader.python,
        "NumPy": grader.numpy,
        "torch": grader.torch or "none",
        "processor": platform.machine(),
        "confinement": grader.confinement,
        ENGINE: engine_key(),
        "the course's files": files_key(course.root, sorted(files), DIGITS),
        **{name: version_of(name) or "none" for name in LIBRARIES},
    }


def engine_key() -> str:
    engine = engine_folder()
    return files_key(engine, sorted(_files([engine])), DIGITS)


def differences(there: Environment, here: Environment) -> list[str]:
    pairs = {part: (there.get(part, "none"), here.get(part, "none")) for part in {**here, **there}}
    return [f"{part} {a} instead of {b}" for part, (a, b) in pairs.items() if a != b]


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    for folder in folders:
        for path in folder.rglob("*"):
            parts = path.relative_to(folder).parts
            if not any(part == "__pycache__" or part.startswith(".") for part in parts):
                yield path
