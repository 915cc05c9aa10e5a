"""Edits of calls: unwrapped, exchanged for one alike, given other arguments."""

import ast
import itertools
from collections.abc import Iterator

from autograder.repair.change import (
    AXES,
    AXIS_NAMES,
    KEPT_NAMES,
    REDUCE,
    Change,
    Surroundings,
    called_name,
    plain_number,
)
from autograder.repair.tree import Span

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
