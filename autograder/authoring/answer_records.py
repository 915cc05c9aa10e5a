"""Recorder of the results that the reference returns for the calls of released checks."""

import contextlib
import importlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from autograder.authoring.course_submissions import judge_for, own_work
from autograder.checks.check_result import NotJudged
from autograder.checks.projection_hash import ProjectionHash, hash_of_pass, require_plain_data
from autograder.checks.recorded_answers import (
    ExerciseRecord,
    RecordedAnswers,
    canary,
    packed_value,
    record_with,
)
from autograder.checks.torch_modules import reference_pass
from autograder.course.course_file import FILE_NAME, Course, Exercise, load_course
from autograder.course.own_modules import importable
from autograder.grading.judge import RunOptions
from autograder.submission.code import read_code
from autograder.worker.messages import Passed


class Recorder:
    """Stand-in for the reference that records the calls of checks and the results.

    Create a recorder only while the packages of the course are importable.
    """

    def __init__(self, reference: str, modules: Iterable[str] = ()) -> None:
        self._modules = {"": importlib.import_module(reference)}
        for name in modules:
            with contextlib.suppress(ModuleNotFoundError):
                self._modules[name] = importlib.import_module(f"{reference}.{name}")
        self.constants: dict[str, bytes] = {}
        self.functions: dict[str, RecordedAnswers] = {}
        self.values: dict[bytes, int] = {}
        self._known: dict[tuple[str, bytes], list[Any]] = {}

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the function's result, and record it.

        Raises:
            NotJudged: the result or an argument is not plain data.
        """
        asked = ProjectionHash((args, kwargs))
        function = self._named(name)
        if not callable(function):
            raise NotJudged
        value = function(*args, **kwargs)
        require_plain_data(value)
        self._note(name, asked, value)
        return value

    def passed(self, name: str, *given: Any) -> Passed:
        """Run a module of the course once, record the forward pass, and return it."""
        passed = reference_pass(self._named(name), *given)
        answer = {"value": passed.value, "gradients": passed.gradients}
        self._note(name, hash_of_pass(*given), answer)
        return passed

    def constant(self, name: str) -> Any:
        """Return and record a constant of the reference. For any other value, return None."""
        value = self._named(name)
        if not is_constant(value):
            return None
        self.constants[name] = packed_value(value)
        return value

    def _named(self, name: str) -> Any:
        module, _, last = name.rpartition(".")
        return getattr(self._modules.get(module), last, None)

    def _note(self, name: str, asked: ProjectionHash, value: Any) -> None:
        known = self._known.setdefault((name, asked.kind), [])
        if any(asked.is_close(sums[np.newaxis])[0] for sums in known):
            return
        known.append(asked.sums)
        place = self.values.setdefault(packed_value(value), len(self.values))
        answers = self.functions.setdefault(name, RecordedAnswers())
        answers.kinds.append(asked.kind)
        answers.sums += asked.sums.astype("<f8").tobytes()
        answers.values.append(place)


def is_constant(value: Any) -> bool:
    """Return True if a value is a text, a number, or a tuple of texts and numbers."""
    values = value if isinstance(value, tuple) else [value]
    return all(isinstance(each, str | int | float) for each in values)


FIND = "_stand_in"  # the name of `stand_in` in released code
STAND_IN = re.compile(rf"{FIND}\('([\w.]+)'\)")


def recorded_answers(course: Course, kit: Path, exercise: Exercise) -> ExerciseRecord:
    """Return the recorded answers for an exercise's checks in the release `kit`.

    The digest, the hints, the weights and the hidden checks are empty. The release fills them in.
    """
    released = load_course(kit / FILE_NAME)
    made = released.content.released
    assert made is not None
    texts = (path.read_text(encoding="utf-8") for path in kit.rglob("*.py"))
    modules = {name.rpartition(".")[0] for text in texts for name in STAND_IN.findall(text)}
    if exercise.needs == "torch":
        modules.add("modules")
    with judge_for(released, exercise) as judge:
        with importable(course):
            recorder = Recorder(course.content.reference, modules - {""})
        record_with(recorder)
        try:
            sources = list(own_work(course, exercise))
            for seed in made.seeds:
                for source in sources:
                    judge.run(source, RunOptions(seed=seed))
        finally:
            record_with(None)
    with judge_for(course, exercise) as judge:
        results = judge.run(sources[0]).results
    names = read_code(sources[0].units).names
    called: dict[str, tuple[str, ...]] = {}
    for each in results:  # a check may use what a check that it needs has kept
        kept = [name for needed in each.check.needs for name in called.get(needed, ())]
        own = [name for name in each.about if name in names]
        called[each.name] = tuple(dict.fromkeys([*kept, *own]))
    return ExerciseRecord(
        exercise=exercise.name,
        digest="",
        numpy=np.__version__,
        seeds=list(made.seeds),
        canary=canary().sums.tolist(),
        called={each.name: called[each.name] for each in results if not each.check.in_kit},
        constants=recorder.constants,
        functions=recorder.functions,
        values=list(recorder.values),
    )
