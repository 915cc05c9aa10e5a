"""Mutants of a solution: every operator of a mutation tester, at every place it fits."""

import ast
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


def mutants(text: str) -> Iterator[Mutant]:
    """The mutants of what stands between the solution markers, each once.

    Raises:
        UserError: the mutation tester is not installed.
    """
    require("dev", "A mutant")
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    inside = _solution_lines(text)
    seen = {_meaning(text)}
    for name in sorted(operator_names()):
        operator = _made(get_operator(name))
        if operator is None:
            continue
        for occurrence in range(10_000):
            changed = mutate_code(text, operator, occurrence)
            if changed is None:
                break
            line = _first_change(text, changed)
            if line not in inside:
                continue
            meaning = _meaning(changed)
            if meaning in seen or not meaning:
                continue
            seen.add(meaning)
            yield Mutant(changed, changed.splitlines()[line].strip(), name.split("/")[-1])


def _made(operator: Any) -> Any:
    try:
        return operator()
    except TypeError:  # it needs arguments that only a configuration gives
        return None


def _solution_lines(text: str) -> set[int]:
    lines, inside, within = text.splitlines(), set(), False
    for number, line in enumerate(lines):
        if line.strip() == BEGIN:
            within = True
        elif line.strip() == END:
            within = False
        elif within:
            inside.add(number)
    return inside - _test_lines(text)


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


def _meaning(text: str) -> str:
    """What the code does, whatever it looks like; nothing if it is not valid Python."""
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return ""
