"""The maintainers' pages: every file, module and function that they name exists."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from tests.engine import ENGINE, ROOT

GUIDE = ROOT / "docs" / "maintainers.md"
OLD_NAMES = ROOT / "docs" / "maintainers" / "old-names.md"
THREATS = ROOT / "docs" / "threat-model.md"
# `module.py`, `folder/module.py: function`, `tests/folder`; nothing with a placeholder.
PATH = re.compile(r"((?:[\w-]+/)*[\w-]+\.py|(?:autograder|reference|tests)/[\w/.]+)")
NAMED = re.compile(rf"`{PATH.pattern}(?:: ([\w.]+))?`")
BARE = re.compile(r"\b(?<![`/])(?:[\w-]+/)*[\w-]+\.py\b")  # in drawings, which have no backticks
IDENTIFIER = re.compile(r"`(?![\w.]*\.py`)([A-Za-z_][\w.]*)(?:\([\w, ]*\))?`")
ROW = re.compile(r"^\| `([\w.]+)` \| (.*) \|$", re.MULTILINE)


def pages() -> list[Path]:
    return [GUIDE, *sorted((ROOT / "docs" / "maintainers").glob("*.md"))]


@cache
def files() -> list[PurePosixPath]:
    """Every file and folder of the course."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    paths = {PurePosixPath(line) for line in listed.stdout.splitlines()}
    return sorted(paths | {folder for path in paths for folder in path.parents})


def matching(named: str) -> list[PurePosixPath]:
    """The files that a name with or without its folders may stand for."""
    parts = PurePosixPath(named).parts
    return [path for path in files() if path.parts[-len(parts) :] == parts]


@cache
def definitions(path: Path) -> frozenset[str]:
    """Names that a module defines, those in a class with the class's name too."""

    def names(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
        for node in body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from (f"{prefix}{t.id}" for t in targets if isinstance(t, ast.Name))
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield f"{prefix}{node.name}"
            if isinstance(node, ast.ClassDef):
                yield from names(node.body, f"{node.name}.")

    return frozenset(names(ast.parse(path.read_text(encoding="utf-8")).body))


def missing(text: str) -> set[str]:
    """The files and functions that a text names and that there are not."""
    wrong = {path for path in BARE.findall(text) if not matching(path)}
    for path, name in NAMED.findall(text):
        found = matching(path)
        if not found or (name and not any(name in definitions(ROOT / each) for each in found)):
            wrong.add(f"{path}: {name}" if name else path)
    return {each for each in wrong if "EXERCISE" not in each}


@pytest.mark.parametrize("page", [*pages(), THREATS], ids=lambda page: page.name)
def test_every_file_and_function_that_is_named_exists(page):
    assert missing(page.read_text()) == set()


def test_what_does_not_exist_is_found():
    text = "`autograder/cli/nothing.py`, `steps.py: nothing`, `tests/nothing`, x ─▶ nothing.py"
    assert len(missing(text)) == 4
    assert missing("`judge.py: Judge.run`, `tests/desk`, steps.py") == set()


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_identifier_stands_in_the_code(page):
    if page == OLD_NAMES:
        return
    code = "\n".join(path.read_text(encoding="utf-8") for path in ENGINE.rglob("*.py"))
    words = set(re.findall(r"\w+", code))
    named = {name for whole in IDENTIFIER.findall(page.read_text()) for name in whole.split(".")}
    of_code = {name for name in named if "_" in name or re.search("[a-z][A-Z]", name)}
    assert of_code - words == set()


def modules_named(cell: str) -> list[str]:
    return re.findall(r"`([\w.]+)`", cell)


def path_of(module: str) -> Path | None:
    """The file of a module of the engine, or of a tool."""
    base = ROOT if module.startswith("tools.") else ENGINE
    path = base.joinpath(*module.split("."))
    return next(
        (p for p in (path.with_suffix(".py"), path / "__init__.py", path) if p.exists()), None
    )


def tables() -> tuple[dict[str, str], dict[str, str]]:
    one, two = OLD_NAMES.read_text().split("Renamed classes")
    return dict(ROW.findall(one)), dict(ROW.findall(two))


def test_every_new_name_of_a_module_exists():
    modules, _ = tables()
    assert len(modules) > 300
    named = {name for cell in modules.values() for name in modules_named(cell)}
    assert {name for name in named if path_of(name) is None} == set()
    assert {old for old, cell in modules.items() if modules_named(cell) == [old]} == set()


def test_no_module_is_where_many_unrelated_ones_went():
    """A wrong search once sent 16 commands to one module of the worker."""
    modules, _ = tables()
    for old, cell in modules.items():
        if old.startswith("worker."):
            continue
        assert not any(name.startswith("worker.") for name in modules_named(cell)), old


def test_every_new_name_of_a_function_is_defined():
    known = {name for path in ENGINE.rglob("*.py") for name in definitions(path)}
    known = {name.rpartition(".")[2] for name in known}
    _, names = tables()
    assert {old for old, cell in names.items() if not set(modules_named(cell)) <= known} == set()


def test_every_package_is_in_the_table():
    packages = {path.name for path in ENGINE.iterdir() if any(path.glob("*.py"))}
    text = GUIDE.read_text()
    assert {name for name in packages if f"| `{name}/` |" not in text} == set()
