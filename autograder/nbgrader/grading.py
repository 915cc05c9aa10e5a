"""The reports on nbgrader notebooks, graded before or when they are first asked for."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from autograder.course.course_file import Course, find_course
from autograder.course.errors import UserError
from autograder.nbgrader.grader_process import GraderProcess, version_of
from autograder.nbgrader.texts import as_markdown
from autograder.report.html import exercise_html
from autograder.report.model import ExerciseReport
from autograder.report.presentation import first_failure, opening
from autograder.report.redaction import exercise_for_student
from autograder.report.styled_lines import plain
from autograder.report.terminal import exercise_lines
from autograder.sandbox.child import InternalError
from autograder.submission.source import Siblings, Source, from_notebook


class ShownReport(msgspec.Struct):
    """A report as nbgrader's files and gradebook take it: what a student may see."""

    report: ExerciseReport
    page: str
    text: str

    def comments(self, answers: dict[str, str]) -> dict[str, str]:
        """What to say at which answer: the finding, and a hint, by the cell's id."""
        said, failed = [opening(self.report).text], first_failure(self.report)
        if not said[0] or not answers:
            return {}
        about = failed.diagnosis.function if failed is not None and failed.diagnosis else ""
        place = next(
            (name for name, text in answers.items() if about and about in text), next(iter(answers))
        )
        said += [f"Hint: {hint}" for hint in (failed.hints[:1] if failed is not None else ())]
        return {place: as_markdown("\n\n".join(said))}


class NotebookGrader:
    """Grades notebooks of one course, and keeps the reports. It owns a process: close it.

    `before_grading` is called before a report is made, which takes its time.
    """

    def __init__(self, course: Course, is_kept: bool = False) -> None:
        self.course = course
        self.before_grading: Callable[[], object] = lambda: None
        self._is_kept = is_kept
        self._version = version_of(course)
        self._known: dict[tuple[str, str], tuple[str, ExerciseReport]] = {}
        self._shown: dict[tuple[str, str], ShownReport] = {}
        self._process: GraderProcess | None = None

    @property
    def is_current(self) -> bool:
        """Whether the course is still as it was, or is to be taken as it was."""
        return self._is_kept or self._version == version_of(self.course)

    def know(self, student: str, source: Source, report: ExerciseReport) -> None:
        """Take a report that was made elsewhere, on that very source."""
        self._known[student, source.name] = (source.digest, report)

    def forget(self, student: str) -> None:
        """Keep nothing of a student: a class is large."""
        for kept in (self._known, self._shown):
            for key in [key for key in kept if key[0] == student]:
                del kept[key]

    def report(self, student: str, notebook: str, nb: Any, folder: Path) -> ShownReport | None:
        """The report on a notebook in a folder; None where its name is no exercise's."""
        exercise = self.course.exercises.get(notebook)
        if exercise is None:
            return None
        source = from_notebook(nb, exercise.name, Siblings(folder))
        digest, report = self._known.get((student, notebook), ("", None))
        if report is None or digest != source.digest:
            self.before_grading()
            report = self._graded(source)
            self.know(student, source, report)
            self._shown.pop((student, notebook), None)
        if (student, notebook) not in self._shown:
            self._shown[student, notebook] = self._as_shown(report)
        return self._shown[student, notebook]

    def _graded(self, source: Source) -> ExerciseReport:
        """The report; where the process ends of it twice, one for a person."""
        try:
            return self._asked(source)
        except InternalError:  # the end may have come from outside
            pass
        try:
            return self._asked(source)
        except InternalError as trouble:
            from autograder.grading.reports import report_of_internal_error

            return report_of_internal_error(self.course.exercise(source.name), trouble)

    def _asked(self, source: Source) -> ExerciseReport:
        if self._process is None:
            self._process = GraderProcess(self.course)
        try:
            return self._process.grade(source)
        except (UserError, InternalError):
            self.close()
            raise

    def _as_shown(self, report: ExerciseReport) -> ShownReport:
        mine = exercise_for_student(report, self.course.content.hints)
        lines = "\n".join(plain(line) for line in exercise_lines(mine))
        return ShownReport(mine, exercise_html(mine), lines)

    def close(self) -> None:
        """End the processes."""
        if self._process is not None:
            self._process.close()
            self._process = None


_OPEN: dict[str, NotebookGrader] = {}


def grading_of(course: str) -> NotebookGrader:
    """The grading of a course's folder, as it is now; the last one again where none is named.

    Raises:
        UserError: there is no course there.
    """
    if not course:
        if not _OPEN:
            raise UserError("nbgrader_config.py does not name the course: ConfinedExecute.course")
        return next(reversed(_OPEN.values()))
    if course in _OPEN and not _OPEN[course].is_current:
        _OPEN.pop(course).close()
    grading = _OPEN.pop(course, None) or NotebookGrader(find_course(named=Path(course)))
    _OPEN[course] = grading  # now the last
    return grading


@contextlib.contextmanager
def open_grading(course: Course) -> Iterator[NotebookGrader]:
    """While this lasts, the grading that steps in this process find; the course is as it is now."""
    grading = NotebookGrader(course, is_kept=True)
    _OPEN[str(course.root)] = grading
    try:
        yield grading
    finally:
        _OPEN.pop(str(course.root), None)
        grading.close()
