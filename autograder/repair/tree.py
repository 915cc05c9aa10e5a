"""A unit of a student's source as a syntax tree whose nodes know their place in the text."""

import ast
from collections.abc import Iterator

import msgspec

from autograder.submission.code import Definition, is_text
from autograder.worker.magics import without_magics
from autograder.worker.messages import Unit

MAX_TEXT = 64 * 1024
MAX_NODES = 20_000

Function = ast.FunctionDef | ast.AsyncFunctionDef
ATOMIC = (
    ast.Name,
    ast.Constant,
    ast.Call,
    ast.Attribute,
    ast.Subscript,
    ast.Tuple,
    ast.List,
    ast.Dict,
)


class Span(msgspec.Struct, frozen=True, order=True):
    """A part of a text, in bytes of UTF-8, and what takes its place."""

    start: int
    end: int
    new: str


class Tree:
    """One unit, parsed. `statement` is the statement of each node, `owner` its function.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python, or too deep.
        ValueError: it is too long.
    """

    def __init__(self, unit: Unit) -> None:
        self.label = unit.label
        text = without_magics(unit.text, unit.label).replace("\r\n", "\n").replace("\r", "\n")
        if len(text) > MAX_TEXT:
            raise ValueError("too long for a search")
        self.text = text
        self.raw = text.encode()
        self.root = ast.parse(text)
        self.starts = [0]
        for line in self.raw.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.parent: dict[ast.AST, ast.AST] = {}
        self.owner: dict[ast.AST, Function | None] = {}
        self.statement: dict[ast.AST, ast.stmt] = {}
        self.nodes = list(self._linked())

    def _linked(self) -> Iterator[ast.AST]:
        """All nodes that an edit may touch, in the order of the text."""
        waiting: list[tuple[ast.AST, Function | None, ast.stmt | None]] = [
            (node, None, None) for node in reversed(self.root.body) if _is_code(node)
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
                    continue  # the places of what stands in an f-string are not known
                self.parent[child] = node
                waiting.append((child, inside, statement))

    @property
    def statements(self) -> Iterator[ast.stmt]:
        """All statements that an edit may touch."""
        return (node for node in self.nodes if isinstance(node, ast.stmt))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends, in bytes."""
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        return (
            self.starts[first - 1] + node.col_offset,  # type: ignore[attr-defined]
            self.starts[last - 1] + node.end_col_offset,  # type: ignore[attr-defined]
        )

    def source(self, node: ast.AST) -> str:
        """A node as the student wrote it."""
        start, end = self.span(node)
        return self.raw[start:end].decode()

    def operand(self, node: ast.AST) -> str:
        """The same, in brackets where it needs some to be part of something else."""
        text = self.source(node)
        return text if isinstance(node, ATOMIC) else f"({text})"

    def replaced(self, node: ast.AST, new: str) -> Span:
        """The node's place, with another text there; in brackets where a neighbour would bind."""
        start, end = self.span(node)
        parent = self.parent.get(node)
        binds = ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Compare | ast.BoolOp | ast.Subscript
        if isinstance(node, ast.expr) and isinstance(parent, binds) and not _is_one(new):
            is_index = isinstance(parent, ast.Subscript) and parent.slice is node
            new = new if is_index else f"({new})"
        return Span(start, end, new)

    def applied(self, spans: tuple[Span, ...]) -> str:
        """The text with these parts exchanged; they do not overlap."""
        raw = self.raw
        for span in sorted(spans, reverse=True):
            raw = raw[: span.start] + span.new.encode() + raw[span.end :]
        return raw.decode()

    def names(self, function: Function | None) -> list[str]:
        """The names that a function binds, its parameters first."""
        if function is None:
            return []
        given = function.args
        found = [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.append(node.id)
        return [name for name in dict.fromkeys(found) if name not in {"self", "_"}]


def _is_code(node: ast.stmt) -> bool:
    """Whether a statement of the top level makes a function: numbers given there are answers."""
    if isinstance(node, Definition):
        return True
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda)


def _is_one(text: str) -> bool:
    """Whether a text is one thing that no operator beside it can take apart."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return True
    return isinstance(node, ATOMIC) and not isinstance(node, ast.Tuple)
