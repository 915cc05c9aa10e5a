"""A walk over statements that takes only what keeps nothing: the rest is a `Doubt`."""

import ast
from collections.abc import Iterable

from autograder.memory.allowed_expressions import Expressions, parameters
from autograder.memory.bound import Bound, Doubt, is_constant, never_runs
from autograder.memory.vocabulary import (
    CAUGHT,
    CONTEXTS,
    IMPORTED_ANYWHERE,
    RAISED,
    SPECIAL_METHODS,
)
from autograder.submission.code import is_text


def check_statements(tree: Iterable[ast.stmt], names: Bound) -> None:
    """Pass if statements of a file's top level keep nothing that its functions can read.

    Raises:
        Doubt: they may.
    """
    walk = _Walk(names)
    for statement in tree:
        if not never_runs(statement):
            walk.visit(statement)


class _Walk(Expressions):
    """The same for statements."""

    def visit_Import(self, node: ast.Import) -> None:
        """What a name is imported from is seen where it is used; a first import may do anything."""
        for alias in node.names:
            self._import(alias.name, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._import(node.module or "", node)

    def _import(self, module: str, node: ast.AST) -> None:
        if self.depth and module.partition(".")[0] not in IMPORTED_ANYWHERE:
            raise Doubt(f"an import of {module} in a function", node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not is_text(node):
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.decorator_list or node.name.startswith("__"):
            raise Doubt("a function like this", node)
        if self.own is not None and self.own in {node.name, *parameters(node.args)}:
            raise Doubt(f"{self.own} stands for two things", node)
        self._function(node, self.own)

    def _function(self, node: ast.FunctionDef, own: str | None) -> None:
        if getattr(node, "type_params", ()):
            raise Doubt("parameters of types", node)
        self.defaults(node.args)
        for each in [*_annotations(node.args), node.returns]:
            self.annotation(each)
        inner = self.inside(own)
        for statement in node.body:
            inner.visit(statement)
        if inner.has_with and inner.has_yield:
            raise Doubt("with and yield in one function", node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for_types: list[ast.AST] = getattr(node, "type_params", [])
        if self.depth or node.decorator_list or node.keywords or for_types:
            raise Doubt("a class like this", node)
        for base in node.bases:
            known = isinstance(base, ast.Name) and base.id in {
                *self.names.classes,
                "object",
                *RAISED,
            }
            if not known and self.path(base) != "torch.nn.Module":
                raise Doubt("a class of that kind", node)
        for each in node.body:
            if isinstance(each, ast.FunctionDef):
                self._method(each)
            elif isinstance(each, ast.AnnAssign) and (
                each.value is None or is_constant(each.value)
            ):
                self.annotation(each.annotation)
            elif not (is_text(each) or isinstance(each, ast.Pass)) and not (
                isinstance(each, ast.Assign) and is_constant(each.value)
            ):
                raise Doubt("what stands in a class", each)

    def _method(self, node: ast.FunctionDef) -> None:
        if node.name.startswith("__") and node.name not in SPECIAL_METHODS:
            raise Doubt(node.name, node)
        match node.decorator_list:
            case [ast.Name(id="staticmethod")]:
                self._function(node, None)
            case [] | [ast.Name(id="property")] if node.args.args:
                self._function(node, node.args.args[0].arg)
            case _:
                raise Doubt("a decorator", node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.annotation(node.annotation)
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_Assert(self, node: ast.Assert) -> None:
        self.visit(node.test)
        if node.msg is not None:
            self.said([node.msg])

    def visit_Raise(self, node: ast.Raise) -> None:
        match node.exc:
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if self._is_error(name):
                self.said(args)
            case ast.Name(id=name) if self._is_error(name):
                pass
            case None:
                pass
            case _:
                raise Doubt("an error of its own", node)
        if node.cause is not None and not isinstance(node.cause, ast.Constant | ast.Name):
            raise Doubt("an error's cause", node)

    def _is_error(self, name: str) -> bool:
        return name in RAISED and name not in self.names.readable | self.names.made

    def visit_Try(self, node: ast.Try) -> None:
        if node.finalbody:
            raise Doubt("finally", node)
        for handler in node.handlers:
            kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            for kind in kinds:
                known = isinstance(kind, ast.Name) and kind.id in CAUGHT and self._is_error(kind.id)
                if not known and self.path(kind) != "numpy.linalg.LinAlgError":
                    raise Doubt("except for any error", handler)
            if handler.name == self.own and self.own is not None:
                raise Doubt(f"{self.own} stands for two things", handler)
            self.all_of(handler.body)
        self.all_of([*node.body, *node.orelse])

    def visit_With(self, node: ast.With) -> None:
        self.has_with = True
        for item in node.items:
            call = item.context_expr
            if not isinstance(call, ast.Call) or self.path(call.func) not in CONTEXTS:
                raise Doubt("with", node)
            if item.optional_vars is not None or not all(
                is_constant(k.value) for k in call.keywords
            ):
                raise Doubt("with", node)
        self.all_of(node.body)

    def visit_Delete(self, node: ast.Delete) -> None:
        if not self.depth:
            raise Doubt("del", node)
        self.all_of(node.targets)


def _annotations(args: ast.arguments) -> list[ast.expr | None]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return [each.annotation for each in every if each is not None]
