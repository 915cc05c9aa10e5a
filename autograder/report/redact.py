"""What of a report its student may see, by the course's hint policy."""

from collections.abc import Mapping

import msgspec

from autograder.course import HintPolicy
from autograder.report.model import CheckReport, Diagnosis, ExerciseReport, Report

Levels = int | Mapping[str, int]


def for_student(report: Report, policy: HintPolicy, levels: Levels = 1) -> Report:
    """The report without what the policy holds back.

    practice, homework: of each check that failed, the finding, the values and the first hints: as
    many as `levels` says, for all or by the check's name. Of a hidden check, whether it passed and
    which mistake it shows, but no inputs and no values.
    exam: points and outcomes of the checks that are not hidden, and nothing else.
    """
    exercises = tuple(exercise_for_student(each, policy, levels) for each in report.exercises)
    return msgspec.structs.replace(report, exercises=exercises)


def exercise_for_student(
    exercise: ExerciseReport, policy: HintPolicy, levels: Levels = 1
) -> ExerciseReport:
    """One exercise of a report, as `for_student` has it."""
    shown = exercise.checks
    if policy == "exam":
        shown = tuple(check for check in shown if not check.hidden)
    changed = msgspec.structs.replace(
        exercise, checks=tuple(_check(check, policy, levels) for check in shown)
    )
    hidden = {check.finding for check in exercise.checks if check.hidden and check.finding}
    if policy == "exam" and exercise.status not in {"missing", "needs a person"}:
        return msgspec.structs.replace(changed, reason="", notes=(), printed="")
    if exercise.reason in hidden:
        return msgspec.structs.replace(changed, reason="")
    return changed


def _check(check: CheckReport, policy: HintPolicy, levels: Levels) -> CheckReport:
    level = levels if isinstance(levels, int) else levels.get(check.name, 1)
    hints = check.hints[: max(0, level)]
    if policy == "exam":
        said = check.finding if check.outcome == "not run" else ""
        return msgspec.structs.replace(
            check, finding=said, note="", diagnosis=None, evidence=None, place=None, hints=()
        )
    if check.hidden:
        said = check.finding if check.outcome == "not run" else ""
        named = _without_values(check.diagnosis)
        return msgspec.structs.replace(
            check,
            finding=said,
            note="",
            diagnosis=named,
            evidence=None,
            place=None,
            hints=hints if named is not None else (),
        )
    return msgspec.structs.replace(check, hints=hints)


def _without_values(diagnosis: Diagnosis | None) -> Diagnosis | None:
    """A diagnosis that says nothing of the inputs: one by a misconception's name."""
    return diagnosis if diagnosis is not None and diagnosis.kind == "named" else None
