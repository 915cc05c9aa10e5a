"""Reports on nbgrader notebooks, which are graded in advance or when a report is first needed."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import nbformat

from autograder.classroom.decisions import Decision, place_of, work_id
from autograder.course.course_file import Course, HiddenChecks, HintPolicy, find_course
from autograder.course.errors import UserError
from autograder.grading.reports import report_of_internal_error
from autograder.nbgrader.config import source_notebook
from autograder.nbgrader.grader_process import GraderProcess, version_of
from autograder.nbgrader.sanitize_markdown import as_markdown
from autograder.report.html import exercise_html
from autograder.report.model import ExerciseReport
from autograder.report.presentation import first_failure, opening
from autograder.report.redaction import by_policy, exercise_for_student
from autograder.report.terminal import exercise_lines, plain
from autograder.sandbox.child import InternalError
from autograder.submission.source import Siblings, Source, from_notebook


class ShownReport(msgspec.Struct):
    """Report as the student may see it, for nbgrader's files and gradebook.

    If `waits` is true, a person must give the points. `remarks` are pairs: the text of a cell, and
    an instructor's comment on a line in it.
    """

    report: ExerciseReport
    page: str
    text: str
    waits: bool = False
    remarks: Sequence[tuple[str, str]] = ()

    def comments(self, answers: dict[str, str]) -> dict[str, str]:
        """Return a dict from an answer cell's id to its comment: the finding, a hint, remarks."""
        texts: dict[str, list[str]] = {}
        first, failed = next(iter(answers), ""), first_failure(self.report)
        finding = opening(self.report).text
        if finding and answers:
            about = failed.diagnosis.function if failed is not None and failed.diagnosis else ""
            named = (name for name, text in answers.items() if about and about in text)
            hints = failed.hints[:1] if failed is not None else ()
            repair = [self.report.repair.said] if self.report.repair is not None else []
            hinted = (f"Hint: {hint}" for hint in hints)
            texts[next(named, first)] = [finding, *repair, *hinted]
        for cell, remark in self.remarks if answers else ():
            place = next((name for name, text in answers.items() if text == cell), first)
            texts.setdefault(place, []).append(remark)
        return {name: as_markdown("\n\n".join(each)) for name, each in texts.items()}


def shown_report(
    report: ExerciseReport,
    policy: HintPolicy,
    hidden: Callable[[str], HiddenChecks] = by_policy,
) -> ShownReport:
    """Return a report as the course's policy shows it to the student."""
    visible = exercise_for_student(report, policy, hidden=hidden)
    lines = "\n".join(plain(line) for line in exercise_lines(visible))
    return ShownReport(visible, exercise_html(visible), lines)


class NotebookGrader:
    """Grader of one course's notebooks. It keeps the reports, and owns a process until `close`.

    `before_grading` is called each time before a notebook is graded, because grading takes long.
    """

    def __init__(self, course: Course, is_kept: bool = False) -> None:
        self.course = course
        self.before_grading: Callable[[], object] = lambda: None
        self.remarks: Mapping[str, Sequence[Decision]] = {}  # by student
        self._is_kept = is_kept
        self._version = version_of(course)
        self._reports: dict[str, dict[str, tuple[str, ShownReport]]] = {}  # by student and notebook
        self._handed_out: dict[str, set[str]] = {}
        self._process: GraderProcess | None = None

    @property
    def is_current(self) -> bool:
        """True if the course's files are unchanged, or if their changes must be ignored."""
        return self._is_kept or self._version == version_of(self.course)

    def know(self, student: str, source: Source, report: ExerciseReport) -> ShownReport:
        """Store the report on a source, and return it as the student may see it."""
        shown = shown_report(report, self.course.content.hints, self.course.hidden_checks)
        gives_0 = self.course.content.export.not_loaded == 0
        shown.waits = report.status == "needs a person" or (
            report.status == "not loaded" and not gives_0
        )
        shown.remarks = self._remarks(student, source, report)
        self._reports.setdefault(student, {})[source.name] = source.digest, shown
        return shown

    def _remarks(
        self, student: str, source: Source, report: ExerciseReport
    ) -> list[tuple[str, str]]:
        """Return the comments on lines of this source, each with the text of its cell, if known."""
        found = []
        for each in self.remarks.get(student, ()):
            of_this = each.exercise == source.name and each.work in {"", work_id([report])}
            if each.line is not None and of_this:
                place = place_of(each, source)
                where = f"line {place.line}, {place.text.strip()}" if place else each.check
                cell = source.units[each.line[0] - 1].text if place else ""
                found.append((cell, f"{each.by or 'Comment'} on {where}: {each.why}"))
        return found

    def wrote_elsewhere(self, notebook: str, nb: Any) -> bool:
        """Return True if a student wrote outside the answer cells of a notebook with questions."""
        exercise = self.course.exercises.get(notebook)
        if exercise is None or not exercise.questions:
            return False
        if notebook not in self._handed_out:
            book = nbformat.reads(source_notebook(self.course, exercise), 4)
            self._handed_out[notebook] = {_plain(cell.source) for cell in book.cells}
        known = self._handed_out[notebook]
        return any(
            _plain(cell.source) not in known
            for cell in nb.cells
            if cell.cell_type != "code" and "nbgrader" not in cell.metadata and _plain(cell.source)
        )

    def take(self, student: str) -> dict[str, ExerciseReport]:
        """Return a student's reports as the student sees them, and delete them to save memory."""
        known = self._reports.pop(student, {})
        return {notebook: shown.report for notebook, (_, shown) in known.items()}

    def report(self, student: str, notebook: str, nb: Any, folder: Path) -> ShownReport | None:
        """Return the report on a notebook in a folder, or None if no exercise has its name."""
        exercise = self.course.exercises.get(notebook)
        if exercise is None:
            return None
        source = from_notebook(nb, exercise.name, Siblings(folder))
        digest, shown = self._reports.get(student, {}).get(notebook, ("", None))
        if shown is None or digest != source.digest:
            self.before_grading()
            shown = self.know(student, source, self._graded(source))
        return shown

    def _graded(self, source: Source) -> ExerciseReport:
        """Return a source's report. If the process ends twice, the report asks for a person."""
        for is_last in (False, True):  # something else may have caused the first end
            self._process = self._process or GraderProcess(self.course)
            try:
                return self._process.grade(source)
            except UserError:
                self.close()
                raise
            except InternalError as error:
                self.close()
                if is_last:
                    return report_of_internal_error(self.course.exercise(source.name), error)
        raise AssertionError

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


def _plain(text: str) -> str:
    return " ".join(text.split())


_OPEN: dict[str, NotebookGrader] = {}


def grading_of(course: str) -> NotebookGrader:
    """Return the grader for a folder's current course; without a folder, the latest grader.

    Raises:
        UserError: the folder has no course.
    """
    if not course:
        if not _OPEN:
            raise UserError(
                "nbgrader_config.py does not name the course. Set c.ConfinedExecute.course."
            )
        return next(reversed(_OPEN.values()))
    if course in _OPEN and not _OPEN[course].is_current:
        _OPEN.pop(course).close()
    grading = _OPEN.pop(course, None) or NotebookGrader(find_course(named=Path(course)))
    _OPEN[course] = grading  # it is the most recent one now
    return grading


@contextlib.contextmanager
def open_grading(course: Course) -> Iterator[NotebookGrader]:
    """Open the grader for the steps in this process. It ignores later changes of the course."""
    grading = NotebookGrader(course, is_kept=True)
    _OPEN[str(course.root)] = grading
    try:
        yield grading
    finally:
        _OPEN.pop(str(course.root), None)
        grading.close()
