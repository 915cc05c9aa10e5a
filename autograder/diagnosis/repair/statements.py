"""Edits of whole statements: left out, made unconditional, returned, or made a copy."""

import ast
from collections.abc import Callable, Iterator
from typing import Any

from autograder.diagnosis.repair.tree import OPERATORS, Change, Function, Span, Surroundings


def statement_changes(around: Surroundings, node: ast.stmt) -> Iterator[Change]:
    """Yield the changes of one statement as a whole."""
    for kind, changes in CHANGES.items():
        if isinstance(node, kind):
            yield from changes(around, node)


def _left_out(around: Surroundings, node: ast.stmt) -> Iterator[Change]:
    if around.tree.owner[node] is not None:
        yield around.put("statement", node, "pass")
        start, end = around.tree.span(node)
        if node.lineno == node.end_lineno and isinstance(node, ast.Assign | ast.AugAssign):
            again = around.tree.source(node)
            yield Change("twice", Span(start, end, f"{again}; {again}"), 0.2)


def _returned(around: Surroundings, node: ast.stmt) -> Iterator[Change]:
    """Yield a `return` that may be missing after the last line of a function."""
    owner = around.tree.owner[node]
    if owner is None or owner.body[-1] is not node:
        return
    if isinstance(node, ast.Expr):
        yield around.put("return", node, f"return {around.tree.source(node.value)}")
    if isinstance(node, ast.Assign | ast.AugAssign):
        end = around.tree.span(node)[1]
        for name in reversed(around.scope(node)):
            yield Change("return", Span(end, end, f"; return {name}"))


def _copied(around: Surroundings, node: ast.stmt) -> Iterator[Change]:
    """Yield a copy before what is changed in place."""
    start, end = around.tree.span(node)
    if isinstance(node, ast.AugAssign):
        target, value = around.tree.source(node.target), around.tree.operand(node.value)
        now = OPERATORS[type(node.op)]
        yield Change("copy", Span(start, end, f"{target} = {target} {now} {value}"))
        for other in ("+", "-", "*", "/"):
            if other != now:
                yield Change("operator", Span(start, end, f"{target} {other}= {value}"))
    for name in _written(node):
        if name in around.scope(node):
            yield Change("copy", Span(start, start, f"{name} = {name}.copy(); "))
            yield Change("copy", Span(start, start, f"{name} = {name} * 1.0; "), 0.7)


def _written(node: ast.stmt) -> list[str]:
    """Return the names of arrays into which a statement writes."""
    targets: list[ast.expr] = [node.target] if isinstance(node, ast.AugAssign) else []
    if isinstance(node, ast.Assign):
        targets = [target for target in node.targets if isinstance(target, ast.Subscript)]
    found = []
    for target in targets:
        inner = target
        while isinstance(inner, ast.Subscript):
            inner = inner.value
        if isinstance(inner, ast.Name):
            found.append(inner.id)
    return found


def _named(around: Surroundings, node: ast.Assign) -> Iterator[Change]:
    """Yield a value as a copy, or as an array of floats."""
    source = around.tree.source(node.value)
    yield around.put("copy", node.value, f"({source}).copy()", 0.3)
    yield around.put("type", node.value, f"({source}) * 1.0", 0.3)


def _returns(around: Surroundings, node: ast.Return) -> Iterator[Change]:
    owner = around.tree.owner[node]
    is_nothing = node.value is None or (
        isinstance(node.value, ast.Constant) and node.value.value is None
    )
    if is_nothing and owner is not None:
        for name in reversed(around.scope(node)):
            yield around.put("return", node, f"return {name}")
    elif node.value is not None and not isinstance(node.value, ast.Tuple | ast.Name):
        yield around.put("type", node.value, f"({around.tree.source(node.value)}) * 1.0", 0.3)


def _guards(around: Surroundings, node: ast.If | ast.While) -> Iterator[Change]:
    """Yield a condition that is turned round, or that always or never holds."""
    test = around.tree.operand(node.test)
    yield around.put("condition", node.test, f"not {test}")
    if isinstance(node, ast.If):
        yield around.put("condition", node.test, "True", 0.6)
        yield around.put("condition", node.test, "False", 0.6)


def _leaps(around: Surroundings, node: ast.stmt) -> Iterator[Change]:
    other = "continue" if isinstance(node, ast.Break) else "break"
    yield around.put("leap", node, other)
    yield around.put("leap", node, "pass", 0.7)


def _reversed(around: Surroundings, node: ast.For) -> Iterator[Change]:
    yield around.put("loop", node.iter, f"reversed({around.tree.source(node.iter)})", 0.2)


def _parameters(around: Surroundings, node: Function) -> Iterator[Change]:
    """Yield parameters in another order."""
    given = node.args.args
    first = 1 if given and given[0].arg == "self" else 0
    for i in range(first, len(given) - 1):
        one, other = given[i], given[i + 1]
        (start, middle), (again, end) = around.tree.span(one), around.tree.span(other)
        between = around.tree.raw[middle:again].decode()
        if "=" not in between:
            new = f"{around.tree.source(other)}{between}{around.tree.source(one)}"
            yield Change("parameters", Span(start, end, new))


CHANGES: dict[Any, Callable[[Surroundings, Any], Iterator[Change]]] = {
    (ast.Assign, ast.AugAssign, ast.Expr, ast.Delete): _left_out,
    (ast.Assign, ast.AugAssign, ast.Expr): _returned,
    (ast.AugAssign, ast.Assign): _copied,
    ast.Assign: _named,
    ast.Return: _returns,
    (ast.If, ast.While): _guards,
    (ast.Break, ast.Continue): _leaps,
    ast.For: _reversed,
    Function: _parameters,
}
