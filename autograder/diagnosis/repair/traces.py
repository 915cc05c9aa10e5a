"""Traces of a submission: the lines that checks run, and the values that it computes on its way.

The traced file prints a mark for each statement, or for each value, and the judge's side reads the
marks from its output. Each value is known by numbers that its axes and their order do not change,
so an answer may hold its arrays in another shape than the course does.
"""

import ast
import copy
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.diagnosis.repair.tree import Function, Tree, read_tree
from autograder.submission.code import is_text
from autograder.submission.source import Source
from autograder.worker.messages import Unit

Lines = frozenset[tuple[int, int]]  # of each the number of its unit, and its own
Known = npt.NDArray[np.float64]  # a row for each value of right answers: what it is known by

TELLING = 3  # fewer numbers are alike by chance
CLOSE = 2e-4  # as a share: float32 beside float64, and sums in another order
EXPRESSIONS = ast.BinOp | ast.Call | ast.Subscript | ast.IfExp | ast.UnaryOp | ast.Compare
_LINE_MARK = re.compile(r"\x01(\d{1,4}):(\d{1,6})\n")
_MARK_LINE = """
def _passed_line(mark, _seen=set(), _print=print):
    if mark not in _seen:
        _seen.add(mark)
        _print("\\x01" + mark)
"""
_VALUE_MARK = re.compile(r"\x02(\d{1,4}):(\d{1,6})=(\d{1,9}),(\d{1,9}),([-\d.e+]+),([-\d.e+]+)\n")
_MARK_VALUE = """
def _passed_value(mark, value, _seen={}, _print=print):
    known = _seen.setdefault(mark, set())
    if len(known) >= 12:
        return value
    if isinstance(value, tuple):
        for part in value:
            _passed_value(mark, part)
        return value
    try:
        import numpy
        array = value.detach().numpy() if hasattr(value, "detach") else value
        array = numpy.asarray(array)
        if array.dtype.kind in "fiub" and 0 < array.size <= 100000:
            array = array.astype(float).ravel()
            usual = array[numpy.isfinite(array) & (abs(array) < 1e8)]
            odd = array.size - usual.size
            text = f"{array.size},{odd},{usual.sum():.7g},{(usual * usual).sum():.7g}"
            if text not in known:
                known.add(text)
                _print(f"\\x02{mark}={text}")
    except Exception:
        pass
    return value
"""


class TracedValue(NamedTuple):
    """A value: the place of its statement, and what it is known by.

    It is known by its size, the number of its odd entries (infinite or huge), and the sum and the
    sum of squares of the others.
    """

    place: tuple[int, int]
    known_by: tuple[float, float, float, float]


def with_line_marks(source: Source, trees: Sequence[Tree | None]) -> Source:
    """Return the source with a mark before each statement: its unit and its line."""
    return _marked(source, trees, Unit("marks", _MARK_LINE), _mark_lines)


def with_value_marks(source: Source, trees: Sequence[Tree | None], all_parts: bool) -> Source:
    """Return the source with marks of the value of each assignment and each `return`.

    With `all_parts` the parts of these expressions are marked as well.
    """

    def mark_values(root: ast.Module, number: int) -> None:
        _MarkValues(number, all_parts).visit(root)

    return _marked(source, trees, Unit("values", _MARK_VALUE), mark_values)


def _marked(
    source: Source,
    trees: Sequence[Tree | None],
    helper: Unit,
    mark: Callable[[ast.Module, int], None],
) -> Source:
    units = [helper]
    for number, (unit, tree) in enumerate(zip(source.units, trees, strict=True)):
        text = unit.text
        if tree is not None:
            root = copy.deepcopy(tree.root)
            mark(root, number)
            text = ast.unparse(ast.fix_missing_locations(root))
        units.append(Unit(unit.label, text))
    return msgspec.structs.replace(source, units=tuple(units))


def _mark_lines(root: ast.Module, number: int) -> None:
    for node in list(ast.walk(root)):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if not isinstance(block, list):
                continue
            marked: list[ast.stmt] = []
            for statement in block:
                is_future = isinstance(statement, ast.ImportFrom) and (
                    statement.module == "__future__"
                )
                if not is_text(statement) and not is_future:
                    marked += ast.parse(f"_passed_line('{number}:{statement.lineno}')").body
                marked.append(statement)
            setattr(node, field, marked)


class _MarkValues(ast.NodeTransformer):
    """Transformer that marks the values which statements inside functions assign or return."""

    def __init__(self, number: int, all_parts: bool) -> None:
        self.number = number
        self.all_parts = all_parts
        self.inside = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.inside += 1
        self.generic_visit(node)
        self.inside -= 1
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if self.inside and node.value is not None:
            node.value = self._mark(node, self._mark_parts(node, node.value))
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        if not self.inside:
            return node
        node.value = self._mark(node, self._mark_parts(node, node.value))
        unpacked = [
            ast.Expr(self._mark(node, ast.Name(part.id, ast.Load())))
            for target in node.targets
            if isinstance(target, ast.Tuple | ast.List)
            for part in ast.walk(target)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        ]
        return [node, *unpacked]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        if not self.inside:
            return node
        node.value = self._mark_parts(node, node.value)
        whole: ast.expr = copy.deepcopy(node.target)
        while isinstance(whole, ast.Subscript):
            whole = whole.value
        for part in ast.walk(whole):
            if hasattr(part, "ctx"):
                part.ctx = ast.Load()
        return [node, ast.Expr(self._mark(node, whole))]

    def _mark_parts(self, statement: ast.stmt, value: ast.expr) -> ast.expr:
        if not self.all_parts:
            return value
        parts = _MarkParts(lambda part: self._mark(statement, part)).visit(value)
        assert isinstance(parts, ast.expr)
        return parts

    def _mark(self, statement: ast.stmt, value: ast.expr) -> ast.expr:
        call = ast.parse(f"_passed_value('{self.number}:{statement.lineno}', 0)", mode="eval").body
        assert isinstance(call, ast.Call)
        call.args[1] = value
        return call


class _MarkParts(ast.NodeTransformer):
    """Transformer that marks the value of every part of an expression."""

    def __init__(self, mark: Callable[[ast.expr], ast.expr]) -> None:
        self.mark = mark

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Lambda | ast.JoinedStr | ast.comprehension):
            return node
        self.generic_visit(node)
        is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        return self.mark(node) if isinstance(node, EXPRESSIONS) and is_read else node


def lines_run(printed: str) -> Lines:
    """Return the lines whose marks were printed."""
    return frozenset((int(unit), int(line)) for unit, line in _LINE_MARK.findall(printed))


def feeding_lines(trees: Sequence[Tree | None], lines: Lines) -> Iterator[tuple[int, int]]:
    """Yield the lines of the same function that give the names in some lines their values.

    Lines that test these names feed them too.
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
    """Return the name that gets a value here, or the names that decide what runs next."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.If | ast.While):
        return [name.id for name in ast.walk(node.test) if isinstance(name, ast.Name)]
    return []


def values_in(printed: str) -> list[TracedValue]:
    """Return the values whose marks were printed, in order."""
    return [
        TracedValue((int(unit), int(line)), (float(size), float(odd), float(total), float(squares)))
        for unit, line, size, odd, total, squares in _VALUE_MARK.findall(printed)
    ]


def known_values(values: Iterable[TracedValue]) -> Known:
    """Return what right answers compute, each value once."""
    rows = sorted({value.known_by for value in values})
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def values_of_right_answers(
    paths: Iterable[Path], exercise: str, printed: Callable[[Source], str]
) -> Known:
    """Return what right answers compute; nothing where the course has none.

    Args:
        printed: gives what a source prints in the checks.
    """
    values: list[TracedValue] = []
    for path in paths:
        try:
            unit = Unit(path.name, path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        tree = read_tree(unit)
        if tree is not None:
            source = Source(exercise, path.name, (unit,))
            values += values_in(printed(with_value_marks(source, [tree], all_parts=True)))
    return known_values(values)


def first_departure(values: Sequence[TracedValue], known: Known) -> tuple[Lines, Lines]:
    """Return the line with the first value that no right answer has, and the lines with none such.

    Nothing where not even the first values are known: the answer goes a way of its own.
    """
    lost: dict[tuple[int, int], bool] = {}
    first: tuple[int, int] | None = None
    for place, known_by in values:
        if known_by[0] < TELLING:
            continue
        is_known = _is_among(known_by, known)
        lost[place] = lost.get(place, False) or not is_known
        if not is_known and first is None:
            first = place
    fine = Lines(place for place, is_lost in lost.items() if not is_lost)
    return (Lines([first]) if first is not None and fine else Lines()), fine


def without_loops(trees: Sequence[Tree | None], lines: Lines) -> Lines:
    """Return the lines that are not in or after a loop of their function.

    The values of a loop may be too small to tell, so one of them may be the first that is wrong.
    """
    behind = set()
    for number, tree in enumerate(trees):
        if tree is None:
            continue
        statements = list(tree.statements)
        first: dict[Function | None, int] = {}
        for node in statements:
            if isinstance(node, ast.For | ast.While):
                first.setdefault(tree.owner[node], node.lineno)
        for node in statements:
            if node.lineno >= first.get(tree.owner[node], node.lineno + 1):
                behind.add((number, node.lineno))
    return lines - behind


def _is_among(known_by: tuple[float, ...], known: Known) -> bool:
    value = np.array(known_by)
    alike = (known[:, :2] == value[:2]).all(axis=1)
    scale = np.sqrt(np.abs(value[3]) * max(value[0], 1.0)) + 1e-6
    off = np.abs(known[:, 2:] - value[2:]) / np.array([scale, np.abs(value[3]) + 1e-6])
    return bool((alike & (off < CLOSE).all(axis=1)).any())
