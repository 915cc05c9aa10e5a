"""Targets of a repair, and how near an edited file comes to them.

Targets are the failed checks of functions whose mistake has no name yet.
"""

import ast
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from autograder.checks.check_result import CheckResult
from autograder.submission.code import Definition, parsed
from autograder.submission.source import Source

LEAST_APART, MOST_APART = 2, 3  # functions that are looked at one by one
NOTHING_THERE = frozenset({"missing", "not written"})


class Targets(msgspec.Struct, frozen=True):
    """The checks that an edit should make pass.

    Attributes:
        failed: the checks that failed without a name.
        checks: all that have to pass then; empty if that is every check.
        functions: what the failed ones are about; empty if that is all that fails.
        not_run: checks that did not run, and may be about these functions alone.
    """

    failed: tuple[str, ...]
    checks: frozenset[str] = frozenset()
    functions: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()

    def are_met_by(self, result: CheckResult) -> bool:
        """Return whether a check passes, or asks for other functions too."""
        return passes(result) or not _functions(result) <= set(self.functions)


def find_targets(source: Source, results: Sequence[CheckResult]) -> Targets:
    """Return the failed checks of functions that are written and have no mistake with a name.

    A function that uses one with such a mistake fails for that, as far as is known.
    """
    failed = [result for result in results if result.outcome == "failed"]
    named = frozenset(name for result in failed if _is_named(result) for name in _functions(result))
    explained = named | _users(source, named)
    left = [
        result for result in failed if not _is_named(result) and not explained & _functions(result)
    ]
    names = tuple(result.name for result in left)
    not_run = tuple(result.name for result in results if result.outcome == "not run")
    if len(left) == len(failed):
        return Targets(names, not_run=not_run)
    about = tuple(dict.fromkeys(name for result in left for name in result.about))
    checks = _checks_of(results, frozenset(about)) | frozenset(names)
    return Targets(names, checks, about, not_run)


def targets_by_function(
    source: Source, results: Sequence[CheckResult], targets: Targets
) -> list[Targets]:
    """Return the targets of each function alone, if several functions fail in separate checks.

    Leave out a function that calls another of them: an edit of that call only avoids the mistake.
    """
    own: dict[str, list[str]] = {}
    for result in results:
        functions = _functions(result)
        if result.name in targets.failed and len(functions) == 1:
            own.setdefault(next(iter(functions)), []).append(result.name)
    if not LEAST_APART <= len(own) <= MOST_APART:
        return []
    users = {name: _users(source, frozenset({name})) for name in own}
    return [
        Targets(tuple(names), _checks_of(results, frozenset({name})), (name,), targets.not_run)
        for name, names in own.items()
        if not any(name in users[other] and other not in users[name] for other in own)
    ]


def _users(source: Source, functions: frozenset[str]) -> frozenset[str]:
    """Return these functions and all of the file that name one of them, directly or not."""
    names_in = {
        node.name: {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        for unit in source.units
        for node in parsed(unit) or ()
        if isinstance(node, Definition)
    }
    users, before = set(functions), -1
    while functions and len(users) > before:
        before = len(users)
        users |= {name for name, names in names_in.items() if names & users}
    return frozenset(users)


def _is_named(result: CheckResult) -> bool:
    named = result.diagnosis is not None and result.diagnosis.kind == "named"
    return named or result.kind in NOTHING_THERE


def _functions(result: CheckResult) -> frozenset[str]:
    function = result.diagnosis.function if result.diagnosis is not None else ""
    return frozenset(name for name in (*result.about, function) if name)


def _checks_of(results: Sequence[CheckResult], about: frozenset[str]) -> frozenset[str]:
    """Return the checks that ask for no other functions than these."""
    return frozenset(r.name for r in results if r.about and _functions(r) <= about)


RAISED, SHAPE, VALUES = range(3)


class Fitness(NamedTuple):
    """The checks that passed before one failed, and how near that one is to passing.

    Attributes:
        kind: `RAISED`, `SHAPE` or `VALUES`: what is wrong with the first that failed.
        right: the number of its values that are right.
    """

    passed: int
    kind: int
    right: int
    all_passed: bool = False


def passes(result: CheckResult) -> bool:
    """Return whether a check passes; those that a released course does not hand out do."""
    return result.outcome == "passed" or (
        result.hidden and result.outcome == "graded when handed in"
    )


def fitness_of(results: Sequence[CheckResult]) -> Fitness:
    """Return the fitness of an edited file; checks after the first that failed did not run."""
    passed = sum(map(passes, results))
    failed = next((result for result in results if not passes(result)), None)
    if failed is None:
        return Fitness(passed, VALUES, 0, all_passed=True)
    if failed.outcome != "failed" or failed.kind is not None or failed.evidence is None:
        return Fitness(passed, RAISED, 0)
    answer, right = failed.evidence.matrices
    if answer is None or right is None or answer.shape != right.shape:
        return Fitness(passed, SHAPE, 0)
    cells = [wrong for row in answer.wrong for wrong in row]
    return Fitness(passed, VALUES, len(cells) - sum(cells))
