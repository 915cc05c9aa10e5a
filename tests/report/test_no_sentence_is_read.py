"""No code reads a sentence: what was rendered for people is stored and shown, never taken apart."""

import ast
import re
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "autograder"
# Fields of the record, and of what it is made of, that hold sentences.
SENTENCES = {"finding", "sentence", "reason", "says", "said", "told", "notes", "changes"}
TAKING_APART = {
    *("startswith", "endswith", "split", "rsplit", "splitlines", "partition", "rpartition"),
    *("removeprefix", "removesuffix", "find", "rfind", "index", "count", "replace", "strip"),
}
SEARCHES = {"search", "match", "fullmatch", "findall", "finditer", "split", "sub"}
# Who renders a sentence may look where a part of it stands; what an author wrote is checked.
ALLOWED = {
    "report/model.py": "renders the sentence of a diagnosis",
    "authoring/lint_recipes.py": "compares two sentences that a course's author wrote",
    "authoring/remarks.py": "the same",
    "authoring/verify.py": "the same",
    "diagnosis/recipe.py": "an author's text with a place for a value",
}


def is_sentence(node):
    return isinstance(node, ast.Attribute) and node.attr in SENTENCES


def reads(tree):
    """Where code compares, splits or searches a field with a sentence."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            against = [side for side in sides if not is_sentence(side)]
            empty = all(isinstance(side, ast.Constant) and not side.value for side in against)
            if any(map(is_sentence, sides)) and not (against and empty):
                yield node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if is_sentence(node.func.value) and node.func.attr in TAKING_APART:
                yield node
            if node.func.attr in SEARCHES and any(map(is_sentence, node.args)):
                yield node


def test_no_code_reads_a_sentence():
    found = []
    for path in sorted(ENGINE.rglob("*.py")):
        name = path.relative_to(ENGINE).as_posix()
        if name not in ALLOWED:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [f"{name}:{node.lineno}: {ast.unparse(node)}" for node in reads(tree)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", sorted((ENGINE / "report" / "templates").rglob("*.html")))
def test_no_template_reads_a_sentence(path):
    read = rf"\.({'|'.join(SENTENCES)})\s*(\.(startswith|endswith|split)|[=!]=|\bin\b)"
    assert not re.findall(read, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "code",
    [
        "check.finding == other.finding",
        "check.finding in OURS",
        "' is not valid' in exercise.reason",
        "problem.finding.removesuffix(' is not written yet.')",
        "diagnosis.finding.startswith(TWO)",
        "re.search('x', check.finding)",
    ],
)
def test_what_reads_one_is_found(code):
    assert list(reads(ast.parse(code)))
