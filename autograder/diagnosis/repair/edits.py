"""Candidate edits of a student's source, at one place or several, most promising first.

An expression of a correct solution may replace only a similar expression: a replaced function would
not show the mistake.
"""

import ast
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from autograder.diagnosis.repair.changes import changes_of
from autograder.diagnosis.repair.traces import Lines
from autograder.diagnosis.repair.tree import (
    Change,
    Function,
    Span,
    Tree,
    imported_names,
    is_stored,
    parameters_of,
)

Changed = tuple[ast.AST, Change]
MAX_EDITS = 20_000
MAX_PLACE = 500
MOST_EQUAL = 4  # if there are more equal places, their subsets are not tried
NEXT_USES = 3  # the most uses of a name that get the new name too
OWN_NAME_WEIGHT = 3.0  # more than for other changes of names, because such edits are few
NO_LINES: Lines = frozenset()
AGAIN = 0.93  # factor for each further edit of a kind in a line, so that other edits get a turn
BY_TURNS = 0.01  # puts the best edit of each kind and line first, then all second-best ones

ALIKE = 0.5  # the smallest share of tokens that an expression and a template must have in common
BEST = 6  # the most templates that are tried for an expression
LEAST, MOST = 3, 40  # numbers of tokens of a template
EXPRESSIONS = (
    ast.BinOp | ast.Call | ast.Subscript | ast.Compare | ast.Tuple | ast.IfExp | ast.UnaryOp
)
_NAME = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
_TOKEN = re.compile(r"\w+|[^\w\s.,()\[\]]")  # brackets and commas do not count as similarity
BUILT_IN = {"len", "range", "sum", "max", "min", "float", "int", "abs", "tuple", "list", "True"}
# The weight of each kind of edit, and a phrase that does not tell the student the edit itself. A
# kind that produces many edits has a lower weight.
KINDS = {
    "axis": (5.0, "of the axis"),
    "kept axis": (5.0, "another axis there, with keepdims"),
    "transpose": (4.5, "two axes exchanged there, or left as they are"),
    "sign": (4.0, ""),
    "comparison": (4.0, "another comparison there"),
    "keepdims": (4.0, "reduced axes kept or not kept there"),
    "condition": (4.0, "another condition there"),
    "results": (4.0, "other results there, or in another order"),
    "off by one": (3.8, "one more or one fewer there"),
    "operator": (3.6, "another operator there"),
    "copy": (3.6, "a copy there"),
    "return": (3.6, "something returned there"),
    "expression": (3.4, ""),
    "operands": (3.2, "two operands exchanged there"),
    "leap": (3.0, ""),
    "statement": (3.0, ""),
    "call": (3.0, "one call fewer there"),
    "constant": (2.6, ""),
    "function": (2.6, "another function there"),
    "arguments": (2.6, "arguments in another order there"),
    "names": (2.6, "two names exchanged there"),
    "slice": (2.4, ""),
    "term": (2.4, ""),
    "sequence": (2.2, ""),
    "index": (2.0, ""),
    "name": (1.8, "another name there"),
    "keyword": (1.6, ""),
    "type": (1.4, ""),
}
FACTORS = (0.65, 2.2, 1.7, 2.5, 0.7)  # a factor for each field of `Suspects`, in order


class Edit(msgspec.Struct, frozen=True):
    """Edit of a file or a cell."""

    kind: str  # a key of `KINDS`
    unit: int  # the index of the unit
    lines: tuple[int, ...]  # the first lines of the changed statements
    at: tuple[int, ...]  # the lines of the changed places
    spans: tuple[Span, ...]  # the replaced parts of the text, with their replacements
    weight: float = 1.0


class Template(msgspec.Struct, frozen=True):
    """Expression from a correct solution, and the imported names (`modules`) of its file."""

    text: str
    function: str
    parameters: tuple[str, ...]
    names: tuple[str, ...]  # names in the expression
    modules: frozenset[str]


def templates(right_answers: Iterable[Path]) -> tuple[Template, ...]:
    found: dict[tuple[str, str], Template] = {}
    for path in right_answers:
        try:
            root = ast.parse(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, SyntaxError):
            continue
        modules = frozenset(imported_names(root))
        for function in [node for node in ast.walk(root) if isinstance(node, Function)]:
            for node in ast.walk(function):
                is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
                if not isinstance(node, EXPRESSIONS) or not is_read:
                    continue
                name, text = function.name, ast.unparse(node)
                if LEAST <= len(_TOKEN.findall(text)) <= MOST:
                    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
                    bound = {part.id for part in names if is_stored(part)}
                    free = dict.fromkeys(part.id for part in names if part.id not in bound)
                    parameters = tuple(parameters_of(function))
                    template = Template(text, name, parameters, tuple(free), modules)
                    found.setdefault((name, text), template)
    return tuple(found.values())


def template_changes(tree: Tree, node: ast.AST, known: Sequence[Template]) -> Iterator[Change]:
    """Yield the templates that are similar to an expression, most similar first."""
    if not isinstance(node, EXPRESSIONS) or not known:
        return
    owner = tree.owner[node]
    own = Counter(_TOKEN.findall(ast.unparse(node)))
    if owner is None or not LEAST <= sum(own.values()) <= MOST:
        return
    methods = {arg.arg for arg in owner.args.args} & {"self"}
    scope = [*tree.scope(node), *sorted(tree.imported), *sorted(BUILT_IN | methods)]
    texts = dict.fromkeys(_renamed(template, owner, scope) for template in known)
    filled = _filled_before(owner, node)  # without it, the loop that fills it would be useless
    similar = [(-_alike(own, Counter(_TOKEN.findall(text))), text) for text in texts if text]
    for share, text in sorted(similar)[:BEST]:
        if ALIKE <= -share < 1.0 and filled <= set(_NAME.findall(text)):
            yield tree.put("expression", node, text, -share)


def _filled_before(owner: Function, node: ast.AST) -> set[str]:
    loops = [each for each in ast.walk(owner) if isinstance(each, ast.For | ast.While)]
    before = [each for each in loops if (each.end_lineno or 0) < getattr(node, "lineno", 0)]
    names = {each.id for loop in before for each in ast.walk(loop) if isinstance(each, ast.Name)}
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names & used - {*parameters_of(owner), *BUILT_IN, "np", "torch"}


def _renamed(template: Template, owner: Function, scope: Sequence[str]) -> str:
    parameters = parameters_of(owner)
    new_names: dict[str, str] = {}
    if template.function == owner.name and len(parameters) == len(template.parameters):
        new_names = dict(zip(template.parameters, parameters, strict=True))
    unknown = [name for name in template.names if new_names.get(name, name) not in scope]
    if len(unknown) > 1 or template.modules & set(unknown):
        return ""
    if unknown:
        taken = {*parameters, *new_names.values(), *template.names}
        local = next((name for name in scope if name not in taken), "")
        if not local or local in BUILT_IN:
            return ""
        new_names[unknown[0]] = local
    return _NAME.sub(lambda name: new_names.get(name[0], name[0]), template.text)


def _alike(one: Counter[str], other: Counter[str]) -> float:
    common, sizes = sum((one & other).values()), (sum(one.values()), sum(other.values()))
    return common / sum(sizes) + common / max(1, 2 * min(sizes))


def edits(trees: Sequence[Tree | None], live: Lines, known: Sequence[Template] = ()) -> list[Edit]:
    """Return all different edits of the lines in `live`. If `live` is empty, edit all lines.

    `known` are expressions of correct solutions. They may replace similar expressions.
    """
    found: dict[tuple[int, tuple[Span, ...]], Edit] = {}
    for number, tree in enumerate(trees):
        if tree is None:
            continue
        lines = {line for unit, line in live if unit == number} if live else None
        for places in _places(tree, lines, known):
            first, spans = places[0][1], tuple(sorted(change.span for _, change in places))
            at = {getattr(node, "lineno", tree.statement[node].lineno) for node, _ in places}
            edit = Edit(
                first.kind,
                number,
                tuple(sorted({tree.statement[node].lineno for node, _ in places})),
                tuple(sorted(at)),
                spans,
                first.weight,
            )
            found.setdefault((number, spans), edit)
            if len(found) >= MAX_EDITS:
                return list(found.values())
    return list(found.values())


def _places(
    tree: Tree, lines: set[int] | None, known: Sequence[Template]
) -> Iterator[Sequence[Changed]]:
    """Yield the changes of each edit. An edit may change several places in these lines."""
    same: dict[tuple[object, ...], list[Changed]] = {}
    for node in tree.nodes:
        statement = tree.statement.get(node)
        if statement is None or (lines is not None and statement.lineno not in lines):
            continue
        if isinstance(node, ast.expr | ast.stmt | ast.keyword) and not hasattr(node, "body"):
            start, end = tree.span(node)
            if end - start > MAX_PLACE:  # copies of all its parts would need too much memory
                continue
        for change in (*changes_of(tree, node), *template_changes(tree, node, known)):
            old = tree.raw[change.span.start : change.span.end]
            if old == change.span.new.encode():
                continue
            yield [(node, change)]
            if isinstance(node, ast.expr | ast.keyword):
                key = tree.owner[node], change.kind, old, change.span.new
                same.setdefault(key, []).append((node, change))
    for places in itertools.chain(_at_equal_places(same.values()), _names_kept_apart(tree)):
        if lines is None or any(tree.statement[node].lineno in lines for node, _ in places):
            yield places


def _at_equal_places(equal: Iterable[list[Changed]]) -> Iterator[Sequence[Changed]]:
    for places in equal:
        spans = sorted(change.span for _, change in places)
        apart = all(span.end <= other.start for span, other in itertools.pairwise(spans))
        if len(places) > 1 and apart:
            yield places
            for count in range(2, len(places) if len(places) <= MOST_EQUAL else 0):
                yield from itertools.combinations(places, count)


def _names_kept_apart(tree: Tree) -> Iterator[list[Changed]]:
    """Yield edits that give a variable's second value a new name."""
    for node in tree.nodes:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, owner = node.targets[0], tree.owner[node]
        if not isinstance(target, ast.Name) or owner is None:
            continue
        if target.id not in {*parameters_of(owner), *tree.lately(target)}:
            continue  # this is its first value
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


class Suspects(NamedTuple):
    """Lines that are more likely or less likely to be wrong than others."""

    also_passing: Lines = NO_LINES  # lines that also run in passing checks: less likely wrong
    raised: Lines = NO_LINES  # lines that raised an exception
    feeding: Lines = NO_LINES  # lines that assign names used in `raised` lines
    departing: Lines = NO_LINES  # the line with the first value which no correct answer computes
    fine: Lines = NO_LINES  # lines with only values of correct answers: less likely wrong

    def worth(self, edit: Edit) -> float:
        value = KINDS[edit.kind][0] * edit.weight
        places = {(edit.unit, line) for line in (*edit.lines, *edit.at)}
        factors = zip(self, FACTORS, strict=True)
        value *= math.prod(factor for lines, factor in factors if places & lines)
        return value * (1.2 if len(edit.spans) > 1 else 1.0)


def in_order(edits: Sequence[Edit], suspects: Suspects, again: float = AGAIN) -> list[Edit]:
    weighted = ((-suspects.worth(edit), edit.unit, edit.spans, edit) for edit in edits)
    ranked = sorted(weighted, key=lambda row: row[:3])
    so_far: Counter[tuple[str, int, tuple[int, ...]]] = Counter()
    rows = []
    for worth, unit, spans, edit in ranked:
        place = edit.kind, unit, edit.lines
        rows.append((worth * again ** so_far[place], unit, spans, edit))
        so_far[place] += 1
    return [row[-1] for row in sorted(rows, key=lambda row: row[:3])]
