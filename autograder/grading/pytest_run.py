"""The students' files that a person's pytest run checks, and the reports on them at its end."""

import contextlib
from collections.abc import Callable, Generator
from pathlib import Path

import msgspec
import pytest

from autograder.checks.check_result import CheckResult, without_judgement
from autograder.checks.reference_answers import with_unreleased_checks
from autograder.course.authoring_errors import InvalidCourse
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.installation import require_libraries
from autograder.course.own_modules import importable
from autograder.grading.check_marks import errors_in_marks
from autograder.grading.check_outcome import check_of
from autograder.grading.check_plugin import RUN, CheckPlugin, CheckRun
from autograder.grading.diagnoses import catalogue_of, with_diagnoses
from autograder.grading.judge import Judge
from autograder.grading.judge_requests import (
    Graded,
    RunOptions,
    as_internal_error,
    with_unreadable_answers,
)
from autograder.grading.pytest_display import (
    NOT_RUN_HERE,
    PolicyPlugin,
    name_by_titles,
    place_in_file,
)
from autograder.grading.reports import grader_record, whole_report
from autograder.report.model import Cause
from autograder.report.redaction import for_student
from autograder.report.terminal import exercise_lines, plain
from autograder.sandbox.levels import children_for
from autograder.sandbox.session import WorkerSession, open_session
from autograder.submission.read import UnreadableFile
from autograder.submission.source import read_own


class SubmissionRun:
    """A pytest plugin with a run for each student's file, and the reports on them at the end.

    `is_check` tells the tests that look at a student's file from others of the same session.
    """

    def __init__(
        self, config: pytest.Config, course: Course, is_check: Callable[[pytest.Item], bool]
    ) -> None:
        self.config = config
        self.course = course
        self.is_check = is_check
        self.children = children_for(course)
        self.items: dict[Path, list[pytest.Item]] = {}
        self.runs: dict[Path, CheckRun] = {}
        self.graded: dict[Path, Graded] = {}
        self.policy = PolicyPlugin(config, course, is_check, self._results)
        for plugin in (CheckPlugin(course), self.policy, self):
            config.pluginmanager.register(plugin, f"autograder-{type(plugin).__name__}")

    def add(self, path: Path, items: list[pytest.Item]) -> None:
        """Take in all checks of a file, of which ids or `-k` may select some."""
        run = CheckRun(lambda: self._session(path), self.course.content.seed)
        self.items[path], self.runs[path] = items, run
        for item in items:
            item.stash[RUN] = run

    def _session(self, path: Path) -> WorkerSession:
        __tracebackhide__ = True
        exercise = self.course.exercise(path.stem)
        try:
            require_libraries([exercise])
            source = read_own(path, exercise)
        except (UnreadableFile, UserError) as error:
            raise pytest.UsageError(str(error)) from None
        limits = self.course.limits(exercise)
        return open_session(source, exercise.needs, limits, self.children)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Say where each check is, and look at the marks of all checks of its file.

        Raises:
            pytest.UsageError: the course's author made an error in them.
        """
        for item in filter(self.is_check, items):
            place_in_file(item)
        for path, checks in self.items.items():
            errors = errors_in_marks(self.course.checks_file(path.stem), checks)
            if errors:
                raise pytest.UsageError(str(InvalidCourse(errors)))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        name_by_titles(self.config, filter(self.is_check, session.items))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        with importable(self.course) if self.is_check(item) else contextlib.nullcontext():
            return (yield)

    def pytest_sessionfinish(self) -> None:
        for path, run in self.runs.items():
            if run.has_begun:
                self.graded[path] = self._concluded(path, run)
        self.policy.tell_diagnoses()
        self.children.close()

    def _concluded(self, path: Path, run: CheckRun) -> Graded:
        """Return what became of a file's checks, as a judge has it: they have run here already."""
        exercise, error = self.course.exercise(path.stem), run.error
        results = self._results(path)
        try:
            if error is None:
                results = with_unreadable_answers(results, self._is_sound)
                catalogue = catalogue_of(self.course)
                with importable(self.course):
                    results = with_diagnoses(catalogue, path.stem, results, run.session)
            run.session.close()
        except Exception as failure:
            error = as_internal_error(failure)
        return Graded(exercise, run.session, results, error=error)

    def _is_sound(self, result: CheckResult) -> bool:
        """Return whether a check passes for the course's solution."""
        exercise = self.course.exercise(result.check.path.stem)
        solution = read_own(self.course.solution_file(exercise.name), exercise)
        with Judge(self.course, [exercise]) as judge:
            results = judge.run(solution, RunOptions(frozenset({result.name}))).results
        return [each.outcome for each in results] == ["passed"]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        record = grader_record(self.course, self.course.content.seed)
        for path, graded in self.graded.items():
            result = graded.report
            report = whole_report("", self.course, [result], record)
            shown = for_student(report, self.course.content.hints).exercises[0]
            terminalreporter.section(f"{result.title}: {path.name}")
            for line in exercise_lines(shown):
                terminalreporter.write_line(plain(line))
            if len(shown.checks) < len(result.checks):
                terminalreporter.write_line(NOT_RUN_HERE)

    def _results(self, path: Path) -> list[CheckResult]:
        """Return the results of all checks of a file, those that were not selected too."""
        if path in self.graded and self.graded[path].error is None:
            return self.graded[path].results
        results = []
        for item in self.items[path]:
            result = self.runs[path].results.get(item.nodeid)
            if result is None:
                cause = Cause(code="not_selected")
                result = without_judgement(check_of(item), "not run", cause)
                result = msgspec.structs.replace(result, hints=result.check.hints)
            results.append(result)
        return with_unreleased_checks(self.course, path, results)
