"""nbgrader's autograding, with steps that write this grader's reports to the gradebook."""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import nbformat
from nbformat import reader
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, writes_json
from nbgrader.converters import Autograde
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.utils import setenv, temp_attrs

from autograder.course.text import one_line
from autograder.nbgrader.clean_copy import StagedSubmission
from autograder.nbgrader.directory import reason_of, unusable
from autograder.nbgrader.gradebook import RunGradebook, one_gradebook
from autograder.nbgrader.sanitize_markdown import as_markdown
from autograder.nbgrader.steps import GRADE, SANITIZE, CourseLatePolicy, marks_of, name_student
from autograder.report.model import ExerciseReport

LOOK_AT_ONE_SUBMISSION = {LateSubmissionPlugin, CourseLatePolicy}
UNREADABLE = """\
**The submitted notebook could not be used, so a person must look at it.** {}

Below is the notebook as the course handed it out."""


class StudentResult(msgspec.Struct):
    """Result of one student's submission."""

    student: str
    points: float = 0.0
    maximum: float = 0.0
    late_penalty: float = 0.0
    by_hand: bool = False
    left: dict[str, str] = {}  # reasons for notebooks that a person must look at
    notes: list[str] = []  # for a person
    error: str = ""  # reason why nothing was written

    def note(self, notebook: str, report: ExerciseReport) -> None:
        """Record a notebook whose grading stopped, or that a person has to look at."""
        if report.status == "needs a person":
            self.left.setdefault(notebook, report.reason)
        elif report.status not in {"graded", "by hand"}:
            self.notes.append(f"{notebook}: {report.status} ({report.reason.rstrip('.')})")


class ConfinedAutograde(Autograde):
    """Replacement of `nbgrader autograde` for all notebooks of a run.

    If the grading of a notebook raises an exception, a person has to grade it. For speed, this
    class creates nbgrader's steps once, and reads and writes each notebook once.
    """

    def __init__(self, gradebook: RunGradebook, names: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.gradebook = gradebook
        self.names = names
        self.force = True
        self.exporter = self.exporter_class(parent=self, config=self.config)
        self.sanitizing, self.grading = (
            [step(parent=self.exporter) for step in steps] for steps in (SANITIZE, GRADE)
        )
        self.refused: Mapping[str, str] = {}  # by notebook, the reason why it cannot be used
        self.left: dict[str, str] = {}  # by notebook, the reason why a person must grade it

    def write(self, student: str, staged: StagedSubmission) -> StudentResult:
        result = StudentResult(student, notes=list(staged.notes))
        gradebook, assignment = self.gradebook, self.coursedir.assignment_id
        self.refused, self.left = staged.refused, result.left
        self.coursedir.student_id = student
        try:
            if staged.present:
                self.start()
            name_student(gradebook.update_or_create_student(student), self.names.get(student, ""))
            gradebook.update_or_create_submission(assignment, student)
            rows = gradebook.submission(assignment, student)
            for name, notebook in rows.notebooks.items():
                if name in staged.missing:
                    _missing(name, notebook, staged, result)
            result.points, result.maximum, result.late_penalty, result.by_hand = rows.marks()
            gradebook.save()
        except (Exception, SystemExit) as error:
            gradebook.undo()
            again = f"Run this command again with --student {student}"
            result.error = f"not written: {reason_of(error)}. {again}"
        return result

    def start(self) -> None:
        """Convert the notebooks as nbgrader does, but with steps that were created once."""
        self.init_notebooks()
        with contextlib.chdir(self.coursedir.root):
            self.convert_notebooks()

    def convert_single_notebook(self, notebook_filename: str) -> None:
        name = Path(notebook_filename).stem
        reason = self.refused.get(name, "")
        if not reason:
            try:
                self._convert(notebook_filename)
            except Exception as error:
                reason = one_line(f"{type(error).__name__}: {error}", 200)
        if reason:
            self.left[name] = reason
            self._leave(notebook_filename, reason)

    def _convert(self, filename: str) -> None:
        resources = self.init_single_notebook_resources(filename)
        resources["metadata"] = {"name": Path(filename).stem, "path": str(Path(filename).parent)}
        path = self._target(resources)
        # nbformat's own `read` would drop unknown fields.
        read = nbformat.convert(reader.reads(Path(filename).read_text(encoding="utf-8")), 4)
        nbformat.validate(read, relax_add_props=True)
        book = self._after(self.sanitizing, read, resources)
        path.parent.mkdir(parents=True, exist_ok=True)
        json.dumps(book, ensure_ascii=False).encode()  # if it cannot be written, it gets no grade
        resources["metadata"]["path"] = str(path.parent)
        with setenv(NBGRADER_EXECUTION="autograde"):
            graded = self._after(self.grading, book, resources)
        path.write_bytes(f"{writes_json(graded)}\n".encode())

    def _after(self, steps: list[Any], book: Any, resources: Any) -> Any:
        for step in steps:
            if getattr(step, "plugin_class", LateSubmissionPlugin) not in LOOK_AT_ONE_SUBMISSION:
                self.gradebook.save()  # a course's own plugin may read the gradebook
            book, resources = step(book, resources)
        nbformat.validate(book, relax_add_props=True)
        return book

    def run_post_convert_hook(self) -> None:
        """Run the course's hook as nbgrader does. It can read new entries of the gradebook."""
        if self.post_convert_hook:
            self.gradebook.save()
        super().run_post_convert_hook()

    def _target(self, resources: Any) -> Path:
        place = resources["nbgrader"]
        folder = self._format_dest(place["assignment"], place["student"])
        return Path(folder) / f"{place['notebook']}.ipynb"

    def _leave(self, notebook_filename: str, reason: str) -> None:
        """Write the notebook as it was handed out, because a person grades it."""
        resources = self.init_single_notebook_resources(notebook_filename)
        place = resources["nbgrader"]
        where = place["notebook"], place["assignment"]
        source = self.gradebook.find_notebook(*where)
        marks = marks_of(source)
        cells = [new_markdown_cell(UNREADABLE.format(as_markdown(reason)))]
        for cell in source.source_cells:
            make = new_code_cell if cell.cell_type == "code" else new_markdown_cell
            cells.append(make(cell.source, id=cell.name, metadata={"nbgrader": marks[cell.name]}))
        for grade in self.gradebook.find_submission_notebook(*where, place["student"]).grades:
            grade.auto_score, grade.needs_manual_grade = None, True
        path = self._target(resources)
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            os.chmod(path, 0o644)
        nbformat.write(new_notebook(cells=cells), path)


def _missing(name: str, notebook: Any, staged: StagedSubmission, result: StudentResult) -> None:
    """Give 0 points for a missing notebook, unless the student may have renamed it."""
    if staged.unknown:
        result.left[name] = f"not handed in, but there is {', '.join(staged.unknown[:3])}.ipynb"
    else:
        result.notes.append(f"{name} was not handed in")
    for grade in notebook.grades:
        grade.auto_score = None if staged.unknown else 0
        grade.needs_manual_grade = bool(staged.unknown) and grade.manual_score is None


@contextlib.contextmanager
def open_converter(
    api: Any, assignment: str, submitted: Path, names: Mapping[str, str]
) -> Iterator[ConfinedAutograde]:
    traits = {"assignment_id": assignment, "submitted_directory": str(submitted)}
    address = api.coursedir.db_url
    with contextlib.ExitStack() as stack:
        stack.enter_context(temp_attrs(api.coursedir, **traits))
        try:
            gradebook = stack.enter_context(one_gradebook(address, api.course_id))
        except Exception as error:
            raise unusable(address, error) from None
        yield ConfinedAutograde(gradebook, names, coursedir=api.coursedir, parent=api)
