"""The checks of exercises, collected as a judge collects them, and what cannot be collected."""

import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder.checks.check_result import Check
from autograder.checks.fixtures import Fixtures
from autograder.course.authoring_errors import AuthoringError, InvalidCourse, course_text
from autograder.course.course_file import Course
from autograder.course.own_modules import importable
from autograder.course.text import nearest, one_line
from autograder.grading.author_exceptions import as_authoring_error
from autograder.grading.check_marks import errors_in_marks, register_marks
from autograder.grading.check_outcome import check_of

_TEST = re.compile(r"\btest_\w+")
LIKE_A_CHECK_FILE = 0.8
# pytest, started with nothing that is not needed.
INI = Path(__file__).with_name("judge.ini")
UNNEEDED = """
    terminal cacheprovider faulthandler logging junitxml doctest unittest pastebin nose warnings
    setuponly setupplan stepwise legacypath threadexception unraisableexception subtests debugging
""".split()  # noqa: SIM905
OPTIONS = [
    "--disable-plugin-autoload",
    *("-c", str(INI)),
    "--import-mode=importlib",
    "--noconftest",
    "--capture=no",
    *(part for name in UNNEEDED for part in ("-p", f"no:{name}")),
]


class Collected:
    """The checks that pytest found, by exercise, and a slip for each file that stopped it.

    It is a plugin of pytest's, which tells it of both.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self.items: dict[str, list[pytest.Item]] = {}
        self.slips: list[AuthoringError] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        register_marks(config)
        # unknown ones are refused, with their line
        warnings.filterwarnings("ignore", category=pytest.PytestUnknownMarkWarning)

    def pytest_exception_interact(
        self,
        node: pytest.Item | pytest.Collector,
        call: pytest.CallInfo[object],
        report: object,
    ) -> None:
        """Take up why a file could not be collected."""
        if isinstance(report, pytest.CollectReport) and call.excinfo is not None:
            self.slips.append(load_error(self.course, node.path, call.excinfo.value))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take up what was collected."""
        for item in session.items:
            self.items.setdefault(item.path.stem.removeprefix("test_"), []).append(item)

    def look(self, exercises: Sequence[str]) -> list[AuthoringError]:
        """The slips in the checks of these exercises, which were all to be collected."""
        if not self.slips:
            for name in exercises:
                path = self.course.checks_file(name)
                self.slips += errors_in_marks(path, self.items.get(name, []))
        return self.slips


def load_error(course: Course, path: Path, error: BaseException) -> AuthoringError:
    """The slip that a check file cannot be loaded, from what pytest raised."""
    cause = error.__cause__ if error.__cause__ is not None else error
    doing = f"{path.name} cannot be loaded"
    if not isinstance(error, pytest.fail.Exception):
        return as_authoring_error(cause, course.grading, path, doing)
    text = course_text(path)  # pytest says which function it is, and not where
    named = [name for name in _TEST.findall(str(error)) if name in text.functions]
    line = text.line_of_mark(named[0]) if named else 1
    return AuthoringError(path, line, f"{doing}: {one_line(str(error))}")


class _NothingRuns:
    def pytest_runtestloop(self) -> bool:
        return True


def errors_in_checks(course: Course, exercises: Sequence[str]) -> list[AuthoringError]:
    """The slips in the check files of some exercises. Nothing of a submission is run."""
    missing = [missing_check_file(course, name) for name in exercises]
    if not exercises or any(missing):
        return [slip for slip in missing if slip is not None]
    root = str(course.root)
    collected = Collected(course)
    files = [str(course.checks_file(name)) for name in exercises]
    environment = os.environ.pop("PYTEST_ADDOPTS", None)
    try:
        plugins = [Fixtures(course), collected, _NothingRuns()]
        pytest.main([*OPTIONS, "--rootdir", root, *files], plugins=plugins)
    finally:
        if environment is not None:
            os.environ["PYTEST_ADDOPTS"] = environment
    return collected.look(exercises)


def missing_check_file(course: Course, exercise: str) -> AuthoringError | None:
    """That there is no check file, and which file was probably meant to be it."""
    file = course.checks_file(exercise)
    if file.is_file():
        return None
    folder = file.parent
    others = {path.stem for path in folder.glob("test_*.py")} if folder.is_dir() else set()
    near = nearest(
        file.stem, others - {f"test_{name}" for name in course.exercises}, LIKE_A_CHECK_FILE
    )
    is_it = f" There is a {near}.py: is that the one?" if near else ""
    says = f"the exercise {exercise} has no checks: {file} is not there.{is_it}"
    return AuthoringError(course.root / "course.yml", _line_of(course, exercise), says)


def _line_of(course: Course, exercise: str) -> int:
    """The line of course.yml on which an exercise is named."""
    lines = (course.root / "course.yml").read_text(encoding="utf-8").splitlines()
    named = (n for n, line in enumerate(lines, 1) if "name:" in line and exercise in line)
    return next(named, 1)


# A course's checks by their marks: what a released course has to know of them.


def checks_of(course: Course, exercises: Sequence[str]) -> dict[str, list[Check]]:
    """The checks of some exercises in their order, none of which has run.

    Raises:
        CourseSlips: they cannot be collected.
    """
    collected = Collected(course)
    files = [str(course.checks_file(name)) for name in exercises]
    environment = os.environ.pop("PYTEST_ADDOPTS", None)
    try:
        with importable(course):
            plugins = [Fixtures(course), collected, _NothingRuns()]
            pytest.main([*OPTIONS, "--rootdir", str(course.root), *files], plugins=plugins)
    finally:
        if environment is not None:
            os.environ["PYTEST_ADDOPTS"] = environment
    slips = collected.look(exercises)
    if slips:
        raise InvalidCourse(slips)
    return {name: [check_of(item) for item in collected.items[name]] for name in exercises}
