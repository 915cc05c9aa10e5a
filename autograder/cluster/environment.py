"""All that a grade depends on besides the submission, so that two machines can be compared."""

import importlib.metadata
import platform
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from autograder.classroom.grade_difference import LENGTH
from autograder.course.cache import files_key
from autograder.course.course_file import FILE_NAME, Course
from autograder.course.installation import engine_folder
from autograder.grading.reports import grader_record
from autograder.report.model import Grader
from autograder.worker.confinement import Level

LIBRARIES = ("matplotlib", "pytest", "msgspec", "scipy", "pandas", "seaborn", "einops")


class Environment(msgspec.Struct, frozen=True):
    """The versions and files of a machine that grades a course."""

    grader: Grader
    machine: str
    engine: str
    course: str
    libraries: dict[str, str]

    def differs(self, wanted: "Environment") -> list[str]:
        """In what this is not what is wanted, in words: what is there, and in place of what."""
        mine, theirs = self.grader, wanted.grader
        pairs = [
            ("autograder", mine.version, theirs.version),
            ("Python", mine.python, theirs.python),
            ("NumPy", mine.numpy, theirs.numpy),
            ("torch", mine.torch or "none", theirs.torch or "none"),
            ("a processor", self.machine, wanted.machine),
            ("the confinement", mine.confinement, theirs.confinement),
            ("autograder's files", self.engine, wanted.engine),
            ("the course's files", self.course, wanted.course),
        ]
        named = sorted({*self.libraries, *wanted.libraries})
        for name in named:
            there, here = (each.libraries.get(name, "none") for each in (self, wanted))
            pairs.append((name, there, here))
        return [
            f"{what} {there} in place of {here}" for what, there, here in pairs if there != here
        ]


def makeup(course: Course, seed: int, level: Level) -> Environment:
    """What this machine is, for a course and a level of confinement that holds here."""
    engine = engine_folder()
    folders = (*course.grading, course.solutions)
    return Environment(
        grader=grader_record(course, seed, level),
        machine=platform.machine(),
        engine=files_key(engine, sorted(_files([engine])), LENGTH),
        course=files_key(course.root, sorted({course.root / FILE_NAME, *_files(folders)}), LENGTH),
        libraries=dict(_versions()),
    )


def _versions() -> Iterator[tuple[str, str]]:
    for name in LIBRARIES:
        try:
            yield name, importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    """What stands in folders, without what is kept there meanwhile: compiled code, progress."""
    for folder in folders:
        for path in folder.rglob("*"):
            parts = path.relative_to(folder).parts
            if not any(part == "__pycache__" or part.startswith(".") for part in parts):
                yield path
