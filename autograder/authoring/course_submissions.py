"""Submissions that the course itself contains, or simulates from recipes.

A simulated submission is code of the course, so it runs in this process.
"""

import contextlib
import hashlib
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.text import join_names
from autograder.diagnosis.recipe import Change, Probe, Recipe
from autograder.grading.judge import Judge
from autograder.sandbox.child import Cancelled, Place
from autograder.sandbox.levels import children_on, choose
from autograder.sandbox.process import AnswerTo
from autograder.sandbox.spawn import Spawner
from autograder.sandbox.workers import Workers
from autograder.submission.source import SUFFIXES, Source, required_source
from autograder.worker.codec import encode
from autograder.worker.limits import limited_memory
from autograder.worker.messages import Callback, Reply, Request, Unit
from autograder.worker.serve import Answers


def right_answers(course: Course, exercise: Exercise) -> Iterator[Source]:
    for path in course.right_answers(exercise.name):
        yield required_source(path, exercise)


def own_work(course: Course, exercise: Exercise) -> Iterator[Source]:
    """Yield the solution, the alternative solutions and the wrong files of an exercise."""
    yield from right_answers(course, exercise)
    yield from wrong_answers(course, exercise)


def wrong_answers(course: Course, exercise: Exercise) -> Iterator[Source]:
    folder = (course.root / course.content.right).parent / "wrong" / exercise.name
    for path in sorted(each for each in folder.glob("*") if each.suffix in SUFFIXES):
        yield required_source(path, exercise)


@contextlib.contextmanager
def judge_for(course: Course, exercise: Exercise, seed: int | None = None) -> Iterator[Judge]:
    """Start a judge for files of the course. They are less confined than a student's files."""
    with tempfile.TemporaryDirectory(prefix="autograder-") as scratch:
        children = children_on(choose(None, own_code=True), course, [], Path(scratch))
        with Judge(course, [exercise], children, seed) as judge:
            yield judge


class TooLarge(Cancelled, UserError):
    """Error: a check's call needs too much memory or time.

    The course's author must change the check.
    """

    finding = property(str)


class SimulatedWorkers(Workers):
    """Stand-in for worker processes that calls a module in this process.

    All sessions share the module, which has no state. `asked` has the digests of all requests.
    """

    def __init__(self, course: Course, exercise: Exercise, module: ModuleType) -> None:
        source = Source(exercise.name, "simulated.py", (Unit("simulated.py", ""),))
        children = Spawner(course.content.reference)
        super().__init__(source, exercise.needs, course.limits(exercise), children)
        self._answers = Answers([], self._asked)
        self._answers.module = module
        self._answer: AnswerTo | None = None
        self.asked: list[str] = []

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
        self.asked.append(hashlib.sha256(b"".join(encode(request)[2])).hexdigest())
        limits, begin = self.limits, time.thread_time()
        with warnings.catch_warnings(), limited_memory(limits.memory_mb):
            warnings.simplefilter("ignore")  # as in a worker
            reply = self._answers.answer(request)
        if reply.problem is not None and reply.problem.type.endswith("MemoryError"):
            raise self._too_large(request, f"{limits.memory_mb} MB of memory")
        if time.thread_time() - begin > limits.total_seconds:
            raise self._too_large(request, f"{limits.total_seconds:g} seconds")
        return reply

    def _too_large(self, request: Request, limit: str) -> TooLarge:
        check = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition("::")[2].partition(" ")[0]
        sizes = join_names([str(x.shape) for x in request.args if isinstance(x, np.ndarray)])
        mistake = getattr(self._answers.module, "__mistake__", "none")
        return TooLarge(
            f"{check} calls `{request.target}` with arrays of these sizes: {sizes}. With this "
            f"mistake, the call needs more than {limit}: {mistake}. In `needs=` of {check}, name a "
            f"check with small inputs that fails for this mistake. If kits cannot judge that "
            f"check, mark {check} with `graded_when_handed_in`. Or write steps "
            f"of the recipe that need less."
        )


def solution_module(course: Course, exercise: Exercise) -> ModuleType:
    path = course.solution_file(exercise.name)
    module = ModuleType(exercise.name)
    sys.modules[exercise.name] = module
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
    return module


def with_misconceptions(
    module: ModuleType, recipe: Recipe, wrong: tuple[Change, ...]
) -> ModuleType:
    def simulated(*args: Any, **kwargs: Any) -> Any:
        probe = Probe(args, kwargs)
        sample = recipe.comparison.sample
        return recipe.run(probe, wrong) if sample is None else sample(recipe.trace(probe, wrong))

    function: Callable[..., Any] = simulated
    if recipe.caller is not None:
        function = recipe.caller.simulated(recipe, vars(module)[recipe.function], wrong)
    ids = " + ".join(getattr(change, "id", "") for change in wrong)
    return with_functions(module, {recipe.function: function, "__mistake__": ids})


def with_functions(module: ModuleType, functions: Mapping[str, Any]) -> ModuleType:
    """Return a copy of a module with other `functions`. Its own code still calls the originals."""
    copy = ModuleType(module.__name__)
    copy.__dict__.update({**vars(module), **functions})
    return copy
