"""What of a report its student may see, by the course's hint policy."""

import msgspec

from autograder.course import HintPolicy
from autograder.report.model import CheckReport, ExerciseReport, Report


def for_student(report: Report, policy: HintPolicy, level: int = 1) -> Report:
    """The report without what the policy holds back.

    practice: of each check that failed, the finding, the values and the first `level` hints.
    homework: the same, with one hint at most.
    exam: points and outcomes of the checks that are not hidden, and nothing else.
    Of a hidden check, a student sees whether it passed; in an exam, not even that there is one.
    """
    exercises = tuple(_exercise(exercise, policy, level) for exercise in report.exercises)
    return msgspec.structs.replace(report, exercises=exercises)


def _exercise(exercise: ExerciseReport, policy: HintPolicy, level: int) -> ExerciseReport:
    shown = exercise.checks
    if policy == "exam":
        shown = tuple(check for check in shown if not check.hidden)
    changed = msgspec.structs.replace(
        exercise, checks=tuple(_check(check, policy, level) for check in shown)
    )
    hidden = {check.finding for check in exercise.checks if check.hidden and check.finding}
    if policy == "exam" and exercise.status not in {"missing", "needs a person"}:
        return msgspec.structs.replace(changed, reason="", notes=(), printed="")
    if exercise.reason in hidden:
        return msgspec.structs.replace(changed, reason="")
    return changed


def _check(check: CheckReport, policy: HintPolicy, level: int) -> CheckReport:
    if check.hidden or policy == "exam":
        said = check.finding if check.outcome == "not run" else ""
        return msgspec.structs.replace(
            check, finding=said, note="", evidence=None, place=None, hints=()
        )
    allowed = level if policy == "practice" else min(level, 1)
    return msgspec.structs.replace(check, hints=check.hints[: max(0, allowed)])
