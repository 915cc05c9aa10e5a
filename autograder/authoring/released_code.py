"""Course files in the form that students get: without hidden checks, hints and answers.

Names from the reference are replaced by stand-ins, unless students get the module that defines
them. Code that only hidden checks use is removed, and so are comments and docstrings.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.authoring.answer_records import FIND, is_constant
from autograder.checks.check_result import NOT_IN_KIT
from autograder.course.errors import UserError

IMPORTS = ast.Import, ast.ImportFrom


@dataclass(frozen=True)
class Naming:
    """The places from which a file's names come.

    `reference` is the package with the course's right answers, and `package` is the package that
    students get. `helpers` are modules of the reference that students get, without the package's
    name. `value` returns the reference's value for a dotted name without the package, or None.
    """

    reference: str
    package: str
    helpers: frozenset[str]
    value: Callable[[str], Any]


def released(text: str, label: str, naming: Naming, checks: bool, silent: bool = False) -> str:
    """Return the text of a file with checks, or of a helper module, as students get it.

    With `silent`, messages on mistakes are removed too.

    Raises:
        UserError: the file imports the reference in a way for which there is no replacement.
    """
    tree = ast.parse(text, label)
    if checks:
        tree.body = [each for each in tree.body if not is_hidden(each)]
    tree = _Imports(naming, label).visit(tree)
    tree = _Bare(silent).visit(tree)
    if checks:
        tree.body = _used(tree.body)
    body = [each for each in tree.body if getattr(each, "module", "") != "__future__"]
    whole = ast.Module(body=body, type_ignores=[])
    text = ast.unparse(ast.fix_missing_locations(whole))
    asks = f"from autograder.author import stand_in as {FIND}\n" if FIND in text else ""
    return f"from __future__ import annotations\n{asks}{text}\n"


def is_hidden(node: ast.stmt) -> bool:
    """Return whether the marks of a check say that students do not get it."""
    marks = {ast.unparse(each) for each in getattr(node, "decorator_list", [])}
    return any(f"pytest.mark.{name}" in marks for name in NOT_IN_KIT)


class _Imports(ast.NodeTransformer):
    """Transformer that replaces imports from the reference by other modules or stand-ins."""

    def __init__(self, naming: Naming, label: str) -> None:
        self.naming = naming
        self.label = label

    def visit_Import(self, node: ast.Import) -> ast.stmt:
        for each in node.names:
            if f"{each.name}.".startswith(f"{self.naming.reference}."):
                raise UserError(
                    f"{self.label}, line {node.lineno}: `import {each.name}` cannot be handed out. "
                    f"Write `from {each.name} import …`."
                )
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        naming, module = self.naming, node.module or ""
        if node.level or not f"{module}.".startswith(f"{naming.reference}."):
            return [node]
        inner = module.removeprefix(naming.reference).lstrip(".")
        if inner in naming.helpers:
            return [ast.ImportFrom(f"{naming.package}.{inner}", node.names, 0)]
        statements: list[ast.stmt] = []
        for alias in node.names:
            name = f"{inner}.{alias.name}".lstrip(".")
            if name in naming.helpers:
                package = f"{naming.package}.{inner}".rstrip(".")
                statements.append(ast.ImportFrom(package, [alias], 0))
            elif alias.name == "*":
                raise UserError(
                    f"{self.label}, line {node.lineno}: `import *` cannot be handed out. Name each "
                    "import."
                )
            else:
                value = naming.value(name)
                text = repr(value) if is_constant(value) else f"{FIND}({name!r})"
                statements += ast.parse(f"{alias.asname or alias.name} = {text}").body
        return statements


class _Bare(ast.NodeTransformer):
    """Transformer that removes docstrings and hints, and findings too if `silent` is true."""

    def __init__(self, silent: bool) -> None:
        self.silent = silent

    def _without_docstring(self, node: Any) -> Any:
        self.generic_visit(node)
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    visit_Module = visit_FunctionDef = visit_ClassDef = _without_docstring  # noqa: N815

    def visit_Call(self, node: ast.Call) -> ast.Call:
        node.keywords = [each for each in node.keywords if each.arg != "hints"]
        title = node.args[:1] if ast.unparse(node.func).endswith("mark.check") else []
        self.generic_visit(node)
        node.args[: len(title)] = title
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        said = self.silent and isinstance(node.value, str) and _is_sentence(node.value)
        return ast.Constant("") if said else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        parts = [each.value for each in node.values if isinstance(each, ast.Constant)]
        said = self.silent and _is_sentence("".join(map(str, parts)))
        return ast.Constant("") if said else node

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        self.generic_visit(node)
        if self.silent:
            node.msg = None
        return node


def _is_sentence(text: str) -> bool:
    """Return whether a text is a sentence: several words with punctuation at the end."""
    return len(text.split()) > 2 and text.rstrip().endswith((".", "?", "!", ":"))


def _used(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return a file's checks, and the functions, fixtures, values and imports that they use."""
    defined: dict[str, list[ast.stmt]] = {}
    for node in body:
        for name in _defines(node):
            defined.setdefault(name, []).append(node)
    waiting = [node for node in body if _is_root(node)]
    kept = set(waiting)
    while waiting:
        needed = {node for name in _names(waiting.pop()) for node in defined.get(name, [])}
        waiting += needed - kept
        kept |= needed
    return _without_unused_imports([node for node in body if node in kept])


def _without_unused_imports(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    code = (node for node in body if not isinstance(node, IMPORTS))
    used = {name for node in code for name in _names(node)}
    for node in body:
        if isinstance(node, IMPORTS):
            node.names = [a for a in node.names if (a.asname or a.name).partition(".")[0] in used]
    return [node for node in body if getattr(node, "names", True)]


def _is_root(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name.startswith(("test_", "Test"))
    return not isinstance(node, (*IMPORTS, ast.Assign, ast.AnnAssign))


def _defines(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, IMPORTS):
        return [(each.asname or each.name).partition(".")[0] for each in node.names]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [each.id for t in targets for each in ast.walk(t) if isinstance(each, ast.Name)]
    return []


def _names(statement: ast.AST) -> Iterator[str]:
    """Yield the names that a statement uses, and the fixtures that a function asks for."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("usefixtures"):
            yield from (str(a.value) for a in node.args if isinstance(a, ast.Constant))
