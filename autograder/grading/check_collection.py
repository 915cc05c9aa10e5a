"""Collection of the checks of exercises by pytest, and the authoring errors that stop it."""

import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder.checks.check_result import Check
from autograder.checks.fixtures import Fixtures
from autograder.course.authoring_errors import AuthoringError, InvalidCourse, course_text
from autograder.course.course_file import FILE_NAME, Course
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
    """Plugin of pytest with the checks that it found, by exercise, and the authoring errors."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.items: dict[str, list[pytest.Item]] = {}
        self.errors: list[AuthoringError] = []

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
        if isinstance(report, pytest.CollectReport) and call.excinfo is not None:
            self.errors.append(load_error(self.course, node.path, call.excinfo.value))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.items.setdefault(item.path.stem.removeprefix("test_"), []).append(item)

    def look(self, exercises: Sequence[str]) -> list[AuthoringError]:
        """Return the errors in the checks of these exercises, which were all to be collected."""
        if not self.errors:
            for name in exercises:
                path = self.course.checks_file(name)
                self.errors += errors_in_marks(path, self.items.get(name, []))
        return self.errors


def load_error(course: Course, path: Path, error: BaseException) -> AuthoringError:
    """Return the authoring error of a check file that cannot be loaded, from what pytest raised."""
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


def _collected(course: Course, exercises: Sequence[str]) -> Collected:
    """Have pytest collect the checks of some exercises; none of them runs."""
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
    return collected


def errors_in_checks(course: Course, exercises: Sequence[str]) -> list[AuthoringError]:
    """Return the authoring errors in the check files of some exercises."""
    missing = [error for name in exercises if (error := missing_check_file(course, name))]
    if missing or not exercises:
        return missing
    return _collected(course, exercises).look(exercises)


def checks_of(course: Course, exercises: Sequence[str]) -> dict[str, list[Check]]:
    """Return the checks of some exercises in their order, none of which has run.

    Raises:
        InvalidCourse: they cannot be collected.
    """
    collected = _collected(course, exercises)
    errors = collected.look(exercises)
    if errors:
        raise InvalidCourse(errors)
    return {name: [check_of(item) for item in collected.items[name]] for name in exercises}


def missing_check_file(course: Course, exercise: str) -> AuthoringError | None:
    """Return the error that there is no check file, with the file that was probably meant."""
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
    lines = (course.root / FILE_NAME).read_text(encoding="utf-8").splitlines()
    named = (n for n, line in enumerate(lines, 1) if "name:" in line and exercise in line)
    return AuthoringError(course.root / FILE_NAME, next(named, 1), says)
