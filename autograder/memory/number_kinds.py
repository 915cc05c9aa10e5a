"""Where new arrays get a kind of number: it has to be seen to be one plain kind.

Of a kind that is several numbers, NumPy leaves some as they were in memory.
"""

import ast
from collections import Counter

from autograder.memory.bound import Bound, binders
from autograder.memory.vocabulary import NUMBERS, NUMBERS_AS_TEXTS

# Where they take a kind; by another name, nobody would see it.
PLACE_OF_A_KIND = {"numpy.array": 1, "numpy.asarray": 1, "numpy.linspace": 5}
METHOD_WITH_A_KIND = "astype"  # and has it first
PYTHONS = frozenset({"bool", "float", "int"})


def dotted(node: ast.AST | None, bound: Bound) -> str | None:
    """The dotted path of a library's name; None of what is no such."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in bound.imports:
        return None
    return ".".join([bound.imports[node.id], *reversed(parts)])


def is_kind(node: ast.expr, bound: Bound) -> bool:
    """Whether an expression is a plain kind of number, by name."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value in NUMBERS_AS_TEXTS
    return (isinstance(node, ast.Name) and node.id in PYTHONS) or dotted(node, bound) in NUMBERS


def loops_over_kinds(tree: ast.AST, bound: Bound) -> set[str]:
    """Names that stand for plain kinds wherever they are bound: `for kind in (bool, int):`."""
    every = Counter(name for name, _ in binders(tree))
    seen: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.For(
                target=ast.Name(id=name), iter=ast.Tuple(elts=kinds) | ast.List(elts=kinds)
            ):
                seen[name] += all(is_kind(kind, bound) and not _is_text(kind) for kind in kinds)
    return {name for name, count in seen.items() if count == every[name]}


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)
