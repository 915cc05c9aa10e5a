"""What a file's names stand for: its imports, functions, classes, constants, and what it made."""

import ast
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from autograder.submission.code import assigned


class Doubt(Exception):
    """Code of which it is not known whether it keeps something; the message names what."""

    def __init__(self, what: str, node: ast.AST | None = None) -> None:
        super().__init__(what)
        self.line = getattr(node, "lineno", 0)


class Bound(msgspec.Struct):
    """The names of a module's top level, by what they stand for. `imports` have dotted paths.

    `attributes` are those that methods give their objects, and the methods.
    """

    imports: dict[str, str] = {}
    functions: set[str] = set()
    classes: set[str] = set()
    constants: set[str] = set()
    made: set[str] = set()
    attributes: set[str] = set()

    @property
    def readable(self) -> set[str]:
        """What functions may read: nothing that can be changed."""
        return {*self.imports, *self.functions, *self.classes, *self.constants}


def names_of(trees: Sequence[Sequence[ast.stmt]], beside: Mapping[str, Bound]) -> Bound:
    """What the statements of a file bind; `beside` are the files that it may import from.

    Raises:
        Doubt: one name stands for two kinds of things, or an import is of something else.
    """
    names = Bound()
    for tree in trees:
        _imports(tree, names, beside)
        _bindings(tree, names)
        _attributes(tree, names)
    names.constants -= names.made
    kinds = (set(names.imports), names.functions | names.classes, names.constants, names.made)
    for place, one in enumerate(kinds[:3]):
        for other in kinds[place + 1 :]:
            if one & other:
                raise Doubt(f"{min(one & other)} stands for two things")
    _keep_apart(trees, names)
    return names


def _imports(tree: Iterable[ast.stmt], names: Bound, beside: Mapping[str, Bound]) -> None:
    """Note what each name is imported from; whether that may be used is seen where it is."""
    for node in _walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                _import(names, alias.asname or top, alias.name if alias.asname else top, node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name, module = alias.asname or alias.name, node.module or ""
                if name == "*":
                    raise Doubt("import *", node)
                if module in beside and alias.name in beside[module].functions:
                    names.functions.add(name)
                else:
                    _import(names, name, f"{'.' * node.level}{module}.{alias.name}", node)


def _import(names: Bound, name: str, path: str, node: ast.AST) -> None:
    if names.imports.setdefault(name, path) != path:
        raise Doubt(f"{name} stands for two things", node)


def _bindings(tree: Iterable[ast.stmt], names: Bound) -> None:
    for node in _top_level(tree):
        match node:
            case ast.FunctionDef(name=name):
                names.functions.add(name)
            case ast.ClassDef(name=name):
                names.classes.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                names.functions.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_constant(value):
                names.constants.add(name)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if is_constant(
                value
            ):
                names.constants.add(name)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.made.add(name)
            case ast.ExceptHandler(name=str(name)):
                names.made.add(name)
    names.made -= {*names.constants, *names.functions} - _otherwise_bound(tree)


def _otherwise_bound(tree: Iterable[ast.stmt]) -> set[str]:
    """Bound that something else gives a value than an assignment of a constant or of a lambda."""
    found: set[str] = set()
    plain: set[ast.AST] = set()
    for node in _top_level(tree):
        target = (
            node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        )
        target = node.target if isinstance(node, ast.AnnAssign) else target
        value = getattr(node, "value", None)
        is_plain = isinstance(value, ast.Lambda) or (value is not None and is_constant(value))
        if isinstance(target, ast.Name) and is_plain:
            plain.add(target)
        is_bound = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.Name) and is_bound and node not in plain:
            found.add(node.id)
    return found


def _top_level(tree: Iterable[ast.stmt]) -> Iterable[ast.AST]:
    """Every node outside functions and classes, these themselves included; parents come first."""
    waiting: list[ast.AST] = list(tree)
    while waiting:
        node = waiting.pop(0)
        yield node
        inside = isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
        )
        if not inside and not never_runs(node):
            waiting += ast.iter_child_nodes(node)


def _walk(tree: Iterable[ast.stmt]) -> Iterable[ast.AST]:
    for statement in tree:
        if not never_runs(statement):
            yield from ast.walk(statement)


def _attributes(tree: Iterable[ast.stmt], names: Bound) -> None:
    for node in _walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.attributes.add(node.attr)
        elif isinstance(node, ast.Call):
            names.attributes.update(_registered(node))
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef):
                    names.attributes.add(each.name)
                names.attributes.update(assigned(each))


def _registered(node: ast.Call) -> Iterable[str]:
    """The name of what `self.register_buffer("mask", ...)` gives a module."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Constant(value=str(name)), *_]):
            if attr in {"register_buffer", "register_parameter"}:
                yield name


def never_runs(node: ast.AST) -> bool:
    """`if __name__ == "__main__":`, and no more than that."""
    return (
        isinstance(node, ast.If)
        and not node.orelse
        and ast.unparse(node.test) in {"__name__ == '__main__'", "'__main__' == __name__"}
    )


def is_constant(value: ast.expr) -> bool:
    """Whether an expression is written out, and nothing of its value can be changed."""
    match value:
        case ast.Constant():
            return not isinstance(value.value, bytes | str)
        case ast.UnaryOp(operand=operand):
            return is_constant(operand)
        case ast.BinOp(left=left, right=right):
            return is_constant(left) and is_constant(right)
        case ast.Tuple(elts=elts):
            return all(map(is_constant, elts))
    return is_number_as_text(value)


def is_number_as_text(value: ast.expr) -> bool:
    """`float("-inf")`."""
    match value:
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str())], keywords=[]):
            return True
    return False


def _keep_apart(trees: Sequence[Sequence[ast.stmt]], names: Bound) -> None:
    """Pass if what is imported has its name everywhere: no parameter or variable takes it.

    Raises:
        Doubt: one does.
    """
    for tree in trees:
        for node in _walk(tree):
            taken: str | None = None
            match node:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                    taken = name
                case ast.ExceptHandler(name=str(name)) | ast.FunctionDef(name=name):
                    taken = name
                case ast.ClassDef(name=name):
                    taken = name
            if taken in names.imports or (
                taken in names.classes and not isinstance(node, ast.ClassDef)
            ):
                raise Doubt(f"{taken} stands for two things", node)
