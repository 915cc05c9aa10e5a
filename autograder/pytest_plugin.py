"""`pytest exercises/softmax.py`: collect that exercise's checks and run them on that file."""

import contextlib
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from autograder.course import FILE_NAME, Course, find_course
from autograder.errors import UserError
from autograder.extras import require_libraries
from autograder.grading import MARKS
from autograder.own_modules import importable
from autograder.pytest_policy import NOT_RUN_HERE, PolicyPlugin
from autograder.report.not_run import NOT_SELECTED

if TYPE_CHECKING:
    from autograder.grading.plugin import CheckResult
    from autograder.sandbox.client import Client

COURSES = pytest.StashKey[dict[Path, Course | None]]()
FIRST = pytest.StashKey[Course]()
HERE = pytest.StashKey["SubmissionRun"]()


class SubmissionRun:
    """The submissions of a pytest run: one client for each file, and the results at the end."""

    def __init__(self, config: pytest.Config, course: Course) -> None:
        from autograder.grading.plugin import CheckPlugin
        from autograder.sandbox.client import Client
        from autograder.sandbox.unconfined import children_for

        self.config = config
        self.course = course
        self.children = children_for(course)
        self.clients: dict[Path, Client] = {}
        self.items: dict[Path, list[pytest.Item]] = {}
        self.checks = CheckPlugin(course, course.content.seed, lambda item: self.client(item.path))
        config.pluginmanager.register(self.checks, "autograder-checks")
        self.policy = PolicyPlugin(config, course, is_check, self._results)
        config.pluginmanager.register(self.policy, "autograder-policy")
        config.pluginmanager.register(self, "autograder-run")

    def client(self, path: Path) -> "Client":
        __tracebackhide__ = True
        from autograder.sandbox.client import Client
        from autograder.submission.read import UnreadableFile
        from autograder.submission.siblings import Siblings
        from autograder.submission.source import read_source, with_stated_numbers

        if path not in self.clients:
            exercise = self.course.exercise(path.stem)
            try:
                require_libraries([exercise])
                source = read_source(path, path.stem, Siblings(path.parent))
            except (UnreadableFile, UserError) as error:
                raise pytest.UsageError(str(error)) from None
            source = with_stated_numbers(source, exercise)
            limits = self.course.limits(exercise)
            self.clients[path] = Client(source, exercise.needs, limits, self.children)
        return self.clients[path]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note all checks of a file, before `-k` and others take some away.

        Raises:
            pytest.UsageError: their marks have a slip, which is the course's.
        """
        from autograder.lint.marks import slips_in_marks
        from autograder.lint.slip import CourseSlips

        for item in items:
            if is_check(item):
                self.items.setdefault(item.path, []).append(item)
        for path, checks in self.items.items():
            slips = slips_in_marks(self.course.checks_file(path.stem), checks)
            if slips:
                raise pytest.UsageError(str(CourseSlips(slips)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        with importable(self.course) if is_check(item) else contextlib.nullcontext():
            return (yield)

    def pytest_sessionfinish(self) -> None:
        from autograder.grading.diagnose import attach_diagnoses
        from autograder.release.catalogue import catalogue_of

        catalogue = catalogue_of(self.course)
        for path, client in self.clients.items():
            with importable(self.course):
                attach_diagnoses(catalogue, path.stem, self._results(path), client)
            client.close()
        self.policy.tell_diagnoses()
        self.children.close()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from autograder.grading.scoring import exercise_report, grader, whole_report
        from autograder.report.redact import for_student
        from autograder.report.terminal import exercise_lines
        from autograder.report.wrap import plain

        graded_by = grader(self.course, self.checks.seed)
        for path, client in self.clients.items():
            exercise = self.course.exercise(path.stem)
            result = exercise_report(exercise, client.source, self._results(path), client)
            report = whole_report("", self.course, [result], graded_by)
            shown = for_student(report, self.course.content.hints).exercises[0]
            terminalreporter.section(f"{exercise.title}: {path.name}")
            for line in exercise_lines(shown):
                terminalreporter.write_line(plain(line))
            if len(shown.checks) < len(result.checks):
                terminalreporter.write_line(NOT_RUN_HERE)

    def _results(self, path: Path) -> "list[CheckResult]":
        from autograder.grading.plugin import CheckResult
        from autograder.release.session import with_untold

        results = []
        for item in self.items[path]:
            result = self.checks.results.get(item.nodeid)
            if result is None:
                result = CheckResult(item)
                result.outcome, result.finding = "not run", NOT_SELECTED
            results.append(result)
        return with_untold(self.course, path, results, CheckResult)


class CheckModule(pytest.Module):
    """The checks of an exercise, collected under the path of the student's file.

    The module that is imported is the checks'; the student's file is never imported here.
    """

    def _getobj(self) -> object:
        from _pytest.python import importtestmodule

        course = self.config.stash[HERE].course
        path = course.checks_file(self.path.stem)
        try:
            with importable(course):
                return importtestmodule(path, self.config)
        except Exception as error:
            from autograder.lint.checks import not_loaded
            from autograder.lint.slip import CourseSlips

            slip = not_loaded(course, path, error)
            raise self.CollectError(str(CourseSlips([slip]))) from None


def is_check(item: pytest.Item) -> bool:
    """Whether it looks at a student's file."""
    return item.getparent(CheckModule) is not None


def submission_course(path: Path, config: pytest.Config) -> Course | None:
    """The course, if `path` is a file that an exercise of it is named after."""
    if path.suffix not in {".py", ".ipynb"}:
        return None
    course = _course_of(path.parent, config)
    if course is None or path.stem not in course.exercises:
        return None
    if not course.checks_file(path.stem).is_file():
        return None
    if any(folder in path.parents for folder in course.grading):
        return None
    first = config.stash.setdefault(FIRST, course)
    if first.root != course.root:
        raise pytest.UsageError(
            f"{path} belongs to the course in {course.root}, and this run checks files of the one "
            f"in {first.root}. Name the files of one course at a time."
        )
    return course


def _course_of(folder: Path, config: pytest.Config) -> Course | None:
    """The course that a folder is in, else the one that pytest was started in."""
    known = config.stash.setdefault(COURSES, {})
    if folder not in known:
        try:
            known[folder] = find_course(folder, config.invocation_params.dir)
        except UserError as error:
            if (config.rootpath / FILE_NAME).exists():
                raise pytest.UsageError(str(error)) from None
            known[folder] = None
    return known[folder]


def pytest_configure(config: pytest.Config) -> None:
    for line in MARKS:
        config.addinivalue_line("markers", line)


@pytest.fixture
def submission(request: pytest.FixtureRequest) -> NoReturn:
    """Stands in until a submission is named; the checks alone have nothing to look at."""
    name = request.path.stem.removeprefix("test_")
    pytest.fail(
        f"Name the file to check, not the checks: pytest exercises/{name}.py, say.", pytrace=False
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    taken_by_python = file_path.suffix == ".py" and (
        parent.session.isinitpath(file_path)
        or any(file_path.match(pattern) for pattern in parent.config.getini("python_files"))
    )
    return None if taken_by_python else _module(file_path, parent)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> CheckModule | None:
    return _module(module_path, parent)


def _module(path: Path, parent: pytest.Collector) -> CheckModule | None:
    course = submission_course(path, parent.config)
    if course is None:
        return None
    if HERE not in parent.config.stash:
        parent.config.stash[HERE] = SubmissionRun(parent.config, course)
    module: CheckModule = CheckModule.from_parent(parent, path=path)
    return module
