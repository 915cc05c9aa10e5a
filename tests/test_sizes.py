"""Files and functions stay small enough to be read at once."""

import ast
import statistics
from collections.abc import Iterator

from tests.engine import modules

MOST_OF_A_FILE, MOST_OF_THE_MEDIAN, MOST_OF_A_FUNCTION = 350, 100, 40


def functions() -> Iterator[tuple[str, int]]:
    """Every function, with its place, and its lines with decorators and docstring."""
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno is not None
                yield f"{module.shown}: {node.name}", node.end_lineno - node.lineno + 1


def test_files():
    sizes = {module.shown: module.lines for module in modules().values()}
    assert {name: lines for name, lines in sizes.items() if lines > MOST_OF_A_FILE} == {}
    assert statistics.median(sizes.values()) <= MOST_OF_THE_MEDIAN


def test_functions():
    long = {name: lines for name, lines in functions() if lines > MOST_OF_A_FUNCTION}
    assert long == {}
