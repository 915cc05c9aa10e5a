"""Which failed checks a search is about: those whose functions have no mistake with a name yet."""

from collections.abc import Sequence

import msgspec

from autograder.grading.plugin import CheckResult

NOTHING_THERE = frozenset({"missing", "not written"})


class ToMend(msgspec.Struct, frozen=True):
    """What an edit should make pass.

    `failed` are the checks that failed without a name, `checks` all that have to pass then, and
    `functions` what the failed ones are about; empty if that is all that fails, and `checks` too.
    """

    failed: tuple[str, ...]
    checks: frozenset[str] = frozenset()
    functions: tuple[str, ...] = ()


def to_mend(results: Sequence[CheckResult]) -> ToMend:
    """The failed checks of functions of which nothing has a name, and that are written."""
    failed = [result for result in results if result.outcome == "failed"]
    told = frozenset(name for each in failed if _is_told(each) for name in _functions(each))
    left = [each for each in failed if not _is_told(each) and not told & _functions(each)]
    if len(left) == len(failed):
        return ToMend(tuple(each.name for each in left))
    about = tuple(dict.fromkeys(name for each in left for name in each.about))
    checks = _to_pass(results, frozenset(about)) | {each.name for each in left}
    return ToMend(tuple(each.name for each in left), checks, about)


def _is_told(result: CheckResult) -> bool:
    named = result.diagnosis is not None and result.diagnosis.kind == "named"
    return named or result.kind in NOTHING_THERE


def _functions(result: CheckResult) -> frozenset[str]:
    function = result.diagnosis.function if result.diagnosis is not None else ""
    return frozenset(name for name in (*result.about, function) if name)


def _to_pass(results: Sequence[CheckResult], about: frozenset[str]) -> frozenset[str]:
    """The checks that ask for these functions alone."""
    return frozenset(r.name for r in results if r.about and _functions(r) <= about)
