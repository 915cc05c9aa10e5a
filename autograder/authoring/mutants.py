"""Mutants of a solution, made by the operators of a mutation tester."""

import ast
import functools
import itertools
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from autograder.course.files import read_text
from autograder.course.installation import require
from autograder.course.yaml_file import read_yaml
from autograder.submission.stubs import BEGIN, END


class Mutant(msgspec.Struct, frozen=True):
    """Solution with one change: its text, the changed line, and the operator."""

    text: str
    line: str
    operator: str


MutantPlace = tuple[str, int]  # an operator, and the number of its earlier places


def mutants(text: str, share: int = 1) -> Iterator[Mutant]:
    """Yield distinct mutants of the lines between the markers, made at every `share`-th place."""
    seen = {_meaning(text)}
    for place in itertools.islice(places(text), 0, None, share):
        mutant = mutant_at(text, place)
        if mutant is not None and _meaning(mutant.text) not in seen:
            seen.add(_meaning(mutant.text))
            yield mutant


def places(text: str) -> Iterator[MutantPlace]:
    """Yield all places where an operator applies, inside and outside the markers."""
    require("verify", "A mutant")
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast(text)))
    for name in sorted(operator_names()):
        operator = _made(get_operator(name))
        if operator is not None:
            count = sum(len(list(operator.mutation_positions(node))) for node in nodes)
            yield from ((name, occurrence) for occurrence in range(count))


def mutant_at(text: str, place: MutantPlace) -> Mutant | None:
    """Return a place's mutant. If it is outside the markers, invalid or unchanged, return None."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    changed = mutate_code(text, _made(get_operator(place[0])), place[1])
    if changed is None:
        return None
    pairs = zip(text.splitlines(), changed.splitlines(), strict=False)
    line = next((n for n, (old, new) in enumerate(pairs) if old != new), -1)
    if line not in _solution_lines(text) or _meaning(changed) in {"", _meaning(text)}:
        return None
    return Mutant(changed, changed.splitlines()[line].strip(), place[0].split("/")[-1])


def _made(operator: Any) -> Any:
    try:
        return operator()
    except TypeError:  # this operator needs arguments
        return None


@functools.lru_cache(8)
def _solution_lines(text: str) -> frozenset[int]:
    lines, inside, within = text.splitlines(), set[int](), False
    for number, line in enumerate(lines):
        if line.strip() in {BEGIN, END}:
            within = line.strip() == BEGIN
        elif within:
            inside.add(number)
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            inside -= set(range(node.lineno - 1, node.end_lineno or node.lineno))
    return frozenset(inside)


@functools.lru_cache(8)
def _meaning(text: str) -> str:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return ""


class EquivalentMutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mutant that is still correct: the changed line, and the reason."""

    line: Annotated[str, msgspec.Meta(min_length=1)]
    reason: Annotated[str, msgspec.Meta(min_length=1)]


def equivalent_mutants(
    solutions: Path, exercises: Collection[str]
) -> dict[str, list[EquivalentMutant]]:
    path = solutions / "equivalent.yml"
    if not path.is_file():
        return {}
    text = read_text(path)
    if not re.search(r"^\s*[^\s#]", text, re.MULTILINE):  # only comments
        return {}
    fields: list[Any] = [(name, list[EquivalentMutant], []) for name in exercises]
    kind = msgspec.defstruct("EquivalentMutants", fields, forbid_unknown_fields=True)
    listed = msgspec.structs.asdict(read_yaml(path, text, kind, dict))
    return {name: entries for name, entries in listed.items() if entries}
