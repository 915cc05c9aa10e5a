"""Redaction of reports to the parts that the hint policy shows to a student.

Every output format takes its report from this module. The module copies only the fields in the
lists below. So students never see a new field of the record by accident.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec

from autograder.course.course_file import HiddenChecks, HintPolicy
from autograder.report.model import (
    STATUS_OF,
    Cause,
    CheckReport,
    Diagnosis,
    ExerciseReport,
    Report,
    Status,
    worst,
)
from autograder.report.presentation import sentence

HintsShown = int | Mapping[str, int]

# Codes of causes that reveal no inputs or values of a check.
WITHOUT_VALUES = frozenset({"not_selected", "needs_first", "hidden", "not_recorded"})
FOR_A_PERSON = "A person will look at this."
STOPPED: dict[Status, str] = {
    "needs a person": FOR_A_PERSON,
    "timed out": "A check that does not show its inputs got no answer in time.",
    "crashed": "In a check that does not show its inputs, the process that ran this file ended.",
}


def by_policy(_: str) -> HiddenChecks:
    return "by policy"


def holds_back(policy: HintPolicy, stage: HiddenChecks) -> bool:
    return stage == "held back" or (policy == "exam" and stage == "by policy")


def hides_repair(exercise: ExerciseReport, policy: HintPolicy, stage: HiddenChecks) -> bool:
    """Return True if repairs stay hidden: in an exam, or while hidden checks are held back."""
    has_hidden = any(check.hidden for check in exercise.checks)
    return policy == "exam" or (has_hidden and holds_back(policy, stage))


def for_student(
    report: Report,
    policy: HintPolicy,
    hints_shown: HintsShown = 1,
    hidden: Callable[[str], HiddenChecks] = by_policy,
) -> Report:
    """Return the report without the parts that the policy holds back.

    In practice and homework, students see the finding, the values and the first hints of each
    failed check. `hints_shown` is the number of hints for each check, or a dict by check name. Of a
    hidden check, students see the outcome, and the sentence on a named mistake that the course
    contains. In an exam, students see only points, and the outcomes of visible checks. Before the
    course's date for hidden checks, students see nothing of hidden checks, but the exercise's
    points count them. `hidden` returns the stage of an exercise.
    """
    exercises = tuple(
        exercise_for_student(each, policy, hints_shown, hidden) for each in report.exercises
    )
    status = worst([exercise.status for exercise in exercises]) if exercises else report.status
    return msgspec.structs.replace(report, exercises=exercises, status=status)


def exercise_for_student(
    exercise: ExerciseReport,
    policy: HintPolicy,
    hints_shown: HintsShown = 1,
    hidden: Callable[[str], HiddenChecks] = by_policy,
) -> ExerciseReport:
    exam, stage = policy == "exam", hidden(exercise.name)
    held_back = holds_back(policy, stage)
    checks = []
    for check in exercise.checks:
        if check.hidden and held_back:
            continue
        level = hints_shown if isinstance(hints_shown, int) else hints_shown.get(check.name, 1)
        checks.append(_outcome_alone(check) if exam else _check(exercise, check, max(0, level)))
    may_show_reason = not exam and _may_show_reason(exercise)
    return ExerciseReport(
        name=exercise.name,
        title=exercise.title,
        status=_status_by(exercise, checks) if exam or held_back else exercise.status,
        points=exercise.points,
        max_points=exercise.max_points,
        file=exercise.file,
        digest=exercise.digest,
        reason=_reason(exercise, exam, held_back),
        reason_is_ours=exercise.reason_is_ours,
        cause=exercise.cause if may_show_reason else None,
        checks=_without_parameters(checks),
        notes=() if exam else exercise.notes,
        note_causes=() if exam else exercise.note_causes,
        printed="" if exam else exercise.printed,
        answers=exercise.answers,
        excused=exercise.excused,
        repair=None if hides_repair(exercise, policy, stage) else exercise.repair,
    )


def _outcome_alone(check: CheckReport) -> CheckReport:
    return CheckReport(
        name=check.name,
        title=check.title,
        points=check.points,
        max_points=check.max_points,
        outcome=check.outcome,
        hidden=check.hidden,
    )


def _check(exercise: ExerciseReport, check: CheckReport, level: int) -> CheckReport:
    """Return a check with `level` hints. A hidden check has only sentences from the course."""
    if not check.hidden:
        return msgspec.structs.replace(check, hints=check.hints[:level], group="")
    diagnosis, named = check.diagnosis, None
    if diagnosis is not None and diagnosis.kind == "named" and diagnosis.told:
        named = Diagnosis(
            kind=diagnosis.kind,
            code=diagnosis.code,
            finding=diagnosis.told,
            misconceptions=diagnosis.misconceptions,
            function=diagnosis.function,
            told=diagnosis.told,
        )
    cause = _without_values(exercise, check.cause)
    not_run = "Not run." if check.outcome == "not run" else ""
    return msgspec.structs.replace(
        _outcome_alone(check),
        finding=sentence(cause) if cause is not None else not_run,
        cause=cause,
        diagnosis=named,
        hints=check.hints[:level] if named is not None else (),
    )


def _without_values(exercise: ExerciseReport, cause: Cause | None) -> Cause | None:
    if cause is None or cause.code not in WITHOUT_VALUES:
        return None
    titles = tuple(check.title for check in exercise.checks if check.title in cause.names)
    if cause.code == "needs_first" and not titles:
        return None
    return Cause(code=cause.code, names=titles[:1])


def _without_parameters(checks: Sequence[CheckReport]) -> tuple[CheckReport, ...]:
    counts: Counter[str] = Counter()
    numbered = list(checks)
    for place, check in enumerate(checks):
        function, parameter, _ = check.name.partition("[")
        if check.hidden and parameter:
            counts[function] += 1
            name = f"{function}[{counts[function]}]"
            numbered[place] = msgspec.structs.replace(check, name=name)
    return tuple(numbered)


def _may_show_reason(exercise: ExerciseReport) -> bool:
    if exercise.reason_is_ours or not any(check.hidden for check in exercise.checks):
        return True
    visible = [check.cause for check in exercise.checks if not check.hidden]
    return exercise.cause is not None and exercise.cause in visible


def _reason(exercise: ExerciseReport, exam: bool, held_back: bool) -> str:
    if not exercise.reason or (exam and exercise.checks):
        return ""
    if exam:
        return exercise.reason if exercise.reason_is_ours else FOR_A_PERSON
    if _may_show_reason(exercise):
        return exercise.reason
    is_told = not held_back or exercise.status == "needs a person"
    return STOPPED.get(exercise.status, "") if is_told else ""


def _status_by(exercise: ExerciseReport, checks: Sequence[CheckReport]) -> Status:
    if exercise.status not in {"timed out", "crashed"} or not exercise.checks:
        return exercise.status
    shown: list[Status] = [STATUS_OF.get(check.outcome, "graded") for check in checks]
    return worst(shown or ["graded"])
