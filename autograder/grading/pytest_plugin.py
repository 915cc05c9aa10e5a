"""`pytest exercises/softmax.py`: collect that exercise's checks and run them on that file."""

import contextlib
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from autograder.checks.fixtures import MARKS
from autograder.course.course_file import FILE_NAME, Course, find_course
from autograder.course.errors import UserError
from autograder.course.installation import require_libraries
from autograder.course.own_modules import importable
from autograder.grading.pytest_display import (
    NOT_RUN_HERE,
    PolicyPlugin,
    name_by_titles,
    place_in_file,
)
from autograder.report.reasons import NOT_SELECTED

if TYPE_CHECKING:
    from autograder.grading.check_plugin import CheckResult
    from autograder.grading.graded import Graded
    from autograder.sandbox.session import WorkerSession

COURSES = pytest.StashKey[dict[Path, Course | None]]()
FIRST = pytest.StashKey[Course]()
HERE = pytest.StashKey["SubmissionRun"]()


class SubmissionRun:
    """The submissions of a pytest run: one client for each file, and the results at the end."""

    def __init__(self, config: pytest.Config, course: Course) -> None:
        from autograder.grading.check_plugin import CheckPlugin
        from autograder.sandbox.levels import children_for

        self.config = config
        self.course = course
        self.children = children_for(course)
        self.clients: dict[Path, WorkerSession] = {}
        self.items: dict[Path, list[pytest.Item]] = {}
        self.graded: dict[Path, Graded] = {}
        self.checks = CheckPlugin(course, course.content.seed, lambda item: self.client(item.path))
        config.pluginmanager.register(self.checks, "autograder-checks")
        self.policy = PolicyPlugin(config, course, is_check, self._results)
        config.pluginmanager.register(self.policy, "autograder-policy")
        config.pluginmanager.register(self, "autograder-run")

    def client(self, path: Path) -> "WorkerSession":
        __tracebackhide__ = True
        from autograder.sandbox.session import open_session
        from autograder.submission.read import UnreadableFile
        from autograder.submission.source import read_own

        if path not in self.clients:
            exercise = self.course.exercise(path.stem)
            try:
                require_libraries([exercise])
                source = read_own(path, exercise)
            except (UnreadableFile, UserError) as error:
                raise pytest.UsageError(str(error)) from None
            limits = self.course.limits(exercise)
            self.clients[path] = open_session(source, exercise.needs, limits, self.children)
        return self.clients[path]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Say where each check is, and look at the marks of all checks of its file.

        Raises:
            pytest.UsageError: their marks have a slip, which is the course's.
        """
        from autograder.course.authoring_errors import InvalidCourse
        from autograder.grading.check_marks import errors_in_marks

        for item in items:
            if is_check(item):
                place_in_file(item)
        for path, checks in self.items.items():
            slips = errors_in_marks(self.course.checks_file(path.stem), checks)
            if slips:
                raise pytest.UsageError(str(InvalidCourse(slips)))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        name_by_titles(self.config, filter(is_check, session.items))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        with importable(self.course) if is_check(item) else contextlib.nullcontext():
            return (yield)

    def pytest_sessionfinish(self) -> None:
        for path in self.clients:
            self.graded[path] = self._concluded(path)
        self.policy.tell_diagnoses()
        self.children.close()

    def _concluded(self, path: Path) -> "Graded":
        """What became of a file's checks, as a judge has it: they have run here already."""
        from autograder.grading.diagnoses import attach_diagnoses, catalogue_of
        from autograder.grading.graded import Graded, as_internal_error, clear_of_blame

        client, results, trouble = self.clients[path], self._results(path), self.checks.trouble
        try:
            if trouble is None:
                clear_of_blame(results, self._is_sound)
                catalogue = catalogue_of(self.course)
                with importable(self.course):
                    attach_diagnoses(catalogue, path.stem, results, client)
            client.close()
        except Exception as error:
            trouble = as_internal_error(error)
        return Graded(self.course.exercise(path.stem), client, results, {}, trouble)

    def _is_sound(self, result: "CheckResult") -> bool:
        """Whether a check passes for the course's solution."""
        from autograder.grading.graded import RunOptions
        from autograder.grading.judge import Judge
        from autograder.submission.source import read_own

        exercise = self.course.exercise(result.item.path.stem)
        solution = read_own(self.course.solution_file(exercise.name), exercise)
        with Judge(self.course, [exercise], seed=self.checks.seed) as judge:
            passed = judge.run(solution, RunOptions(frozenset({result.name}))).results
        return [each.outcome for each in passed] == ["passed"]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        from autograder.grading.reports import grader_record, whole_report
        from autograder.report.redaction import for_student
        from autograder.report.styled_lines import plain
        from autograder.report.terminal import exercise_lines

        graded_by = grader_record(self.course, self.checks.seed)
        for path, graded in self.graded.items():
            result = graded.report
            report = whole_report("", self.course, [result], graded_by)
            shown = for_student(report, self.course.content.hints).exercises[0]
            terminalreporter.section(f"{result.title}: {path.name}")
            for line in exercise_lines(shown):
                terminalreporter.write_line(plain(line))
            if len(shown.checks) < len(result.checks):
                terminalreporter.write_line(NOT_RUN_HERE)

    def _results(self, path: Path) -> "list[CheckResult]":
        from autograder.checks.released_checks import with_unreleased_checks
        from autograder.grading.check_plugin import CheckResult

        results = []
        for item in self.items[path]:
            result = self.checks.results.get(item.nodeid)
            if result is None:
                result = CheckResult(item)
                result.outcome, result.finding = "not run", NOT_SELECTED
            results.append(result)
        return with_unreleased_checks(self.course, path, results, CheckResult)


class CheckModule(pytest.Module):
    """The checks of an exercise, collected under the path of the student's file.

    The module that is imported is the checks'; the student's file is never imported here.
    """

    def collect(self) -> list[pytest.Item | pytest.Collector]:
        """All that is in it, of which ids or `-k` may take some; the report is on all checks."""
        found = list(super().collect())
        self.config.stash[HERE].items[self.path] = list(_items_in(found))
        return found

    def _getobj(self) -> object:
        from _pytest.python import importtestmodule

        course = self.config.stash[HERE].course
        path = course.checks_file(self.path.stem)
        try:
            with importable(course):
                return importtestmodule(path, self.config)
        except Exception as error:
            from autograder.course.authoring_errors import InvalidCourse
            from autograder.grading.check_collection import load_error

            slip = load_error(course, path, error)
            raise self.CollectError(str(InvalidCourse([slip]))) from None


def _items_in(nodes: Iterable[pytest.Item | pytest.Collector]) -> Iterator[pytest.Item]:
    for node in nodes:
        if isinstance(node, pytest.Item):
            yield node
        else:
            yield from _items_in(node.collect())


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
