"""The marks, fixtures and names of collected checks: what is not as it must be."""

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from autograder.course.authoring_errors import (
    AuthoringError,
    CourseText,
    Function,
    course_text,
    meant,
)
from autograder.course.text import nearest

DETAILS = ("points", "needs", "hints")
OURS = ("check", "hidden")
FIXTURES = ("submission", "reference", "modules", "rng", "note")
PYTESTS = ("parametrize", "skip", "skipif", "xfail", "usefixtures", "filterwarnings")
REQUEST = "request"  # pytest's own, which no fixture defines
MARKS = (
    "check(title, points=1, needs=(), hints=()): a check of an exercise; its docstring may "
    "hold the hints, one a line",
    "hidden: a check whose inputs and values are not shown to students",
)


def register_marks(config: pytest.Config) -> None:
    """Make the marks of checks known to pytest."""
    for line in MARKS:
        config.addinivalue_line("markers", line)


def errors_in_marks(path: Path, items: Sequence[pytest.Item]) -> list[AuthoringError]:
    """What is wrong with the checks of one file, which was collected."""
    text = course_text(path)
    slips = [*_functions(text, items), *_fixtures(text, items)]
    for item in items:
        slips += _marks(text, item)
    if not slips:
        slips += _needs(text, items)
    if not slips and not sum(_weight(item) for item in items):
        slips.append(
            AuthoringError(path, 1, "no check is worth anything: the points of all are 0.")
        )
    return list(dict.fromkeys(slips))


def _function(item: pytest.Item) -> str:
    return str(getattr(item, "originalname", item.name))


def _functions(text: CourseText, items: Sequence[pytest.Item]) -> Iterator[AuthoringError]:
    """Checks that pytest does not find, by their names."""
    collected = {_function(item) for item in items}
    for body in text.bodies:
        seen: set[str] = set()
        for node in body:
            name = getattr(node, "name", "")
            if name.startswith("test") and name in seen:
                says = f"a second `{name}`, which takes the first's place."
                yield AuthoringError(text.path, node.lineno, says)
            seen.add(name)
            if isinstance(node, Function) and name not in collected and _is_marked(node):
                says = f"`{name}` is marked as a check and is none: {_why(name)}"
                yield AuthoringError(text.path, node.lineno, says)
    if not items:
        yield AuthoringError(text.path, 1, "no check is in it: a function named `test_…` is one.")


def _why(name: str) -> str:
    """Why pytest does not collect a function."""
    if name.startswith("test"):
        return "its class has a name that begins with `Test`, and no `__init__`."
    return "a check's name begins with `test_`."


def _is_marked(node: Function) -> bool:
    """Whether one of the checks' marks stands above a function."""
    return any(
        isinstance(part, ast.Attribute) and part.attr in OURS and _is_mark(part.value)
        for decorator in node.decorator_list
        for part in ast.walk(decorator)
    )


def _is_mark(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "mark"


def _fixtures(text: CourseText, items: Sequence[pytest.Item]) -> Iterator[AuthoringError]:
    """Parameters of a check that nothing gives a value to."""
    for item in items:
        info: Any = getattr(item, "_fixtureinfo", None)  # what pytest has found for its parameters
        given = getattr(getattr(item, "callspec", None), "params", {})
        for name in info.names_closure if info is not None else ():
            if name not in {*info.name2fixturedefs, *given, REQUEST}:
                function = _function(item)
                said = f"`{function}` asks for the fixture `{name}`, which there is not"
                known = {*FIXTURES, *info.name2fixturedefs}
                yield AuthoringError(
                    text.path, text.line_of_mark(function), said + meant(name, known)
                )


def _marks(text: CourseText, item: pytest.Item) -> Iterator[AuthoringError]:
    function = _function(item)

    def slip(says: str, word: object = None) -> AuthoringError:
        return AuthoringError(text.path, text.line_of_mark(function, word), says)

    for mark in item.iter_markers():
        if mark.name not in {*OURS, *PYTESTS}:
            near = nearest(mark.name, (*OURS, *PYTESTS))
            what = f"; did you mean `{near}`?" if near else "."
            yield slip(f"the mark `{mark.name}` is not known{what}", mark.name)
        if mark.name == "hidden" and (mark.args or mark.kwargs):
            yield slip("`hidden` is a mark without arguments.", "hidden")
    check = item.get_closest_marker("check")
    if check is not None:
        yield from _arguments(check, slip)


def _arguments(mark: pytest.Mark, slip: Callable[..., AuthoringError]) -> Iterator[AuthoringError]:
    """What is wrong with the arguments of `check`."""
    if len(mark.args) != 1 or not isinstance(mark.args[0], str) or not mark.args[0].strip():
        yield slip(
            "`check` begins with the title that students read, as its only plain argument.", "check"
        )
    for name, value in mark.kwargs.items():
        if name not in DETAILS:
            yield slip(f"`check` has no argument `{name}`{meant(name, DETAILS)}", name)
            continue
        wrong = _points(value) if name == "points" else _texts(name, value)
        if wrong:
            yield slip(wrong, name)


def _points(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"`points` is {value!r}; it is a number."
    return "" if 0 <= value < float("inf") else f"`points` is {value}; it is 0 or more."


def _texts(name: str, value: object) -> str:
    if isinstance(value, str):
        return f'`{name}` is a text; it is a list of texts: {name}=["{value[:40]}"].'
    if not isinstance(value, list | tuple):
        return f"`{name}` is of type {type(value).__name__}; it is a list of texts."
    other = [each for each in value if not isinstance(each, str)]
    return f"`{name}` holds {other[0]!r}; it is a list of texts." if other else ""


def _weight(item: pytest.Item) -> float:
    mark = item.get_closest_marker("check")
    return float(mark.kwargs.get("points", 1)) if mark is not None else 1.0


def _needs(text: CourseText, items: Sequence[pytest.Item]) -> Iterator[AuthoringError]:
    """Names in `needs` that are no checks, and checks that would have to run before themselves.

    Checks run in the order of the file, so whatever is needed stands further up.
    """
    place: dict[str, int] = {}
    for number, item in enumerate(items):
        place.setdefault(_function(item), number)
        place.setdefault(item.name, number)
    for item in items:
        mark = item.get_closest_marker("check")
        function = _function(item)
        for needed in mark.kwargs.get("needs", ()) if mark is not None else ():
            line = text.line_of_mark(function, needed)
            if needed not in place:
                known = [name for name in place if name != function]
                said = f"`{function}` needs `{needed}`, which is no check here"
                yield AuthoringError(text.path, line, said + meant(needed, known))
            elif place[needed] >= place[function]:
                circle = " and they need one another" * _leads_to(items, needed, function)
                itself = place[needed] == place[function]
                what = "itself" if itself else f"`{needed}`, which comes after it{circle}"
                yield AuthoringError(
                    text.path, line, f"`{function}` needs {what}: it would never wait."
                )


def _leads_to(items: Sequence[pytest.Item], start: str, end: str) -> bool:
    """Whether what `start` needs, and so on, comes to `end`."""
    needs: dict[str, set[str]] = {}
    for item in items:
        mark = item.get_closest_marker("check")
        needs.setdefault(_function(item), set()).update(
            mark.kwargs.get("needs", ()) if mark else ()
        )
    met, coming = set(), [start]
    while coming:
        name = coming.pop()
        if name not in met:
            met.add(name)
            coming += needs.get(name, ())
    return end in met
