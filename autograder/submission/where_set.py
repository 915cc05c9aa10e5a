"""In which line a name of the top level, or one entry of its value, gets what it has."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from autograder.submission.code import assigned, blocks, parsed
from autograder.worker.messages import CodePlace, Unit


def where_set(units: Sequence[Unit], name: str, entry: Sequence[int] = ()) -> CodePlace | None:
    """The line that gives a name its value last, as the text has it.

    Where that value is written out as lists of numbers, it is the line of the `entry` with these
    indices. None if no statement of the top level gives the name a value, or one may change a part
    of it afterwards.
    """
    found: tuple[Unit, ast.stmt] | None = None
    for unit in units:
        for statement in _all(parsed(unit) or ()):
            if name in assigned(statement):
                found = unit, statement
            elif found is not None and _may_change(statement, name):
                found = None
    if found is None:
        return None
    unit, statement = found
    line = _entry(getattr(statement, "value", None), entry) or statement.lineno
    lines = unit.text.splitlines()
    text = lines[line - 1].strip() if line <= len(lines) else ""
    return CodePlace(unit.label, line, text)


def _all(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        for block in blocks(statement):
            yield from _all(block)


def _may_change(statement: ast.stmt, name: str) -> bool:
    """Whether a statement writes into what a name stands for, or calls a method of it."""
    for node in ast.walk(statement):
        into = node.func if isinstance(node, ast.Call) else node
        is_store = not isinstance(getattr(into, "ctx", ast.Load()), ast.Load)
        if not isinstance(into, ast.Subscript | ast.Attribute) or not (
            is_store or into is not node
        ):
            continue
        inner: ast.expr = into
        while isinstance(inner, ast.Subscript | ast.Attribute):
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id == name:
            return True
    return False


def _entry(value: ast.expr | None, entry: Sequence[int]) -> int | None:
    """The line in which an entry of a written list begins."""
    if value is None:
        return None
    if isinstance(value, ast.Call) and value.args:
        value = value.args[0] if isinstance(value.args[0], ast.List | ast.Tuple) else value
    for index in entry:
        if not isinstance(value, ast.List | ast.Tuple) or index >= len(value.elts):
            break
        if any(isinstance(each, ast.Starred) for each in value.elts):
            break
        value = value.elts[index]
    return value.lineno
