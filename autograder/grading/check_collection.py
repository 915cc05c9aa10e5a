"""Collection of an exercise's checks by pytest, and a lint of their names, fixtures and marks."""

import ast
import os
import re
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from autograder.checks.check_result import NOT_IN_KIT, Check
from autograder.checks.fixtures import Fixtures
from autograder.course.authoring_errors import (
    AuthoringError,
    CourseText,
    Function,
    InvalidCourse,
    course_text,
    meant,
)
from autograder.course.course_file import FILE_NAME, Course
from autograder.course.own_modules import importable
from autograder.course.text import nearest, one_line
from autograder.grading.author_exceptions import as_authoring_error
from autograder.grading.check_plugin import check_of
from autograder.submission.stubs import requirements_in

_TEST = re.compile(r"\btest_\w+")
LIKE_A_CHECK_FILE = 0.8
# pytest starts without these plugins.
UNNEEDED = """
    terminal cacheprovider faulthandler logging junitxml doctest unittest pastebin nose warnings
    setuponly setupplan stepwise legacypath threadexception unraisableexception subtests debugging
""".split()  # noqa: SIM905
OPTIONS = [
    "--disable-plugin-autoload",
    *("-c", str(Path(__file__).with_name("judge.ini"))),
    "--import-mode=importlib",
    "--noconftest",
    "--capture=no",
    *(part for name in UNNEEDED for part in ("-p", f"no:{name}")),
]
# The named arguments of the mark `check`, and the marks and fixtures that a check may have.
DETAILS = ("points", "needs", "hints", "grades")
OURS = ("check", *NOT_IN_KIT)
PYTESTS = ("parametrize", "skip", "skipif", "xfail", "usefixtures", "filterwarnings")
FIXTURES = ("submission", "reference", "modules", "rng", "note")
LineAndSentence = tuple[int, str]


class Collected:
    """Pytest plugin that stores the collected checks of each exercise, and authoring errors."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.items: dict[str, list[pytest.Item]] = {}
        self.errors: list[AuthoringError] = []

    def pytest_configure(self) -> None:
        # the lint reports unknown marks itself, with their lines
        warnings.filterwarnings("ignore", category=pytest.PytestUnknownMarkWarning)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        with importable(self.course):
            return (yield)

    def pytest_exception_interact(
        self, node: pytest.Item | pytest.Collector, call: pytest.CallInfo[object], report: object
    ) -> None:
        if isinstance(report, pytest.CollectReport) and call.excinfo is not None:
            self.errors.append(load_error(self.course, node.path, call.excinfo.value))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.items.setdefault(item.path.stem.removeprefix("test_"), []).append(item)

    def look(self, exercises: Sequence[str]) -> None:
        """If the collection found no errors, look for errors in the marks of these exercises."""
        if not self.errors:
            for name in exercises:
                self.errors += errors_in_marks(self.course, name, self.items.get(name, []))


def run_pytest(
    course: Course, exercises: Sequence[str], *plugins: object, options: Sequence[str] = ()
) -> None:
    files = [str(course.checks_file(name)) for name in exercises]
    environment = os.environ.pop("PYTEST_ADDOPTS", None)
    try:
        pytest.main([*OPTIONS, *options, "--rootdir", str(course.root), *files], plugins=plugins)
    finally:
        if environment is not None:
            os.environ["PYTEST_ADDOPTS"] = environment


def _collected(course: Course, exercises: Sequence[str]) -> Collected:
    collected = Collected(course)
    run_pytest(course, exercises, Fixtures(course), collected, options=["--collect-only"])
    collected.look(exercises)
    return collected


def errors_in_checks(course: Course, exercises: Sequence[str]) -> list[AuthoringError]:
    missing = missing_check_files(course, exercises)
    return missing if missing or not exercises else _collected(course, exercises).errors


def checks_of(course: Course, exercises: Sequence[str]) -> dict[str, list[Check]]:
    """Return the checks of some exercises in order, or raise `InvalidCourse`. No check runs."""
    collected = _collected(course, exercises)
    if collected.errors:
        raise InvalidCourse(collected.errors)
    return {name: [check_of(item) for item in collected.items[name]] for name in exercises}


def missing_check_files(course: Course, exercises: Iterable[str]) -> list[AuthoringError]:
    """Return an error for each exercise without a check file. It suggests a similar file name."""
    errors = []
    for exercise in exercises:
        file = course.checks_file(exercise)
        if file.is_file():
            continue
        others = {path.stem for path in file.parent.glob("test_*.py")}
        others -= {f"test_{name}" for name in course.exercises}
        near = nearest(file.stem, others, LIKE_A_CHECK_FILE)
        is_it = f" Did you mean {near}.py?" if near else ""
        says = f"the exercise {exercise} has no checks: {file} does not exist.{is_it}"
        lines = (course.root / FILE_NAME).read_text(encoding="utf-8").splitlines()
        named = (n for n, line in enumerate(lines, 1) if "name:" in line and exercise in line)
        errors.append(AuthoringError(course.root / FILE_NAME, next(named, 1), says))
    return errors


def load_error(course: Course, path: Path, error: BaseException) -> AuthoringError:
    cause = error.__cause__ if error.__cause__ is not None else error
    doing = f"{path.name} cannot be loaded"
    if not isinstance(error, pytest.fail.Exception):
        return as_authoring_error(cause, course.grading, path, doing)
    text = course_text(path)  # pytest reports the function's name, but not its line
    named = [name for name in _TEST.findall(str(error)) if name in text.functions]
    line = text.line_of_mark(named[0]) if named else 1
    return AuthoringError(path, line, f"{doing}: {one_line(str(error))}")


# Lint of collected checks: their names, fixtures and marks.


def errors_in_marks(
    course: Course, exercise: str, items: Sequence[pytest.Item]
) -> list[AuthoringError]:
    path = course.checks_file(exercise)
    text = course_text(path)
    errors = [*_hidden_from_pytest(text, items), *_unknown_fixtures(text, items)]
    for item in items:
        errors += _wrong_marks(text, item)
    if not errors:
        errors += _wrong_needs(text, items)
        errors += _wrong_grades(text, items, course.solution_file(exercise))
        for function in (_function(i) for i in items if i.get_closest_marker("check") is None):
            says = f'`{function}` is no check yet. Give it a title: @pytest.mark.check("…").'
            errors.append((text.line_of_mark(function), says))
    if not errors and not sum(_arguments(item).get("points", 1) for item in items):
        errors.append((1, "every check has 0 points."))
    return [AuthoringError(path, line, says) for line, says in dict.fromkeys(errors)]


def _function(item: pytest.Item) -> str:
    return str(getattr(item, "originalname", item.name))


def _arguments(item: pytest.Item) -> Mapping[str, Any]:
    mark = item.get_closest_marker("check")
    return mark.kwargs if mark is not None else {}


def _hidden_from_pytest(
    text: CourseText, items: Sequence[pytest.Item]
) -> Iterator[LineAndSentence]:
    collected = {_function(item) for item in items}
    for body in text.bodies:
        seen: set[str] = set()
        for node in body:
            name = getattr(node, "name", "")
            if name.startswith("test") and name in seen:
                yield node.lineno, f"`{name}` is defined twice, and this one replaces the first."
            seen.add(name)
            if isinstance(node, Function) and name not in collected and _is_marked(node):
                why = "its name must begin with `test_`."
                if name.startswith("test"):
                    why = "the name of its class must begin with `Test`, without an `__init__`."
                says = f"`{name}` is marked as a check, but pytest does not find it: {why}"
                yield node.lineno, says
    if not items:
        yield 1, "this file has no check. A check is a function named `test_…`."


def _is_marked(node: Function) -> bool:
    marks = tuple(f".mark.{name}" for name in OURS)
    parts = [part for decorator in node.decorator_list for part in ast.walk(decorator)]
    return any(
        isinstance(part, ast.Attribute) and ast.unparse(part).endswith(marks) for part in parts
    )


def _unknown_fixtures(text: CourseText, items: Sequence[pytest.Item]) -> Iterator[LineAndSentence]:
    for item in items:
        info: Any = getattr(item, "_fixtureinfo", None)  # pytest's facts about the fixtures
        given = getattr(getattr(item, "callspec", None), "params", {})
        for name in info.names_closure if info is not None else ():
            if name not in {*info.name2fixturedefs, *given, "request"}:  # pytest has `request`
                near = meant(name, {*FIXTURES, *info.name2fixturedefs})
                says = f"`{_function(item)}` uses the fixture `{name}`, which does not exist{near}"
                yield text.line_of_mark(_function(item)), says


def _wrong_marks(text: CourseText, item: pytest.Item) -> Iterator[LineAndSentence]:
    function = _function(item)
    for mark in item.iter_markers():
        line = text.line_of_mark(function, mark.name)
        if mark.name not in {*OURS, *PYTESTS}:
            near = nearest(mark.name, (*OURS, *PYTESTS))
            what = f"; did you mean `{near}`?" if near else "."
            yield line, f"the mark `{mark.name}` does not exist{what}"
        if mark.name in NOT_IN_KIT and (mark.args or mark.kwargs):
            yield line, f"the mark `{mark.name}` takes no arguments."
    check = item.get_closest_marker("check")
    if check is None:
        return
    if len(check.args) != 1 or not isinstance(check.args[0], str) or not check.args[0].strip():
        says = "`check` takes the title that students read, and then only arguments with names."
        yield text.line_of_mark(function, "check"), says
    for name, value in check.kwargs.items():
        says = _wrong_argument(name, value)
        if says:
            yield text.line_of_mark(function, name), says


def _wrong_argument(name: str, value: object) -> str:
    """Return a sentence about a wrong argument of the mark `check`. If all are right, return ""."""
    if name not in DETAILS:
        return f"`check` has no argument `{name}`{meant(name, DETAILS)}"
    if name == "hints" and value is None:
        return ""
    if name == "points":
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"`points` is {value!r}; it must be a number."
        return "" if 0 <= value < float("inf") else f"`points` is {value}; it must be 0 or more."
    if isinstance(value, str):
        return f'`{name}` is a text; it must be a list of texts: {name}=["{value[:40]}"].'
    if not isinstance(value, list | tuple):
        return f"`{name}` is of type {type(value).__name__}; it must be a list of texts."
    others = [entry for entry in value if not isinstance(entry, str)]
    return f"`{name}` contains {others[0]!r}; it must be a list of texts." if others else ""


def _wrong_needs(text: CourseText, items: Sequence[pytest.Item]) -> Iterator[LineAndSentence]:
    """Yield an error for each name in `needs` that does not name an earlier check of the file."""
    place: dict[str, int] = {}
    for number, item in enumerate(items):
        place.setdefault(_function(item), number)
        place.setdefault(item.name, number)
    for item in items:
        function = _function(item)
        for needed in _arguments(item).get("needs", ()):
            says = ""
            if needed not in place:
                near = meant(needed, [name for name in place if name != function])
                says = f"`{function}` needs `{needed}`, which is not a check in this file{near}"
            elif place[needed] == place[function]:
                says = f"`{function}` needs itself."
            elif place[needed] > place[function]:
                says = f"`{function}` needs `{needed}`, which must be above `{function}`."
            if says:
                yield text.line_of_mark(function, needed), says


def _wrong_grades(
    text: CourseText, items: Sequence[pytest.Item], task: Path
) -> Iterator[LineAndSentence]:
    if not task.is_file():  # in a released course, the file may be missing
        return
    stated = [requirement.name for requirement in requirements_in(course_text(task).text)]
    for item in items:
        for name in _arguments(item).get("grades", ()):
            if name not in stated:
                function = _function(item)
                says = f"`{function}` grades `{name}`, but {task.name} states no such requirement"
                yield text.line_of_mark(function, name), f"{says}{meant(name, stated)}"
