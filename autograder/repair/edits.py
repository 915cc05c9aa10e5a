"""Candidate edits of a student's own source, one at a place or the same at every equal place."""

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from autograder.repair.change import Change, Surroundings, imported_names
from autograder.repair.expressions import expression_changes
from autograder.repair.lines import Lines
from autograder.repair.overwritten import kept_apart
from autograder.repair.statements import statement_changes
from autograder.repair.templates import Template, template_changes
from autograder.repair.tree import Span, Tree

Place = tuple[ast.AST, Change]
MAX_EDITS = 20_000
MAX_PLACE = 500
MOST_EQUAL = 4  # equal places of which some alone are tried


class Edit(msgspec.Struct, frozen=True):
    """An edit of one unit: of which kind, in which lines (of statements), and what it exchanges.

    `at` are the lines of the places themselves.
    """

    kind: str
    unit: int
    lines: tuple[int, ...]
    at: tuple[int, ...]
    spans: tuple[Span, ...]
    weight: float = 1.0


def edits(trees: Sequence[Tree | None], live: Lines, known: Sequence[Template] = ()) -> list[Edit]:
    """All edits at the lines that are live, or at all lines if none is known to be.

    `known` are expressions of right answers, which may take the place of what is much like them.

    Each text is made once; the same places in the same order give the same list.
    """
    found: dict[tuple[int, tuple[Span, ...]], Edit] = {}
    imported = frozenset(
        name for tree in trees if tree is not None for name in imported_names(tree.root)
    )
    for number, tree in enumerate(trees):
        if tree is None:
            continue
        lines = {line for unit, line in live if unit == number} if live else None
        for edit in _in_unit(number, tree, lines, imported, known):
            found.setdefault((edit.unit, edit.spans), edit)
            if len(found) >= MAX_EDITS:
                return list(found.values())
    return list(found.values())


def _in_unit(
    number: int,
    tree: Tree,
    lines: set[int] | None,
    imported: frozenset[str],
    known: Sequence[Template],
) -> Iterator[Edit]:
    around = Surroundings(tree, imported)
    same: dict[tuple[object, ...], list[Place]] = {}
    for node in tree.nodes:
        statement = tree.statement.get(node)
        if statement is None or (lines is not None and statement.lineno not in lines):
            continue
        if _is_long(tree, node):
            continue
        changes: Iterable[Change]
        if isinstance(node, ast.stmt):
            changes = statement_changes(around, node)
        else:
            changes = itertools.chain(
                expression_changes(around, node), template_changes(around, node, known)
            )
        for change in changes:
            if tree.raw[change.span.start : change.span.end] == change.span.new.encode():
                continue
            yield _edit(number, tree, [(node, change)])
            if isinstance(node, ast.expr | ast.keyword):
                old = tree.raw[change.span.start : change.span.end]
                key = tree.owner[node], change.kind, old, change.span.new
                same.setdefault(key, []).append((node, change))
    for places in _several([places for places in same.values() if len(places) > 1], tree):
        if lines is None or any(tree.statement[node].lineno in lines for node, _ in places):
            yield _edit(number, tree, places)


def _several(equal: Iterable[list[Place]], tree: Tree) -> Iterator[Sequence[Place]]:
    """The same change at all equal places and, of few, at some; and names that are kept apart."""
    for places in equal:
        if _apart([change.span for _, change in places]):
            yield places
            for count in range(2, len(places) if len(places) <= MOST_EQUAL else 0):
                yield from itertools.combinations(places, count)
    yield from kept_apart(tree)


def _is_long(tree: Tree, node: ast.AST) -> bool:
    """Whether a node is so long that the texts of its parts, all together, would be too much."""
    if not isinstance(node, ast.expr | ast.stmt | ast.keyword) or hasattr(node, "body"):
        return False
    start, end = tree.span(node)
    return end - start > MAX_PLACE


def _edit(number: int, tree: Tree, places: Sequence[Place]) -> Edit:
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


def _apart(spans: Sequence[Span]) -> bool:
    ordered = sorted(spans)
    return all(one.end <= other.start for one, other in itertools.pairwise(ordered))
