"""The public interface for authors: whole, and all that a course imports of the engine."""

import ast
import importlib

import pytest

from autograder import author
from autograder.course import old_imports
from tests.engine import ENGINE

SOURCES = ("reference/**/*.py", "examples/courses/**/*.py", "docs/authors.md")


def imported(tree):
    """The modules that a source imports, and the names from each."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def of_the_engine(tree):
    return {(m, n) for m, n in imported(tree) if m.split(".")[0] == "autograder"}


def test_type_checkers_see_the_same_names():
    tree = ast.parse((ENGINE / "author.py").read_text())
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    assert of_the_engine(guarded) == {(module, name) for name, module in author.MODULE_OF.items()}


@pytest.mark.parametrize("name", dir(author))
def test_every_name_is_there(name):
    """That each is described too is seen where docs/api.md is made."""
    assert getattr(author, name) is getattr(importlib.import_module(author.MODULE_OF[name]), name)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'expect_nothing'"):
        author.expect_nothing  # noqa: B018


def test_courses_import_nothing_else(root):
    files = [file for pattern in SOURCES[:2] for file in root.glob(pattern)]
    assert len(files) > 80
    for file in files:
        check_imports(file.read_text(encoding="utf-8"), file)


def test_templates_import_nothing_else(root):
    files = list((ENGINE / "authoring" / "templates").glob("*.py.jinja"))
    assert len(files) > 5
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith(("from autograder", "import autograder")):
                assert line.startswith("from autograder.author import "), file


def check_imports(text, file):
    for module, name in of_the_engine(ast.parse(text)):
        assert module == "autograder.author" or (module, name) == ("autograder", "author"), file


OLD = [
    (f"autograder.{module}", *each.partition("=")[::2])
    for module, names in old_imports.NAMES.items()
    for each in names.split()
]


@pytest.mark.parametrize(("module", "old", "new"), OLD)
def test_an_old_import_warns_and_names_the_new_one(module, old, new):
    new = new or old
    with pytest.warns(DeprecationWarning, match=f"from autograder.author import {new}`$") as caught:
        found = getattr(importlib.import_module(module), old)
    assert caught[0].filename == __file__
    if old not in old_imports.ADAPTED:
        assert found is getattr(author, new)


def test_the_warning_is_about_the_line_of_the_course():
    with pytest.warns(DeprecationWarning, match="import ParameterNames") as caught:
        from autograder.checking.parts import Words  # noqa: F401
    assert {each.filename for each in caught} == {__file__}


def test_old_arguments_are_understood():
    with pytest.warns(DeprecationWarning, match="expect_error"):
        from autograder.checking.refusal import expect_refusal
    with pytest.warns(DeprecationWarning, match="Recipe"):
        recipe = importlib.import_module("autograder.diagnosis").Recipe
    made = recipe("f", lambda rng: [], called={"x": "the x"}, borrowed=())
    assert isinstance(made, author.Recipe)
    assert made.labels == {"x": "the x"}
    with pytest.raises(author.Mismatch, match="f returned a whole number; expected"):
        expect_refusal(lambda: 3, "f", "ValueError")


def test_what_never_was_there_is_not_there_now():
    for name in ("autograder.checking.nothing", "autograder.nothing"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        importlib.import_module("autograder.checking.parts").nothing  # noqa: B018
