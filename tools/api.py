"""`python -m tools.api`: docs/api.md, from the docstrings of what authors import.

It reads the sources and imports nothing, so that any Python makes the same page.
"""

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "api.md"
HEAD = """\
# What an author imports

Marks, fixtures, comparisons, recipes: with where each is imported from, what it takes, what it
gives and what it raises. This page is made from the docstrings by `python -m tools.api`.
[authors.md](authors.md) shows how they are used.
"""
WHERE: dict[
    str, dict[str, tuple[str, ...]]
] = {  # the heading, and what of each module is an author's
    "Comparing": {
        "autograder.checks.expect_errors": (),
        "autograder.checks.expect": (),
        "autograder.checks.equality": (),
        "autograder.checks.tolerance": ("allowed_error",),
        "autograder.checks.order_independence": ("expect_no_trace", "alike"),
        "autograder.checks.follow_through": (),
    },
    "The student's module": {"autograder.checks.proxy": ("Submission", "Function", "Remote")},
    "Recipes and misconceptions": {
        "autograder.diagnosis.mistakes": ("Mistakes",),
        "autograder.diagnosis.family": ("Family", "chosen", "without", "constant", "Misconception"),
        "autograder.diagnosis.recipe": (
            "Recipe",
            "Probe",
            "Trait",
            "Fact",
            "LibraryObject",
            "State",
            "Caller",
        ),
        "autograder.diagnosis.outcome": (),
        "autograder.diagnosis.finding": ("Finding",),
        "autograder.diagnosis.blueprint": (),
    },
    "torch": {
        "autograder.checks.torch_modules": (),
        "autograder.checks.reference_answers": (),
        "autograder.checks.memoize": (),
        "autograder.checks.module_weights": ("Words", "Fit"),
        "autograder.worker.codec": ("tensor",),
    },
}
GIVEN = {"autograder.checks.proxy"}  # what a fixture gives, and nobody makes
WIDE = 90
Definition = ast.FunctionDef | ast.ClassDef


def page() -> str:
    """The whole page."""
    lines = [HEAD, "## Marks\n", *_marks(), "\n## Fixtures\n", *_fixtures()]
    for heading, modules in WHERE.items():
        lines.append(f"\n## {heading}")
        for module, names in modules.items():
            lines += _module(module, names)
    return "\n".join(lines) + "\n"


def _marks() -> Iterator[str]:
    for node in _source("autograder.checks.fixtures").body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MARKS":
            for line in ast.literal_eval(node.value):
                name, _, said = line.partition(": ")
                yield f"- `@pytest.mark.{name}`: {said}"


def _fixtures() -> Iterator[str]:
    """The fixtures of a check: arguments of a test, which need no import."""
    (plugin,) = _definitions(_source("autograder.checks.fixtures"), ("Fixtures",))
    for node in plugin.body:
        if isinstance(node, ast.FunctionDef) and "pytest.fixture" in map(
            ast.unparse, node.decorator_list
        ):
            said = " ".join((ast.get_docstring(node) or "").split())
            yield f"- `{node.name}`: {said}"


def _module(name: str, wanted: tuple[str, ...]) -> Iterator[str]:
    for node in _definitions(_source(name), wanted):
        yield f"\n### `{node.name}`\n"
        if name not in GIVEN:
            where = _surface(name, node.name)
            yield f"```python\nfrom {where} import {node.name}\n\n{_signature(node)}\n```\n"
        yield _described(ast.get_docstring(node) or "")
        if isinstance(node, ast.ClassDef):
            yield from _methods(node)


def _surface(module: str, name: str) -> str:
    """Where an author imports a name from: the package that hands it on, or the module itself."""
    package = module.rpartition(".")[0]
    imported = [node for node in _source(package).body if isinstance(node, ast.ImportFrom)]
    return package if any(a.name == name for node in imported for a in node.names) else module


def _methods(of: ast.ClassDef) -> Iterator[str]:
    for node in of.body:
        if isinstance(node, ast.FunctionDef) and (
            not node.name.startswith("_") or node.name == "__call__"
        ):
            head = "" if _is_property(node) else _parameters(node, one_line=True)
            said = textwrap.indent(_described(ast.get_docstring(node) or ""), "  ").strip()
            name = "" if node.name == "__call__" else f".{node.name}"
            yield f"\n- `{name}{head}`: {said}"


def _is_property(node: ast.FunctionDef) -> bool:
    return any("property" in ast.unparse(each) for each in node.decorator_list)


def _signature(node: Definition) -> str:
    if isinstance(node, ast.FunctionDef):
        return f"{node.name}{_parameters(node)}"
    made = [each for each in node.body if getattr(each, "name", "") == "__init__"]
    if made and isinstance(made[0], ast.FunctionDef):
        return f"{node.name}{_parameters(made[0])}"
    fields = [ast.unparse(each) for each in node.body if isinstance(each, ast.AnnAssign)]
    return _wrapped(node.name, fields, "")


def _parameters(node: ast.FunctionDef, one_line: bool = False) -> str:
    parts = [_spaced(part) for part in _split(ast.unparse(node.args)) if part not in {"self", ""}]
    gives = ast.unparse(node.returns).replace("'", "") if node.returns else "None"
    gives = "" if gives == "None" else f" -> {gives}"
    return f"({', '.join(parts)}){gives}" if one_line else _wrapped("", parts, gives)


def _spaced(part: str) -> str:
    """`x: int = 1`, which ast writes without blanks around the sign."""
    return re.sub(r"^(\w+: .+?)=", r"\1 = ", re.sub(r"'([A-Z]\w+)'", r"\1", part))


def _wrapped(name: str, parts: list[str], gives: str) -> str:
    one = f"{name}({', '.join(parts)}){gives}"
    if len(one) <= WIDE:
        return one
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){gives}"


def _split(text: str) -> list[str]:
    """Parameters apart: at the commas that are in no bracket and no text."""
    parts, depth, quote = [""], 0, ""
    for char in text:
        quote = ("" if quote == char else quote or char) if char in "'\"" else quote
        depth += 0 if quote else (char in "([{") - (char in ")]}")
        if char == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def _described(docstring: str) -> str:
    """A docstring as Markdown: `Args:`, `Raises:` and the like become lists."""
    parts = re.split(r"\n\n?(?=(?:Args|Returns|Raises|Attributes):\n)", docstring)
    return "\n\n".join(_section(part) for part in parts)


def _section(part: str) -> str:
    head, _, body = part.partition("\n")
    if not re.fullmatch(r"(Args|Returns|Raises|Attributes):", head):
        return part
    items = [" ".join(item.split()) for item in re.split(r"\n(?=\S)", textwrap.dedent(body))]
    if head == "Returns:":
        return f"Returns: {' '.join(items)}"
    shown = [re.sub(r"^([\w, ]+):", r"- `\1`:", item.rstrip()) for item in items if item]
    return f"{head}\n\n" + "\n".join(shown)


def _definitions(tree: ast.Module, wanted: tuple[str, ...]) -> list[Definition]:
    """What a module defines for others: the names that are wanted, or all that are documented."""
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    if wanted:
        return [next(n for n in found if n.name == name) for name in wanted]
    return [n for n in found if not n.name.startswith("_") and ast.get_docstring(n)]


def _source(module: str) -> ast.Module:
    path = ROOT.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    print(PAGE.relative_to(ROOT))
