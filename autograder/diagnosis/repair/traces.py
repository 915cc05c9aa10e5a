"""Traces of a submission: lines that checks run, and intermediate values.

The judge adds a print call for each statement or each value to a copy of the file, runs the copy,
and reads the output. Four numbers identify a value. They do not depend on the number or the order
of its axes. So a student may arrange arrays differently from the reference.
"""

import ast
import copy
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.diagnosis.repair.tree import Function, Tree, is_stored, read_tree
from autograder.submission.code import is_text
from autograder.submission.source import Source
from autograder.worker.messages import Unit

Lines = frozenset[tuple[int, int]]  # pairs of a unit's number and a line number
Known = npt.NDArray[np.float64]  # a row has the identifying numbers of a value in correct answers

TELLING = 3  # a smaller array could be known by chance
GIVEN = 0  # in place of a line: an argument of a function
SMALLEST = 2  # a single number is unknown in many correct approaches
CLOSE = 2e-4  # relative tolerance for float32 instead of float64, and sums in another order
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
def _passed_value(mark, part, value, _seen={}, _print=print):
    known = _seen.setdefault((mark, part), set())
    if len(known) >= 12:
        return value
    if isinstance(value, tuple):
        for each in value:
            _passed_value(mark, part, each)
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
    """Computed value: its place and four identifying numbers.

    The numbers are the size, the count of infinite or huge entries, the sum of all other entries,
    and the sum of their squares.
    """

    place: tuple[int, int]
    known_by: tuple[float, float, float, float]


def with_line_marks(source: Source, trees: Sequence[Tree | None]) -> Source:
    """Return the source with a marker before each statement. A marker names unit and line."""
    return _marked(source, trees, Unit("marks", _MARK_LINE), _mark_lines)


def with_value_marks(source: Source, trees: Sequence[Tree | None], all_parts: bool) -> Source:
    """Return the source with a value marker for each assignment, argument and `return`.

    With `all_parts`, each part of an expression has a marker too.
    """
    mark = partial(_mark_values, all_parts=all_parts)
    return _marked(source, trees, Unit("values", _MARK_VALUE), mark)


def _marked(
    source: Source,
    trees: Sequence[Tree | None],
    helper: Unit,
    mark: Callable[[ast.Module, int], None],
) -> Source:
    units = [helper]
    for number, (unit, tree) in enumerate(zip(source.units, trees, strict=True)):
        if tree is None:
            units.append(unit)
            continue
        root = copy.deepcopy(tree.root)
        mark(root, number)
        units.append(Unit(unit.label, ast.unparse(root)))
    return msgspec.structs.replace(source, units=tuple(units))


def _blocks(root: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in list(ast.walk(root)):
        for field in ("body", "orelse", "finalbody"):
            if isinstance(block := getattr(node, field, None), list):
                yield block


def _mark_lines(root: ast.Module, number: int) -> None:
    for block in _blocks(root):
        marked: list[ast.stmt] = []
        for statement in block:
            is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            if not is_text(statement) and not is_future:
                marked += ast.parse(f"_passed_line('{number}:{statement.lineno}')").body
            marked.append(statement)
        block[:] = marked


def _mark_values(root: ast.Module, number: int, all_parts: bool) -> None:
    functions = [node for node in ast.walk(root) if isinstance(node, ast.FunctionDef)]
    blocks = {id(block): block for function in functions for block in _blocks(function)}
    for block in blocks.values():
        marked: list[ast.stmt] = []
        for statement in block:
            marked.append(statement)
            if not isinstance(statement, ast.Assign | ast.AugAssign | ast.Return):
                continue
            if statement.value is None:
                continue
            mark = partial(_value_mark, f"{number}:{statement.lineno}")
            value = _MarkParts(mark).visit(statement.value) if all_parts else statement.value
            statement.value = value if isinstance(statement, ast.AugAssign) else mark(value)
            marked += [ast.Expr(mark(ast.Name(name))) for name in _changed(statement)]
        block[:] = marked
    for function in functions:
        mark = partial(_value_mark, f"{number}:{GIVEN}")
        function.body[:0] = [ast.Expr(mark(ast.Name(each.arg))) for each in function.args.args]


def _changed(statement: ast.Assign | ast.AugAssign | ast.Return) -> list[str]:
    if isinstance(statement, ast.AugAssign):
        target: ast.expr = statement.target
        while isinstance(target, ast.Subscript):
            target = target.value
        return [ast.unparse(target)]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    unpacked = [target for target in targets if isinstance(target, ast.Tuple | ast.List)]
    return [part.id for target in unpacked for part in ast.walk(target) if is_stored(part)]


def _value_mark(place: str, value: ast.expr) -> ast.expr:
    part = ast.Constant(str([getattr(value, field, 0) for field in value._attributes]))
    return ast.Call(ast.Name("_passed_value"), [ast.Constant(place), part, value], [])


class _MarkParts(ast.NodeTransformer):
    def __init__(self, mark: Callable[[ast.expr], ast.expr]) -> None:
        self.mark = mark

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Lambda | ast.JoinedStr | ast.comprehension):
            return node
        self.generic_visit(node)
        is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        return self.mark(node) if isinstance(node, EXPRESSIONS) and is_read else node


def lines_run(printed: str) -> Lines:
    return frozenset((int(unit), int(line)) for unit, line in _LINE_MARK.findall(printed))


def feeding_lines(trees: Sequence[Tree | None], lines: Lines) -> Iterator[tuple[int, int]]:
    """Yield the lines of the same function that assign or test a name in the given lines."""
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
            tested = ast.walk(node.test) if isinstance(node, ast.If | ast.While) else ()
            names = [node] if is_stored(node) else [n for n in tested if isinstance(n, ast.Name)]
            if any((tree.owner[node], name.id) in used for name in names):
                yield number, tree.statement[node].lineno


def values_in(printed: str) -> list[TracedValue]:
    return [
        TracedValue((int(unit), int(line)), (float(size), float(odd), float(total), float(squares)))
        for unit, line, size, odd, total, squares in _VALUE_MARK.findall(printed)
    ]


def known_values(values: Iterable[TracedValue]) -> Known:
    """Return the distinct rows of identifying numbers as an array."""
    return np.array(sorted({value.known_by for value in values}), dtype=np.float64).reshape(-1, 4)


def values_of_right_answers(
    paths: Iterable[Path], exercise: str, printed: Callable[[Source], str]
) -> Known:
    """Return the values that the correct solutions in these files compute.

    `printed` is a function that runs the checks on a source and returns the output.
    """
    values: list[TracedValue] = []
    for path in paths:
        try:
            unit = Unit(path.name, path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if (tree := read_tree(unit)) is not None:
            source = Source(exercise, path.name, (unit,))
            values += values_in(printed(with_value_marks(source, [tree], all_parts=True)))
    return known_values(values)


def first_departure(values: Sequence[TracedValue], known: Known) -> tuple[Lines, Lines]:
    """Return the first line with an unknown array, and all lines with only known values.

    A value is known if a correct solution also computes it. If every line has an unknown value, the
    student's approach is different, so the function returns neither. If an argument is unknown
    first, a line with a call computes it, so the function returns no first line. Arrays of one
    repeated number, such as zeros that a loop fills later, do not count.
    """
    values = [value for value in values if not _is_constant(*value.known_by)]
    ranks = {place: rank for rank, place in enumerate(dict.fromkeys(v.place for v in values))}
    unknown = [
        value
        for value in values
        if value.known_by[0] >= SMALLEST and not _is_among(value.known_by, known)
    ]
    large = {v.place for v in values if v.known_by[0] >= TELLING and v.place[1] != GIVEN}
    fine = Lines(large) - Lines(value.place for value in unknown)
    if not fine or not unknown:
        return Lines(), fine
    first = min((value.place for value in unknown), key=ranks.__getitem__)
    return Lines({first} if first[1] != GIVEN else ()), fine


def _is_constant(size: float, odd: float, total: float, squares: float) -> bool:
    return size >= SMALLEST and not odd and abs(total * total - size * squares) <= CLOSE * squares


def without_loops(trees: Sequence[Tree | None], lines: Lines) -> Lines:
    """Return the lines that compute a value before any loop of their function.

    Arrays in a loop may be too small to identify. Lines such as `return x`, which compute nothing,
    are left out too.
    """
    behind = set()
    for number, tree in enumerate(trees):
        if tree is None:
            continue
        with_loop: set[Function | None] = set()
        for node in tree.statements:
            if isinstance(node, ast.For | ast.While):
                with_loop.add(tree.owner[node])
            returns_name = isinstance(node, ast.Return) and isinstance(node.value, ast.Name)
            if tree.owner[node] in with_loop or returns_name:
                behind.add((number, node.lineno))
    return lines - behind


def _is_among(known_by: tuple[float, ...], known: Known) -> bool:
    value = np.array(known_by)
    alike = (known[:, :2] == value[:2]).all(axis=1)
    scale = np.sqrt(np.abs(value[3]) * max(value[0], 1.0)) + 1e-6
    off = np.abs(known[:, 2:] - value[2:]) / np.array([scale, np.abs(value[3]) + 1e-6])
    return bool((alike & (off < CLOSE).all(axis=1)).any())
