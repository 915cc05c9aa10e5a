"""The page of what authors import is that of the sources, and leads to all of it."""

import ast
import importlib
import re

from tools.api import PAGE, names, page


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tools.api"


def test_what_it_says_can_be_imported():
    imports = re.findall(r"^from (autograder[\w.]+) import (\w+)$", page(), re.MULTILINE)
    assert {module for module, _ in imports} == {"autograder.author"}
    given = {"Submission", "Function", "Remote"}
    assert {name for _, name in imports} | given == {n for each in names().values() for n in each}


def test_the_guide_for_authors_imports_nothing_that_is_not_there(root):
    text = (root / "docs" / "authors.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 3
    found = [node for block in blocks for node in ast.walk(ast.parse(block))]
    for node in found:
        if isinstance(node, ast.ImportFrom) and node.module.startswith("autograder"):
            module = importlib.import_module(node.module)
            assert all(hasattr(module, alias.name) for alias in node.names), ast.unparse(node)
