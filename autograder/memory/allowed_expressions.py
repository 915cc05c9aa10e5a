"""A walk over expressions that takes only what keeps nothing: the rest is a `Doubt`."""

import ast
from collections.abc import Iterable
from typing import Self

from autograder.memory.bound import Bound, Doubt, is_constant, is_number_as_text
from autograder.memory.said_how import says_how
from autograder.memory.vocabulary import (
    ANY_NAME_OF,
    ATTRIBUTES,
    FILLED,
    KINDS,
    LIBRARY,
    NOT_ALONE,
    OF_MODULES,
    OF_SELF,
    SPECIAL_METHODS,
)

PLAIN = (
    ast.Pass, ast.Return, ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If, ast.Expr,
    ast.Break, ast.Continue, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Dict, ast.ListComp,
    ast.DictComp, ast.GeneratorExp, ast.Yield, ast.Starred, ast.List, ast.Tuple, ast.Slice,
    ast.comprehension, ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop,
    ast.Nonlocal, ast.NamedExpr,
)  # fmt: skip


class Expressions(ast.NodeVisitor):
    """Visits what is in a scope; `own` is what a method calls its object."""

    def __init__(self, names: Bound, own: str | None = None, depth: int = 0) -> None:
        self.names = names
        self.own = own
        self.depth = depth
        self.says = False  # in a text that is only ever shown
        self.has_with = self.has_yield = False

    def generic_visit(self, node: ast.AST) -> None:
        if not isinstance(node, PLAIN):
            raise Doubt(f"{type(node).__name__}", node)
        self.has_yield = self.has_yield or isinstance(node, ast.Yield)
        if self.says and isinstance(node, ast.NamedExpr):
            raise Doubt("a text that is kept", node)
        super().generic_visit(node)

    def inside(self, own: str | None) -> Self:
        """A walk over what stands in a function here."""
        return type(self)(self.names, own, self.depth + 1)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.defaults(node.args)
        if self.own in parameters(node.args):
            raise Doubt(f"{self.own} stands for two things", node)
        self.inside(self.own).visit(node.body)

    def defaults(self, args: ast.arguments) -> None:
        for default in [*args.defaults, *filter(None, args.kw_defaults)]:
            if self.depth:
                self.visit(default)
            elif not is_constant(default) and self.path(default) not in LIBRARY:
                raise Doubt("a default that is no constant", default)

    def visit_Constant(self, node: ast.Constant) -> None:
        """A text could be made to tell where an object lies, by `%` or in an array of texts."""
        if isinstance(node.value, str | bytes) and self.depth and not self.says:
            raise Doubt("a text", node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        if self.depth and not self.says:
            raise Doubt("a text made of values", node)
        self.all_of(node.values)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.all_of(each for each in [node.left, *node.comparators] if not _is_written_text(each))

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)
        if not (isinstance(node.ctx, ast.Load) and _is_written_text(node.slice)):
            self.visit(node.slice)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> None:
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        name = node.id
        is_read = isinstance(node.ctx, ast.Load)
        if (name.startswith("__") and self.depth) or (name == self.own and not is_read):
            raise Doubt(name, node)
        is_library = self.names.imports.get(name, "math.pi") in LIBRARY
        if is_read and (name in self.names.classes | NOT_ALONE or not is_library):
            raise Doubt(f"{name} by itself", node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self.path(node)
        if path is not None:
            if path not in LIBRARY or not isinstance(node.ctx, ast.Load):
                raise Doubt(path, node)
            return
        is_own = isinstance(node.value, ast.Name) and node.value.id == self.own
        if is_own and self.own is not None:
            is_known = node.attr in self.names.attributes - OF_MODULES or node.attr in OF_SELF
            if node.attr.startswith("_") or not is_known:
                raise Doubt(f"self.{node.attr}", node)
            return
        if not isinstance(node.ctx, ast.Load) or node.attr not in ATTRIBUTES:
            raise Doubt(f".{node.attr}", node)
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        words = {keyword.arg for keyword in node.keywords}
        if None in words:
            raise Doubt("a call by **", node)
        if "where" in words and not self._is_filled(node):
            raise Doubt("where= without out=", node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if self._is_super(node):
            return
        if name == "isinstance" and len(node.args) == 2:
            self.visit(node.args[0])
            self.annotation(node.args[1])
            return
        if name == "print" and not words & {"file"}:
            self.said([*node.args, *(keyword.value for keyword in node.keywords)])
            return
        if name in {"print", "super"}:
            raise Doubt(name, node)
        if is_number_as_text(node):
            return
        if name not in self.names.classes:
            self.visit(node.func)
        self._arguments(node)

    def _is_filled(self, node: ast.Call) -> bool:
        """Whether the results have values before they get any: what is left out stays as it was."""
        given = [each.value for each in node.keywords if each.arg == "out"]
        return bool(given) and isinstance(given[0], ast.Call) and self.path(given[0].func) in FILLED

    def _arguments(self, node: ast.Call) -> None:
        """Visit them, but for texts that only say how a library is to do something."""
        function = self.path(node.func)
        if function is None and isinstance(node.func, ast.Attribute):
            own = node.func.attr in self.names.attributes
            function = None if own else f".{node.func.attr}"
        for place, each in enumerate(node.args):
            if place or not says_how(function, "", each):
                self.visit(each)
        for keyword in node.keywords:
            if not says_how(function, keyword.arg or "", keyword.value):
                self.visit(keyword.value)

    def _is_super(self, node: ast.Call) -> bool:
        """`super().NAME(...)`, also in the old words; its arguments are visited."""
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Name):
            return False
        if inner.func.id != "super" or inner.keywords or self.own is None:
            return False
        match inner.args:
            case [] | [ast.Name(), ast.Name(id=self.own)]:
                pass
            case _:
                return False
        assert isinstance(node.func, ast.Attribute)
        attribute = node.func.attr
        if attribute not in {*SPECIAL_METHODS, "forward", *OF_SELF}:
            return False
        self._arguments(node)
        return True

    def said(self, nodes: Iterable[ast.AST]) -> None:
        """Visit what becomes a text that code never reads: of an error, or on the screen."""
        before, self.says = self.says, True
        self.all_of(nodes)
        self.says = before

    def annotation(self, node: ast.AST | None) -> None:
        """Pass if an annotation is made of names of kinds."""
        for each in ast.walk(node) if node is not None else ():
            if isinstance(each, ast.Call | ast.Lambda | ast.NamedExpr | ast.Yield):
                raise Doubt("an annotation", each)
            if isinstance(each, ast.Attribute):
                path = self.path(each) or ""
                module = path.rpartition(".")[0]
                if path not in KINDS | LIBRARY and module not in ANY_NAME_OF:
                    raise Doubt("an annotation", each)

    def path(self, node: ast.AST | None) -> str | None:
        """The dotted path of a library's name; None of what is no such."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.names.imports:
            return None
        return ".".join([self.names.imports[node.id], *reversed(parts)])

    def all_of(self, nodes: Iterable[ast.AST]) -> None:
        for node in nodes:
            self.visit(node)


def _is_written_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def parameters(args: ast.arguments) -> set[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {each.arg for each in every if each is not None}
