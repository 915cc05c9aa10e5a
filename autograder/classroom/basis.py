"""What grades rest on besides the work, exercise by exercise, and in what two of them differ."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import msgspec

import autograder
from autograder.course import Course, Exercise
from autograder.grading.graded_by import READ
from autograder.report.model import Basis, Grader

LENGTH = 12  # of a digest: enough to tell versions of a file apart
CHECK, REFERENCE, SETTINGS = "check changed", "reference changed", "course.yml changed"
LIBRARY, ENGINE, SEED = "library changed", "autograder changed", "seed changed"
CONFINEMENT = "confinement changed"


class Bases:
    """The basis of each exercise of a course, as it is now."""

    def __init__(self, course: Course, grader: Grader) -> None:
        self._course = course
        self._grader = grader
        checks = course.root / course.content.checks
        folders = course.grading
        files = {file for folder in folders for kind in READ for file in folder.rglob(kind)}
        beside = {file for file in files if file.is_relative_to(checks)}
        self._beside = sorted(file for file in beside if not file.name.startswith("test_"))
        self._reference = files_digest(course.root, files - beside)
        engine = Path(autograder.__file__).parent
        self._engine = files_digest(engine, engine.rglob("*.py"))
        self._made: dict[str, Basis] = {}

    def of(self, exercise: Exercise) -> Basis:
        if exercise.name not in self._made:
            self._made[exercise.name] = self._of(exercise)
        return self._made[exercise.name]

    def _of(self, exercise: Exercise) -> Basis:
        grader, course = self._grader, self._course
        libraries = [f"Python {grader.python}", f"NumPy {grader.numpy}"]
        libraries += [f"torch {grader.torch}"] if exercise.needs == "torch" else []
        settings = msgspec.json.encode([exercise, course.limits(exercise)])
        return Basis(
            checks=files_digest(course.root, [course.checks_file(exercise.name), *self._beside]),
            reference=self._reference,
            settings=hashlib.sha256(settings).hexdigest()[:LENGTH],
            engine=self._engine,
            version=grader.version,
            libraries=", ".join(libraries),
            seed=grader.seed,
            confinement=grader.confinement,
        )


def differences(before: Basis | None, after: Basis | None) -> list[str]:
    """In what they differ, in words; nothing is known of a grade without one."""
    if before is None or after is None:
        return []
    found = {
        CHECK: before.checks != after.checks,
        REFERENCE: before.reference != after.reference,
        SETTINGS: before.settings != after.settings,
        f"{LIBRARY} ({before.libraries} → {after.libraries})": before.libraries != after.libraries,
        ENGINE: before.engine != after.engine,
        f"{SEED} ({before.seed} → {after.seed})": before.seed != after.seed,
        f"{CONFINEMENT} ({before.confinement} → {after.confinement})": (
            before.confinement != after.confinement
        ),
    }
    return [said for said, differs in found.items() if differs]


def files_digest(root: Path, files: Iterable[Path]) -> str:
    """Of the names of files below a root, and of what is in them; folders do not count."""
    digest = hashlib.sha256()
    for file in sorted(files):
        if file.is_file():
            name = file.relative_to(root).as_posix().encode()
            digest.update(b"\0".join((name, file.read_bytes(), b"")))
    return digest.hexdigest()[:LENGTH]
