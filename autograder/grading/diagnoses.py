"""Diagnoses for the failed checks of a submission: one for each function that went wrong."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from autograder.checks.check_result import CheckResult
from autograder.checks.proxy import Call, Submission
from autograder.checks.recorded_answers import FOLDER, read_packed
from autograder.course.course_file import Course
from autograder.diagnosis.errors import explain
from autograder.diagnosis.examination import Answer, Ask, Examination
from autograder.diagnosis.finding import Finding, with_error
from autograder.diagnosis.kept_state import with_lines
from autograder.diagnosis.mistakes import Mistakes, WrongMistakes, known_mistakes
from autograder.diagnosis.outcome import RAISES, Outcome
from autograder.diagnosis.recipe import LibraryObject, Probe, Recipe, no_input_causes
from autograder.diagnosis.recorded_replay import (
    NAMES_SUFFIX,
    RecordedFunction,
    RecordedNames,
    RecordedReplay,
)
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.grading.cpu_limit import CpuLimitExceeded, cpu_limit
from autograder.report.model import Diagnosis
from autograder.sandbox.child import InternalError
from autograder.sandbox.problems import Raised, StudentProblem
from autograder.sandbox.session import WorkerSession

SECONDS = 30.0  # of the judge's own processor
# Mistakes that only a check can find: no result shows them.
NOT_IN_VALUES = frozenset(
    {"changes-its-argument", "remembers", "parameter-missing", "projection-bias"}
)


class Stopped(Exception):
    """The submission can be asked nothing more: no time is left, or its process ended."""


class Catalogue:
    """Misconceptions of a course, loaded when an exercise first needs them.

    `faults` are exceptions that are authoring errors: a diagnosis says nothing of them, `verify`
    does.
    """

    def __init__(self, reference: str) -> None:
        self.reference = reference
        self._mistakes: dict[str, Mistakes] = {}
        self._replays: dict[tuple[str, str], Replay] = {}
        self._faults: list[Exception] = []

    @property
    def faults(self) -> list[Exception]:
        return [*self._faults, *(error for r in self._replays.values() for error in r.faults)]

    def note(self, error: Exception) -> None:
        """Keep an exception, if no answer of a student's can have caused it."""
        if no_input_causes(error) or isinstance(error, WrongMistakes):
            self._faults.append(error)

    def mistakes(self, exercise: str) -> Mistakes:
        """Return what the course knows of the mistakes of that exercise.

        Raises:
            Exception: the course's module cannot be used; `lint` says why.
        """
        if exercise not in self._mistakes:
            self._mistakes[exercise] = known_mistakes(self.reference, exercise)
        return self._mistakes[exercise]

    def recipes(self, exercise: str) -> Mapping[str, Recipe]:
        """Return the recipes of the exercise's functions, by name."""
        return self.mistakes(exercise).recipes

    def replay(self, exercise: str, function: str) -> Replay | None:
        """Return the replay of a function's misconceptions, or None."""
        key = exercise, function
        if key not in self._replays:
            recipe = self.recipes(exercise).get(function)
            if recipe is None:
                return None
            self._replays[key] = Replay(recipe)
        return self._replays[key]


@np.errstate(all="ignore")  # wrong numbers may overflow; students would see the warning
def with_diagnoses(
    catalogue: Catalogue, exercise: str, results: Sequence[CheckResult], session: WorkerSession
) -> list[CheckResult]:
    """Return the results with what is wrong with each function that a failed check called.

    Points are never touched: this only runs once all checks have. What is not found by the end of
    its time is left out.

    Raises:
        InternalError: the grader's own machinery failed, or the worker was killed from outside.
    """
    diagnosed = list(results)
    known: dict[str, tuple[Finding | None, str]] = {}
    with contextlib.suppress(CpuLimitExceeded, MemoryError), cpu_limit(SECONDS):
        for number, result in enumerate(results):
            if result.can_be_diagnosed:
                diagnosed[number] = _diagnosed(result, known, catalogue, exercise, session)
    return diagnosed


def _diagnosed(
    result: CheckResult,
    known: dict[str, tuple[Finding | None, str]],
    catalogue: Catalogue,
    exercise: str,
    session: WorkerSession,
) -> CheckResult:
    """Return a result with the diagnosis of its first function that has one.

    `known` has what was found of functions before: a finding, and the id of answers like these.
    """
    diagnosis, group, hints = None, "", result.hints
    for function in result.about:
        if function not in known:
            found, id_of_answers = _diagnose(catalogue, exercise, function, session)
            replay = catalogue.replay(exercise, function)
            if found and replay and result.raised and not result.hidden:
                error, call = result.raised  # the one that a report shows, and not of a probe
                if call.name == function:
                    found = with_error(found, _explained(error, replay.recipe, call))
            known[function] = found, id_of_answers
        finding, id_of_answers = known[function]
        group = group or id_of_answers
        if finding is not None:
            diagnosis = with_lines(finding, session.source.units).about(function)
            hints = finding.hints
            break
    own = result.own
    if own is not None and (diagnosis is None or _says_more(own, diagnosis)):
        finding = Finding("named", own.finding, own.misconceptions, told=own.told, code="own")
        diagnosis = with_lines(finding, session.source.units).about(own.function)
        hints = finding.hints
    if diagnosis is None:
        return msgspec.structs.replace(result, group=group)
    return msgspec.structs.replace(
        result,
        diagnosis=diagnosis.beside(result.finding),
        group="" if diagnosis.kind == "named" else group,
        hints=hints,
    )


def _says_more(own: Diagnosis, diagnosis: Diagnosis) -> bool:
    """Return whether the mistake that a check found itself replaces a diagnosis by values."""
    unseen = NOT_IN_VALUES.intersection(own.misconceptions)
    return diagnosis.kind != "named" or not unseen <= {*diagnosis.misconceptions}


def _explained(error: Raised, recipe: Recipe, call: Call | Probe) -> str:
    """Return what an error says, and what it means for the arguments of its call."""
    sizes: Mapping[str, int] = {}
    with contextlib.suppress(Exception):  # a check may call it in a way of its own
        sizes = recipe.axes(recipe.arguments(Probe(call.args, call.kwargs)))
    axes = max((arg.ndim for arg in call.args if isinstance(arg, np.ndarray)), default=0)
    return f"{error.finding} {explain(error, sizes, axes)}".strip()


def _diagnose(
    catalogue: Catalogue, exercise: str, function: str, session: WorkerSession
) -> tuple[Finding | None, str]:
    try:
        replay = catalogue.replay(exercise, function)
        if replay is not None:
            return _examined(replay, session)
        explain_value = catalogue.mistakes(exercise).explain_value
        if explain_value is None:
            return None, ""
        # in a process which has seen no check, least of all a hidden one
        submission = Submission(session.fresh())
        return explain_value(function, submission.value, submission.variant), ""
    except InternalError:
        raise
    except Exception as error:  # an answer that no misconception was written for
        catalogue.note(error)  # points are given already
        return None, ""


def _examined(replay: Replay, session: WorkerSession) -> tuple[Finding | None, str]:
    """Return what is wrong with a function that has a recipe."""

    def alone() -> Ask:
        submission = Submission(session.fresh())
        return lambda probe: answer_to(submission, replay.recipe, probe)

    examination = Examination(replay, alone(), alone)
    finding = diagnose(examination)
    return finding, examination.group() if not all(examination.right) else ""


def answer_to(submission: Submission, recipe: Recipe, probe: Probe) -> Answer:
    """Return the student's answer to a probe."""
    try:
        value = _call(submission, recipe, probe)
    except Raised as error:
        message = _explained(error, recipe, probe)
        return Answer(Outcome(RAISES), message, error.place.line if error.place is not None else 0)
    except StudentProblem as problem:
        if problem.kind in {"timed out", "crashed", "missing", "not loaded"}:
            raise Stopped from None
        return Answer(Outcome("unsendable"), problem.finding)
    is_array = not isinstance(value, list | tuple | dict)
    printed = submission._session.has_printed
    return Answer(recipe.comparison.of_student(value), printed=printed, is_array=is_array)


def _call(submission: Submission, recipe: Recipe, probe: Probe) -> Any:
    if recipe.caller is not None:
        return recipe.caller.ask(submission, recipe, probe)
    called = recipe.as_called(probe)
    args = [
        submission.make(arg.target, *arg.args) if isinstance(arg, LibraryObject) else arg
        for arg in called.args
    ]
    return getattr(submission, recipe.function)(*args, **called.kwargs)


def catalogue_of(course: Course) -> Catalogue:
    """Return the course's misconceptions: replayed, or of a released course, recorded."""
    if course.content.released is not None:
        return _RecordedCatalogue(course)
    return Catalogue(course.content.reference)


class _RecordedCatalogue(Catalogue):
    """Names from the records of a released course, instead of replays."""

    def __init__(self, course: Course) -> None:
        super().__init__(course.content.reference)
        self.folder = course.root / course.content.reference / FOLDER
        self._functions: dict[str, dict[str, RecordedFunction]] = {}

    def mistakes(self, exercise: str) -> Mistakes:  # noqa: ARG002
        """Return nothing that could be run."""
        return Mistakes()

    def replay(self, exercise: str, function: str) -> Replay | None:
        """Return what is recorded of a function's misconceptions, or None."""
        if exercise not in self._functions:
            path = self.folder / f"{exercise}{NAMES_SUFFIX}"
            names = read_packed(path, RecordedNames) if path.is_file() else RecordedNames([])
            self._functions[exercise] = {recorded.name: recorded for recorded in names.functions}
        recorded = self._functions[exercise].get(function)
        if recorded is None:
            return None
        key = exercise, function
        if key not in self._replays:
            self._replays[key] = RecordedReplay(recorded, self.reference)
        return self._replays[key]
