"""From the results of checks to points and a report."""

import functools
import hashlib
import importlib.metadata
import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import autograder
from autograder.course import Course, Exercise
from autograder.grading.forbidden import find_forbidden
from autograder.grading.plugin import CheckResult
from autograder.report.model import (
    STATUS_OF,
    CheckReport,
    ExerciseReport,
    Grader,
    HandIn,
    Report,
    Status,
    WrittenAnswer,
    worst,
)
from autograder.sandbox.child import GraderTrouble
from autograder.sandbox.client import Client
from autograder.sandbox.ledger import MAX_PRINTED
from autograder.sandbox.problems import NOT_PYTHON, while_loading
from autograder.submission.source import MAX_ANSWER, Source
from autograder.text import printable, several
from autograder.worker.confinement import Level
from autograder.worker.messages import Problem

READ = ("*.py", "*.json")  # of a course's folders: code, and mistakes known by their answers


def exercise_report(
    exercise: Exercise, source: Source, results: Sequence[CheckResult], client: Client
) -> ExerciseReport:
    """The report on one exercise. The checks' weights are scaled to the exercise's points."""
    forbidden = find_forbidden(source, exercise.forbids)
    whole = sum(result.weight for result in results) or 1.0
    share = 0.0 if exercise.questions else exercise.points / whole
    earned = sum(result.weight for result in results if result.outcome == "passed")
    notes = [while_loading(problem) for problem in client.load_problems]
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


def ungraded(
    exercise: Exercise, status: Status, reason: str, *, ran: bool = True
) -> ExerciseReport:
    """The report on an exercise that no check could look at.

    Unless the submission `ran`, nothing in the reason is of its making.
    """
    return ExerciseReport(
        name=exercise.name,
        title=exercise.title,
        status=status,
        points=0.0,
        max_points=exercise.points,
        reason=reason,
        reason_is_ours=not ran,
    )


def not_graded(exercise: Exercise, trouble: GraderTrouble) -> ExerciseReport:
    """The report on a submission with which the grader itself failed: it is no fault of it."""
    return ungraded(exercise, "needs a person", trouble.finding)


def whole_report(
    student: str,
    course: Course,
    exercises: Sequence[ExerciseReport],
    graded_by: Grader,
    notes: Sequence[str] = (),
    hand_in: HandIn | None = None,
) -> Report:
    """One student's report."""
    return Report(
        student=student,
        course=course.title,
        status=worst([exercise.status for exercise in exercises]),
        points=round(sum(exercise.points for exercise in exercises), 2),
        max_points=round(sum(exercise.max_points for exercise in exercises), 2),
        grader=graded_by,
        exercises=tuple(exercises),
        notes=tuple(notes),
        hand_in=hand_in,
    )


def grader(course: Course, seed: int, confinement: Level = "none") -> Grader:
    """What graded: versions, and a digest of the course file, engine, checks and reference."""
    return Grader(
        version=autograder.__version__,
        python=platform.python_version(),
        numpy=np.__version__,
        torch=_torch(course),
        digest=_digest(course.root, course.grading),
        seed=seed,
        confinement=confinement,
    )


def _torch(course: Course) -> str:
    """torch's version, if the course needs it; it is not imported for that."""
    if all(exercise.needs != "torch" for exercise in course.content.exercises):
        return ""
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return ""


@functools.cache
def _digest(root: Path, folders: tuple[Path, ...]) -> str:
    engine = Path(autograder.__file__).parent
    digest = hashlib.sha256((root / "course.yml").read_bytes())
    for folder in (engine, *folders):
        for file in sorted(each for kind in READ for each in folder.rglob(kind)):
            name = file.relative_to(folder).as_posix().encode()
            digest.update(b"\0".join((name, file.read_bytes(), b"")))
    return digest.hexdigest()[:16]
