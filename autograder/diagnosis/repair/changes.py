"""Candidate changes of expressions and statements."""

import ast
import builtins
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograder.diagnosis.repair.tree import Change, Span, Tree

AXES = ("-1", "-2", "0", "1", "2", "-3")
AXIS_NAMES = ("axis", "dim")
KEPT_NAMES = ("keepdims", "keepdim")
REDUCE = {"sum", "max", "min", "mean", "amax", "amin", "argmax", "argmin", "std", "var", "prod"}
MOVE = {"swapaxes", "transpose", "moveaxis", "permute"}
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>")
A, B = ast.Name("a"), ast.Name("b")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in")
# Functions that are often confused with each other, in groups.
_GROUPS = (
    "sum mean max min std var prod argmax argmin; zeros ones full empty eye; "
    "zeros_like ones_like full_like empty_like; tril triu; sqrt square abs; "
    "log log2 log10 log1p; exp exp2 expm1; matmul dot multiply; any all; maximum minimum; "
    "argsort sort; normal uniform standard_normal random; randn rand; append extend insert; "
    "concatenate stack vstack hstack cat; repeat tile; isinf isnan isfinite isneginf; "
    "ceil floor round; logical_and logical_or; ReLU GELU Tanh Sigmoid Identity; train eval; "
    "float32 float64 float16 int64 bool"
)
ALIKE = {w: words.split() for words in _GROUPS.split(";") for w in words.split()}
LIKELY = ("+", "-", "*", "/", "@", "//", "**", "%")
SWAPPED = ("-", "/", "@", "//", "**", "%")  # operators whose operands may be in the wrong order
SIGNED = ("@", "*", "+", "-", "/")  # operators whose operands may have the wrong sign
SIZED = {"range", "arange", "linspace", "eye", "ones", "zeros", "full", "empty", "tri"}


def changes_of(tree: Tree, node: ast.AST) -> Iterator[Change]:
    for kind, changes in CHANGES.items():
        if isinstance(node, kind):
            yield from changes(tree, node)


# Expressions


def _calls(tree: Tree, node: ast.Call) -> Iterator[Change]:
    called, inner = called_name(node), _inner(tree, node)
    if inner is not None:
        is_move = called in {"swapaxes", "transpose"} and isinstance(node.func, ast.Attribute)
        yield tree.put("transpose" if is_move else "call", node, tree.source(inner))
    start, end = tree.span(node.func)
    prefix = tree.source(node.func)[: -len(called)]
    for word in ALIKE.get(called, ()):
        if word != called:
            yield Change("function", Span(start, end, prefix + word))
    if node.args:
        yield from _arguments(tree, node.args)
    if called in REDUCE:
        yield from _added(tree, node)
    if called == "where" and node.args:
        yield tree.put("condition", node.args[0], f"~{tree.operand(node.args[0])}")
    for arg in node.args:
        yield tree.put("sign", arg, f"-{tree.operand(arg)}", 0.3)


def _inner(tree: Tree, node: ast.Call) -> ast.expr | None:
    func = node.func
    if isinstance(func, ast.Attribute):
        if not (isinstance(func.value, ast.Name) and func.value.id in tree.imported):
            return func.value
        if func.attr in {"swapaxes", "transpose"} and node.args:
            return node.args[0]
    return node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None


def _arguments(tree: Tree, nodes: Sequence[ast.expr]) -> Iterator[Change]:
    """Yield copies of a call: with its arguments in other orders, and with two exchanged names."""
    args = [tree.source(arg) for arg in nodes]
    start, end = tree.span(nodes[0])[0], tree.span(nodes[-1])[1]
    for swapped in itertools.islice(_swapped(args), 10):
        yield Change("arguments", Span(start, end, swapped))
    inside = itertools.chain.from_iterable(map(ast.walk, nodes))
    names = dict.fromkeys(part.id for part in inside if isinstance(part, ast.Name))
    for one, other in itertools.islice(itertools.combinations(names, 2), 10):
        parts = re.split(rf"(?<![\w.])({one}|{other})\b", ", ".join(args))
        parts[1::2] = [one if part == other else other for part in parts[1::2]]  # the names
        yield Change("names", Span(start, end, "".join(parts)))
    if len(args) == 4 and all(plain_number(arg) is not None for arg in nodes):
        for order in itertools.permutations(args):
            yield Change("axis", Span(start, end, ", ".join(order)), 0.5)


def _added(tree: Tree, node: ast.Call) -> Iterator[Change]:
    """Yield copies of a reduction, such as a sum, with an added axis or `keepdims`."""
    given = {keyword.arg for keyword in node.keywords}
    torch = "torch" in tree.imported
    kept, axis_name = f"{KEPT_NAMES[torch]}=True", AXIS_NAMES[torch]
    lacks_kept, place = given.isdisjoint(KEPT_NAMES), tree.span(node)[1] - 1
    comma = ", " if node.args or node.keywords else ""
    if lacks_kept:
        yield Change("keepdims", Span(place, place, comma + kept))
    for axis in (*_axis_names(tree, node), *AXES[:4]) if given.isdisjoint(AXIS_NAMES) else ():
        text = f"{comma}{axis_name}={axis}"
        yield Change("axis", Span(place, place, text), 0.8)
        if lacks_kept:
            yield Change("kept axis", Span(place, place, f"{text}, {kept}"), 0.8)


def _axis_names(tree: Tree, node: ast.AST) -> list[str]:
    return [name for name in tree.scope(node) if name in AXIS_NAMES]


def _swapped(texts: Sequence[str]) -> Iterator[str]:
    for i, j in itertools.combinations(range(len(texts)), 2):
        swapped = list(texts)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        yield ", ".join(swapped)


def _keywords(tree: Tree, node: ast.keyword) -> Iterator[Change]:
    parent = tree.parent.get(node)
    if node.arg is None or not isinstance(parent, ast.Call):
        return
    kind = "keepdims" if node.arg in KEPT_NAMES else "axis" if node.arg in AXIS_NAMES else "keyword"
    start, end = tree.span(node)
    before = tree.raw[:start].rstrip(b" \n\t")
    start = len(before)
    if before.endswith(b","):
        yield Change(kind, Span(start - 1, end, ""))
    elif len(parent.keywords) == 1 and not parent.args:
        yield Change(kind, Span(start, end, ""))


def _numbers(tree: Tree, node: ast.Constant | ast.UnaryOp) -> Iterator[Change]:
    parent = tree.parent.get(node)
    value = plain_number(node)
    if isinstance(node, ast.Constant):
        if isinstance(parent, ast.UnaryOp):
            return
        if isinstance(node.value, bool):
            is_kept = isinstance(parent, ast.keyword) and parent.arg in KEPT_NAMES
            yield tree.put("keepdims" if is_kept else "constant", node, str(not node.value))
    if value is None:
        return
    if _is_axis(parent, node):
        for axis in (*AXES, *_axis_names(tree, node)):
            yield tree.put("axis", node, axis)
        return
    if abs(value) < 1e6:
        for other in (value + 1, value - 1):
            yield tree.put("off by one", node, repr(other))
        for other in (-value, 0, 1, 2, -1):
            yield tree.put("constant", node, repr(type(value)(other)), 0.7)
    for factor in (1e3, 1e-3) if isinstance(value, float) and value else ():
        yield tree.put("constant", node, repr(value * factor), 0.3)


def _is_axis(parent: ast.AST | None, node: ast.AST) -> bool:
    if isinstance(parent, ast.keyword):
        return parent.arg in AXIS_NAMES
    if not isinstance(parent, ast.Call) or node not in parent.args:
        return False
    is_python = isinstance(parent.func, ast.Name) and hasattr(builtins, parent.func.id)
    return not is_python and called_name(parent) in REDUCE | MOVE  # Python's max(0, n) has no axes


def _signs(tree: Tree, node: ast.UnaryOp) -> Iterator[Change]:
    inner = tree.operand(node.operand)
    if isinstance(node.op, ast.Not):
        yield tree.put("condition", node, inner)
        yield tree.put("sign", node, f"-{inner}", 0.6)
        return
    yield tree.put("sign", node, inner)
    for sign in ("-", "~"):
        yield tree.put("sign", node, sign + inner, 0.8)
    yield tree.put("sign", node, f"not {inner}", 0.3)


def _operators(tree: Tree, node: ast.BinOp) -> Iterator[Change]:
    left, right = tree.operand(node.left), tree.operand(node.right)
    now = sign_of(node)
    start, end = tree.span(node.left)[1], tree.span(node.right)[0]
    between = tree.raw[start:end].decode()
    near = (node.left, node.right, tree.parent.get(node))
    binds = any(isinstance(neighbour, ast.BinOp) for neighbour in near)
    for other in OPERATORS:
        if other == now:
            continue
        weight = 1.0 if other in LIKELY else 0.3
        yield tree.put("operator", node, f"{left} {other} {right}", weight)
        if binds:  # without brackets, another operation may be computed first
            span = Span(start, end, between.replace(now, f" {other} ", 1))
            yield Change("operator", span, 0.8 * weight)
    if now in SWAPPED:
        yield tree.put("operands", node, f"{right} {now} {left}")
    yield tree.put("term", node, left)
    yield tree.put("term", node, right, 0.5)
    for operand in (node.left, node.right):
        if now in SIGNED:
            yield tree.put("sign", operand, f"-{tree.operand(operand)}", 0.3)
        if now == "@":
            yield tree.put("transpose", operand, f"{tree.operand(operand)}.swapaxes(-1, -2)")


def _comparisons(tree: Tree, node: ast.Compare) -> Iterator[Change]:
    if len(node.ops) != 1:
        return
    left, right = tree.operand(node.left), tree.operand(node.comparators[0])
    now = ast.unparse(ast.Compare(A, node.ops, [B]))[2:-2]
    for other in COMPARISONS:
        weight = 0.4 if other in {"in", "not in"} else 1.0
        if other != now:
            yield tree.put("comparison", node, f"{left} {other} {right}", weight)


def _conditions(tree: Tree, node: ast.BoolOp | ast.IfExp | ast.If | ast.While) -> Iterator[Change]:
    if isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        parts = [tree.operand(value) for value in node.values]
        yield tree.put("condition", node, word.join(parts))
        for part in parts:
            yield tree.put("condition", node, part, 0.8)
        return
    test = tree.operand(node.test)
    if isinstance(node, ast.IfExp):
        body, other = tree.operand(node.body), tree.operand(node.orelse)
        yield tree.put("condition", node, f"{other} if {test} else {body}")
        for part in (body, other):
            yield tree.put("condition", node, part, 0.7)
        return
    yield tree.put("condition", node.test, f"not {test}")
    for always in ("True", "False") if isinstance(node, ast.If) else ():
        yield tree.put("condition", node.test, always, 0.6)


def _subscripts(tree: Tree, node: ast.Subscript) -> Iterator[Change]:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        if isinstance(part, ast.Slice):
            yield from _slice(tree, part)
    if len(parts) > 1:
        texts = [tree.source(part) for part in parts]
        for swapped in _swapped(texts):
            yield tree.put("index", node.slice, swapped)
        for i in range(len(parts)):
            yield tree.put("index", node.slice, ", ".join(texts[:i] + texts[i + 1 :]), 0.7)
    if isinstance(node.ctx, ast.Load):
        yield tree.put("index", node, tree.source(node.value), 0.7)


def _slice(tree: Tree, node: ast.Slice) -> Iterator[Change]:
    lower, upper, step = (
        tree.source(part) if part else "" for part in (node.lower, node.upper, node.step)
    )
    step = f":{step}" if step else ""
    for low, high in ((upper, lower), ("", upper), (lower, "")):
        yield tree.put("slice", node, f"{low}:{high}{step}", 0.8)
    for more in ("+1", "-1"):
        if upper:
            yield tree.put("slice", node, f"{lower}:{upper} {more}{step}")
        if lower:
            yield tree.put("slice", node, f"{lower} {more}:{upper}{step}")
    if step:
        yield tree.put("slice", node, f"{lower}:{upper}")


def _sequences(tree: Tree, node: ast.Tuple | ast.List) -> Iterator[Change]:
    """Yield copies of a sequence, such as results, axes or sizes, with two exchanged elements."""
    parent = tree.parent.get(node)
    if isinstance(parent, ast.Subscript) or not 2 <= len(node.elts) <= 6:
        return
    kind = "results" if isinstance(parent, ast.Return) else "sequence"
    texts = [tree.source(part) for part in node.elts]
    start, end = tree.span(node.elts[0])[0], tree.span(node.elts[-1])[1]
    for swapped in _swapped(texts):
        yield Change(kind, Span(start, end, swapped))
    if kind == "results":
        for text in texts:
            yield tree.put(kind, node, text, 0.7)


def _names(tree: Tree, node: ast.Name) -> Iterator[Change]:
    if not isinstance(node.ctx, ast.Load) or node.id in tree.imported or node.id == "self":
        return
    parent = tree.parent.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    lately = [name for name in tree.lately(node) if name != node.id][:2]
    for name in tree.scope(node)[:14]:
        if name != node.id:
            yield tree.put("name", node, name, 1.7 if name in lately else 1.0)
    is_size = isinstance(parent, ast.Call) and called_name(parent) in SIZED
    if is_size or isinstance(parent, ast.Slice):  # not for arrays: every entry would change
        yield tree.put("off by one", node, f"{node.id} + 1", 0.3)
        yield tree.put("off by one", node, f"{node.id} - 1", 0.3)


def _attributes(tree: Tree, node: ast.Attribute) -> Iterator[Change]:
    if node.attr in {"T", "mT"}:
        value = tree.operand(node.value)
        yield tree.put("transpose", node, f"{value}.swapaxes(-1, -2)")
        yield tree.put("transpose", node, value)


# Statements


def _left_out(tree: Tree, node: ast.stmt) -> Iterator[Change]:
    owner = tree.owner[node]
    if owner is None:
        return
    yield tree.put("statement", node, "pass")
    if isinstance(node, ast.Expr) and owner.body[-1] is node:
        yield tree.put("return", node, f"return {tree.source(node.value)}")
    if isinstance(node, ast.Assign | ast.AugAssign) and owner.body[-1] is node:
        end = tree.span(node)[1]
        for name in reversed(tree.scope(node)):
            yield Change("return", Span(end, end, f"; return {name}"))


def _copied(tree: Tree, node: ast.Assign | ast.AugAssign) -> Iterator[Change]:
    """Yield edits that copy an array, or turn an array into floats."""
    start, end = tree.span(node)
    written: list[ast.expr] = []
    if isinstance(node, ast.AugAssign):
        written = [node.target]
        target, value = tree.source(node.target), tree.operand(node.value)
        now = sign_of(ast.BinOp(node.target, node.op, node.value))
        yield Change("copy", Span(start, end, f"{target} = {target} {now} {value}"))
        for other in ("+", "-", "*", "/"):
            if other != now:
                yield Change("operator", Span(start, end, f"{target} {other}= {value}"))
    else:
        written = [target for target in node.targets if isinstance(target, ast.Subscript)]
    for place in written:
        array = place
        while isinstance(array, ast.Subscript):
            array = array.value
        if isinstance(array, ast.Name) and (name := array.id) in tree.scope(node):
            yield Change("copy", Span(start, start, f"{name} = {name}.copy(); "))
            yield Change("type", Span(start, start, f"{name} = {name} * 1.0; "), 1.8)
    if isinstance(node, ast.Assign):
        source = tree.source(node.value)
        yield tree.put("copy", node.value, f"({source}).copy()", 0.3)
        yield tree.put("type", node.value, f"({source}) * 1.0", 0.3)


def _returns(tree: Tree, node: ast.Return) -> Iterator[Change]:
    if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
        for name in reversed(tree.scope(node)):
            yield tree.put("return", node, f"return {name}")
    elif not isinstance(node.value, ast.Tuple | ast.Name):
        yield tree.put("type", node.value, f"({tree.source(node.value)}) * 1.0", 0.3)


def _leaps(tree: Tree, node: ast.stmt) -> Iterator[Change]:
    yield tree.put("leap", node, "continue" if isinstance(node, ast.Break) else "break")
    yield tree.put("leap", node, "pass", 0.7)


def plain_number(node: ast.AST) -> int | float | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    value: Any = node.value if isinstance(node, ast.Constant) else None
    return sign * value if type(value) in {int, float} and abs(value) <= 1e15 else None


def sign_of(node: ast.BinOp) -> str:
    return ast.unparse(ast.BinOp(A, node.op, B))[2:-2]


def called_name(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


CHANGES: dict[Any, Callable[[Tree, Any], Iterator[Change]]] = {
    (ast.Constant, ast.UnaryOp): _numbers,
    ast.UnaryOp: _signs,
    ast.BinOp: _operators,
    ast.Compare: _comparisons,
    (ast.BoolOp, ast.IfExp, ast.If, ast.While): _conditions,
    ast.Call: _calls,
    ast.keyword: _keywords,
    ast.Subscript: _subscripts,
    (ast.Tuple, ast.List): _sequences,
    ast.Name: _names,
    ast.Attribute: _attributes,
    (ast.Assign, ast.AugAssign, ast.Expr, ast.Delete): _left_out,
    (ast.AugAssign, ast.Assign): _copied,
    ast.Return: _returns,
    (ast.Break, ast.Continue): _leaps,
}
