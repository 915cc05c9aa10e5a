"""The public interface for authors: whole, and all that a course imports of the engine."""

import ast

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
