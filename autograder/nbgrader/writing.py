"""One student's reports, put into the gradebook and into `autograded/`."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from nbgrader.utils import temp_attrs

from autograder.nbgrader.autograde import ConfinedAutograde
from autograder.nbgrader.clean_copy import Staged
from autograder.nbgrader.directory import reason_of, unusable
from autograder.nbgrader.gradebook import RunGradebook, one_gradebook


class StudentResult(msgspec.Struct):
    """What became of one student's submission; `left` says per notebook why a person must look.

    `notes` are other things that a person should know, `error` is why nothing was written.
    """

    student: str
    points: float = 0.0
    maximum: float = 0.0
    late_penalty: float = 0.0
    by_hand: bool = False
    left: dict[str, str] = {}
    notes: list[str] = []
    error: str = ""


class Writer:
    """Writes an assignment's submissions, one student after the other."""

    def __init__(self, gradebook: RunGradebook, converter: ConfinedAutograde) -> None:
        self.gradebook = gradebook
        self.converter = converter
        self.assignment: str = converter.coursedir.assignment_id

    def write(self, student: str, staged: Staged) -> StudentResult:
        """Put one student's reports where they belong, all of them; or say why not."""
        result = StudentResult(student, notes=list(staged.notes))
        try:
            if staged.present:
                result.left = self.converter.autograde(student, staged.refused)
            self._finish(staged, result)
            self.gradebook.save()
        except (Exception, SystemExit) as error:
            self.gradebook.undo()
            result.error = f"not written: {reason_of(error)}. Run this again for: {student}"
        return result

    def _finish(self, staged: Staged, result: StudentResult) -> None:
        """Say in the gradebook what was not handed in, and read from it what came out."""
        self.gradebook.update_or_create_student(result.student)
        self.gradebook.update_or_create_submission(self.assignment, result.student)
        found = self.gradebook.submission(self.assignment, result.student)
        for name, notebook in found.notebooks.items():
            if name in staged.missing:
                _missing(name, notebook, staged, result)
        result.points, result.maximum = found.points, found.maximum
        result.late_penalty, result.by_hand = found.late_penalty, found.by_hand


def _missing(name: str, notebook: Any, staged: Staged, result: StudentResult) -> None:
    """No points for a notebook that was not handed in, unless it may have another name."""
    if staged.unknown:
        result.left[name] = f"not handed in, but {', '.join(staged.unknown[:3])}.ipynb is"
    else:
        result.notes.append(f"{name} was not handed in")
    for grade in notebook.grades:
        grade.auto_score = None if staged.unknown else 0
        grade.needs_manual_grade = bool(staged.unknown) and grade.manual_score is None


@contextlib.contextmanager
def writing(api: Any, assignment: str, submitted: Path) -> Iterator[Writer]:
    """A writer for an assignment; what was handed in lies in `submitted`.

    Raises:
        UserError: the gradebook cannot be used.
    """
    asked = {"assignment_id": assignment, "submitted_directory": str(submitted)}
    address = api.coursedir.db_url
    with contextlib.ExitStack() as stack:
        stack.enter_context(temp_attrs(api.coursedir, **asked))
        try:
            gradebook = stack.enter_context(one_gradebook(address, api.course_id))
        except Exception as error:
            raise unusable(address, error) from None
        yield Writer(gradebook, ConfinedAutograde(gradebook, coursedir=api.coursedir, parent=api))
