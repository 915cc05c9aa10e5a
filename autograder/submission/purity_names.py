"""Names of a file's top level: its imports, functions, constants, and what it made."""

import ast
import builtins
import symtable
from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec

from autograder.submission.purity_vocabulary import BUILTINS, RAISED, TYPES
from autograder.worker.loading import IN_NOTEBOOKS

PYTHONS_OWN = frozenset(dir(builtins)) | set(IN_NOTEBOOKS)


class NotPure(Exception):
    """Code that may keep something between calls; the message names what."""

    def __init__(self, what: str, node: ast.AST | None = None) -> None:
        super().__init__(what)
        self.line = getattr(node, "lineno", 0)


class TopLevelNames(msgspec.Struct):
    """Names of a file's top level by what they stand for; `imports` have dotted paths."""

    imports: dict[str, str] = {}
    functions: set[str] = set()
    constants: set[str] = set()
    made: set[str] = set()


def top_level_names(tree: ast.Module) -> TopLevelNames:
    """Return what the statements of a file bind.

    Raises:
        NotPure: one name stands for two kinds of things, or for what is Python's own.
    """
    bound = TopLevelNames()
    for name, node in binders(tree):
        if name in PYTHONS_OWN or name.startswith("__"):
            raise NotPure(f"{name} for another thing than Python's", node)
    _top_level(tree, bound)
    bound.constants -= bound.made
    kinds = (set(bound.imports), bound.functions, bound.made, bound.constants)
    for one, other in combinations(kinds, 2):
        if one & other:
            raise NotPure(f"{min(one & other)} stands for two things")
    for name, node in binders(tree):
        if name in bound.imports and not isinstance(node, ast.Import | ast.ImportFrom):
            raise NotPure(f"{name} stands for two things", node)
    return bound


def binders(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield every name that is bound in any scope, and the node that binds it."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name, node
            case ast.FunctionDef(name=name):
                yield name, node
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    yield (alias.asname or alias.name).split(".")[0], node


def _top_level(tree: ast.Module, bound: TopLevelNames) -> None:
    """Sort what is bound outside functions by its kind; no import may be conditional."""
    waiting: list[ast.AST] = list(tree.body)
    plain: set[int] = set()  # targets of assignments that need no second look
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom) and node not in tree.body:
            raise NotPure("an import on a condition", node)
        match node:
            case ast.FunctionDef(name=name):
                bound.functions.add(name)
                continue
            case ast.Import(names=aliases):
                for alias in aliases:
                    top = alias.name.split(".")[0]
                    _import(bound, alias.asname or top, alias.name if alias.asname else top, node)
            case ast.ImportFrom(names=aliases):
                for alias in aliases:
                    path = f"{'.' * node.level}{node.module or ''}.{alias.name}"
                    _import(bound, alias.asname or alias.name, path, node)
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                if is_constant(value):
                    bound.constants.add(name)
                    plain.add(id(target))
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if id(node) not in plain:
                bound.made.add(name)
        if not isinstance(node, ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _import(bound: TopLevelNames, name: str, path: str, node: ast.AST) -> None:
    """Note what a name is imported from; its use is checked where it stands."""
    if name == "*" or bound.imports.setdefault(name, path) != path:
        raise NotPure(f"the import of {path}", node)


def is_constant(value: ast.expr) -> bool:
    """Return whether an expression is numbers that are written out, which nothing can change."""
    match value:
        case ast.Constant():
            return not isinstance(value.value, bytes | str)
        case ast.UnaryOp(operand=operand):
            return is_constant(operand)
        case ast.BinOp(left=left, right=right):
            return is_constant(left) and is_constant(right)
        case ast.Tuple(elts=elts):
            return all(map(is_constant, elts))
    return is_infinity(value)


def is_infinity(value: ast.AST) -> bool:
    """Return whether it is `float("-inf")`; no file here gives that name to something else."""
    match value:
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str())], keywords=[]):
            return True
    return False


def check_scopes(tree: ast.Module, bound: TopLevelNames) -> None:
    """Pass if functions read nothing of the file's that can be changed, and nothing unknown.

    Raises:
        NotPure: they do.
    """
    text = ast.unparse(tree)
    if ast.dump(ast.parse(text)) != ast.dump(tree):  # not all texts in texts come back as they were
        raise NotPure("a text that has no second writing")
    fixed = BUILTINS | RAISED | TYPES | bound.functions | bound.constants | set(bound.imports)
    table = symtable.symtable(text, "file", "exec")
    unknown = _read(table) - fixed - bound.made
    if unknown:
        raise NotPure(f"{min(unknown)}, which the file reads")
    _check_inner(table.get_children(), fixed, bound.made)


def _check_inner(
    tables: Sequence[symtable.SymbolTable], fixed: frozenset[str] | set[str], made: set[str]
) -> None:
    """Check inner scopes; a comprehension of the top level runs at once, on what was made."""
    for table in tables:
        is_comprehension = isinstance(table, symtable.Function) and ".0" in table.get_parameters()
        here = made if is_comprehension else set[str]()
        unknown = _read(table, inner=True) - fixed - here
        if unknown:
            raise NotPure(f"{min(unknown)}, which a function reads")
        _check_inner(table.get_children(), fixed, here)


def _read(table: symtable.SymbolTable, inner: bool = False) -> set[str]:
    """Return the names that a scope reads and does not bind."""
    return {
        symbol.get_name()
        for symbol in table.get_symbols()
        if (symbol.is_global() if inner else symbol.is_referenced())
    }
