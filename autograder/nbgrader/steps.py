"""Steps and lists of steps for nbgrader."""

import contextlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import preprocessors
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import BasePlugin
from nbgrader.preprocessors import CheckCellMetadata, ClearSolutions, NbGraderPreprocessor
from traitlets import Float, Unicode

from autograder.course.course_file import find_course
from autograder.course.errors import UserError
from autograder.course.lateness import LatePenalty, LatePolicy, days_late, late_penalty
from autograder.nbgrader.directory import mark_of
from autograder.nbgrader.grading import grading_of
from autograder.nbgrader.sanitize_markdown import disarm
from autograder.submission.source import check_cell
from autograder.submission.stubs import strip_solutions

FOUND = "autograder"  # key in a notebook's resources, by which a step passes on the report
ELSEWHERE = "autograder_elsewhere"  # key: True if the student wrote outside the answer cells
LOOK_ELSEWHERE = "This cell is unchanged, but another cell has text. Look there."
NO_NAME = "–"  # shown as the first name


class StubSolutions(ClearSolutions):
    """Step that replaces solutions, as `autograder build` does."""

    def _replace_solution_region(self, cell: Any, language: str) -> bool:
        if cell.cell_type != "code":
            return bool(super()._replace_solution_region(cell, language))
        before, cell.source = cell.source, strip_solutions(cell.source, "the notebook")
        return bool(cell.source != before)


class RestoreCells(NbGraderPreprocessor):
    """Step that restores all cells' metadata from the gradebook.

    Of two cells with the same id, the second becomes a plain cell. A cell without metadata is
    recognised by its id.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        place = resources["nbgrader"]
        if (_folder(resources) / f"{place['notebook']}.ipynb").is_symlink():
            raise ValueError(f"{place['notebook']}.ipynb is a link, not a file.")
        with Gradebook(place["db_url"]) as gradebook:
            marks = marks_of(gradebook.find_notebook(place["notebook"], place["assignment"]))
            with contextlib.suppress(MissingEntry):
                name_student(gradebook.find_student(place["student"]))
            gradebook.db.commit()
        met: set[str] = set()
        for cell in nb.cells:
            own = cell.metadata.pop("nbgrader", None)
            grade_id = own.get("grade_id") if isinstance(own, dict) else None
            name = grade_id if grade_id in marks else cell.get("id")
            if name in marks and name not in met:
                met.add(name)
                cell.metadata["nbgrader"] = dict(marks[name])
        return nb, resources


def name_student(student: Any, name: str = "") -> None:
    """Set a student's name in the gradebook to the roster's name.

    If neither has a name, use the id. Otherwise, formgrader would show "None, None" or "ann, ".
    """
    last, comma, first = name.partition(",")
    if name and not comma:
        first, _, last = name.rpartition(" ")
    if name:
        student.first_name, student.last_name = first.strip() or NO_NAME, last.strip()
    elif (student.first_name or NO_NAME, student.last_name or student.id) == (NO_NAME, student.id):
        student.first_name, student.last_name = NO_NAME, student.id


def marks_of(notebook: Any) -> dict[str, dict[str, Any]]:
    """Return nbgrader's metadata of cells, by cell id."""
    points = {cell.name: cell.max_score for cell in (*notebook.grade_cells, *notebook.task_cells)}
    solutions = {cell.name for cell in notebook.solution_cells}
    tasks = {cell.name for cell in notebook.task_cells}
    return {
        cell.name: mark_of(
            cell.cell_type,
            cell.name,
            points.get(cell.name),
            grade=cell.name in points and cell.name not in tasks,
            solution=cell.name in solutions,
            locked=bool(cell.locked),
            task=cell.name in tasks,
            checksum=cell.checksum,
        )
        for cell in notebook.source_cells
    }


class ConfinedExecute(NbGraderPreprocessor):
    """Step that replaces nbgrader's executor and runs no kernel.

    The student's functions run confined, as in `autograder grade`. The output of the check cell is
    the grader's report. All other cells have no output.
    """

    course = Unicode("", help="The course's folder, where course.yml is.").tag(config=True)
    search_seconds = Float(
        30.0, help="The limit on the search for a line to change. 0 switches the search off."
    ).tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        place = resources["nbgrader"]
        grading = grading_of(self.course, self.search_seconds)
        graded = grading.report(place["student"], place["notebook"], nb, _folder(resources))
        resources[ELSEWHERE] = grading.wrote_elsewhere(place["notebook"], nb)
        resources[FOUND] = graded
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
                if _id(cell) == check_cell(place["notebook"]) and graded is not None:
                    shown = {"text/html": graded.page, "text/plain": graded.text}
                    points = {"text/plain": repr(float(graded.report.points))}
                    cell.outputs = [
                        new_output("display_data", shown),
                        new_output("execute_result", points, execution_count=1),
                    ]
                    cell.execution_count = 1
        return nb, resources


def _folder(resources: Any) -> Path:
    return Path(resources.get("metadata", {}).get("path", ""))


def _id(cell: Any) -> str:
    name: str = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    return name


class CourseLatePolicy(BasePlugin):
    """Plugin for nbgrader that applies the block `late` of `course.yml`."""

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """Return the points that a late notebook loses. Without a policy, return None."""
        step = self.parent
        try:
            course = grading_of(ConfinedExecute(config=self.config).course).course
        except UserError:  # a kernel runs the notebooks, and an environment variable has the course
            course = find_course(Path.cwd())
        free = 0
        for assignment in course.content.assignments:
            policy = assignment.late or course.content.late
            if assignment.name == step.assignment_id:
                if policy is None:
                    return None
                return round(score * _cost(policy, total_seconds_late, free).percent / 100, 2)
            # an earlier assignment may have used free days
            if policy is not None and policy.free_days:
                with contextlib.suppress(MissingEntry):
                    earlier = step.gradebook.find_submission(assignment.name, student_id)
                    free += _cost(policy, earlier.total_seconds_late, free).free_days
        return None


def _cost(policy: LatePolicy, seconds: float, free_used: int) -> LatePenalty:
    came = datetime.fromtimestamp(seconds, UTC)
    days = days_late(datetime.fromtimestamp(0, UTC), came, policy.grace_minutes, 0)
    return late_penalty(policy, days, policy.free_days - free_used)


class LatePenalties(preprocessors.AssignLatePenalties):
    """Step that applies the course's late policy, unless the configuration sets another one."""

    def init_plugin(self) -> None:
        named = "plugin_class" in self.config.AssignLatePenalties
        if not named and "LateSubmissionPlugin" not in self.config:
            self.plugin_class = CourseLatePolicy
        super().init_plugin()


class SaveHints(NbGraderPreprocessor):
    """Step that writes messages as comments on answers.

    A comment that an instructor has written replaces the message. If a person has to look at the
    answer, the grade stays open.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        place = resources["nbgrader"]
        graded = resources.get(FOUND)
        if graded is None:
            return nb, resources
        where = place["notebook"], place["assignment"], place["student"]
        answers = {
            _id(cell): cell.source
            for cell in nb.cells
            if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
        }
        with Gradebook(place["db_url"]) as gradebook:
            for name, comment in graded.comments(answers).items():
                gradebook.find_comment(name, *where).auto_comment = comment
            if resources.get(ELSEWHERE):
                _leave_unchanged_answers_open(gradebook, nb, where)
            if graded.waits:
                with contextlib.suppress(MissingEntry):
                    grade = gradebook.find_grade(check_cell(place["notebook"]), *where)
                    grade.auto_score, grade.needs_manual_grade = None, True
            gradebook.db.commit()
        return nb, resources


def _leave_unchanged_answers_open(gradebook: Any, nb: Any, where: tuple[str, str, str]) -> None:
    for cell in nb.cells:
        mark = cell.metadata.get("nbgrader", {})
        if cell.cell_type != "code" and mark.get("grade") and mark.get("solution"):
            grade = gradebook.find_grade(_id(cell), *where)
            if grade.auto_score == 0 and grade.manual_score is None:
                grade.auto_score, grade.needs_manual_grade = None, True
                gradebook.find_comment(_id(cell), *where).auto_comment = LOOK_ELSEWHERE


class EscapeTexts(NbGraderPreprocessor):
    """Last step: sanitizes the texts around a student's code.

    Formgrader and feedback pages show Markdown and raw cells with HTML and links, and do not escape
    some metadata. A student's script in a page would run with the rights of the instructor who
    opens the page. A remote picture would tell the student that the page was opened.
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


class CheckMarks(CheckCellMetadata):
    """nbgrader's `CheckCellMetadata`, which validates equal metadata only once."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._valid: set[str] = set()

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        marks = [[cell.cell_type, cell.metadata.get("nbgrader")] for cell in nb.cells]
        known = json.dumps([mark for mark in marks if mark[1] is not None], sort_keys=True)
        if known not in self._valid:
            super().preprocess(nb, resources)
            self._valid.add(known)
        return nb, resources


# Solutions are removed as in exercises/. Outside functions, nothing replaces them.
GENERATE = [
    preprocessors.IncludeHeaderFooter,
    preprocessors.LockCells,
    StubSolutions,
    preprocessors.ClearOutput,
    preprocessors.CheckCellMetadata,
    preprocessors.ComputeChecksums,
    preprocessors.SaveCells,
    preprocessors.ClearHiddenTests,
    preprocessors.ClearMarkScheme,
    preprocessors.ComputeChecksums,
    preprocessors.CheckCellMetadata,
]

# These steps restore cells around the answers that students deleted or changed.
SANITIZE = [
    RestoreCells,
    preprocessors.ClearOutput,
    preprocessors.DeduplicateIds,
    preprocessors.OverwriteKernelspec,
    preprocessors.OverwriteCells,
    CheckMarks,
]

# These steps replace nbgrader's executor: submissions run confined, without a kernel.
GRADE = [
    ConfinedExecute,
    preprocessors.IgnorePattern,
    preprocessors.LimitOutput,
    preprocessors.SaveAutoGrades,
    LatePenalties,
    CheckMarks,
    SaveHints,
    EscapeTexts,
]
