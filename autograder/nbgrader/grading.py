"""Reports on nbgrader notebooks, made in advance or when they are needed."""

import contextlib
import functools
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import msgspec
import nbformat

from autograder.authoring.lint_cache import refuse_new_errors
from autograder.classroom.decisions import Decision, place_of, work_id
from autograder.classroom.judge_pool import JudgePool, Setup, Task, TaskReports, with_repairs
from autograder.course.course_file import FILE_NAME, Course, HiddenChecks, HintPolicy, find_course
from autograder.course.errors import UserError
from autograder.grading.reports import report_of_internal_error
from autograder.nbgrader.directory import source_notebook
from autograder.nbgrader.sanitize_markdown import as_markdown
from autograder.report.html import exercise_html
from autograder.report.model import ExerciseReport
from autograder.report.presentation import first_failure, opening
from autograder.report.redaction import by_policy, exercise_for_student
from autograder.report.terminal import exercise_lines, plain
from autograder.sandbox.child import InternalError
from autograder.sandbox.levels import choose
from autograder.submission.source import Siblings, Source, from_notebook

IDLE_SECONDS = 60.0


class ShownReport(msgspec.Struct):
    """Parts of a report that the student may see, for nbgrader's files and gradebook."""

    report: ExerciseReport
    page: str
    text: str
    waits: bool = False  # true if a person must give the points
    remarks: Sequence[tuple[str, str]] = ()  # a cell's text, and a comment on one of its lines

    def comments(self, answers: dict[str, str]) -> dict[str, str]:
        """Return the comments on answer cells by cell id: the finding, a hint, and remarks."""
        if not answers:
            return {}
        texts: dict[str, list[str]] = {}
        first, failed = next(iter(answers)), first_failure(self.report)
        finding = opening(self.report).text
        if finding:
            about = failed.diagnosis.function if failed is not None and failed.diagnosis else ""
            named = (name for name, text in answers.items() if about and about in text)
            hints = failed.hints[:1] if failed is not None else ()
            repair = [self.report.repair.said] if self.report.repair is not None else []
            texts[next(named, first)] = [finding, *repair, *(f"Hint: {hint}" for hint in hints)]
        for cell, remark in self.remarks:
            place = next((name for name, text in answers.items() if text == cell), first)
            texts.setdefault(place, []).append(remark)
        return {name: as_markdown("\n\n".join(lines)) for name, lines in texts.items()}


def shown_report(
    report: ExerciseReport, policy: HintPolicy, hidden: Callable[[str], HiddenChecks] = by_policy
) -> ShownReport:
    """Return the parts of a report that the course's policy shows to the student."""
    visible = exercise_for_student(report, policy, hidden=hidden)
    lines = "\n".join(plain(line) for line in exercise_lines(visible))
    return ShownReport(visible, exercise_html(visible), lines)


class StayingJudge:
    """Judge process that waits for more notebooks, in a program such as Formgrader.

    The judge ends if no notebook comes for some time. After a change of a file of the course or the
    engine, a new judge replaces the running one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # a timer ends an idle judge in another thread
        self._idle = threading.Timer(0, self.end)
        self._open = contextlib.ExitStack()
        self._digest = ""

    def grade(self, course: Course, names: Sequence[str], digest: str, task: Task) -> TaskReports:
        self._idle.cancel()
        with self._lock:
            if digest != self._digest:
                self._open.close()
                scratch = tempfile.TemporaryDirectory(prefix="autograder-")
                self._scratch = Path(self._open.enter_context(scratch))
                self._pool = self._open.enter_context(contextlib.closing(JudgePool(1)))
                # at exit, before the queues of the pool are closed
                self._open.callback(Finalize(None, self.end, exitpriority=100).cancel)
                self._digest = digest
            setup = Setup(
                course.root / FILE_NAME,
                tuple(names),
                course.content.seed,
                choose(None, own_code=False),
                (course.root, Path.cwd()),  # submissions cannot read these
                self._scratch,
            )
            reports = self._pool.grade_one(task, setup)
        self._idle = threading.Timer(IDLE_SECONDS, self.end)
        self._idle.daemon = True
        self._idle.start()
        return reports

    def end(self) -> None:
        with self._lock:
            self._open.close()
            self._digest = ""


JUDGE = StayingJudge()


class NotebookGrader:
    """Grader of one course's notebooks, with reports that were made in advance.

    `before_grading` is called before each notebook is graded, because grading takes long.
    `search_seconds` is the limit on the search for a repair. 0 means no search.
    """

    def __init__(self, course: Course, search_seconds: float = 0.0) -> None:
        self.course = course
        self.search_seconds = search_seconds
        self.before_grading: Callable[[], object] = lambda: None
        self.remarks: Mapping[str, Sequence[Decision]] = {}
        self._known: dict[str, dict[str, tuple[str, ShownReport]]] = {}  # by student and notebook
        self._handed_out = functools.cache(self._texts_handed_out)

    def know(self, student: str, source: Source, report: ExerciseReport) -> ShownReport:
        """Store the report on a source, and return the parts of it that the student may see."""
        shown = shown_report(report, self.course.content.hints, self.course.hidden_checks)
        gives_0 = self.course.content.export.not_loaded == 0
        shown.waits = report.status == "needs a person" or (
            report.status == "not loaded" and not gives_0
        )
        shown.remarks = self._remarks(student, source, report)
        self._known.setdefault(student, {})[source.name] = source.digest, shown
        return shown

    def _remarks(
        self, student: str, source: Source, report: ExerciseReport
    ) -> list[tuple[str, str]]:
        remarks = []
        for decision in self.remarks.get(student, ()):
            of_this = decision.exercise == source.name and decision.work in {"", work_id([report])}
            if decision.line is not None and of_this:
                place = place_of(decision, source)
                where = f"line {place.line}, {place.text.strip()}" if place else decision.check
                cell = source.units[decision.line[0] - 1].text if place else ""
                remarks.append((cell, f"{decision.by or 'Comment'} on {where}: {decision.why}"))
        return remarks

    def take(self, student: str) -> dict[str, ExerciseReport]:
        known = self._known.pop(student, {})
        return {notebook: shown.report for notebook, (_, shown) in known.items()}

    def report(self, student: str, notebook: str, nb: Any, folder: Path) -> ShownReport | None:
        """Return the report on a notebook. If it belongs to no exercise, return None."""
        if notebook not in self.course.exercises:
            return None
        source = from_notebook(nb, notebook, Siblings(folder))
        digest, shown = self._known.get(student, {}).get(notebook, ("", None))
        if shown is None or digest != source.digest:
            self.before_grading()
            shown = self.know(student, source, self._graded(student, source))
        return shown

    def _graded(self, student: str, source: Source) -> ExerciseReport:
        course, exercise = self.course, self.course.exercise(source.name)
        together = (each.exercises for each in course.content.assignments)
        names = next((names for names in together if exercise.name in names), (exercise.name,))
        digest = refuse_new_errors(course, [course.exercise(name) for name in names])
        grade = functools.partial(JUDGE.grade, course, names, digest)
        reports = with_repairs(grade, Task(0, student, (source,)), course, self.search_seconds)
        failed = report_of_internal_error(exercise, InternalError("its process ended"))
        return reports.get(exercise.name, failed)

    def wrote_elsewhere(self, notebook: str, nb: Any) -> bool:
        """Return True if a student wrote outside the answer cells of a notebook with questions."""
        exercise = self.course.exercises.get(notebook)
        if exercise is None or not exercise.questions:
            return False
        texts = {
            _plain(cell.source)
            for cell in nb.cells
            if cell.cell_type != "code" and "nbgrader" not in cell.metadata
        }
        return not texts <= self._handed_out(notebook)

    def _texts_handed_out(self, notebook: str) -> set[str]:
        text = source_notebook(self.course, self.course.exercise(notebook))
        return {"", *(_plain(cell.source) for cell in nbformat.reads(text, 4).cells)}


def _plain(text: str) -> str:
    return " ".join(text.split())


_OPEN: list[NotebookGrader] = []  # the grader of the run in this process


def grading_of(course: str, search_seconds: float = 0.0) -> NotebookGrader:
    if _OPEN and (not course or Path(course).resolve() == _OPEN[0].course.root):
        return _OPEN[0]
    if not course:
        raise UserError(
            "nbgrader_config.py does not name the course. Set c.ConfinedExecute.course."
        )
    return NotebookGrader(find_course(named=Path(course)), search_seconds)


@contextlib.contextmanager
def open_grading(course: Course) -> Iterator[NotebookGrader]:
    _OPEN[:] = [NotebookGrader(course)]
    try:
        yield _OPEN[0]
    finally:
        _OPEN.clear()
