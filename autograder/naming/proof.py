"""`verify` on a copy of the course that has the new mistake: before anything of it counts."""

import shutil
import tempfile
from pathlib import Path

from autograder.course import FILE_NAME, Course, load_course
from autograder.errors import UserError
from autograder.lint.course import refuse_slips
from autograder.variants import SECRET
from autograder.verification.verify import Verifier

LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*")


def faults_with(course: Course, exercise: str, path: Path, data: bytes) -> list[str]:
    """What no longer holds of an exercise once a file of this content is in the course.

    Right answers keep their marks, every mistake has its own name and no other, and the seeds
    hold; mutants are left out, since they say nothing of names.
    """
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        root = Path(scratch).resolve() / "course"
        _copy(course, root)
        place = root / path.relative_to(course.root)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        copy = load_course(root / FILE_NAME)
        try:
            refuse_slips(copy, [copy.exercise(exercise)])
            with Verifier(copy, copy.exercise(exercise)) as verifier:
                return verifier.run(with_mutants=False).faults
        except UserError as error:
            return [str(error).replace(str(root), str(course.root))]


def _copy(course: Course, root: Path) -> None:
    """All of a course that grading and verifying it reads."""
    content = course.content
    root.mkdir()
    for name in (FILE_NAME, SECRET):
        if (course.root / name).is_file():
            shutil.copy(course.root / name, root / name)
    folders = (content.reference, content.checks, content.solutions, content.handed_out)
    for folder in (*folders, content.right):
        if (course.root / folder).is_dir():
            shutil.copytree(
                course.root / folder, root / folder, ignore=LEFT_OUT, dirs_exist_ok=True
            )
