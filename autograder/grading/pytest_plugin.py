"""Plugin for `pytest exercises/softmax.py`, which runs an exercise's checks on a student's file.

A judge grades the whole file once, and each test shows the judge's result of one check. So pytest
shows only texts that the course's hint policy allows, and never a check's source. pytest loads this
module at every start. So its functions import the code for checks only when they need it.
"""

import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from autograder.course.course_file import FILE_NAME, Course, find_course
from autograder.course.errors import UserError

if TYPE_CHECKING:
    from autograder.checks.check_result import Check
    from autograder.report.model import ExerciseReport

MARKS = (
    "check(title, points=1, needs=(), hints=(), grades=()): a check of an exercise; its docstring "
    "may contain the hints, one per line; `grades` names requirements of the task's text",
    "hidden: a check whose inputs and values are not shown to students",
    "graded_when_handed_in: a check that a student kit does not judge",
)
NOT_JUDGED = "graded when handed in"
COURSES = pytest.StashKey[dict[Path, Course | None]]()
GRADED = pytest.StashKey[list["StudentFile"]]()


class StudentFile(pytest.File):
    """A student's file, with a test for each check of its exercise."""

    course: Course

    def collect(self) -> Iterator["CheckItem"]:
        from autograder.grading.check_collection import checks_of
        from autograder.report.redaction import holds_back

        name, policy = self.path.stem, self.course.content.hints
        try:
            checks = checks_of(self.course, [name])[name]
        except UserError as error:
            raise self.CollectError(str(error)) from None
        held_back = holds_back(policy, self.course.hidden_checks(name))
        for check in checks:
            if not (check.hidden and held_back):
                item: CheckItem = CheckItem.from_parent(self, name=check.name)
                item.check = check
                yield item

    @cached_property
    def report(self) -> "ExerciseReport":
        """The part of the file's report that the student may see."""
        from autograder.course.installation import require_libraries
        from autograder.grading.judge import Judge
        from autograder.report.redaction import exercise_for_student
        from autograder.submission.source import read_own

        course, exercise = self.course, self.course.exercise(self.path.stem)
        require_libraries([exercise])
        source = read_own(self.path, exercise)
        with warnings.catch_warnings(), Judge(course, [exercise]) as judge:
            warnings.simplefilter("ignore")  # pytest would show a line of the check
            report = judge.run(source).report
        self.config.stash[GRADED].append(self)
        return exercise_for_student(report, course.content.hints, hidden=course.hidden_checks)


class CheckFailed(Exception):
    """Exception: a check of the student's file failed."""


class CheckItem(pytest.Item):
    """Test that shows the result of one check."""

    check: "Check"

    def runtest(self) -> None:
        from autograder.report.terminal import check_lines, plain

        assert isinstance(self.parent, StudentFile)
        report = self.parent.report
        check = next((each for each in report.checks if each.name == self.name), None)
        if check is None:  # the grader itself failed
            raise CheckFailed(report.reason)
        if check.outcome == "passed":
            return
        _, *lines = map(plain, check_lines(check, with_values=True, shown_texts=set()))
        if check.outcome in {"not run", NOT_JUDGED}:
            pytest.skip(" ".join(line.strip() for line in lines) or "Not run.")
        raise CheckFailed("\n".join([check.title, *lines]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, CheckFailed | UserError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name


def pytest_configure(config: pytest.Config) -> None:
    config.stash[GRADED] = []
    for line in MARKS:
        config.addinivalue_line("markers", line)


@pytest.fixture
def submission(request: pytest.FixtureRequest) -> NoReturn:
    """Fail, because the check runs without a student's file."""
    name = request.path.stem.removeprefix("test_")
    pytest.fail(
        f"Name the student's file, not the checks: pytest exercises/{name}.py", pytrace=False
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    taken_by_python = file_path.suffix == ".py" and (
        parent.session.isinitpath(file_path)
        or any(file_path.match(pattern) for pattern in parent.config.getini("python_files"))
    )
    return None if taken_by_python else _student_file(file_path, parent)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Any:
    return _student_file(module_path, parent)


def _student_file(path: Path, parent: pytest.Collector) -> StudentFile | None:
    """Return the file with an exercise's name and its checks, or None for any other file."""
    if path.suffix not in {".py", ".ipynb"}:
        return None
    config = parent.config
    courses = config.stash.setdefault(COURSES, {})
    if path.parent not in courses:
        courses[path.parent] = _course_of(path.parent, config)
    course = courses[path.parent]
    if course is None or path.stem not in course.exercises:
        return None
    is_students = not any(folder in path.parents for folder in course.grading)
    if not is_students or not course.checks_file(path.stem).is_file():
        return None
    config.option.fulltrace = False  # an interrupted run would show a line of a check
    file: StudentFile = StudentFile.from_parent(parent, path=path)
    file.course = course
    return file


def _course_of(folder: Path, config: pytest.Config) -> Course | None:
    try:
        return find_course(folder, config.invocation_params.dir)
    except UserError as error:
        if (config.rootpath / FILE_NAME).exists():
            raise pytest.UsageError(str(error)) from None
        return None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """If a visible check was not judged, or a function is unwritten, set a failing exit code."""
    checks = [check for file in session.config.stash[GRADED] for check in file.report.checks]
    unjudged = [each for each in checks if each.outcome == NOT_JUDGED and not each.hidden]
    if session.exitstatus == pytest.ExitCode.OK and (
        unjudged or any(check.unwritten for check in checks)
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    from autograder.report.terminal import exercise_lines, plain

    for file in terminalreporter.config.stash[GRADED]:
        terminalreporter.section(f"{file.report.title}: {file.path.name}")
        for line in exercise_lines(file.report):
            terminalreporter.write_line(plain(line))
