"""Two things of the engine's never share a name."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

from tests.engine import Module, modules

# Folders with a module a command, and a module a platform: these are named after it.
NAMED_AFTER = {"cli", "exports", "platforms"}
# What is left, each with what tells the two apart.
SHARED = {
    "Record",  # an object of a dataclass, as checks meet it; the base of what a report is made of
    "Function",  # the student's, as checks meet it; the syntax of one, in lint and in repair
    "Row",  # of a table that people fill in; of the overview of a class
    "Change",  # of a text, in a repair; what a person made of a grade
    "Answers",  # in words; a worker's
    "Sizes",  # of axes, by their letters
    "Floats",  # an array of them
}
SHARED_MODULES = {
    "mistakes",
    "course", "errors", "names", "notebook", "source", "statements", "table", "terminal", "text",
    "calls", "listing",
}  # fmt: skip


def kinds(module: Module) -> Iterator[str]:
    """The classes of a module, and its names of types."""
    for node in module.tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id


def test_classes_and_types():
    places = defaultdict(set)
    for module in modules().values():
        for name in kinds(module):
            if name[0].isupper() and not name.isupper():
                places[name].add(module.shown)
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: found for name, found in twice.items() if name not in SHARED} == {}


def test_modules():
    places = defaultdict(set)
    for module in modules().values():
        if module.room not in NAMED_AFTER and not module.path.stem.startswith("__"):
            places[module.path.stem].add(module.shown)
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: found for name, found in twice.items() if name not in SHARED_MODULES} == {}


def test_nothing_is_said_to_be_shared_that_is_not():
    named = set(chain.from_iterable(kinds(module) for module in modules().values()))
    assert named >= SHARED
    assert {module.path.stem for module in modules().values()} >= SHARED_MODULES
