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
    fails the same way, or, where the policy is "practice", when it is `asked` for.
    """
    changed = bool(before.digest) and before.digest != exercise.digest
    checks = {}
    for check in exercise.checks:
        if check.outcome in {"passed", "not run", "not told"} or policy == "exam":
            continue
        way, level = way_of_failing(check), 1
        seen = before.checks.get(check.name)
        if seen is not None and seen.way == way:
            more = changed or (asked and policy == "practice")
            level = seen.hints + more
        checks[check.name] = Seen(way, min(level, max(1, len(check.hints))))
    return Attempts(exercise.digest, checks)


def hints_shown(attempts: Attempts) -> Mapping[str, int]:
    """How many hints to show for each check, by its name."""
    return {name: seen.hints for name, seen in attempts.checks.items()}
