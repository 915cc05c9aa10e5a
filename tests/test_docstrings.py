"""Openings of docstrings: a verb for a function, a noun for a module or a class."""

import ast
import functools
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RIDDLES = {"What", "Whether", "Who", "Whose", "Where", "Which", "How", "That", "Why", "When"}
NOUNS = {"The", "A", "An", "All", "Each", "True", "False"}  # what returns a value says "Return"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def documented() -> list[tuple[str, ast.AST, str]]:
    """Every docstring of the engine and the course: its place, its owner and its first word."""
    found = []
    for path in sorted([*(ROOT / "autograder").rglob("*.py"), *(ROOT / "reference").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | Function):
                text = ast.get_docstring(node)
                name = getattr(node, "name", "the module")
                if text:
                    found.append((f"{path.relative_to(ROOT)}: {name}", node, text.split()[0]))
    return found


def is_property_or_fixture(function: Function) -> bool:
    """Tell whether a function stands for a value, so that a noun describes it."""
    return any(
        "property" in ast.unparse(each) or "fixture" in ast.unparse(each)
        for each in function.decorator_list
    )


def returns_a_value(function: Function) -> bool:
    """Tell whether a function has a return statement with a value."""
    return any(isinstance(each, ast.Return) and each.value for each in ast.walk(function))


@pytest.mark.parametrize("kind", [ast.Module, ast.ClassDef, Function])
def test_no_docstring_opens_with_a_question(kind: type) -> None:
    assert [
        place
        for place, node, word in documented()
        if isinstance(node, kind)
        and word in RIDDLES
        and not place.startswith("reference/checks/")  # the first hint of a check is a question
    ] == []


def test_a_function_that_returns_a_value_opens_with_a_verb() -> None:
    assert [
        place
        for place, node, word in documented()
        if isinstance(node, Function)
        and word in NOUNS
        and returns_a_value(node)
        and not is_property_or_fixture(node)
        and not node.name.startswith("test_")
    ] == []
