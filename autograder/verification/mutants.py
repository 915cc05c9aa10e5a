"""Mutants of a solution: every operator of a mutation tester, at every place it fits."""

import ast
import functools
import itertools
from collections.abc import Iterator
from typing import Any

import msgspec

from autograder.extras import require
from autograder.submission.markers import BEGIN, END


class Mutant(msgspec.Struct, frozen=True):
    """A solution with one thing changed: the text, and the changed line."""

    text: str
    line: str
    operator: str


class MutantPlace(msgspec.Struct, frozen=True):
    """Where an operator fits: the operator's name, and how many places of its own come before."""

    operator: str
    occurrence: int


def mutants(text: str, share: int = 1) -> Iterator[Mutant]:
    """The mutants of what stands between the solution markers, each once; of one place in `share`.

    Raises:
        UserError: the mutation tester is not installed.
    """
    seen = {_meaning(text)}
    for place in itertools.islice(places(text), 0, None, share):
        mutant = made_at(text, place)
        if mutant is None:
            continue
        meaning = _meaning(mutant.text)
        if meaning not in seen:
            seen.add(meaning)
            yield mutant


def places(text: str) -> Iterator[MutantPlace]:
    """All places at which an operator fits, inside the markers or outside.

    Raises:
        UserError: the mutation tester is not installed.
    """
    require("dev", "A mutant")
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast(text)))
    for name in sorted(operator_names()):
        operator = _made(get_operator(name))
        if operator is not None:
            count = sum(len(list(operator.mutation_positions(node))) for node in nodes)
            yield from (MutantPlace(name, occurrence) for occurrence in range(count))


def made_at(text: str, place: MutantPlace) -> Mutant | None:
    """The mutant of one place; None if it lies outside the markers, is no Python, or changes
    nothing.
    """
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    changed = mutate_code(text, _made(get_operator(place.operator)), place.occurrence)
    if changed is None:
        return None
    line = _first_change(text, changed)
    if line not in _solution_lines(text) or _meaning(changed) in {"", _meaning(text)}:
        return None
    return Mutant(changed, changed.splitlines()[line].strip(), place.operator.split("/")[-1])


def _made(operator: Any) -> Any:
    try:
        return operator()
    except TypeError:  # it needs arguments that only a configuration gives
        return None


@functools.lru_cache(8)
def _solution_lines(text: str) -> frozenset[int]:
    lines, inside, within = text.splitlines(), set[int](), False
    for number, line in enumerate(lines):
        if line.strip() == BEGIN:
            within = True
        elif line.strip() == END:
            within = False
        elif within:
            inside.add(number)
    return frozenset(inside - _test_lines(text))


def _test_lines(text: str) -> set[int]:
    """The lines of tests that the solution holds: a mutant of a test is another test, often as
    good a one.
    """
    found: set[int] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            found |= set(range(node.lineno - 1, node.end_lineno or node.lineno))
    return found


def _first_change(before: str, after: str) -> int:
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next((n for n, (old, new) in enumerate(pairs) if old != new), -1)


@functools.lru_cache(8)
def _meaning(text: str) -> str:
    """What the code does, whatever it looks like; nothing if it is not valid Python."""
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return ""
