"""From the results of checks to points and a report."""

from collections.abc import Sequence

from autograder.course.course_file import Exercise
from autograder.course.text import printable, several
from autograder.grading.check_plugin import CheckResult
from autograder.grading.forbidden_names import find_forbidden
from autograder.report.model import (
    STATUS_OF,
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
from autograder.worker.messages import Problem


def exercise_report(
    exercise: Exercise, source: Source, results: Sequence[CheckResult], client: WorkerSession
) -> ExerciseReport:
    """The report on one exercise. The checks' weights are scaled to the exercise's points."""
    forbidden = find_forbidden(source, exercise.forbids)
    whole = sum(result.weight for result in results) or 1.0
    share = 0.0 if exercise.questions else exercise.points / whole
    earned = sum(result.weight for result in results if result.outcome == "passed")
    notes = [while_loading(problem).finding for problem in client.load_problems]
    status, reason = _status(results, client.load_problems)
    answers = _answers(exercise, source, results)
    for_a_person = bool(answers) and status == "graded"
    if for_a_person:
        status, reason = "by hand", f"{several(len(answers), 'answer')} for a person to read."
    return ExerciseReport(
        name=exercise.name,
        title=exercise.title,
        status=status,
        points=0.0 if forbidden else round(earned * share, 2),
        max_points=exercise.points,
        file=source.label,
        digest=source.digest,
        reason=" ".join(forbidden) or reason,
        reason_is_ours=bool(forbidden) or for_a_person,
        checks=tuple(check_report(result, share, bool(forbidden)) for result in results),
        notes=tuple(dict.fromkeys(notes)),
        printed=printable(client.printed, MAX_PRINTED),
        answers=answers,
    )


def _answers(
    exercise: Exercise, source: Source, results: Sequence[CheckResult]
) -> tuple[WrittenAnswer, ...]:
    """What was answered, as the checks see it: a question whose check failed was not."""
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
    """The report on one check, whose weight counts `share` points each."""
    passed = result.outcome == "passed"
    return CheckReport(
        name=result.name,
        title=result.title,
        points=round(result.weight * share, 2) if passed and not forbidden else 0.0,
        max_points=round(result.weight * share, 2),
        outcome=result.outcome,
        hidden=result.hidden,
        finding=result.finding,
        note=result.note,
        diagnosis=result.diagnosis,
        group=result.group,
        unwritten=result.unwritten,
        evidence=result.evidence,
        place=result.place,
        hints=() if passed else result.hints,
    )


def _status(
    results: Sequence[CheckResult], while_it_loaded: Sequence[Problem]
) -> tuple[Status, str]:
    status = worst([STATUS_OF.get(result.outcome, "graded") for result in results] or ["graded"])
    reasons = (r.finding for r in results if STATUS_OF.get(r.outcome) == status)
    if status != "graded":
        return status, next(reasons, "")
    return _loaded(results, any(problem.type in NOT_PYTHON for problem in while_it_loaded))


def _loaded(results: Sequence[CheckResult], broken: bool) -> tuple[Status, str]:
    """A file of which no check saw an answer says so by itself, not only at its checks."""
    ran = [result for result in results if result.outcome not in {"not run", "not told"}]
    kinds = {result.kind for result in ran}
    if not ran or not kinds <= {"not loaded", "missing", "not written", "raised"}:
        return "graded", ""
    unloaded = "not loaded" in kinds or (broken and "missing" in kinds)
    return "not loaded" if unloaded else "graded", ran[0].finding
