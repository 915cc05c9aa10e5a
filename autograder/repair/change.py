"""A change of one place, and what a place can name."""

import ast
from collections.abc import Iterator

import msgspec

from autograder.repair.tree import Function, Span, Tree

AXES = ("-1", "-2", "0", "1", "2", "-3")
AXIS_NAMES = ("axis", "dim")
KEPT_NAMES = ("keepdims", "keepdim")
REDUCE = {"sum", "max", "min", "mean", "amax", "amin", "argmax", "argmin", "std", "var", "prod"}
MOVE = {"swapaxes", "transpose", "moveaxis", "permute"}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}


class Change(msgspec.Struct, frozen=True):
    """A change of one place: its kind, and how likely it is beside others of the kind."""

    kind: str
    span: Span
    weight: float = 1.0


class Surroundings:
    """A unit, and what its functions can name."""

    def __init__(self, tree: Tree, imported: frozenset[str]) -> None:
        self.tree = tree
        self.imported = imported
        self._scopes: dict[Function | None, list[str]] = {}
        self._given: dict[Function | None, list[tuple[int, str]]] = {}
        for each in tree.nodes:
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                self._given.setdefault(tree.owner[each], []).append((each.lineno, each.id))

    def scope(self, node: ast.AST) -> list[str]:
        """The names that a function around the node binds."""
        owner = self.tree.owner[node]
        if owner not in self._scopes:
            self._scopes[owner] = self.tree.names(owner)
        return self._scopes[owner]

    def lately(self, node: ast.expr) -> list[str]:
        """The names that were last given a value before a node's line, the latest first."""
        given = sorted(self._given.get(self.tree.owner[node], []), reverse=True)
        return list(dict.fromkeys(name for line, name in given if line < node.lineno))

    def put(self, kind: str, node: ast.AST, new: str, weight: float = 1.0) -> Change:
        return Change(kind, self.tree.replaced(node, new), weight)


def plain_number(node: ast.AST) -> int | float | None:
    negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    inner = node.operand if isinstance(node, ast.UnaryOp) and negative else node
    if not isinstance(inner, ast.Constant) or type(inner.value) not in {int, float}:
        return None
    value: int | float = inner.value  # type: ignore[assignment]
    if abs(value) > 1e15:
        return None
    return -value if negative else value


def called_name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def imported_names(root: ast.AST) -> Iterator[str]:
    """The names under which a file imports something."""
    for node in ast.walk(root):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield (alias.asname or alias.name).split(".")[0]
