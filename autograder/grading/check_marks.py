"""Lint of collected checks: their marks, fixtures and names."""

import ast
from collections.abc import Iterator, Mapping, Sequence
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
LineAndSentence = tuple[int, str]
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
    """Return what is wrong with the checks of one file, which was collected."""
    text = course_text(path)
    errors = [*_hidden_from_pytest(text, items), *_unknown_fixtures(text, items)]
    for item in items:
        errors += _wrong_marks(text, item)
    if not errors:
        errors += _wrong_needs(text, items)
    if not errors and not sum(_check_mark(item).get("points", 1) for item in items):
        errors.append((1, "no check is worth anything: the points of all are 0."))
    return [AuthoringError(path, line, says) for line, says in dict.fromkeys(errors)]


def _function(item: pytest.Item) -> str:
    return str(getattr(item, "originalname", item.name))


def _check_mark(item: pytest.Item) -> Mapping[str, Any]:
    """Return the arguments by name of an item's mark `check`."""
    mark = item.get_closest_marker("check")
    return mark.kwargs if mark is not None else {}


def _hidden_from_pytest(
    text: CourseText, items: Sequence[pytest.Item]
) -> Iterator[LineAndSentence]:
    """Yield the checks that pytest does not find, by their names."""
    collected = {_function(item) for item in items}
    for body in text.bodies:
        seen: set[str] = set()
        for node in body:
            name = getattr(node, "name", "")
            if name.startswith("test") and name in seen:
                yield node.lineno, f"a second `{name}`, which takes the first's place."
            seen.add(name)
            if isinstance(node, Function) and name not in collected and _is_marked(node):
                why = "a check's name begins with `test_`."
                if name.startswith("test"):
                    why = "its class has a name that begins with `Test`, and no `__init__`."
                yield node.lineno, f"`{name}` is marked as a check and is none: {why}"
    if not items:
        yield 1, "no check is in it: a function named `test_…` is one."


def _is_marked(node: Function) -> bool:
    """Return whether one of the checks' marks stands above a function."""
    return any(
        isinstance(part, ast.Attribute)
        and part.attr in OURS
        and getattr(part.value, "attr", "") == "mark"
        for decorator in node.decorator_list
        for part in ast.walk(decorator)
    )


def _unknown_fixtures(text: CourseText, items: Sequence[pytest.Item]) -> Iterator[LineAndSentence]:
    """Yield the parameters of checks that nothing gives a value to."""
    for item in items:
        info: Any = getattr(item, "_fixtureinfo", None)  # what pytest has found for its parameters
        given = getattr(getattr(item, "callspec", None), "params", {})
        for name in info.names_closure if info is not None else ():
            if name not in {*info.name2fixturedefs, *given, REQUEST}:
                function = _function(item)
                near = meant(name, {*FIXTURES, *info.name2fixturedefs})
                says = f"`{function}` asks for the fixture `{name}`, which there is not{near}"
                yield text.line_of_mark(function), says


def _wrong_marks(text: CourseText, item: pytest.Item) -> Iterator[LineAndSentence]:
    """Yield unknown marks, and wrong arguments of known ones."""
    function = _function(item)
    for mark in item.iter_markers():
        if mark.name not in {*OURS, *PYTESTS}:
            near = nearest(mark.name, (*OURS, *PYTESTS))
            what = f"; did you mean `{near}`?" if near else "."
            line = text.line_of_mark(function, mark.name)
            yield line, f"the mark `{mark.name}` is not known{what}"
        if mark.name == "hidden" and (mark.args or mark.kwargs):
            yield text.line_of_mark(function, "hidden"), "`hidden` is a mark without arguments."
    check = item.get_closest_marker("check")
    if check is None:
        return
    if len(check.args) != 1 or not isinstance(check.args[0], str) or not check.args[0].strip():
        yield (
            text.line_of_mark(function, "check"),
            "`check` begins with the title that students read, as its only plain argument.",
        )
    for name, value in check.kwargs.items():
        says = f"`check` has no argument `{name}`{meant(name, DETAILS)}"
        if name in DETAILS:
            says = _wrong_points(value) if name == "points" else _wrong_texts(name, value)
        if says:
            yield text.line_of_mark(function, name), says


def _wrong_points(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"`points` is {value!r}; it is a number."
    return "" if 0 <= value < float("inf") else f"`points` is {value}; it is 0 or more."


def _wrong_texts(name: str, value: object) -> str:
    if isinstance(value, str):
        return f'`{name}` is a text; it is a list of texts: {name}=["{value[:40]}"].'
    if not isinstance(value, list | tuple):
        return f"`{name}` is of type {type(value).__name__}; it is a list of texts."
    other = [each for each in value if not isinstance(each, str)]
    return f"`{name}` holds {other[0]!r}; it is a list of texts." if other else ""


def _wrong_needs(text: CourseText, items: Sequence[pytest.Item]) -> Iterator[LineAndSentence]:
    """Yield names in `needs` that are no checks, and checks that would wait for themselves.

    Checks run in the order of the file, so whatever is needed stands further up.
    """
    place: dict[str, int] = {}
    needs: dict[str, list[str]] = {}
    for number, item in enumerate(items):
        place.setdefault(_function(item), number)
        place.setdefault(item.name, number)
        needs.setdefault(_function(item), []).extend(_check_mark(item).get("needs", ()))
    for function, names in needs.items():
        for needed in names:
            line = text.line_of_mark(function, needed)
            if needed not in place:
                near = meant(needed, [name for name in place if name != function])
                yield line, f"`{function}` needs `{needed}`, which is no check here{near}"
            elif place[needed] >= place[function]:
                circle = " and they need one another" * _leads_to(needs, needed, function)
                itself = place[needed] == place[function]
                what = "itself" if itself else f"`{needed}`, which comes after it{circle}"
                yield line, f"`{function}` needs {what}: it would never wait."


def _leads_to(needs: Mapping[str, Sequence[str]], start: str, end: str) -> bool:
    """Return whether what `start` needs, and so on, comes to `end`."""
    met: set[str] = set()
    coming = [start]
    while coming:
        name = coming.pop()
        if name not in met:
            met.add(name)
            coming += needs.get(name, ())
    return end in met
