"""Mutants of a solution from all operators of a mutation tester, and the equivalent mutants."""

import ast
import functools
import itertools
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from autograder.course.authoring_errors import meant
from autograder.course.errors import UserError
from autograder.course.installation import require
from autograder.submission.stubs import BEGIN, END


class Mutant(msgspec.Struct, frozen=True):
    """Solution with one change: its text, the changed line, and the operator that changed it."""

    text: str
    line: str
    operator: str


class MutantPlace(msgspec.Struct, frozen=True):
    """Place where an operator applies; `occurrence` counts the operator's places before it."""

    operator: str
    occurrence: int


def mutants(text: str, share: int = 1) -> Iterator[Mutant]:
    """Yield the distinct mutants of the lines between the markers. Use one place in `share` places.

    Raises:
        UserError: the mutation tester is not installed.
    """
    seen = {_meaning(text)}
    for place in itertools.islice(places(text), 0, None, share):
        mutant = mutant_at(text, place)
        if mutant is not None and _meaning(mutant.text) not in seen:
            seen.add(_meaning(mutant.text))
            yield mutant


def places(text: str) -> Iterator[MutantPlace]:
    """Yield all places at which an operator applies, inside and outside the markers.

    Raises:
        UserError: the mutation tester is not installed.
    """
    require("verify", "A mutant")
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast(text)))
    for name in sorted(operator_names()):
        operator = _made(get_operator(name))
        if operator is not None:
            count = sum(len(list(operator.mutation_positions(node))) for node in nodes)
            yield from (MutantPlace(name, occurrence) for occurrence in range(count))


def mutant_at(text: str, place: MutantPlace) -> Mutant | None:
    """Return the mutant for a place; None if it is outside the markers, invalid or unchanged."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    changed = mutate_code(text, _made(get_operator(place.operator)), place.occurrence)
    if changed is None:
        return None
    pairs = zip(text.splitlines(), changed.splitlines(), strict=False)
    line = next((n for n, (old, new) in enumerate(pairs) if old != new), -1)
    if line not in _solution_lines(text) or _meaning(changed) in {"", _meaning(text)}:
        return None
    return Mutant(changed, changed.splitlines()[line].strip(), place.operator.split("/")[-1])


def _made(operator: Any) -> Any:
    try:
        return operator()
    except TypeError:  # it needs arguments from a configuration
        return None


@functools.lru_cache(8)
def _solution_lines(text: str) -> frozenset[int]:
    """Return the lines between the markers. Leave out tests: a changed test is no mistake."""
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
    """Return the syntax tree as text without layout; an empty text for invalid code."""
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return ""


EQUIVALENT = "equivalent.yml"
FORM = "`EXERCISE:` with a list of entries, each with `line:` and `reason:`"
FIELDS = ("line", "reason")


class EquivalentMutant(msgspec.Struct, frozen=True):
    """Mutant with right results: the changed line, and the reason why results do not change."""

    line: str
    reason: str


def equivalent_mutants(
    solutions: Path, exercises: Collection[str]
) -> dict[str, list[EquivalentMutant]]:
    """Return a dict from each exercise to the mutants that authors have listed as right.

    Raises:
        UserError: the file is not valid; the message names the line and what was expected.
    """
    path = solutions / EQUIVALENT
    if not path.is_file():
        return {}

    def wrong(node: yaml.Node, says: str) -> UserError:
        return UserError(f"{path}, line {node.start_mark.line + 1}: {says}")

    try:
        tree = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UserError(
            f"{path}, line {line}: this is not valid YAML: {error.problem}. Put a line of code in "
            f"single quotes, and double each ' in it."
        ) from None
    except (yaml.YAMLError, OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from None
    found: dict[str, list[EquivalentMutant]] = {}
    if tree is not None and not isinstance(tree, yaml.MappingNode):
        raise wrong(tree, f"expected {FORM}.")
    for key, entries in tree.value if tree is not None else ():
        name = str(key.value)
        if name not in exercises:
            near = meant(name, exercises)
            raise wrong(key, f"the course has no exercise `{name}`{near}")
        if not isinstance(entries, yaml.SequenceNode):
            raise wrong(key, f"`{name}` has no list; expected {FORM}.")
        found.setdefault(name, []).extend(_entry(entry, wrong) for entry in entries.value)
    return found


def _entry(entry: yaml.Node, wrong: Callable[[yaml.Node, str], UserError]) -> EquivalentMutant:
    if not isinstance(entry, yaml.MappingNode):
        raise wrong(entry, "an entry has no `line:` and `reason:`.")
    texts: dict[str, str] = {}
    for key, value in entry.value:
        name = str(key.value)
        if name not in FIELDS:
            raise wrong(key, f"unknown field `{name}`{meant(name, FIELDS)}")
        if not isinstance(value, yaml.ScalarNode) or not value.value.strip():
            raise wrong(value, f"`{name}` is not a text.")
        texts[name] = value.value.strip()
    for name in FIELDS:
        if name not in texts:
            raise wrong(entry, f"this entry has no `{name}:`.")
    return EquivalentMutant(**texts)
