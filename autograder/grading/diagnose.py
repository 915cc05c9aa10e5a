"""Diagnoses for the failed checks of a submission: one for each function that went wrong."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.checking.proxy import Submission
from autograder.diagnosis.errors import explain
from autograder.diagnosis.examine import Answer, Examination
from autograder.diagnosis.finding import Finding
from autograder.diagnosis.outcome import RAISES, Outcome, outcome_of
from autograder.diagnosis.recipe import Made, Probe, Recipe
from autograder.diagnosis.replay import Replay
from autograder.grading.plugin import CheckResult
from autograder.sandbox.child import GraderTrouble
from autograder.sandbox.client import Client
from autograder.sandbox.problems import Raised, StudentProblem


class Stopped(Exception):
    """The submission can be asked nothing more: no time is left, or its process ended."""


class Catalogue:
    """The misconceptions of a course, loaded when an exercise first needs them."""

    def __init__(self, reference: str) -> None:
        self.reference = reference
        self._modules: dict[str, Any] = {}
        self._replays: dict[tuple[str, str], Replay] = {}

    def module(self, exercise: str) -> Any:
        """The course's module of that exercise's misconceptions, or None."""
        if exercise not in self._modules:
            name = f"{self.reference}.misconceptions.{exercise}"
            try:
                self._modules[exercise] = importlib.import_module(name)
            except ModuleNotFoundError as error:
                if error.name not in {name, f"{self.reference}.misconceptions", self.reference}:
                    raise
                self._modules[exercise] = None
        return self._modules[exercise]

    def recipes(self, exercise: str) -> dict[str, Recipe]:
        """The recipes of the exercise's functions, by name."""
        found: dict[str, Recipe] = getattr(self.module(exercise), "RECIPES", {})
        return found

    def replay(self, exercise: str, function: str) -> Replay | None:
        key = exercise, function
        if key not in self._replays:
            recipe = self.recipes(exercise).get(function)
            if recipe is None:
                return None
            self._replays[key] = Replay(recipe)
        return self._replays[key]


def attach_diagnoses(
    catalogue: Catalogue, exercise: str, results: Sequence[CheckResult], client: Client
) -> None:
    """Find out what is wrong with each function that a failed check was about, and say so there.

    Points are never touched: this only runs once all checks have.

    Raises:
        GraderTrouble: the grader's own machinery failed, or the worker was killed from outside.
    """
    known: dict[str, Finding | None] = {}
    for result in results:
        if result.outcome != "failed" or not result.diagnosable:
            continue
        for function in result.about:
            if function not in known:
                known[function] = _diagnose(catalogue, exercise, function, client)
            found = known[function]
            if found is not None:
                result.diagnosis = found.about(function)
                result.hints = found.hints or result.hints
                break
        if result.mistake and (result.diagnosis is None or result.diagnosis.kind != "named"):
            own = Finding("named", result.finding, (result.mistake,), told=result.told)
            result.diagnosis = own.about(result.about[-1] if result.about else "")


def _diagnose(catalogue: Catalogue, exercise: str, function: str, client: Client) -> Finding | None:
    submission = Submission(client.fresh())  # which has seen no check, least of all a hidden one
    replay = catalogue.replay(exercise, function)
    try:
        if replay is not None:
            recipe = replay.recipe
            return Examination(replay, lambda probe: _ask(submission, recipe, probe)).diagnose()
        explain_value = getattr(catalogue.module(exercise), "explain_value", None)
        with np.errstate(all="ignore"):
            found: Finding | None = (
                explain_value(function, submission.value, submission.variant)
                if explain_value
                else None
            )
        return found
    except GraderTrouble:
        raise
    except Exception:  # an answer that no misconception was written for; points are given already
        return None


def _call(submission: Submission, recipe: Recipe, probe: Probe) -> Any:
    if recipe.call is not None:
        return recipe.call.ask(submission, recipe, probe)
    called = recipe.as_called(probe)
    args = [
        submission.make(arg.target, *arg.args) if isinstance(arg, Made) else arg
        for arg in called.args
    ]
    return getattr(submission, recipe.function)(*args, **called.kwargs)


def _ask(submission: Submission, recipe: Recipe, probe: Probe) -> Answer:
    """The student's answer to a probe."""
    try:
        value = _call(submission, recipe, probe)
    except Raised as error:
        sizes = recipe.axes(recipe.arguments(probe))
        said = f"{error.finding} {explain(error, sizes)}".strip()
        return Answer(Outcome(RAISES), said)
    except StudentProblem as problem:
        if problem.kind in {"timed out", "crashed", "missing", "not loaded"}:
            raise Stopped from None
        return Answer(Outcome("unsendable"), problem.finding)
    value = recipe.read(value)
    return Answer(outcome_of(value), printed=submission._client.spoke)
