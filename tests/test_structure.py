"""The engine's structure: its packages lie in layers, no imports go in circles, files stay readable."""

import ast
import graphlib
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.engine import ENGINE, Module, imports, modules

# From the bottom to the top. A package imports what stands before it in this list.
CORE = [
    "worker",
    "course",
    "submission",
    "report",
    "sandbox",
    "checks",
    "diagnosis",
    "author",
    "grading",
    "authoring",
    "student",
    "classroom",
    "cli",
]
EXTENSIONS = ["similarity", "cluster", "platforms", "desk", "nbgrader"]
LEVEL = {package: level for level, package in enumerate([*CORE, *EXTENSIONS])}
MOST_LINES, MOST_LINES_OF_A_FUNCTION, MOST_BRANCHES = 500, 60, 15
MOST_PACKAGES = 17
# The aim is 34,000 lines. Lower both with every step. A step that raises them says why.
MOST_MODULES, MOST_LINES_IN_ALL = 233, 42_852


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function of the engine, with its place."""
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{module.shown}: {node.name}", node


def branches(function: ast.AST) -> int:
    """One, and one for each branch, loop, handler, comprehension and further operand of and/or."""
    kinds = (
        *(ast.If, ast.For, ast.While, ast.ExceptHandler, ast.IfExp),
        *(ast.comprehension, ast.Assert, ast.match_case),
    )
    nodes = list(ast.walk(function))
    operands = sum(len(node.values) - 1 for node in nodes if isinstance(node, ast.BoolOp))
    return 1 + operands + sum(isinstance(node, kinds) for node in nodes)


def upward(module: Module) -> Iterator[str]:
    """The imports of a module that break the order of packages."""
    for name, _ in imports(module):
        package = modules()[name].room
        if package == module.room or not package:
            continue
        if module.name == "autograder":  # a notebook's `from autograder import check`
            if package not in {"student", "course"}:
                yield f"{module.shown} imports {name}"
        elif module.room != "__main__" and LEVEL[package] > LEVEL[module.room]:
            yield f"{module.shown} imports {name}"


def test_every_package_has_its_place():
    there = {
        path.stem for path in ENGINE.iterdir() if path.suffix == ".py" or any(path.glob("*.py"))
    }
    assert there - {"__init__", "__main__"} == set(LEVEL)
    assert (
        sum(path.is_dir() and any(path.glob("*.py")) for path in ENGINE.iterdir()) <= MOST_PACKAGES
    )


def test_imports_go_down():
    assert [wrong for module in modules().values() for wrong in upward(module)] == []


def test_no_core_package_imports_an_extension():
    wrong = [
        f"{module.shown} imports {name}"
        for module in modules().values()
        if module.room in CORE
        for name, _ in imports(module)
        if modules()[name].room in EXTENSIONS
    ]
    assert wrong == []


def test_the_engine_does_not_import_itself_through_its_own_package():
    wrong = [
        module.shown
        for module in modules().values()
        if module.room and any(name == "autograder" for name, _ in imports(module))
    ]
    assert wrong == []


def test_no_imports_in_circles():
    graph = {
        name: {other for other, _ in imports(module) if other not in {"autograder", name}}
        for name, module in modules().items()
        if name != "autograder"
    }
    try:
        tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        pytest.fail(f"a circle: {' → '.join(error.args[1])}")


def test_files_can_be_read():
    sizes = {module.shown: module.lines for module in modules().values()}
    assert {name: lines for name, lines in sizes.items() if lines > MOST_LINES} == {}
    assert len(sizes) <= MOST_MODULES
    assert sum(sizes.values()) < MOST_LINES_IN_ALL


def test_functions_can_be_read():
    lines = {place: (node.end_lineno or 0) - node.lineno + 1 for place, node in functions()}
    assert {name: n for name, n in lines.items() if n > MOST_LINES_OF_A_FUNCTION} == {}
    counted = {place: branches(node) for place, node in functions()}
    assert {name: n for name, n in counted.items() if n > MOST_BRANCHES} == {}


# Classes of one name in two packages, each with what tells the two apart.
SHARED = {
    "Record",  # an object of a dataclass, as checks meet it; the base of what a report is made of
    "Function",  # the student's, as checks meet it; the syntax of one, in lint and in repair
    "Row",  # of a table that people fill in; of the overview of a class
    "Change",  # of a text, in a repair; what a person made of a grade
    "Answers",  # in words; a worker's
    "Sizes",  # of axes, by their letters
    "Floats",  # an array of them
    "Statement",  # of a source, that a worker runs; of a diagnosis, as a code with values
}


def test_no_two_classes_share_a_name():
    places = defaultdict(set)
    for module in modules().values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(module.shown)
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: found for name, found in twice.items() if name not in SHARED} == {}
