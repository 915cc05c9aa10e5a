"""Candidate edits of a student's source, at one place or at several, most promising first."""

import ast
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from autograder.diagnosis.repair.changes import changes_of
from autograder.diagnosis.repair.templates import Template, template_changes
from autograder.diagnosis.repair.traces import Lines
from autograder.diagnosis.repair.tree import (
    Change,
    Function,
    Span,
    Tree,
    is_stored,
    parameters_of,
)

Changed = tuple[ast.AST, Change]
MAX_EDITS = 20_000
MAX_PLACE = 500
MOST_EQUAL = 4  # if there are more equal places, their subsets are not tried
NEXT_USES = 3  # the most uses of a name that get the new name too
OWN_NAME_WEIGHT = 3.0  # higher than for other changes of names: there are few such edits
NO_LINES: Lines = frozenset()
AGAIN = 0.93  # factor for each further edit of a kind in a line, so that other edits get a turn
BY_TURNS = 0.01  # puts the best edit of each kind and line first, then all second-best ones

# The weight of each kind of edit. A kind that produces many edits has a lower weight.
WORTH = {
    "axis": 5.0,
    "kept axis": 5.0,
    "transpose": 4.5,
    "sign": 4.0,
    "comparison": 4.0,
    "keepdims": 4.0,
    "condition": 4.0,
    "results": 4.0,
    "off by one": 3.8,
    "operator": 3.6,
    "copy": 3.6,
    "return": 3.6,
    "operands": 3.2,
    "expression": 3.4,
    "leap": 3.0,
    "statement": 3.0,
    "call": 3.0,
    "constant": 2.6,
    "function": 2.6,
    "arguments": 2.6,
    "names": 2.6,
    "slice": 2.4,
    "term": 2.4,
    "parameters": 2.2,
    "sequence": 2.2,
    "index": 2.0,
    "name": 1.8,
    "keyword": 1.6,
    "type": 1.4,
}
FACTORS = (0.65, 2.2, 1.7, 2.5, 0.7)  # one for each field of `Suspects`, in order


class Edit(msgspec.Struct, frozen=True):
    """An edit of one unit."""

    kind: str  # a key of `WORTH`
    unit: int  # the index of the unit
    lines: tuple[int, ...]  # the first lines of the changed statements
    at: tuple[int, ...]  # the lines of the changed places
    spans: tuple[Span, ...]  # the replaced parts of the text, with their replacements
    weight: float = 1.0


def edits(trees: Sequence[Tree | None], live: Lines, known: Sequence[Template] = ()) -> list[Edit]:
    """Return all edits of the lines in `live`, or of all lines if `live` is empty.

    Two edits never lead to the same text. The order of the edits depends only on the source.
    Expressions of correct answers, `known`, may replace similar expressions.
    """
    found: dict[tuple[int, tuple[Span, ...]], Edit] = {}
    for number, tree in enumerate(trees):
        if tree is None:
            continue
        lines = {line for unit, line in live if unit == number} if live else None
        for edit in _in_unit(number, tree, lines, known):
            found.setdefault((edit.unit, edit.spans), edit)
            if len(found) >= MAX_EDITS:
                return list(found.values())
    return list(found.values())


def _in_unit(
    number: int, tree: Tree, lines: set[int] | None, known: Sequence[Template]
) -> Iterator[Edit]:
    same: dict[tuple[object, ...], list[Changed]] = {}
    for node in tree.nodes:
        statement = tree.statement.get(node)
        if statement is None or (lines is not None and statement.lineno not in lines):
            continue
        if _is_long(tree, node):
            continue
        changes = itertools.chain(changes_of(tree, node), template_changes(tree, node, known))
        for change in changes:
            old = tree.raw[change.span.start : change.span.end]
            if old == change.span.new.encode():
                continue
            yield _edit(number, tree, [(node, change)])
            if isinstance(node, ast.expr | ast.keyword):
                key = tree.owner[node], change.kind, old, change.span.new
                same.setdefault(key, []).append((node, change))
    several = [places for places in same.values() if len(places) > 1]
    for places in itertools.chain(_at_equal_places(several), _names_kept_apart(tree)):
        if lines is None or any(tree.statement[node].lineno in lines for node, _ in places):
            yield _edit(number, tree, places)


def _at_equal_places(equal: Iterable[list[Changed]]) -> Iterator[Sequence[Changed]]:
    """Yield the same change at all equal places. If the places are few, also at some of them."""
    for places in equal:
        spans = sorted(change.span for _, change in places)
        if all(span.end <= other.start for span, other in itertools.pairwise(spans)):
            yield places
            for count in range(2, len(places) if len(places) <= MOST_EQUAL else 0):
                yield from itertools.combinations(places, count)


def _is_long(tree: Tree, node: ast.AST) -> bool:
    """Return True if a node is so long that copies of all its parts would need too much memory."""
    if not isinstance(node, ast.expr | ast.stmt | ast.keyword) or hasattr(node, "body"):
        return False
    start, end = tree.span(node)
    return end - start > MAX_PLACE


def _edit(number: int, tree: Tree, places: Sequence[Changed]) -> Edit:
    lines = {tree.statement[node].lineno for node, _ in places}
    at = {getattr(node, "lineno", tree.statement[node].lineno) for node, _ in places}
    first = places[0][1]
    return Edit(
        first.kind,
        number,
        tuple(sorted(lines)),
        tuple(sorted(at)),
        tuple(sorted(change.span for _, change in places)),
        first.weight,
    )


def _names_kept_apart(tree: Tree) -> Iterator[list[Changed]]:
    """Yield edits that give a variable's second value a name of its own.

    The new name replaces the old one in the assignment and in the next uses. Later uses keep the
    old name, so they get the first value.
    """
    for node in tree.nodes:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, owner = node.targets[0], tree.owner[node]
        if not isinstance(target, ast.Name) or owner is None or not _had_a_value(owner, target):
            continue
        uses = [
            name
            for name in tree.nodes
            if isinstance(name, ast.Name)
            and name.id == target.id
            and isinstance(name.ctx, ast.Load)
            and tree.owner[name] is owner
            and name.lineno > (node.end_lineno or node.lineno)
        ]
        for count in range(1, min(NEXT_USES + 1, len(uses))):
            new = f"{target.id}_of_its_own"
            places: list[ast.AST] = [target, *uses[:count]]
            yield [(place, tree.put("name", place, new, OWN_NAME_WEIGHT)) for place in places]


def _had_a_value(owner: Function, target: ast.Name) -> bool:
    return target.id in parameters_of(owner) or any(
        is_stored(name) and name.id == target.id and name.lineno < target.lineno
        for name in ast.walk(owner)
    )


class Suspects(NamedTuple):
    """Lines that are more likely or less likely to be wrong than other lines."""

    also_passing: Lines = NO_LINES  # passing checks run them too; they are less likely to be wrong
    raised: Lines = NO_LINES  # they raised an exception
    feeding: Lines = NO_LINES  # they assign the names that are used in `raised` lines
    departing: Lines = NO_LINES  # the line with the first value which no correct answer computes
    fine: Lines = NO_LINES  # all their values occur in correct answers; less likely to be wrong

    def of(self, edit: Edit) -> float:
        """Return a factor for the edit's weight. It depends on the lines that the edit changes."""
        places = {(edit.unit, line) for line in (*edit.lines, *edit.at)}
        value = 1.0
        for lines, factor in zip(self, FACTORS, strict=True):
            value *= factor if not places.isdisjoint(lines) else 1.0
        return value


def in_order(edits: Sequence[Edit], suspects: Suspects, again: float = AGAIN) -> list[Edit]:
    """Return the edits, most promising first. `again` lowers the weight of similar edits."""

    def worth(edit: Edit) -> float:
        value = WORTH[edit.kind] * edit.weight * suspects.of(edit)
        return value * (1.2 if len(edit.spans) > 1 else 1.0)

    first = sorted(edits, key=lambda edit: (-worth(edit), edit.unit, edit.spans))
    so_far: Counter[tuple[str, int, tuple[int, ...]]] = Counter()
    ranked = []
    for edit in first:
        place = edit.kind, edit.unit, edit.lines
        ranked.append((-worth(edit) * again ** so_far[place], edit.unit, edit.spans, edit))
        so_far[place] += 1
    ranked.sort(key=lambda row: row[:3])
    return [row[3] for row in ranked]
