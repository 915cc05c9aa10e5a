"""Edits of expressions: the slips of a hand, undone."""

import ast
import builtins
import itertools
from collections.abc import Callable, Iterator
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

# Edits of calls: unwrapped, exchanged for one alike, given other arguments.


ALIKE = tuple(
    words.split()
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
)


def call_changes(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    assert isinstance(node, ast.Call)
    tree, called = around.tree, called_name(node)
    yield from _unwrapped(around, node)
    for words in ALIKE:
        if called in words:
            start, end = tree.span(node.func)
            prefix = tree.source(node.func)[: -len(called)]
            for word in words:
                if word != called:
                    yield Change("function", Span(start, end, prefix + word))
    args = [tree.source(arg) for arg in node.args]
    for i, j in itertools.islice(itertools.combinations(range(len(args)), 2), 10):
        swapped = list(args)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        yield _with_arguments(around, node, swapped, "arguments")
    if len(args) == 4 and all(plain_number(arg) is not None for arg in node.args):
        for order in itertools.permutations(args):
            yield _with_arguments(around, node, list(order), "axis", 0.5)
    yield from _added(around, node, called)
    if called in {"where"} and args:
        yield around.put("condition", node.args[0], f"~{tree.operand(node.args[0])}")
    for arg in node.args:
        yield around.put("sign", arg, f"-{tree.operand(arg)}", 0.3)


def _unwrapped(around: Surroundings, node: ast.Call) -> Iterator[Change]:
    """What a call is given, in place of the call."""
    func = node.func
    if isinstance(func, ast.Attribute):
        is_module = isinstance(func.value, ast.Name) and func.value.id in around.imported
        if not is_module:
            is_transpose = func.attr in {"swapaxes", "transpose"}
            kind = "transpose" if is_transpose else "call"
            yield around.put(kind, node, around.tree.source(func.value))
            return
        if func.attr in {"swapaxes", "transpose"} and node.args:
            yield around.put("transpose", node, around.tree.source(node.args[0]))
            return
    if node.args and not isinstance(node.args[0], ast.Starred):
        yield around.put("call", node, around.tree.source(node.args[0]))


def _added(around: Surroundings, node: ast.Call, called: str) -> Iterator[Change]:
    """An axis or a kept axis that a reduction may lack."""
    if called not in REDUCE:
        return
    have = {keyword.arg for keyword in node.keywords}
    torch = "torch" in around.imported
    place = around.tree.span(node)[1] - 1
    comma = ", " if node.args or node.keywords else ""
    if not have & set(KEPT_NAMES):
        word = KEPT_NAMES[torch]
        yield Change("keepdims", Span(place, place, f"{comma}{word}=True"))
    if not have & set(AXIS_NAMES):
        word = AXIS_NAMES[torch]
        names = [name for name in around.scope(node) if name in AXIS_NAMES]
        for axis in (*names, *AXES[:4]):
            yield Change("axis", Span(place, place, f"{comma}{word}={axis}"), 0.8)
            if not have & set(KEPT_NAMES):
                both = f"{comma}{word}={axis}, {KEPT_NAMES[torch]}=True"
                yield Change("axis", Span(place, place, both), 0.8)


def _with_arguments(
    around: Surroundings, node: ast.Call, args: list[str], kind: str, weight: float = 1.0
) -> Change:
    start = around.tree.span(node.args[0])[0]
    end = around.tree.span(node.args[-1])[1]
    return Change(kind, Span(start, end, ", ".join(args)), weight)


def keyword_changes(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    """A keyword left out."""
    assert isinstance(node, ast.keyword)
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
    """The changes of one expression or keyword, most of which are wrong."""
    for kind, changes in CHANGES.items():
        if isinstance(node, kind):
            yield from changes(around, node)


def _numbers(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    """A number, with the sign before it."""
    parent = around.tree.parent.get(node)
    if isinstance(node, ast.Constant) and isinstance(parent, ast.UnaryOp):
        return
    value = plain_number(node)
    if value is None:
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            kept = isinstance(parent, ast.keyword) and parent.arg in KEPT_NAMES
            yield around.put("keepdims" if kept else "constant", node, str(not node.value))
        return
    if _is_axis(parent, node):
        names = [name for name in around.scope(node) if name in AXIS_NAMES]
        for new in (*AXES, *names):
            yield around.put("axis", node, new)
        return
    if abs(value) < 1e6:
        for other in (value + 1, value - 1):
            yield around.put("off by one", node, repr(other))
        for other in (-value, 0, 1, 2, -1):
            yield around.put("constant", node, repr(type(value)(other)), 0.7)
    for factor in (1e3, 1e-3):
        if isinstance(value, float) and value:
            yield around.put("constant", node, repr(value * factor), 0.3)


def _is_axis(parent: ast.AST | None, node: ast.AST) -> bool:
    if isinstance(parent, ast.keyword):
        return parent.arg in AXIS_NAMES
    if not isinstance(parent, ast.Call) or node not in parent.args:
        return False
    if isinstance(parent.func, ast.Name) and hasattr(builtins, parent.func.id):
        return False  # Python's own max(0, n) knows no axes
    return called_name(parent) in REDUCE | MOVE


def _signs(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    assert isinstance(node, ast.UnaryOp)
    inner = around.tree.operand(node.operand)
    if isinstance(node.op, ast.Not):
        yield around.put("condition", node, inner)
        yield around.put("sign", node, f"-{inner}", 0.6)
        return
    yield around.put("sign", node, inner)
    for sign in ("-", "~"):
        yield around.put("sign", node, sign + inner, 0.8)
    yield around.put("sign", node, f"not {inner}", 0.3)


def _operators(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    """Another operator, the operands exchanged, or one of them alone."""
    assert isinstance(node, ast.BinOp)
    tree = around.tree
    left, right = tree.operand(node.left), tree.operand(node.right)
    now = OPERATORS[type(node.op)]
    near = (node.left, node.right, tree.parent.get(node))
    binds = any(isinstance(each, ast.BinOp) for each in near)
    for other in OPERATORS.values():
        if other != now:
            weight = 1.0 if other in LIKELY else 0.3
            yield around.put("operator", node, f"{left} {other} {right}", weight)
            if binds:
                yield _token(around, node, other, weight)
    if now in {"-", "/", "@", "//", "**", "%"}:
        yield around.put("operands", node, f"{right} {now} {left}")
    yield around.put("term", node, left)
    yield around.put("term", node, right, 0.5)
    if now in {"@", "*", "+", "-", "/"}:
        for operand in (node.left, node.right):
            yield around.put("sign", operand, f"-{tree.operand(operand)}", 0.3)
    if now == "@":
        for operand in (node.left, node.right):
            yield around.put("transpose", operand, f"{tree.operand(operand)}.swapaxes(-1, -2)")


def _token(around: Surroundings, node: ast.BinOp, other: str, weight: float) -> Change:
    """Another operator without new brackets: it may bind its neighbours in another way."""
    start, end = around.tree.span(node.left)[1], around.tree.span(node.right)[0]
    between = around.tree.raw[start:end].decode()
    return Change(
        "operator",
        Span(start, end, between.replace(OPERATORS[type(node.op)], f" {other} ", 1)),
        0.8 * weight,
    )


def _comparisons(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    assert isinstance(node, ast.Compare)
    if len(node.ops) != 1:
        return
    tree = around.tree
    left, right = tree.operand(node.left), tree.operand(node.comparators[0])
    now = COMPARED[type(node.ops[0])]
    for other in COMPARED.values():
        if other != now:
            weight = 0.4 if other in {"in", "not in"} else 1.0
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
        test, body, other = (tree.operand(each) for each in (node.test, node.body, node.orelse))
        yield around.put("condition", node, f"{other} if {test} else {body}")
        yield around.put("condition", node, body, 0.7)
        yield around.put("condition", node, other, 0.7)


def _subscripts(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    assert isinstance(node, ast.Subscript)
    tree = around.tree
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        if isinstance(part, ast.Slice):
            yield from _slice(around, part)
    if len(parts) > 1:
        texts = [tree.source(part) for part in parts]
        for i, j in itertools.combinations(range(len(parts)), 2):
            swapped = list(texts)
            swapped[i], swapped[j] = swapped[j], swapped[i]
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


def _sequences(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    """Two elements exchanged: two results, two axes, two sizes."""
    assert isinstance(node, ast.Tuple | ast.List)
    parent = around.tree.parent.get(node)
    if isinstance(parent, ast.Subscript) or not 2 <= len(node.elts) <= 6:
        return
    kind = "results" if isinstance(parent, ast.Return) else "sequence"
    texts = [around.tree.source(part) for part in node.elts]
    start, end = around.tree.span(node.elts[0])[0], around.tree.span(node.elts[-1])[1]
    for i, j in itertools.combinations(range(len(texts)), 2):
        swapped = list(texts)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        yield Change(kind, Span(start, end, ", ".join(swapped)))
    if kind == "results":
        for text in texts:
            yield around.put(kind, node, text, 0.7)


def _names(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    assert isinstance(node, ast.Name)
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


def _attributes(around: Surroundings, node: ast.AST) -> Iterator[Change]:
    """A transpose that is written as an attribute."""
    assert isinstance(node, ast.Attribute)
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
    ast.Call: call_changes,
    ast.keyword: keyword_changes,
    ast.Subscript: _subscripts,
    ast.Tuple: _sequences,
    ast.List: _sequences,
    ast.Name: _names,
    ast.Attribute: _attributes,
}
