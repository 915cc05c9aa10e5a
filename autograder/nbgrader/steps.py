"""nbgrader's steps with ours among them: for `nbgrader_config.py`, and for our own grading."""

import json
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict
from nbgrader import preprocessors as theirs
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.nbgraderformat import MetadataValidator, ValidationError
from nbgrader.preprocessors import CheckCellMetadata, ClearSolutions, NbGraderPreprocessor
from traitlets import Unicode

from autograder.nbgrader.grading import ShownReport, grading_of
from autograder.nbgrader.texts import disarm
from autograder.submission.notebook import check_cell
from autograder.submission.stubs import strip_solutions

# What takes the place of some of nbgrader's own steps; `nbgrader_config.py` names them.


FOUND = "autograder"  # among a notebook's resources: its report, from one step to the next


class StubSolutions(ClearSolutions):
    """Takes solutions out as `autograder build` does: outside a function nothing stays in place.

    nbgrader's own step would put a `raise` there, which ends the cell before the student begins.
    """

    def _replace_solution_region(self, cell: Any, language: str) -> bool:
        if cell.cell_type != "code":
            return bool(super()._replace_solution_region(cell, language))
        before = cell.source
        cell.source = strip_solutions(before, "the notebook")
        return bool(cell.source != before)


class RestoreCells(NbGraderPreprocessor):
    """Gives every cell the metadata that the gradebook has of it.

    Of two cells with one id the first counts, and the other stays as a plain cell; a cell that
    lost its metadata is known by its own id; an id that is unknown is none.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        asked = resources["nbgrader"]
        if (_folder(resources) / f"{asked['notebook']}.ipynb").is_symlink():
            raise ValueError(f"{asked['notebook']}.ipynb is a link, not a file.")
        with Gradebook(asked["db_url"]) as gradebook:
            marks = marks_of(gradebook.find_notebook(asked["notebook"], asked["assignment"]))
        met: set[str] = set()
        for cell in nb.cells:
            own = cell.metadata.pop("nbgrader", None)
            said = own.get("grade_id") if isinstance(own, dict) else None
            name = said if said in marks else cell.get("id")
            if name in marks and name not in met:
                met.add(name)
                cell.metadata["nbgrader"] = dict(marks[name])
        return nb, resources


def marks_of(notebook: Any) -> dict[str, dict[str, Any]]:
    """The nbgrader metadata of each cell, by its id."""
    points = {cell.name: cell.max_score for cell in (*notebook.grade_cells, *notebook.task_cells)}
    solutions = {cell.name for cell in notebook.solution_cells}
    tasks = {cell.name for cell in notebook.task_cells}
    marks = {}
    for cell in notebook.source_cells:
        mark = {
            "grade": cell.name in points and cell.name not in tasks,
            "solution": cell.name in solutions,
            "locked": bool(cell.locked),
            "task": cell.name in tasks,
            "cell_type": cell.cell_type,
            "grade_id": cell.name,
            "checksum": cell.checksum,
            "schema_version": 3,
        }
        marks[cell.name] = mark | ({"points": points[cell.name]} if cell.name in points else {})
    return marks


class ConfinedExecute(NbGraderPreprocessor):
    """In place of nbgrader's executor: no kernel runs; the grader's report is the check's output.

    The functions run confined, as with `autograder grade`; other cells have no output.
    """

    course = Unicode("", help="The course's folder, where course.yml is.").tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        asked = resources["nbgrader"]
        found = grading_of(self.course).report(
            asked["student"], asked["notebook"], nb, _folder(resources)
        )
        resources[FOUND] = found
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
                if _id(cell) == check_cell(asked["notebook"]) and found is not None:
                    cell.outputs = _outputs(found)
                    cell.execution_count = 1
        return nb, resources


def _outputs(graded: ShownReport) -> list[Any]:
    shown = {"text/html": graded.page, "text/plain": graded.text}
    value = {"text/plain": repr(float(graded.report.points))}
    return [
        from_dict({"output_type": "display_data", "data": shown, "metadata": {}}),
        from_dict(
            {"output_type": "execute_result", "data": value, "metadata": {}, "execution_count": 1}
        ),
    ]


def _folder(resources: Any) -> Path:
    """Where the notebook lies, and the files beside it."""
    return Path(resources.get("metadata", {}).get("path", ""))


def _id(cell: Any) -> str:
    name: str = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    return name


class SaveHints(NbGraderPreprocessor):
    """Writes what was found as the comment of the answer that it is about.

    A person's own comment stays, and is what nbgrader shows. Where a person has to look, the grade
    is left open.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        asked = resources["nbgrader"]
        found = resources.get(FOUND)
        if found is None:
            return nb, resources
        where = asked["notebook"], asked["assignment"], asked["student"]
        with Gradebook(asked["db_url"]) as gradebook:
            for name, comment in found.comments(_answers(nb)).items():
                gradebook.find_comment(name, *where).auto_comment = comment
            if found.report.status == "needs a person":
                _leave_open(gradebook, asked["notebook"], where)
            gradebook.db.commit()
        return nb, resources


def _answers(nb: Any) -> dict[str, str]:
    """The student's code cells that are answers: their text by id."""
    return {
        _id(cell): cell.source
        for cell in nb.cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    }


def _leave_open(gradebook: Any, notebook: str, where: tuple[str, str, str]) -> None:
    try:
        grade = gradebook.find_grade(check_cell(notebook), *where)
    except MissingEntry:
        return
    grade.auto_score, grade.needs_manual_grade = None, True


class EscapeTexts(NbGraderPreprocessor):
    """Takes the force out of what a student wrote beside code; the last step.

    formgrader and feedback show Markdown and raw cells with their HTML and links, and put some
    metadata into the page as it is, so a script there would run with the rights of the instructor
    who looks, and a picture from elsewhere would tell that somebody does.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        kernel = nb.metadata.get("kernelspec")
        nb.metadata = NotebookNode(language_info={"name": "python"})
        if kernel:
            nb.metadata["kernelspec"] = kernel
        for cell in nb.cells:
            mark = cell.metadata.get("nbgrader")
            cell.metadata = NotebookNode({"nbgrader": mark} if mark else {})
        disarm(nb.cells)
        return nb, resources


# nbgrader's metadata of cells, checked once where a class has the same in every notebook.


MOST_MARKS = 10_000  # that are remembered


class KnownMarks(MetadataValidator):
    """nbgrader's validator of its metadata, which looks at equal marks of cells only once.

    A class has the same few marks in every notebook; nbgrader reads its schemas, and checks them
    too, for each.
    """

    def __init__(self) -> None:
        super().__init__()
        self._valid: set[str] = set()

    def validate_cell(self, cell: Any) -> None:
        """As nbgrader's; what it says depends on a cell's mark and type alone."""
        mark = cell.metadata.get("nbgrader")
        if mark is None:
            return
        known = json.dumps([cell.cell_type, mark], sort_keys=True)
        if known not in self._valid:
            super().validate_cell(cell)
            if len(self._valid) < MOST_MARKS:
                self._valid.add(known)


class CheckMarks(CheckCellMetadata):
    """nbgrader's `CheckCellMetadata`, whose validator is made once."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.validator = KnownMarks()

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        try:
            self.validator.validate_nb(nb)
        except ValidationError:
            super().preprocess(nb, resources)  # says what is wrong in nbgrader's words
        return nb, resources


# Solutions are taken out as in exercises/: where there is no function, nothing is left in place.
GENERATE = [
    theirs.IncludeHeaderFooter,
    theirs.LockCells,
    StubSolutions,
    theirs.ClearOutput,
    theirs.CheckCellMetadata,
    theirs.ComputeChecksums,
    theirs.SaveCells,
    theirs.ClearHiddenTests,
    theirs.ClearMarkScheme,
    theirs.ComputeChecksums,
    theirs.CheckCellMetadata,
]

# Cells get back what students deleted or changed around their answers.
SANITIZE = [
    RestoreCells,
    theirs.ClearOutput,
    theirs.DeduplicateIds,
    theirs.OverwriteKernelspec,
    theirs.OverwriteCells,
    CheckMarks,
]

# In place of nbgrader's executor: submissions run confined, and no kernel does.
GRADE = [
    ConfinedExecute,
    theirs.IgnorePattern,
    theirs.LimitOutput,
    theirs.SaveAutoGrades,
    theirs.AssignLatePenalties,
    CheckMarks,
    SaveHints,
    EscapeTexts,
]
