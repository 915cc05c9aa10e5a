"""The engine's rooms lie over one another: what is imported lies below, and nothing in a circle."""

import graphlib

import pytest

from tests.engine import ENGINE, imports, modules

# From the bottom to the top. A room imports what stands above it in this list, and nothing below.
LAYERS = [
    ["worker"],
    ["errors", "text", "files", "untold", "importing"],
    ["lateness", "yaml_file"],
    ["course"],
    ["extras", "own_modules"],
    ["variants"],
    ["submission"],
    ["memory"],
    ["report", "statistics"],
    ["sandbox"],
    ["checking"],
    ["diagnosis"],
    ["recorded"],
    ["lint"],
    ["grading"],
    ["repair"],
    ["platforms", "study"],
    ["classroom", "authoring"],
    ["exports", "verification", "release", "cluster", "similarity"],
    ["naming"],
    ["packaged", "desk"],
    ["nbgrader"],
    ["pytest_editors"],
    ["notebook", "pytest_policy"],
    ["pytest_plugin"],
    ["cli"],
    ["__main__"],
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
MEANT = {("autograder", "autograder.notebook")}  # `from autograder import check`
TOGETHER = {"report", "statistics"}  # the page of a class shows what was found in its reports


def test_every_room_has_its_place():
    there = {
        path.stem for path in ENGINE.iterdir() if path.suffix == ".py" or any(path.glob("*.py"))
    }
    assert there - {"__init__"} == set(LEVEL)


def test_nothing_is_imported_from_above():
    wrong = [
        f"{module.shown} imports {name}"
        for module in modules().values()
        for name, _ in imports(module)
        if name != "autograder" and (module.name, name) not in MEANT
        if LEVEL[modules()[name].room] > LEVEL.get(module.room, -1)
    ]
    assert not wrong


def test_rooms_of_one_level_know_nothing_of_each_other():
    wrong = [
        f"{module.shown} imports {name}"
        for module in modules().values()
        for name, _ in imports(module)
        if module.room != modules()[name].room
        if {module.room, modules()[name].room} != TOGETHER
        if module.room and LEVEL[module.room] == LEVEL.get(modules()[name].room)
    ]
    assert not wrong


def test_no_file_imports_itself_in_a_circle():
    graph = {
        name: {other for other, typing in imports(module) if not typing and other != "autograder"}
        for name, module in modules().items()
    }
    try:
        tuple(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as error:
        pytest.fail(f"a circle: {' → '.join(error.args[1])}")
