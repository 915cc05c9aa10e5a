"""Where in a submission a value stands that was handed in: the line of the number that differs."""

import ast
from collections.abc import Iterator, Sequence

from autograder.report.model import Evidence, Line
from autograder.submission.code import parsed
from autograder.text import one_line
from autograder.worker.messages import Unit


def stated_in(units: Sequence[Unit], name: str, evidence: Evidence | None) -> Line | None:
    """The line of the first entry that differs, where it can be told; a fact of the source.

    It cannot if the entry is no number as it stands there, since the mistake may then be in what it
    is made of; nor if the name is given a value twice or changed later, or if no cell is marked as
    wrong.
    """
    matrix = evidence.matrices[0] if evidence is not None else None
    if matrix is None or not any(any(row) for row in matrix.wrong):
        return None
    row, column = next(
        (i, j) for i, cells in enumerate(matrix.wrong) for j, wrong in enumerate(cells) if wrong
    )
    index = (*matrix.at, matrix.top + row, matrix.left + column)[-len(matrix.shape) :]
    found = [(unit, value) for unit in units for value in _values(parsed(unit) or [], name)]
    if len(found) != 1 or not matrix.shape:
        return None
    unit, value = found[0]
    node = None if value is None else _entry(value, index)
    if node is None or node.lineno != node.end_lineno or not _is_number(node):
        return None
    return Line(file=one_line(unit.label, 80), line=node.lineno)


def _values(body: Sequence[ast.stmt], name: str) -> Iterator[ast.expr | None]:
    """What a name is given at the top level; None for whatever else may change it."""
    for statement in body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and target.id == name:
                yield statement.value
                continue
        if any(_changes(node, name) for node in ast.walk(statement)):
            yield None


def _changes(node: ast.AST, name: str) -> bool:
    """Whether a node may change what a name stands for."""
    if isinstance(node, ast.Name) and node.id == name:
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))
    called = node.func if isinstance(node, ast.Call) else None
    owner = called.value if isinstance(called, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id == name


def _entry(value: ast.expr, index: Sequence[int]) -> ast.expr:
    """The innermost expression that an entry comes from."""
    node = value
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
        is_plain = isinstance(node.func, ast.Attribute) and node.func.attr in {"array", "asarray"}
        node = node.args[0] if is_plain else node
    for place in index:
        if not isinstance(node, ast.List | ast.Tuple) or place >= len(node.elts):
            break
        if any(isinstance(each, ast.Starred) for each in node.elts):
            break
        node = node.elts[place]
    return node


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is a number, or arithmetic of numbers alone."""
    parts = ast.Constant | ast.UnaryOp | ast.BinOp | ast.operator | ast.unaryop
    return all(isinstance(each, parts) for each in ast.walk(node))
