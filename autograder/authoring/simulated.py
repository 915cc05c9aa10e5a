"""Submissions simulated from recipes. Only the course's code runs, in this process."""

import sys
import warnings
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from autograder.course.course_file import Course, Exercise
from autograder.diagnosis.misconceptions import Change
from autograder.diagnosis.recipe import Probe, Recipe
from autograder.sandbox.child import Place
from autograder.sandbox.process import AnswerTo
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.spawn import Spawner
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.messages import Callback, Reply, Request, Unit
from autograder.worker.serve import Answers


class SimulatedClient(WorkerSession):
    """Session that calls a module in this process instead of a submission."""

    def __init__(self, course: Course, exercise: Exercise, module: ModuleType) -> None:
        super().__init__(_SimulatedWorkers(course, exercise, module))


class _SimulatedWorkers(Workers):
    """Module in the place of worker processes. All sessions share it, since it keeps no state."""

    def __init__(self, course: Course, exercise: Exercise, module: ModuleType) -> None:
        source = Source(exercise.name, "simulated.py", (Unit("simulated.py", ""),))
        children = Spawner(course.content.reference)
        super().__init__(source, exercise.needs, course.limits(exercise), children)
        self._answers = Answers([], self._asked)
        self._answers.module = module
        self._answer: AnswerTo | None = None

    def _asked(self, ask: Callback) -> Request:
        assert self._answer is not None
        return self._answer(ask)

    def reply_to(
        self,
        session: object,  # noqa: ARG002
        place: Place,  # noqa: ARG002
        request: Request,
        seconds: float,  # noqa: ARG002
        answer: AnswerTo | None = None,
    ) -> Reply:
        self._answer = answer
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as in a worker
            return self._answers.answer(request)


def solution_module(course: Course, exercise: Exercise) -> ModuleType:
    """Load an exercise's solution as a module."""
    path = course.solution_file(exercise.name)
    module = ModuleType(exercise.name)
    sys.modules[exercise.name] = module
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
    return module


def with_misconceptions(
    module: ModuleType, recipe: Recipe, wrong: tuple[Change, ...]
) -> ModuleType:
    """Copy a module. The recipe's function is replaced by one with these misconceptions."""

    def simulated(*args: Any, **kwargs: Any) -> Any:
        probe = Probe(args, kwargs)
        sample = recipe.comparison.sample
        return recipe.run(probe, wrong) if sample is None else sample(recipe.trace(probe, wrong))

    function: Callable[..., Any] = simulated
    if recipe.caller is not None:
        function = recipe.caller.simulated(recipe, vars(module)[recipe.function], wrong)
    return with_functions(module, {recipe.function: function})


def with_functions(module: ModuleType, functions: Mapping[str, Callable[..., Any]]) -> ModuleType:
    """Copy a module and replace some names. Its other functions still call the old functions."""
    copy = ModuleType(module.__name__)
    copy.__dict__.update({**vars(module), **functions})
    return copy
