"""Walk over a file's syntax that takes only what keeps nothing: the rest is `NotPure`.

Each kind of node that is taken has its method here, and each node has to be met: what no method
looks at is not pure either.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable

from autograder.submission.code import is_text
from autograder.submission.purity_names import (
    NotPure,
    TopLevelNames,
    binders,
    is_constant,
    is_infinity,
)
from autograder.submission.purity_vocabulary import (
    ANNOTATIONS,
    ATTRIBUTES,
    BUILTINS,
    ERRORS,
    FILLED,
    HOW,
    KINDS,
    LIBRARY,
    NUMBERS,
    NUMBERS_AS_TEXTS,
    RAISED,
    TYPES,
)

MAX_INDICES = 60  # characters
FORMAT = re.compile(r"[\w.,+<>^=% -]*")
# Where a call takes a kind of number for new arrays: it has to be seen to be one plain kind, since
# of a kind that is several numbers, NumPy leaves some as they were in memory.
PLACE_OF_A_KIND = {"numpy.array": 1, "numpy.asarray": 1, "numpy.linspace": 5}
METHOD_WITH_A_KIND = "astype"  # and has it first
PYTHONS = frozenset({"bool", "float", "int"})
BY_ITSELF = LIBRARY - PLACE_OF_A_KIND.keys()
READ_BY_ITSELF = ATTRIBUTES - {METHOD_WITH_A_KIND}
NUMBERS_AND_CONSTANTS = KINDS | {"numpy.inf", "numpy.pi", "numpy.nan", "math.inf", "math.pi"}
NOT_ALONE = {"print"} | RAISED | (TYPES - BUILTINS)
# What keeps nothing if its parts do not: all of them are visited.
PURE_NODES = (
    ast.Module, ast.Pass, ast.Return, ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If,
    ast.Break, ast.Continue, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.ListComp,
    ast.GeneratorExp, ast.Compare, ast.Starred, ast.List, ast.Tuple, ast.Slice, ast.Subscript,
    ast.comprehension, ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip


def text_of(node: ast.AST) -> str | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def is_indices(path: str | None, text: str | None) -> bool:
    """Return whether a first argument of the function at `path` is like `"ij,jk->ik"`."""
    if text is None or path != "numpy.einsum":
        return False
    return len(text) < MAX_INDICES and all(each.isalpha() or each in ",.-> " for each in text)


def dotted(node: ast.AST | None, bound: TopLevelNames) -> str | None:
    """Return the dotted path of a library's name; None if it is no such."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in bound.imports:
        return None
    return ".".join([bound.imports[node.id], *reversed(parts)])


def is_kind(node: ast.expr, bound: TopLevelNames) -> bool:
    """Return whether an expression is a plain kind of number, by name."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value in NUMBERS_AS_TEXTS
    return (isinstance(node, ast.Name) and node.id in PYTHONS) or dotted(node, bound) in NUMBERS


def loops_over_kinds(tree: ast.AST, bound: TopLevelNames) -> set[str]:
    """Return names that are plain kinds wherever they are bound: `for kind in (bool, int):`."""
    every = Counter(name for name, _ in binders(tree))
    seen: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.For(
                target=ast.Name(id=name), iter=ast.Tuple(elts=kinds) | ast.List(elts=kinds)
            ):
                by_name = [kind for kind in kinds if not isinstance(kind, ast.Constant)]
                seen[name] += by_name == kinds and all(is_kind(kind, bound) for kind in kinds)
    return {name for name, count in seen.items() if count == every[name]}


def check_syntax(tree: ast.Module, bound: TopLevelNames) -> None:
    """Pass if nothing in a file keeps anything between calls of its functions.

    Raises:
        NotPure: something may.
    """
    walk = _Walk(bound, loops_over_kinds(tree, bound))
    walk.visit(tree)
    for node in ast.walk(tree):
        if id(node) not in walk.met:
            raise NotPure(type(node).__name__, node)


class _Walk(ast.NodeVisitor):
    """Walk with the ids of all nodes met; `loops` are names of kinds of numbers."""

    def __init__(self, bound: TopLevelNames, loops: set[str]) -> None:
        self.bound = bound
        self.loops = loops
        self.met: set[int] = set()
        self.is_inside = False

    def visit(self, node: ast.AST) -> None:
        self.met.add(id(node))
        super().visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        if not isinstance(node, PURE_NODES):
            raise NotPure(type(node).__name__, node)
        super().generic_visit(node)

    def _visit_all(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)

    def _excuse(self, *nodes: ast.AST) -> None:
        """Take nodes with all that is in them."""
        self.met.update(id(each) for node in nodes for each in ast.walk(node))

    # statements

    def visit_Expr(self, node: ast.Expr) -> None:
        if is_text(node):
            self._excuse(node)
        else:
            self.visit(node.value)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        # what a name is imported from is seen where it is used; a first import may do anything
        if self.is_inside:
            raise NotPure("an import in a function", node)
        self._excuse(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.visit_Import(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for_types: list[ast.AST] = getattr(node, "type_params", [])
        if node.decorator_list or for_types:
            raise NotPure("a function like this", node)
        self._parameters(node.args)
        if node.returns is not None:
            self._annotation(node.returns)
        outside, self.is_inside = self.is_inside, True
        self._visit_all(node.body)
        self.is_inside = outside

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._parameters(node.args)
        self.visit(node.body)

    def _parameters(self, args: ast.arguments) -> None:
        self.met.add(id(args))
        if args.kwarg is not None:
            raise NotPure("parameters by **", args.kwarg)
        for default in [*args.defaults, *filter(None, args.kw_defaults)]:
            if not is_constant(default) and self._path(default) not in NUMBERS_AND_CONSTANTS:
                raise NotPure("a default that is no constant", default)
            self._excuse(default)
        for each in [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, [args.vararg])]:
            self.met.add(id(each))
            if each.annotation is not None:
                self._annotation(each.annotation)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if not isinstance(node.target, ast.Name):
            raise NotPure("an annotation", node)
        self._annotation(node.annotation)
        self._visit_all([node.target, *filter(None, [node.value])])

    def visit_Assert(self, node: ast.Assert) -> None:
        self.visit(node.test)
        if node.msg is not None:
            self._said(node.msg)

    def visit_Raise(self, node: ast.Raise) -> None:
        error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if node.cause is not None or not isinstance(error, ast.Name) or error.id not in RAISED:
            raise NotPure("an error like this", node)
        self._excuse(error)
        if isinstance(node.exc, ast.Call):
            self.met.add(id(node.exc))
            if node.exc.keywords:
                raise NotPure("an error like this", node)
            for each in node.exc.args:
                self._said(each)

    def visit_With(self, node: ast.With) -> None:
        # only `with np.errstate(over="ignore"):`, which puts back what it sets
        for item in node.items:
            match item:
                case ast.withitem(ast.Call(function, [], keywords), None):
                    texts = [getattr(keyword.value, "value", None) for keyword in keywords]
                case _:
                    raise NotPure("with", node)
            named = all(keyword.arg for keyword in keywords) and ERRORS.issuperset(texts)
            if self._path(function) != "numpy.errstate" or not named:
                raise NotPure("with", node)
            self._excuse(item)
        self._visit_all(node.body)

    # expressions

    def visit_Constant(self, node: ast.Constant) -> None:
        # a text could be made to say where an object lies, by `%` or in an array of texts
        if isinstance(node.value, str | bytes):
            raise NotPure("a text", node)

    def visit_Name(self, node: ast.Name) -> None:
        self._excuse(node.ctx)
        path = self.bound.imports.get(node.id)
        if not isinstance(node.ctx, ast.Load):
            return
        if node.id in NOT_ALONE or (path is not None and path not in BY_ITSELF):
            raise NotPure(f"{node.id} by itself", node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if not isinstance(node.ctx, ast.Load):
            raise NotPure("an attribute that is set", node)
        if path is not None:
            if path not in BY_ITSELF:
                raise NotPure(path, node)
            self._excuse(node)
            return
        if node.attr not in READ_BY_ITSELF:
            raise NotPure(f".{node.attr}", node)
        self._excuse(node.ctx)
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        words = {keyword.arg for keyword in node.keywords}
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if is_infinity(node):
            self._excuse(node)
        elif name == "print" and words <= {"end", "sep"}:
            self._excuse(node.func)
            for each in [*node.args, *(keyword.value for keyword in node.keywords)]:
                self._said(each)
            self.met.update(map(id, node.keywords))
        elif name == "isinstance" and len(node.args) == 2 and not words:
            self._excuse(node.func)
            self.visit(node.args[0])
            self._annotation(node.args[1])
        else:
            self._call(node, words)

    def _call(self, node: ast.Call, words: set[str | None]) -> None:
        function = self._path(node.func)
        is_method = isinstance(node.func, ast.Attribute) and function is None
        if None in words or "file" in words:
            raise NotPure("a call by **", node)
        if "where" in words and not (function in LIBRARY and self._is_filled(node)):
            raise NotPure("where= without out=", node)
        kind_at = self._place_of_a_kind(node, function)
        if kind_at is None:
            self.visit(node.func)
        for place, each in enumerate(node.args):
            if place == kind_at:
                self._kind(each)
            elif not place and is_indices(function, text_of(each)):
                self._excuse(each)
            else:
                self.visit(each)
        for keyword in node.keywords:
            self.met.add(id(keyword))
            if is_method or function:
                self._library_keyword(function or "", keyword.arg or "", keyword.value)
            else:
                self.visit(keyword.value)

    def _library_keyword(self, function: str, name: str, value: ast.expr) -> None:
        if name == "dtype":
            self._kind(value)
        elif text_of(value) in HOW.get(name, ()):
            self._excuse(value)
        elif name == "err_msg" and function.startswith("numpy.testing."):
            self._said(value)
        else:
            self.visit(value)

    def _place_of_a_kind(self, node: ast.Call, function: str | None) -> int | None:
        """Return where a call takes a kind of number for a new array; None if nowhere."""
        method = node.func if isinstance(node.func, ast.Attribute) and function is None else None
        if function in PLACE_OF_A_KIND:
            place = PLACE_OF_A_KIND[function]
        elif method is not None and method.attr == METHOD_WITH_A_KIND:
            self.met.add(id(method))
            self._excuse(method.ctx)
            self.visit(method.value)
            place = 0
        else:
            return None
        if any(isinstance(each, ast.Starred) for each in node.args):
            raise NotPure("a call by *", node)
        if method is None:
            self._excuse(node.func)
        return place

    def _kind(self, node: ast.expr) -> None:
        """Pass if it is seen to be one plain kind of number."""
        of_array = isinstance(node, ast.Attribute) and node.attr == "dtype"
        in_turn = isinstance(node, ast.Name) and node.id in self.loops
        if is_kind(node, self.bound):
            self._excuse(node)
        elif in_turn or (of_array and self._path(node) is None):
            self.visit(node)
        else:
            raise NotPure("a kind of number", node)

    def _is_filled(self, node: ast.Call) -> bool:
        """Return whether `out=` is a filled array: with `where=`, some of it stays as it was."""
        out = next((each.value for each in node.keywords if each.arg == "out"), None)
        return isinstance(out, ast.Call) and self._path(out.func) in FILLED

    # parts

    def _said(self, node: ast.expr) -> None:
        """Visit the text of an error or for the screen, which no code reads, with what it shows."""
        match node:
            case ast.JoinedStr(values=parts):
                self.met.update(map(id, [node, *parts]))
                for part in parts:
                    if isinstance(part, ast.FormattedValue):
                        self.visit(part.value)
                        self._format(part.format_spec)
            case ast.BinOp(left=left, op=ast.Add() | ast.Mod() as op, right=right):
                self.met.update(map(id, [node, op]))
                self._said(left)
                self._said(right)
            case ast.Call(func=ast.Name(id="str") as function, args=[each], keywords=[]):
                self.met.add(id(node))
                self._excuse(function)
                self.visit(each)
            case _ if text_of(node) is not None:
                self._excuse(node)
            case _:
                self.visit(node)

    def _format(self, node: ast.expr | None) -> None:
        for each in ast.walk(node) if node is not None else ():
            if isinstance(each, ast.FormattedValue) or not FORMAT.fullmatch(text_of(each) or ""):
                raise NotPure("a format", each)
            self.met.add(id(each))

    def _annotation(self, node: ast.expr) -> None:
        """Pass if it is made only of names of types."""
        match node:
            case ast.Constant():
                pass
            case ast.Name(id=name) if name in TYPES or self._is_type(self._path(node)):
                pass
            case ast.Attribute() if self._is_type(self._path(node)):
                pass
            case ast.Subscript(value=value, slice=inner):
                self._annotation(value)
                self._annotation(inner)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                for each in elts:
                    self._annotation(each)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                self._annotation(left)
                self._annotation(right)
            case _:
                raise NotPure("an annotation", node)
        self._excuse(node)

    def _is_type(self, path: str | None) -> bool:
        return path is not None and (path in KINDS or path.startswith(ANNOTATIONS))

    def _path(self, node: ast.AST | None) -> str | None:
        return dotted(node, self.bound)
