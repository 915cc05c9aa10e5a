"""nbgrader's own autograding of one student's folder, with our steps in it, that never gives up."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde

from autograder.nbgrader.preprocessors import marks_of
from autograder.nbgrader.steps import GRADE, SANITIZE
from autograder.nbgrader.texts import as_markdown
from autograder.text import one_line

UNREADABLE = """\
**The notebook that was handed in could not be used, so a person has to look at it.** {}

Below is the notebook as it was handed out."""


class ConfinedAutograde(Autograde):
    """`nbgrader autograde` for one student; a notebook that stops it is left for a person.

    So are the notebooks in `refused`, with the reason that stands there.
    """

    def __init__(self, refused: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.refused = refused
        self.sanitize_preprocessors = list(SANITIZE)
        self.autograde_preprocessors = list(GRADE)
        self.force = True
        self.left: dict[str, str] = {}

    def convert_single_notebook(self, notebook_filename: str) -> None:
        name = Path(notebook_filename).stem
        reason = self.refused.get(name, "")
        if not reason:
            try:
                super().convert_single_notebook(notebook_filename)
            except Exception as error:
                reason = one_line(f"{type(error).__name__}: {error}", 200)
        if reason:
            self.left[name] = reason
            self._leave(notebook_filename, reason)

    def _leave(self, notebook_filename: str, reason: str) -> None:
        """The notebook as it was handed out, with all its grades open."""
        self._sanitizing = True
        asked = self.init_single_notebook_resources(notebook_filename)["nbgrader"]
        where = asked["notebook"], asked["assignment"], asked["student"]
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            source = gradebook.find_notebook(asked["notebook"], asked["assignment"])
            marks = marks_of(source)
            cells = [_cell(cell, marks[cell.name]) for cell in source.source_cells]
            for grade in gradebook.find_submission_notebook(*where).grades:
                grade.auto_score, grade.needs_manual_grade = None, True
            gradebook.db.commit()
        book = new_notebook(
            cells=[new_markdown_cell(UNREADABLE.format(as_markdown(reason))), *cells]
        )
        folder = Path(self._format_dest(asked["assignment"], asked["student"]))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{asked['notebook']}.ipynb"
        with contextlib.suppress(OSError):
            os.chmod(path, 0o644)
        nbformat.write(book, path)


def _cell(source: Any, mark: dict[str, Any]) -> Any:
    make = new_code_cell if source.cell_type == "code" else new_markdown_cell
    return make(source.source, id=source.name, metadata={"nbgrader": mark})
