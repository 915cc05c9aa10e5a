"""`python -m tools.api`: write docs/api.md from the docstrings of the names that authors import.

It reads the sources and imports nothing, so every Python version writes the same page.
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

All names below come from one module: `from autograder.author import expect_close, Mismatch`. A
course imports nothing else of the engine. Marks and fixtures need no import. This page is made from
the docstrings by `python -m tools.api`. [authors.md](authors.md) shows how the names are used.
"""
AUTHOR = "autograder.author"
HEADINGS = {  # and the modules below each heading
    "Comparing answers": ("checks.expect", "checks.equality", "checks.tolerance"),
    "Follow-through": ("checks.follow_through", "checks.check_result"),
    "The student's module": ("checks.proxy", "sandbox.problems", "worker.codec", "report.model"),
    "Recipes and misconceptions": (
        *("diagnosis.mistakes", "diagnosis.recipe", "diagnosis.outcome", "diagnosis.finding"),
    ),
    "torch modules": (
        *("checks.torch_modules", "checks.module_weights", "checks.recorded_answers"),
        *("worker.messages", "diagnosis.callers"),
    ),
    "Words for findings": ("course.text", "report.numbers", "submission.stubs"),
}
GIVEN = {"autograder.checks.proxy"}  # a fixture's result; authors never construct it
WIDE = 90
Definition = ast.FunctionDef | ast.ClassDef | ast.Assign


def page() -> str:
    """Return the whole page."""
    terms = (ast.get_docstring(_source(AUTHOR)) or "").split("\n\n")[-1]
    lines = [HEAD, f"{terms}\n", "## Marks\n", *_marks(), "\n## Fixtures\n", *_fixtures()]
    imports = names()
    for heading, modules in HEADINGS.items():
        lines.append(f"\n## {heading}")
        for module in (f"autograder.{name}" for name in modules):
            lines += _module(module, imports[module])
    return "\n".join(lines) + "\n"


def names() -> dict[str, list[str]]:
    """Return the names that authors import, by the module that defines them."""
    imports = (node for node in _source(AUTHOR).body if isinstance(node, ast.ImportFrom))
    return {str(node.module): [alias.name for alias in node.names] for node in imports}


def _value(module: str, name: str) -> ast.expr:
    for node in _source(module).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return node.value
    raise LookupError(f"{module} has no {name}")


def _marks() -> Iterator[str]:
    for line in ast.literal_eval(_value("autograder.grading.pytest_plugin", "MARKS")):
        name, _, said = line.partition(": ")
        yield f"- `@pytest.mark.{name}`: {said}"


def _fixtures() -> Iterator[str]:
    """Yield the fixtures of a check: arguments of a test, which need no import."""
    plugin = _definition(_source("autograder.checks.fixtures"), "Fixtures")
    assert isinstance(plugin, ast.ClassDef)
    for node in plugin.body:
        if isinstance(node, ast.FunctionDef) and "pytest.fixture" in map(
            ast.unparse, node.decorator_list
        ):
            said = " ".join((ast.get_docstring(node) or "").split())
            yield f"- `{node.name}`: {said}"


def _module(module: str, names: list[str]) -> Iterator[str]:
    tree = _source(module)
    for name in names:
        node = _definition(tree, name)
        yield f"\n### `{name}`\n"
        if module not in GIVEN:
            yield f"```python\nfrom {AUTHOR} import {name}\n\n{_signature(node)}\n```\n"
        yield _described(_docstring(tree, node))
        if isinstance(node, ast.ClassDef):
            yield from _methods(node)


def _docstring(tree: ast.Module, node: Definition) -> str:
    """Return the docstring of a definition. For a value, return the text below it."""
    if not isinstance(node, ast.Assign):
        return ast.get_docstring(node) or ""
    after = tree.body[tree.body.index(node) + 1]
    assert isinstance(after, ast.Expr), f"{ast.unparse(node)} has no description"
    return str(ast.literal_eval(after.value))


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
    if isinstance(node, ast.Assign):
        written = ast.unparse(node).replace("'", '"')  # as the formatter writes it
        return written if len(written) <= WIDE else f"{ast.unparse(node.targets[0])} = ..."
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
    """Return `x: int = 1`, which ast.unparse writes without the spaces around `=`."""
    return re.sub(r"^(\w+: .+?)=", r"\1 = ", re.sub(r"'([A-Z]\w+)'", r"\1", part))


def _wrapped(name: str, parts: list[str], gives: str) -> str:
    one = f"{name}({', '.join(parts)}){gives}"
    if len(one) <= WIDE:
        return one
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){gives}"


def _split(text: str) -> list[str]:
    """Split parameters at commas outside brackets and texts."""
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
    """Return a docstring as Markdown, with lists in place of `Args:`, `Raises:` and others."""
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


def _definition(tree: ast.Module, name: str) -> Definition:
    """Return the function, class or value with this name in a module."""
    for node in tree.body:
        names = (
            [ast.unparse(each) for each in node.targets]
            if isinstance(node, ast.Assign)
            else [getattr(node, "name", "")]
        )
        if name in names and isinstance(node, Definition):
            return node
    raise LookupError(name)


def _source(module: str) -> ast.Module:
    path = ROOT.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    print(PAGE.relative_to(ROOT))
