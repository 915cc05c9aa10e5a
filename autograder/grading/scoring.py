"""Points and the report of an exercise, from the results of its checks."""

from collections.abc import Sequence

from autograder.checks.check_result import CheckResult
from autograder.course.course_file import Exercise
from autograder.course.text import printable, several
from autograder.grading.forbidden_names import find_forbidden
from autograder.report.model import (
    STATUS_OF,
    Cause,
    CheckReport,
    ExerciseReport,
    Status,
    WrittenAnswer,
    worst,
)
from autograder.sandbox.problems import NOT_PYTHON, while_loading
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import MAX_PRINTED
from autograder.submission.source import MAX_ANSWER, Source

# What a check can meet in a file of which no check sees an answer.
NO_ANSWER = frozenset({"not loaded", "missing", "not written", "raised"})


def exercise_report(
    exercise: Exercise, session: WorkerSession, results: Sequence[CheckResult]
) -> ExerciseReport:
    """Return the report on one exercise, with the checks' weights scaled to its points."""
    source = session.source
    forbidden = find_forbidden(source, exercise.forbids)
    whole = sum(result.check.weight for result in results) or 1.0
    share = 0.0 if exercise.questions else exercise.points / whole
    earned = sum(result.check.weight for result in results if result.outcome == "passed")
    answers = _answers(exercise, source, results)
    broken = any(problem.type in NOT_PYTHON for problem in session.load_problems)
    status, reason, cause = _status(results, broken)
    for_a_person = bool(answers) and status == "graded"
    if for_a_person:
        status, reason = "by hand", f"{several(len(answers), 'answer')} for a person to read."
        cause = Cause(code="answers_by_hand", message=str(len(answers)))
    if forbidden:
        reason, cause = " ".join(forbidden), Cause(code="forbidden_names")
    problems = [while_loading(problem) for problem in session.load_problems]
    notes = {problem.finding: problem.cause for problem in problems}
    return ExerciseReport(
        name=exercise.name,
        title=exercise.title,
        status=status,
        points=0.0 if forbidden else round(earned * share, 2),
        max_points=exercise.points,
        file=source.label,
        digest=source.digest,
        reason=reason,
        reason_is_ours=bool(forbidden) or for_a_person,
        cause=cause,
        checks=tuple(check_report(result, share, bool(forbidden)) for result in results),
        notes=tuple(notes),
        note_causes=tuple(notes.values()),
        printed=printable(session.printed, MAX_PRINTED),
        answers=answers,
    )


def _answers(
    exercise: Exercise, source: Source, results: Sequence[CheckResult]
) -> tuple[WrittenAnswer, ...]:
    """Return the answers in words, as the checks see them: one whose check failed is none."""
    passed = {name for result in results if result.outcome == "passed" for name in result.about}
    return tuple(
        WrittenAnswer(
            name=question.name,
            title=question.title,
            text=printable(source.answers[question.name], MAX_ANSWER),
            max_points=question.points,
        )
        for question in exercise.questions
        if question.name in passed
    )


def check_report(result: CheckResult, share: float, forbidden: bool) -> CheckReport:
    """Return the report on one check, whose weight counts `share` points each."""
    passed = result.outcome == "passed"
    points = round(result.check.weight * share, 2)
    is_unwritten = result.cause is not None and result.cause.code == "not_written"
    return CheckReport(
        name=result.name,
        title=result.check.title,
        points=points if passed and not forbidden else 0.0,
        max_points=points,
        outcome=result.outcome,
        hidden=result.hidden,
        finding=result.finding,
        note=result.note,
        diagnosis=result.diagnosis,
        group=result.group,
        unwritten=result.cause.subject if result.cause is not None and is_unwritten else "",
        cause=result.cause,
        evidence=result.evidence,
        place=result.place,
        hints=() if passed else result.hints,
    )


def _status(results: Sequence[CheckResult], broken: bool) -> tuple[Status, str, Cause | None]:
    """Return the status of an exercise, and the reason where no answer was seen or a run ended.

    `broken` if a part of the file is not valid Python.
    """
    status = worst([STATUS_OF.get(result.outcome, "graded") for result in results] or ["graded"])
    if status != "graded":
        first = next(each for each in results if STATUS_OF.get(each.outcome) == status)
        return status, first.finding, first.cause
    ran = [result for result in results if result.outcome not in {"not run", "not told"}]
    kinds = {result.kind for result in ran}
    if not ran or not kinds <= NO_ANSWER:
        return "graded", "", None
    unloaded = "not loaded" in kinds or (broken and "missing" in kinds)
    return "not loaded" if unloaded else "graded", ran[0].finding, ran[0].cause
