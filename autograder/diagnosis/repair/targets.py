"""Targets of a repair: checks that an edit should make pass, and the progress of an edit."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from autograder.checks.check_result import CheckResult
from autograder.submission.code import users_of
from autograder.submission.source import Source

LEAST_APART, MOST_APART = 2, 3  # numbers of functions that are examined separately
NOTHING_THERE = frozenset({"missing", "not written"})


class Targets(msgspec.Struct, frozen=True):
    """Checks that a repair should make pass."""

    failed: tuple[str, ...]  # the failed checks without a named mistake
    checks: frozenset[str] = frozenset()  # checks that must pass after the edit; if empty, all
    functions: tuple[str, ...] = ()  # tested by `failed`; empty if no other checks failed
    not_run: tuple[str, ...] = ()  # checks that did not run; may test these functions too

    def are_met_by(self, result: CheckResult) -> bool:
        """Return True if a check passes, or also tests functions outside the targets."""
        return passes(result) or not _functions(result) <= set(self.functions)


def find_targets(source: Source, results: Sequence[CheckResult]) -> Targets:
    """Return the failed checks of written functions without a named mistake.

    A function that calls a function with a named mistake may be right, so its checks are left out.
    """
    failed = [result for result in results if result.outcome == "failed"]
    named = frozenset(name for result in failed if _is_named(result) for name in _functions(result))
    explained = named | users_of(source.units, named)
    left = [
        result for result in failed if not _is_named(result) and not explained & _functions(result)
    ]
    names = tuple(result.name for result in left)
    not_run = tuple(result.name for result in results if result.outcome == "not run")
    if len(left) == len(failed):
        return Targets(names, not_run=not_run)
    about = tuple(dict.fromkeys(name for result in left for name in result.about))
    return Targets(names, _checks_of(results, frozenset(about)) | {*names}, about, not_run)


def targets_by_function(
    source: Source, results: Sequence[CheckResult], targets: Targets
) -> list[Targets]:
    """Return separate targets for each function, if several functions fail in separate checks.

    A function that calls another failing function is left out, because an edit of the call could
    avoid the mistake instead of repairing it.
    """
    own: dict[str, list[str]] = {}
    for result in results:
        functions = _functions(result)
        if result.name in targets.failed and len(functions) == 1:
            own.setdefault(next(iter(functions)), []).append(result.name)
    if not LEAST_APART <= len(own) <= MOST_APART:
        return []
    users = {name: users_of(source.units, {name}) for name in own}
    return [
        Targets(tuple(names), _checks_of(results, frozenset({name})), (name,), targets.not_run)
        for name, names in own.items()
        if not any(name in users[other] and other not in users[name] for other in own)
    ]


def _is_named(result: CheckResult) -> bool:
    named = result.diagnosis is not None and result.diagnosis.kind == "named"
    return named or result.kind in NOTHING_THERE


def _functions(result: CheckResult) -> frozenset[str]:
    function = result.diagnosis.function if result.diagnosis is not None else ""
    return frozenset(name for name in (*result.about, function) if name)


def _checks_of(results: Sequence[CheckResult], about: frozenset[str]) -> frozenset[str]:
    return frozenset(r.name for r in results if r.about and _functions(r) <= about)


RAISED, SHAPE, VALUES = range(3)


class Fitness(NamedTuple):
    """Measure of how close an edited file is to the targets. Larger tuples are better."""

    passed: int  # the number of checks that passed before the first failure
    kind: int  # the kind of the first failure: `RAISED`, `SHAPE` or `VALUES`
    right: int  # the number of correct values in the first failed check
    all_passed: bool = False


def passes(result: CheckResult) -> bool:
    is_left = result.hidden and result.outcome == "graded when handed in"
    return is_left or result.outcome == "passed"


def fitness_of(results: Sequence[CheckResult]) -> Fitness:
    """Return the fitness of an edited file, from the checks up to the first failure."""
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
