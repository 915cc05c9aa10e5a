"""The engine knows no subject: what it says and what it calls things fits any course."""

import ast
import re

from autograder.course.installation import PACKAGE

SUBJECT = re.compile(
    r"attention|softmax|transformer|causal|\bquer(?:y|ies) and|\bmask is\b|\bits mask\b"
    r"|\b[dL]_[kqv]\b",
    re.IGNORECASE,
)


def said_and_named(tree):
    """The names and the texts of a module, without docstrings, which may give examples."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, documented) and ast.get_docstring(node) is not None
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node not in docstrings:
                yield node.lineno, node.value
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id


OF_LIBRARIES = {"vocabulary.py"}  # what libraries call their functions, whatever a course is about


def test_no_word_of_a_course_is_in_the_engine(root):
    found = [
        f"{path.relative_to(root)}:{line}: {text}"
        for path in sorted((root / "autograder").rglob("*.py"))
        if path.name not in OF_LIBRARIES
        for line, text in said_and_named(ast.parse(path.read_text()))
        if SUBJECT.search(text.replace(PACKAGE, ""))
    ]
    assert found == []


def test_it_says_so_of_a_module_that_names_one():
    tree = ast.parse('def f():\n    "A softmax."\n    return "the causal mask"')
    assert [text for _, text in said_and_named(tree) if SUBJECT.search(text)] == ["the causal mask"]
