"""The engine's sources, for the tests of its structure. Nothing is imported."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "autograder"


class Module(NamedTuple):
    """File of the engine: its import name and its syntax tree."""

    name: str
    path: Path
    tree: ast.Module
    lines: int

    @property
    def shown(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def room(self) -> str:
        """Return the folder of the module, or its own name if it is in none."""
        return self.name.split(".")[1] if "." in self.name else ""


@functools.cache
def modules() -> dict[str, Module]:
    """Return all modules by name."""
    found = {}
    for path in sorted(ENGINE.rglob("*.py")):
        if "templates" in path.parts:
            continue  # text that is written into a course
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        found[name] = Module(name, path, ast.parse(text), text.count("\n"))
    return found


def imports(module: Module) -> Iterator[tuple[str, bool]]:
    """Yield the engine modules that a module imports, and whether only for types."""
    known = modules()
    for node, typing in _with_typing(module.tree, False):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module for name in names]
        else:
            continue
        yield from ((name, typing) for name in names if name in known)


def _with_typing(node: ast.AST, typing: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        guarded = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        yield child, typing
        yield from _with_typing(child, typing or guarded)
