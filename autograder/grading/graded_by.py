"""What grades: versions, and a digest of all that a grade rests on."""

import functools
import hashlib
import importlib.metadata
import os
import platform
from pathlib import Path

import autograder
from autograder.course import Course
from autograder.files import files_below
from autograder.report.model import Grader
from autograder.worker.confinement import Level

READ = ("*.py", "*.json")  # of a course's folders: code, and mistakes known by their answers


def grader(course: Course, seed: int, confinement: Level = "none") -> Grader:
    """What graded: versions, and a digest of the course file, engine, checks and reference."""
    return Grader(
        version=autograder.__version__,
        python=platform.python_version(),
        numpy=_version("numpy"),
        torch=_torch(course),
        digest=_digest(course.root, course.grading),
        seed=seed,
        confinement=confinement,
    )


def _torch(course: Course) -> str:
    """torch's version, if the course needs it."""
    if all(exercise.needs != "torch" for exercise in course.content.exercises):
        return ""
    return _version("torch")


def _version(library: str) -> str:
    """A library's version, or nothing where it is not there. It is not imported for that."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return ""


@functools.cache
def _digest(root: Path, folders: tuple[Path, ...]) -> str:
    engine = Path(autograder.__file__).parent
    digest = hashlib.sha256((root / "course.yml").read_bytes())
    for folder in (engine, *folders):
        for name in files_below(str(folder), tuple(kind[1:] for kind in READ)):
            with open(os.path.join(folder, name), "rb", buffering=0) as file:
                digest.update(b"\0".join((name.encode(), file.read(), b"")))
    return digest.hexdigest()[:16]
