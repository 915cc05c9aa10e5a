"""Which lines of a submission the checks run: each says so itself, once, by printing a mark."""

import ast
import copy
import re
from collections.abc import Iterator, Sequence

import msgspec

from autograder.repair.tree import Tree
from autograder.submission.code import is_text
from autograder.submission.source import Source
from autograder.worker.messages import Unit

Lines = frozenset[tuple[int, int]]

_MARK = re.compile(r"\x01(\d{1,4}):(\d{1,6})\n")
_MARKER = """
def _passed_line(mark, _seen=set(), _print=print):
    if mark not in _seen:
        _seen.add(mark)
        _print("\\x01" + mark)
"""


def marked(source: Source, trees: Sequence[Tree | None]) -> Source:
    """The source, with a mark before each statement: its unit and its line."""
    units = []
    for number, (unit, tree) in enumerate(zip(source.units, trees, strict=True)):
        text = unit.text if tree is None else _with_marks(tree, number)
        units.append(Unit(unit.label, text))
    return msgspec.structs.replace(source, units=(Unit("marks", _MARKER), *units))


def lines_in(printed: str) -> Lines:
    """The marks that were printed: unit and line of each statement that ran."""
    return frozenset((int(unit), int(line)) for unit, line in _MARK.findall(printed))


def feeding_lines(trees: Sequence[Tree | None], lines: Lines) -> Iterator[tuple[int, int]]:
    """The lines that give the names in some lines their values, or that test them, within the same
    function.
    """
    for number, tree in enumerate(trees):
        here = {line for unit, line in lines if unit == number}
        if tree is None or not here:
            continue
        used = {
            (tree.owner[node], node.id)
            for node in tree.nodes
            if isinstance(node, ast.Name) and node.lineno in here
        }
        for node in tree.nodes:
            if any((tree.owner[node], name) in used for name in _given_or_tested(node)):
                yield number, tree.statement[node].lineno


def _given_or_tested(node: ast.AST) -> list[str]:
    """The name that gets a value here, or the names that decide what runs next."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.If | ast.While):
        return [each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)]
    return []


def _with_marks(tree: Tree, number: int) -> str:
    root = copy.deepcopy(tree.root)
    for node in list(ast.walk(root)):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, _marked_block(block, number))
    return ast.unparse(ast.fix_missing_locations(root))


def _marked_block(block: list[ast.stmt], number: int) -> list[ast.stmt]:
    marked: list[ast.stmt] = []
    for statement in block:
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not is_text(statement) and not is_future:
            mark = f"_passed_line({f'{number}:{statement.lineno}'!r})"
            marked += ast.parse(mark).body
        marked.append(statement)
    return marked
