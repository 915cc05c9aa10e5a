"""What a submission computes on its way, beside what right answers compute on theirs.

Each value is known by numbers that its axes and their order do not change, so an answer may hold
its arrays in another shape than the course does.
"""

import ast
import copy
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.repair.lines import Lines
from autograder.repair.tree import Tree
from autograder.submission.source import Source
from autograder.worker.messages import Unit

TELLING = 3  # fewer numbers are alike by chance
CLOSE = 2e-4  # as a share: float32 beside float64, and sums in another order
EXPRESSIONS = ast.BinOp | ast.Call | ast.Subscript | ast.IfExp | ast.UnaryOp | ast.Compare
_MARK = re.compile(r"\x02(\d{1,4}):(\d{1,6})=(\d{1,9}),(\d{1,9}),([-\d.e+]+),([-\d.e+]+)\n")
_HELPER = """
def _passed_value(mark, value, _seen={}, _print=print):
    if isinstance(value, tuple):
        for each in value:
            _passed_value(mark, each)
        return value
    try:
        import numpy
        array = value.detach().numpy() if hasattr(value, "detach") else value
        array = numpy.asarray(array)
        if array.dtype.kind in "fiub" and 0 < array.size <= 100000:
            array = array.astype(float).ravel()
            usual = array[numpy.isfinite(array) & (abs(array) < 1e8)]
            odd = array.size - usual.size
            said = f"{array.size},{odd},{usual.sum():.7g},{(usual * usual).sum():.7g}"
            known = _seen.setdefault(mark, set())
            if said not in known and len(known) < 12:
                known.add(said)
                _print(f"\\x02{mark}={said}")
    except Exception:
        pass
    return value
"""


class Value(NamedTuple):
    """A value: the line of its statement, and what it is known by."""

    place: tuple[int, int]
    known_by: tuple[float, float, float, float]


Known = npt.NDArray[np.float64]  # a row for each value of right answers: what it is known by


def heard(printed: str) -> list[Value]:
    """The values that were printed, in the order in which they came about."""
    return [
        Value((int(unit), int(line)), (float(size), float(odd), float(total), float(squares)))
        for unit, line, size, odd, total, squares in _MARK.findall(printed)
    ]


def known_values(values: Iterable[Value]) -> Known:
    """What right answers compute, each value once."""
    rows = sorted({value.known_by for value in values})
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def with_values(source: Source, trees: Sequence[Tree | None], all_parts: bool) -> Source:
    """The source, telling the value of each assignment and each `return`.

    With `all_parts` it tells those of their parts as well.
    """
    units = []
    for number, (unit, tree) in enumerate(zip(source.units, trees, strict=True)):
        text = unit.text if tree is None else _telling(tree, number, all_parts)
        units.append(Unit(unit.label, text))
    return msgspec.structs.replace(source, units=(Unit("values", _HELPER), *units))


def departing(values: Sequence[Value], known: Known) -> tuple[Lines, Lines]:
    """The line with the first value that no right answer has, and the lines with none such.

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


def _is_among(known_by: tuple[float, ...], known: Known) -> bool:
    if not len(known):
        return False
    mine = np.array(known_by)
    alike = (known[:, :2] == mine[:2]).all(axis=1)
    scale = np.sqrt(np.abs(mine[3]) * max(mine[0], 1.0)) + 1e-6
    off = np.abs(known[:, 2:] - mine[2:]) / np.array([scale, np.abs(mine[3]) + 1e-6])
    return bool((alike & (off < CLOSE).all(axis=1)).any())


def _telling(tree: Tree, number: int, all_parts: bool) -> str:
    root = copy.deepcopy(tree.root)
    _Telling(number, all_parts).visit(root)
    return ast.unparse(ast.fix_missing_locations(root))


class _Telling(ast.NodeTransformer):
    """Has the statements inside functions tell the values that they give to names or return."""

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
            node.value = self._told(node, self._in_parts(node, node.value))
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if self.inside:
            node.value = self._told(node, self._in_parts(node, node.value))
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        if not self.inside:
            return node
        node.value = self._in_parts(node, node.value)
        whole: ast.expr = copy.deepcopy(node.target)
        while isinstance(whole, ast.Subscript):
            whole = whole.value
        for each in ast.walk(whole):
            if hasattr(each, "ctx"):
                each.ctx = ast.Load()
        return [node, ast.Expr(self._told(node, whole))]

    def _in_parts(self, statement: ast.stmt, value: ast.expr) -> ast.expr:
        if not self.all_parts:
            return value
        parts = _Parts(lambda part: self._told(statement, part)).visit(value)
        assert isinstance(parts, ast.expr)
        return parts

    def _told(self, statement: ast.stmt, value: ast.expr) -> ast.expr:
        call = ast.parse(f"_passed_value('{self.number}:{statement.lineno}', 0)", mode="eval").body
        assert isinstance(call, ast.Call)
        call.args[1] = value
        return call


class _Parts(ast.NodeTransformer):
    """Has every part of an expression tell its value."""

    def __init__(self, told: Callable[[ast.expr], ast.expr]) -> None:
        self.told = told

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Lambda | ast.JoinedStr | ast.comprehension):
            return node
        self.generic_visit(node)
        is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        return self.told(node) if isinstance(node, EXPRESSIONS) and is_read else node
