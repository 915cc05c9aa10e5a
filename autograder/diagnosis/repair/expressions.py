"""Edits of expressions and calls that undo small slips; most of them are wrong."""

import ast
import builtins
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograder.diagnosis.repair.tree import (
    AXES,
    AXIS_NAMES,
    KEPT_NAMES,
    MOVE,
    OPERATORS,
    REDUCE,
    Change,
    Span,
    Surroundings,
    called_name,
    plain_number,
)

ALIKE = {
    word: words.split()
    for words in (
        "sum mean max min std var prod argmax argmin",
        "zeros ones full empty eye",
        "zeros_like ones_like full_like empty_like",
        "tril triu",
        "sqrt square abs",
        "log log2 log10 log1p",
        "exp exp2 expm1",
        "matmul dot multiply",
        "any all",
        "maximum minimum",
        "argsort sort",
        "normal uniform standard_normal random",
        "randn rand",
        "append extend insert",
        "concatenate stack vstack hstack cat",
        "repeat tile",
        "isinf isnan isfinite isneginf",
        "ceil floor round",
        "logical_and logical_or",
        "ReLU GELU Tanh Sigmoid Identity",
        "train eval",
        "float32 float64 float16 int64 bool",
    )
    for word in words.split()
}  # functions that are taken for one another, by each of them


def _calls(around: Surroundings, node: ast.Call) -> Iterator[Change]:
    tree, called = around.tree, called_name(node)
    yield from _unwrapped(around, node)
    start, end = tree.span(node.func)
    prefix = tree.source(node.func)[: -len(called)]
    for word in ALIKE.get(called, ()):
        if word != called:
            yield Change("function", Span(start, end, prefix + word))
    args = [tree.source(arg) for arg in node.args]
    if args:
        start, end = tree.span(node.args[0])[0], tree.span(node.args[-1])[1]
    for swapped in itertools.islice(_swapped(args), 10):
        yield Change("arguments", Span(start, end, ", ".join(swapped)))
    if len(args) == 4 and all(plain_number(arg) is not None for arg in node.args):
        for order in itertools.permutations(args):
            yield Change("axis", Span(start, end, ", ".join(order)), 0.5)
    if called in REDUCE:
        yield from _added(around, node)
    if called == "where" and args:
        yield around.put("condition", node.args[0], f"~{tree.operand(node.args[0])}")
    for arg in node.args:
        yield around.put("sign", arg, f"-{tree.operand(arg)}", 0.3)


def _unwrapped(around: Surroundings, node: ast.Call) -> Iterator[Change]:
    """Yield what a call is given, in place of the call."""
    func, first = node.func, node.args[0] if node.args else None
    if isinstance(func, ast.Attribute):
        kind = "transpose" if func.attr in {"swapaxes", "transpose"} else "call"
        is_module = isinstance(func.value, ast.Name) and func.value.id in around.imported
        if not is_module:
            yield around.put(kind, node, around.tree.source(func.value))
            return
        if kind == "transpose" and first is not None:
            yield around.put(kind, node, around.tree.source(first))
            return
    if first is not None and not isinstance(first, ast.Starred):
        yield around.put("call", node, around.tree.source(first))


def _added(around: Surroundings, node: ast.Call) -> Iterator[Change]:
    """Yield an axis or a kept axis that a reduction may lack."""
    given = {keyword.arg for keyword in node.keywords}
    torch = "torch" in around.imported
    kept, axis_name = f"{KEPT_NAMES[torch]}=True", AXIS_NAMES[torch]
    lacks_kept, place = given.isdisjoint(KEPT_NAMES), around.tree.span(node)[1] - 1
    comma = ", " if node.args or node.keywords else ""
    if lacks_kept:
        yield Change("keepdims", Span(place, place, comma + kept))
    if given.isdisjoint(AXIS_NAMES):
        for axis in (*_axis_names(around, node), *AXES[:4]):
            text = f"{comma}{axis_name}={axis}"
            yield Change("axis", Span(place, place, text), 0.8)
            if lacks_kept:
                yield Change("axis", Span(place, place, f"{text}, {kept}"), 0.8)


def _axis_names(around: Surroundings, node: ast.AST) -> list[str]:
    return [name for name in around.scope(node) if name in AXIS_NAMES]


def _swapped(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts with two of them exchanged."""
    for i, j in itertools.combinations(range(len(texts)), 2):
        swapped = list(texts)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        yield swapped


def _keywords(around: Surroundings, node: ast.keyword) -> Iterator[Change]:
    """Yield the call without a keyword."""
    parent = around.tree.parent.get(node)
    if node.arg is None or not isinstance(parent, ast.Call):
        return
    kind = "keepdims" if node.arg in KEPT_NAMES else "axis" if node.arg in AXIS_NAMES else "keyword"
    start, end = around.tree.span(node)
    raw = around.tree.raw
    while start > 0 and raw[start - 1 : start] in {b" ", b"\n", b"\t"}:
        start -= 1
    if raw[start - 1 : start] == b",":
        yield Change(kind, Span(start - 1, end, ""))
    elif len(parent.keywords) == 1 and not parent.args:
        yield Change(kind, Span(start, end, ""))


LIKELY = ("+", "-", "*", "/", "@", "//", "**", "%")
SWAPPED = ("-", "/", "@", "//", "**", "%")  # operators whose operands may be in the wrong order
SIGNED = ("@", "*", "+", "-", "/")  # operators whose operands may lack a sign
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def expression_changes(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    """Yield the changes of one expression or keyword."""
    for kind, changes in CHANGES.items():
        if isinstance(node, kind):
            yield from changes(around, node)


def _numbers(around: Surroundings, node: ast.Constant | ast.UnaryOp) -> Iterator[Change]:
    """Yield the changes of a number, with the sign before it, or of a truth value."""
    parent = around.tree.parent.get(node)
    value = plain_number(node)
    if isinstance(node, ast.Constant):
        if isinstance(parent, ast.UnaryOp):
            return
        if isinstance(node.value, bool):
            is_kept = isinstance(parent, ast.keyword) and parent.arg in KEPT_NAMES
            yield around.put("keepdims" if is_kept else "constant", node, str(not node.value))
    if value is None:
        return
    if _is_axis(parent, node):
        for axis in (*AXES, *_axis_names(around, node)):
            yield around.put("axis", node, axis)
        return
    if abs(value) < 1e6:
        for other in (value + 1, value - 1):
            yield around.put("off by one", node, repr(other))
        for other in (-value, 0, 1, 2, -1):
            yield around.put("constant", node, repr(type(value)(other)), 0.7)
    for factor in (1e3, 1e-3) if isinstance(value, float) and value else ():
        yield around.put("constant", node, repr(value * factor), 0.3)


def _is_axis(parent: ast.AST | None, node: ast.AST) -> bool:
    if isinstance(parent, ast.keyword):
        return parent.arg in AXIS_NAMES
    if not isinstance(parent, ast.Call) or node not in parent.args:
        return False
    if isinstance(parent.func, ast.Name) and hasattr(builtins, parent.func.id):
        return False  # Python's own max(0, n) knows no axes
    return called_name(parent) in REDUCE | MOVE


def _signs(around: Surroundings, node: ast.UnaryOp) -> Iterator[Change]:
    inner = around.tree.operand(node.operand)
    if isinstance(node.op, ast.Not):
        yield around.put("condition", node, inner)
        yield around.put("sign", node, f"-{inner}", 0.6)
        return
    yield around.put("sign", node, inner)
    for sign in ("-", "~"):
        yield around.put("sign", node, sign + inner, 0.8)
    yield around.put("sign", node, f"not {inner}", 0.3)


def _operators(around: Surroundings, node: ast.BinOp) -> Iterator[Change]:
    """Yield another operator, the operands exchanged, or only one of them."""
    tree = around.tree
    left, right = tree.operand(node.left), tree.operand(node.right)
    now = OPERATORS[type(node.op)]
    start, end = tree.span(node.left)[1], tree.span(node.right)[0]
    between = tree.raw[start:end].decode()
    near = (node.left, node.right, tree.parent.get(node))
    binds = any(isinstance(neighbour, ast.BinOp) for neighbour in near)
    for other in OPERATORS.values():
        if other == now:
            continue
        weight = 1.0 if other in LIKELY else 0.3
        yield around.put("operator", node, f"{left} {other} {right}", weight)
        if binds:  # without new brackets it may bind its neighbours in another way
            span = Span(start, end, between.replace(now, f" {other} ", 1))
            yield Change("operator", span, 0.8 * weight)
    if now in SWAPPED:
        yield around.put("operands", node, f"{right} {now} {left}")
    yield around.put("term", node, left)
    yield around.put("term", node, right, 0.5)
    for operand in (node.left, node.right) if now in SIGNED else ():
        yield around.put("sign", operand, f"-{tree.operand(operand)}", 0.3)
    for operand in (node.left, node.right) if now == "@" else ():
        yield around.put("transpose", operand, f"{tree.operand(operand)}.swapaxes(-1, -2)")


def _comparisons(around: Surroundings, node: ast.Compare) -> Iterator[Change]:
    if len(node.ops) != 1:
        return
    tree = around.tree
    left, right = tree.operand(node.left), tree.operand(node.comparators[0])
    now = COMPARED[type(node.ops[0])]
    for other in COMPARED.values():
        weight = 0.4 if other in {"in", "not in"} else 1.0
        if other != now:
            yield around.put("comparison", node, f"{left} {other} {right}", weight)


def _conditions(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    tree = around.tree
    if isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        parts = [tree.operand(value) for value in node.values]
        yield around.put("condition", node, word.join(parts))
        for part in parts:
            yield around.put("condition", node, part, 0.8)
    elif isinstance(node, ast.IfExp):
        test, body, other = (tree.operand(part) for part in (node.test, node.body, node.orelse))
        yield around.put("condition", node, f"{other} if {test} else {body}")
        yield around.put("condition", node, body, 0.7)
        yield around.put("condition", node, other, 0.7)


def _subscripts(around: Surroundings, node: ast.Subscript) -> Iterator[Change]:
    tree = around.tree
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        if isinstance(part, ast.Slice):
            yield from _slice(around, part)
    if len(parts) > 1:
        texts = [tree.source(part) for part in parts]
        for swapped in _swapped(texts):
            yield around.put("index", node.slice, ", ".join(swapped))
        for i in range(len(parts)):
            left = ", ".join(texts[:i] + texts[i + 1 :])
            yield around.put("index", node.slice, left, 0.7)
    if isinstance(node.ctx, ast.Load):
        yield around.put("index", node, tree.source(node.value), 0.7)


def _slice(around: Surroundings, node: ast.Slice) -> Iterator[Change]:
    tree = around.tree
    if not hasattr(node, "lineno"):
        return
    lower = tree.source(node.lower) if node.lower else ""
    upper = tree.source(node.upper) if node.upper else ""
    step = f":{tree.source(node.step)}" if node.step else ""
    for low, high in ((upper, lower), ("", upper), (lower, "")):
        yield around.put("slice", node, f"{low}:{high}{step}", 0.8)
    for name in (1, -1):
        if upper:
            yield around.put("slice", node, f"{lower}:{upper} {name:+d}{step}")
        if lower:
            yield around.put("slice", node, f"{lower} {name:+d}:{upper}{step}")
    if step:
        yield around.put("slice", node, f"{lower}:{upper}")


def _sequences(around: Surroundings, node: ast.Tuple | ast.List) -> Iterator[Change]:
    """Yield two elements exchanged: two results, two axes, two sizes."""
    parent = around.tree.parent.get(node)
    if isinstance(parent, ast.Subscript) or not 2 <= len(node.elts) <= 6:
        return
    kind = "results" if isinstance(parent, ast.Return) else "sequence"
    texts = [around.tree.source(part) for part in node.elts]
    start, end = around.tree.span(node.elts[0])[0], around.tree.span(node.elts[-1])[1]
    for swapped in _swapped(texts):
        yield Change(kind, Span(start, end, ", ".join(swapped)))
    if kind == "results":
        for text in texts:
            yield around.put(kind, node, text, 0.7)


def _names(around: Surroundings, node: ast.Name) -> Iterator[Change]:
    if not isinstance(node.ctx, ast.Load) or node.id in around.imported or node.id == "self":
        return
    parent = around.tree.parent.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    lately = [name for name in around.lately(node) if name != node.id][:2]
    for name in around.scope(node)[:14]:
        if name != node.id:
            yield around.put("name", node, name, 1.7 if name in lately else 1.0)
    if isinstance(parent, ast.Call | ast.Slice):
        yield around.put("off by one", node, f"{node.id} + 1", 0.3)
        yield around.put("off by one", node, f"{node.id} - 1", 0.3)


def _attributes(around: Surroundings, node: ast.Attribute) -> Iterator[Change]:
    """Yield the changes of a transpose that is written as an attribute."""
    if node.attr in {"T", "mT"}:
        value = around.tree.operand(node.value)
        yield around.put("transpose", node, f"{value}.swapaxes(-1, -2)")
        yield around.put("transpose", node, value)


CHANGES: dict[Any, Callable[[Surroundings, Any], Iterator[Change]]] = {
    ast.Constant: _numbers,
    ast.UnaryOp: lambda around, node: itertools.chain(_numbers(around, node), _signs(around, node)),
    ast.BinOp: _operators,
    ast.Compare: _comparisons,
    ast.BoolOp: _conditions,
    ast.IfExp: _conditions,
    ast.Call: _calls,
    ast.keyword: _keywords,
    ast.Subscript: _subscripts,
    ast.Tuple: _sequences,
    ast.List: _sequences,
    ast.Name: _names,
    ast.Attribute: _attributes,
}
