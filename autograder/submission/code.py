"""Names that the code of a submission defines, and places in the code."""

import ast
import itertools
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from autograder.worker.messages import CodePlace, Unit
from autograder.worker.statements import without_magics

MAX_PARSED = 256 * 1024
# methods of arrays and tensors that change nothing, and return a new result
NEW_RESULT = {
    *("transpose", "swapaxes", "permute", "moveaxis", "reshape", "view", "flatten", "squeeze"),
    *("unsqueeze", "masked_fill", "astype", "contiguous", "float", "bool", "tril", "triu"),
}
RUNNING_CELL = "cell In["  # begins the label of a cell of a running notebook
_DEFINED = re.compile(r"^(?:async )?(?:def|class) +([^\W\d]\w*)", re.MULTILINE)

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Binding(msgspec.Struct, frozen=True):
    """Syntax tree of the statement that binds a name."""

    tree: str
    hollow: bool = False  # true for a definition without a body

    @property
    def is_import(self) -> bool:
        return self.tree.startswith(("Import(", "ImportFrom("))


class Code(msgspec.Struct):
    """Top-level names and statements of the code.

    `names` maps each name to its last binding. Definitions without a body do not count, if an
    earlier definition has one. If code is not parsed, the trees of its bindings are empty.
    """

    names: dict[str, Binding] = {}
    statements: list[str] = []  # syntax of all statements
    broken: bool = False  # true if a unit is not valid Python
    open: bool = False  # true if the code may define further names


def read_code(units: Sequence[Unit], room: int = MAX_PARSED) -> Code:
    """Return the names and statements of the units, from at most `room` characters in total.

    The limit is needed because a syntax tree takes several hundred times the memory of its text.
    """
    code = Code()
    for unit in units:
        room = room - len(unit.text) if len(unit.text) <= MAX_PARSED else -1
        body = parsed(unit) if room >= 0 else None
        try:
            code.statements += [_syntax(node) for node in body or () if not _is_idle(node)]
            _bind(code, body or ())
        except (RecursionError, MemoryError):
            body = None
        if body is None:
            code.broken = code.broken or room >= 0
            code.open = code.open or room < 0
            for name in _DEFINED.findall(unit.text):
                code.names.setdefault(name, Binding(""))
    return code


def parsed(unit: Unit) -> list[ast.stmt] | None:
    """Return the statements of a unit. If it is too long or invalid, return None."""
    if len(unit.text) > MAX_PARSED:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(without_magics(unit.text, unit.label)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _nodes(unit: Unit) -> Iterator[ast.AST]:
    for statement in parsed(unit) or ():
        yield from ast.walk(statement)


def defines_something(unit: Unit) -> bool:
    return any(isinstance(node, Definition | ast.Assign) for node in parsed(unit) or ())


def _bind(code: Code, body: Iterable[ast.stmt]) -> None:
    for node in _statements(body):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                bound, earlier = Binding(_syntax(node), _is_hollow(node)), code.names.get(node.name)
                if not bound.hollow or earlier is None or earlier.hollow or earlier.is_import:
                    code.names[node.name] = bound
            case ast.Import() | ast.ImportFrom():
                bound = Binding(_syntax(node))
                for alias in node.names:
                    code.open = code.open or alias.name == "*"
                    code.names[alias.asname or alias.name.split(".")[0]] = bound
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                code.names.update(dict.fromkeys(assigned(node), Binding(_syntax(node))))
            case ast.For():  # without the loop's body, whose statements are bound separately
                head = Binding(f"For({ast.dump(node.target)}, {ast.dump(node.iter)})")
                code.names.update(dict.fromkeys(assigned(node), head))


def assigned(node: ast.stmt) -> Iterator[str]:
    for target in getattr(node, "targets", [getattr(node, "target", None)]):
        for part in ast.walk(target) if target is not None else ():
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id


def blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield a statement's blocks. Scopes, and code that grading does not run, are left out."""
    if isinstance(node, Definition) or _is_main(node):
        return
    for field in ("body", "orelse", "finalbody"):
        yield getattr(node, field, [])
    for handler in getattr(node, "handlers", []):
        yield handler.body


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "'__main__'" in ast.dump(node.test)


def _is_idle(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name in {"print", "display", "check"}
        case ast.Pass() | ast.Expr(value=ast.Constant() | ast.Name()):
            return True
    return _is_main(node)


def _is_hollow(node: Definition) -> bool:
    body = [part for part in node.body if not is_text(part)]
    if isinstance(node, ast.ClassDef):
        return all(isinstance(part, Definition) and _is_hollow(part) for part in body)
    return all(map(_is_placeholder, body))


def unwritten(units: Sequence[Unit]) -> dict[str, CodePlace]:
    """Return functions and classes without a body, and the first line to replace in each."""
    places: dict[str, CodePlace] = {}
    for unit in units:
        for node in _statements(parsed(unit) or ()):
            if isinstance(node, Definition):
                places.pop(node.name, None)
                ends = (part for part in node.body if isinstance(part, ast.Raise | ast.Return))
                end = next(ends, node)
                if _is_placeholder(end) or _is_hollow(node):
                    places[node.name] = place_in(unit, end.lineno)
    return places


def replaced(units: Sequence[Unit], at: CodePlace) -> tuple[CodePlace, CodePlace] | None:
    """Return the lines of a definition around `at` and of an earlier one with a body, or None."""
    for definitions in _definitions(units).values():
        for number, (first, node) in enumerate(definitions):
            if first.label == at.label and first.line <= at.line <= (node.end_lineno or 0):
                earlier = [place for place, other in definitions[:number] if _is_complete(other)]
                if earlier:
                    return first, earlier[-1]
    return None


def defined_again(units: Sequence[Unit]) -> list[list[CodePlace]]:
    """Return the first lines of complete definitions of a name, if Python uses only the last."""
    others = Code()
    body = (node for unit in units for node in parsed(unit) or ())
    _bind(others, itertools.filterfalse(lambda node: isinstance(node, Definition), body))
    trees = " ".join(bound.tree for bound in others.names.values())
    repeated = []
    for definitions in _definitions(units).values():
        nodes = [node for _, node in definitions]
        name, places = nodes[-1].name, [first for first, node in definitions if _is_complete(node)]
        marks = " ".join(ast.unparse(each) for node in nodes for each in node.decorator_list)
        is_used = name in others.names or f"value=Name(id='{name}'" in trees
        needs_all = re.search(rf"\b({name}|overload|register)\b", marks)
        if len(places) > 1 and _is_complete(nodes[-1]) and not is_used and not needs_all:
            repeated.append(places)
    return repeated


def unused_result(units: Sequence[Unit]) -> CodePlace | None:
    """Return the first line of a function that computes a value and does nothing with it."""
    for unit in units:
        tops = [top for top in parsed(unit) or () if isinstance(top, Definition)]
        for node in (node for top in tops for node in ast.walk(top)):
            match node:
                case ast.Expr(ast.Call(ast.Attribute(attr=name))) if name in NEW_RESULT:
                    return place_in(unit, node.lineno)
                case ast.Expr(ast.BinOp() | ast.Compare() | ast.UnaryOp()):
                    return place_in(unit, node.lineno)
    return None


def repeated_list(units: Sequence[Unit]) -> CodePlace | None:
    """Return the first line such as `[[0] * n] * n`, which repeats one and the same list."""
    for unit in units:
        for node in _nodes(unit):
            match node:
                case ast.BinOp(ast.List([ast.List() | ast.BinOp(ast.List())]), ast.Mult()):
                    return place_in(unit, node.lineno)
    return None


def _definitions(units: Sequence[Unit]) -> dict[object, list[tuple[CodePlace, Definition]]]:
    found: dict[object, list[tuple[CodePlace, Definition]]] = {}
    for unit in units:
        cell = unit.label if unit.label.startswith(RUNNING_CELL) else ""  # it may run again
        for top in parsed(unit) or ():
            body = top.body if isinstance(top, ast.ClassDef) else ()
            for node in (top, *body):
                if isinstance(node, Definition) and isinstance(top, Definition):
                    name = node.name if node is top else f"{top.name}.{node.name}"
                    key = (cell, name) if node is top else (unit.label, top.lineno, name)
                    place = msgspec.structs.replace(place_in(unit, node.lineno), function=name)
                    found.setdefault(key, []).append((place, node))
    return found


def _is_complete(node: Definition) -> bool:
    inside = (part for part in ast.walk(node) if isinstance(part, Definition))
    return not any(map(_is_hollow, inside))


def _is_placeholder(node: ast.stmt) -> bool:
    match node:
        case ast.Raise(exc=ast.expr() as error):
            return "'NotImplementedError'" in ast.dump(error)
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
    return False


def body_around(units: Iterable[Unit], line: int = 0) -> set[str]:
    """Return the syntax of statements in the innermost function around a line, or in all."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    functions = [node for unit in units for node in _nodes(unit) if isinstance(node, kinds)]
    if line:
        functions = [n for n in functions if n.lineno <= line <= (n.end_lineno or 0)][-1:]
    inside = (node for function in functions for part in function.body for node in ast.walk(part))
    return {ast.dump(n) for n in inside if isinstance(n, ast.stmt) and not _is_placeholder(n)}


def return_in_loop(units: Iterable[Unit], name: str) -> tuple[CodePlace, int] | None:
    """Return the last `return` of a function or class if it ends a `for` loop in the first round.

    Also return the line of the `for`. Without such a loop, return None.
    """
    for unit in units:
        own = (n for n in parsed(unit) or () if isinstance(n, Definition) and n.name == name)
        inside = [node for part in own for node in ast.walk(part)]
        ends = max((n.lineno for n in inside if isinstance(n, ast.Return)), default=0)
        for loop in (node for node in inside if isinstance(node, ast.For)):
            last, leaps = loop.body[-1], (ast.Continue, ast.Break)
            is_last = isinstance(last, ast.Return) and last.lineno == ends
            if is_last and not any(isinstance(node, leaps) for node in ast.walk(loop)):
                return place_in(unit, ends), loop.lineno
    return None


def without_return(units: Iterable[Unit]) -> CodePlace | None:
    """Return the place of a function without `return`, if its calls are used as values."""
    nodes = [(unit, node) for unit in units for node in _nodes(unit)]
    alone = {id(node.value) for _, node in nodes if isinstance(node, ast.Expr)}
    calls = [node.func for _, node in nodes if isinstance(node, ast.Call) and id(node) not in alone]
    used = {getattr(called, "attr", getattr(called, "id", "")) for called in calls}
    for unit, node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name in used:
            gives = (isinstance(n, ast.Return | ast.Yield | ast.YieldFrom) for n in ast.walk(node))
            if not any(gives):
                return msgspec.structs.replace(place_in(unit, node.lineno), function=node.name)
    return None


def users_of(units: Iterable[Unit], functions: Collection[str]) -> frozenset[str]:
    names_in = {
        node.name: {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        for unit in units
        for node in parsed(unit) or ()
        if isinstance(node, Definition)
    }
    users, before = set(functions), -1
    while functions and len(users) > before:
        before = len(users)
        users |= {name for name, names in names_in.items() if names & users}
    return frozenset(users)


def is_text(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _syntax(node: ast.stmt) -> str:
    for inner in ast.walk(node):
        if isinstance(inner, Definition):
            inner.body = [part for part in inner.body if not is_text(part)]
    return ast.dump(node)


# Search for the line that sets the final value of a top-level name, or of an entry in the value.


def find_assignment(
    units: Sequence[Unit], name: str, entry: Sequence[int] = ()
) -> CodePlace | None:
    """Return the last top-level line that assigns to a name. If no line is certain, return None.

    For a value in nested lists, return the line of the entry with the indices `entry`. No line is
    certain if nothing assigns to the name, or if a later statement may change the value.
    """
    assignment: tuple[Unit, ast.stmt] | None = None
    for unit in units:
        for statement in _statements(parsed(unit) or ()):
            if name in assigned(statement):
                assignment = unit, statement
            elif assignment is not None and _may_change(statement, name):
                assignment = None
    if assignment is None:
        return None
    unit, statement = assignment
    line = _line_of_entry(getattr(statement, "value", None), entry) or statement.lineno
    return place_in(unit, line)


def find_loop(units: Sequence[Unit], lines: Sequence[tuple[str, int]]) -> CodePlace | None:
    """Return the loop that was running when the call stack was at `lines`.

    Each item of `lines` is a file and a line, innermost call first. Of nested loops, return the
    outermost `while`. If there is none, return the outermost `for`. So the result does not depend
    on timing.
    """
    by_label = {unit.label: unit for unit in units}
    loops: list[tuple[Unit, ast.stmt]] = []
    for file, line in reversed(lines):
        if file in by_label:
            inside = (n for n in _nodes(by_label[file]) if isinstance(n, ast.While | ast.For))
            around = (node for node in inside if node.lineno <= line <= (node.end_lineno or 0))
            loops += [(by_label[file], node) for node in around]
    loops.sort(key=lambda loop: isinstance(loop[1], ast.For))
    return place_in(loops[0][0], loops[0][1].lineno) if loops else None


def place_in(unit: Unit, line: int) -> CodePlace:
    lines = unit.text.splitlines()
    return CodePlace(unit.label, line, lines[line - 1].strip() if line <= len(lines) else "")


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        for block in blocks(statement):
            yield from _statements(block)


def _may_change(statement: ast.stmt, name: str) -> bool:
    """Return True if a statement may change a name's object, by assignment or by a method."""
    for node in ast.walk(statement):
        part = node.func if isinstance(node, ast.Call) else node
        is_written = part is not node or isinstance(getattr(part, "ctx", None), ast.Store | ast.Del)
        if not is_written or not isinstance(part, ast.Subscript | ast.Attribute):
            continue
        if root_name(part) == name:
            return True
    return False


def root_name(target: ast.expr) -> str:
    """Return the name at the beginning of an expression such as `x.y[0]`, or ""."""
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _line_of_entry(value: ast.expr | None, entry: Sequence[int]) -> int | None:
    match value:
        case None:
            return None
        case ast.Call(args=[ast.List() | ast.Tuple() as first, *_]):
            value = first
    for index in entry:
        if not isinstance(value, ast.List | ast.Tuple) or index >= len(value.elts):
            break
        if any(isinstance(item, ast.Starred) for item in value.elts):
            break
        value = value.elts[index]
    return value.lineno
