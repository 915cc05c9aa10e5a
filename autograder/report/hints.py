"""Hints in steps: the next one comes with a new attempt that fails the same way, or on request."""

from collections.abc import Mapping

import msgspec

from autograder.course import HintPolicy
from autograder.report.model import CheckReport, ExerciseReport


class Seen(msgspec.Struct, frozen=True):
    """How a check failed when it was last looked at, and how many hints were shown then."""

    way: str
    hints: int


class Attempts(msgspec.Struct, frozen=True):
    """What a student has been shown of an exercise: for which source, and for each check."""

    digest: str = ""
    checks: dict[str, Seen] = {}


def way_of_failing(check: CheckReport) -> str:
    """What two attempts have in common that fail the same way."""
    if check.diagnosis is not None and check.diagnosis.misconceptions:
        return "+".join(sorted(check.diagnosis.misconceptions))
    kind = check.diagnosis.kind if check.diagnosis is not None else ""
    return f"{check.outcome} {kind}".strip()


def next_step(
    before: Attempts, exercise: ExerciseReport, policy: HintPolicy, asked: bool
) -> Attempts:
    """What to show of the exercise now.

    A check's first hint comes with its finding. One more comes with a source that has changed and
    fails the same way, or, where the policy is "practice", when it is `asked` for: to the mistake
    that is to be mended first, and to no other, at which nobody has tried a hand yet.
    """
    changed = bool(before.digest) and before.digest != exercise.digest
    first = first_failing(exercise)
    checks = {}
    for check in _failing(exercise) if policy != "exam" else ():
        way, level = way_of_failing(check), 1
        seen = before.checks.get(check.name)
        if seen is not None and seen.way == way:
            more = changed or (asked and policy == "practice")
            level = seen.hints + (more and _is_same(check, first))
        checks[check.name] = Seen(way, min(level, max(1, len(check.hints))))
    return Attempts(exercise.digest, checks)


def first_failing(exercise: ExerciseReport) -> CheckReport | None:
    """The check that is to be mended first: what is shown comes before what is not begun."""
    found = _failing(exercise)
    return min(found, key=lambda check: (check.hidden, bool(check.unwritten)), default=None)


def _failing(exercise: ExerciseReport) -> list[CheckReport]:
    quiet = {"passed", "not run", "not told"}
    return [check for check in exercise.checks if check.outcome not in quiet]


def _is_same(check: CheckReport, first: CheckReport | None) -> bool:
    """Whether a check is the first that fails, or fails by the same mistake."""
    if check is first or first is None:
        return True
    named = first.diagnosis is not None and bool(first.diagnosis.misconceptions)
    return named and way_of_failing(check) == way_of_failing(first)


def hints_shown(attempts: Attempts) -> Mapping[str, int]:
    """How many hints to show for each check, by its name."""
    return {name: seen.hints for name, seen in attempts.checks.items()}
