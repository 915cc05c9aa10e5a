"""Which failed checks a search is about: those whose functions have no mistake with a name yet."""

import ast
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from autograder.grading.check_plugin import CheckResult
from autograder.submission.code import Definition, parsed
from autograder.submission.source import Source

LEAST_APART, MOST_APART = 2, 3  # functions that are looked at one by one
NOTHING_THERE = frozenset({"missing", "not written"})


class Targets(msgspec.Struct, frozen=True):
    """What an edit should make pass.

    `failed` are the checks that failed without a name, `checks` all that have to pass then, and
    `functions` what the failed ones are about; empty if that is all that fails, and `checks` too.
    """

    failed: tuple[str, ...]
    checks: frozenset[str] = frozenset()
    functions: tuple[str, ...] = ()


def find_targets(source: Source, results: Sequence[CheckResult]) -> Targets:
    """The failed checks of functions of which nothing has a name, and that are written.

    What makes use of a function that has a mistake with a name fails for that, as far as is known.
    """
    failed = [result for result in results if result.outcome == "failed"]
    told = frozenset(name for each in failed if _is_told(each) for name in _functions(each))
    told |= _users(source, told)
    left = [each for each in failed if not _is_told(each) and not told & _functions(each)]
    if len(left) == len(failed):
        return Targets(tuple(each.name for each in left))
    about = tuple(dict.fromkeys(name for each in left for name in each.about))
    checks = _to_pass(results, frozenset(about)) | {each.name for each in left}
    return Targets(tuple(each.name for each in left), checks, about)


def targets_by_function(results: Sequence[CheckResult], wanted: Targets) -> list[Targets]:
    """The same for each function by itself, where several fail in checks of their own."""
    left = [each for each in results if each.name in wanted.failed]
    own: dict[str, list[str]] = {}
    for each in left:
        if len(_functions(each)) == 1:
            own.setdefault(next(iter(_functions(each))), []).append(each.name)
    if not LEAST_APART <= len(own) <= MOST_APART:
        return []
    return [
        Targets(tuple(names), _to_pass(results, frozenset({name})), (name,))
        for name, names in own.items()
    ]


def _users(source: Source, functions: frozenset[str]) -> frozenset[str]:
    """The functions and classes of the file that speak of some others, directly or not."""
    speaks = {
        node.name: {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        for unit in source.units
        for node in parsed(unit) or ()
        if isinstance(node, Definition)
    }
    found, before = set(functions), -1
    while functions and len(found) > before:
        before = len(found)
        found |= {name for name, names in speaks.items() if names & found}
    return frozenset(found)


def _is_told(result: CheckResult) -> bool:
    named = result.diagnosis is not None and result.diagnosis.kind == "named"
    return named or result.kind in NOTHING_THERE


def _functions(result: CheckResult) -> frozenset[str]:
    function = result.diagnosis.function if result.diagnosis is not None else ""
    return frozenset(name for name in (*result.about, function) if name)


def _to_pass(results: Sequence[CheckResult], about: frozenset[str]) -> frozenset[str]:
    """The checks that ask for these functions alone."""
    return frozenset(r.name for r in results if r.about and _functions(r) <= about)


# How far an edited file gets in the checks that failed: what two edits at once are led by.


RAISED, SHAPE, VALUES = range(3)


class Fitness(NamedTuple):
    """How many of the checks passed before one failed, and how near that one is to passing."""

    passed: int
    kind: int
    right: int
    all_passed: bool = False


def passes(result: CheckResult) -> bool:
    """Whether a check passes; of a released course's, those that it does not hand out are left."""
    return result.outcome == "passed" or (result.hidden and result.outcome == "not told")


def fitness_of(results: Sequence[CheckResult]) -> Fitness:
    """The progress of one trial; checks after the first that failed did not run."""
    passed = sum(passes(result) for result in results)
    failed = next((result for result in results if not passes(result)), None)
    if failed is None:
        return Fitness(passed, VALUES, 0, all_passed=True)
    if failed.outcome != "failed" or failed.kind is not None or failed.evidence is None:
        return Fitness(passed, RAISED, 0)
    mine, right = failed.evidence.matrices
    if mine is None or right is None or mine.shape != right.shape:
        return Fitness(passed, SHAPE, 0)
    cells = [wrong for row in mine.wrong for wrong in row]
    return Fitness(passed, VALUES, len(cells) - sum(cells))
