"""Syntax trees of files and cells, with the position of each node in the text."""

import ast
import itertools
from collections.abc import Iterator, Sequence
from typing import TypeGuard

import msgspec

from autograder.submission.code import Definition, is_text
from autograder.worker.messages import Unit
from autograder.worker.statements import without_magics

MAX_TEXT = 64 * 1024
MAX_NODES = 20_000

Function = ast.FunctionDef | ast.AsyncFunctionDef
ATOMIC = (
    ast.Name
    | ast.Constant
    | ast.Call
    | ast.Attribute
    | ast.Subscript
    | ast.Tuple
    | ast.List
    | ast.Dict
)


class Span(msgspec.Struct, frozen=True, order=True):
    """Part of a text in bytes of UTF-8, and a replacement."""

    start: int
    end: int
    new: str


class Change(msgspec.Struct, frozen=True):
    """Change at one place. `weight` is its likelihood, compared with changes of the same kind."""

    kind: str
    span: Span
    weight: float = 1.0


class Tree:
    """Syntax tree of a file or a cell.

    `nodes` has all nodes that an edit may touch, in the order of the text. `statement`, `owner` and
    `parent` map each node to its statement, function (or None) and parent. `imported` has the
    imported names of all units.
    """

    def __init__(self, unit: Unit) -> None:
        self.label = unit.label
        text = without_magics(unit.text, unit.label).replace("\r\n", "\n").replace("\r", "\n")
        if len(text) > MAX_TEXT:
            raise ValueError("too long for a search")
        self.raw = text.encode()
        self.root = ast.parse(text)
        self.lines = self.raw.split(b"\n")
        self.starts = list(itertools.accumulate((len(line) + 1 for line in self.lines), initial=0))
        self.parent: dict[ast.AST, ast.AST] = {}
        self.owner: dict[ast.AST, Function | None] = {}
        self.statement: dict[ast.AST, ast.stmt] = {}
        self.nodes = list(self._linked())
        self.imported = frozenset(imported_names(self.root))
        self._scopes: dict[Function, list[str]] = {}
        self._stored: dict[Function | None, list[tuple[int, str]]] = {}
        for name in filter(is_stored, self.nodes):
            self._stored.setdefault(self.owner[name], []).append((name.lineno, name.id))

    def _linked(self) -> Iterator[ast.AST]:
        """Yield all nodes that an edit may touch, in the order of the text.

        At the top level, an edit may touch only definitions, because other statements set values
        that are graded.
        """
        waiting: list[tuple[ast.AST, Function | None, ast.stmt | None]] = [
            (node, None, None)
            for node in reversed(self.root.body)
            if isinstance(node, Definition)
            or (isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda))
        ]
        seen = 0
        while waiting and seen < MAX_NODES:
            node, owner, statement = waiting.pop()
            seen += 1
            statement = node if isinstance(node, ast.stmt) else statement
            self.owner[node] = owner
            if statement is not None:
                self.statement[node] = statement
            yield node
            inside = node if isinstance(node, Function) else owner
            for child in reversed(list(ast.iter_child_nodes(node))):
                if isinstance(child, ast.JoinedStr | ast.expr_context) or is_text(child):
                    continue  # positions inside an f-string are unknown
                self.parent[child] = node
                waiting.append((child, inside, statement))

    @property
    def statements(self) -> Iterator[ast.stmt]:
        return (node for node in self.nodes if isinstance(node, ast.stmt))

    def line(self, number: int) -> str:
        return self.lines[number - 1].decode()

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the start and the end of a node, in bytes."""
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        return (
            self.starts[first - 1] + node.col_offset,  # type: ignore[attr-defined]
            self.starts[last - 1] + node.end_col_offset,  # type: ignore[attr-defined]
        )

    def source(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.raw[start:end].decode()

    def operand(self, node: ast.AST) -> str:
        """Return a node's text as an operand, with brackets if they are needed."""
        text = self.source(node)
        return text if isinstance(node, ATOMIC) else f"({text})"

    def put(self, kind: str, node: ast.AST, new: str, weight: float = 1.0) -> Change:
        """Return the change that replaces a node by a text. Add brackets if they are needed."""
        start, end = self.span(node)
        parent = self.parent.get(node)
        binds = ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Compare | ast.BoolOp | ast.Subscript
        if isinstance(node, ast.expr) and isinstance(parent, binds) and not _is_one(new):
            is_index = isinstance(parent, ast.Subscript) and parent.slice is node
            new = new if is_index else f"({new})"
        return Change(kind, Span(start, end, new), weight)

    def applied(self, spans: tuple[Span, ...]) -> str:
        raw = self.raw
        for span in sorted(spans, reverse=True):
            raw = raw[: span.start] + span.new.encode() + raw[span.end :]
        return raw.decode()

    def scope(self, node: ast.AST) -> list[str]:
        """Return the names that the function around a node binds. Parameters come first."""
        function = self.owner[node]
        if function is not None and function not in self._scopes:
            stored = (name.id for name in ast.walk(function) if is_stored(name))
            names = dict.fromkeys([*parameters_of(function), *stored])
            self._scopes[function] = [name for name in names if name not in {"self", "_"}]
        return self._scopes[function] if function is not None else []

    def lately(self, node: ast.expr) -> list[str]:
        """Return the names that are assigned before a node's line, latest first."""
        stored = sorted(self._stored.get(self.owner[node], []), reverse=True)
        return list(dict.fromkeys(name for line, name in stored if line < node.lineno))


def is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def read_trees(units: Sequence[Unit]) -> tuple[Tree | None, ...]:
    trees = tuple(map(read_tree, units))
    parsed = [tree for tree in trees if tree is not None]
    imported = frozenset(name for tree in parsed for name in tree.imported)
    for tree in parsed:
        tree.imported = imported
    return trees


def read_tree(unit: Unit) -> Tree | None:
    """Return the tree of a file or cell. For invalid Python or a large text, return None."""
    try:
        return Tree(unit)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parameters_of(function: Function) -> list[str]:
    args = function.args
    return [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


def _is_one(text: str) -> bool:
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return True
    return isinstance(node, ATOMIC) and not isinstance(node, ast.Tuple)


def imported_names(root: ast.AST) -> Iterator[str]:
    for node in ast.walk(root):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield (alias.asname or alias.name).split(".")[0]
