"""Recording of what released checks ask of the reference, run on the course's own work."""

import contextlib
import importlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from autograder.authoring.course_submissions import judge_for, own_work
from autograder.checks.check_result import Check, NotJudged
from autograder.checks.projection_hash import ProjectionHash, hash_of_pass, require_plain_data
from autograder.checks.recorded_answers import (
    ExerciseRecord,
    HiddenCheck,
    RecordedAnswers,
    canary,
    packed_value,
)
from autograder.checks.reference_answers import record_with
from autograder.checks.torch_modules import reference_pass
from autograder.course.course_file import FILE_NAME, Course, Exercise, HintPolicy, load_course
from autograder.course.own_modules import importable
from autograder.grading.judge_requests import RunOptions
from autograder.worker.codec import Tensor
from autograder.worker.messages import Passed


class Recorder:
    """The reference of a course, which notes what it is asked and what it answers.

    Made while the course's packages are importable; `modules` are those to load then.
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
        self._found: dict[str, Any] = {}

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return what the function of that name gives, noted if question and answer are plain data.

        Raises:
            NotJudged: they are not, so a released check cannot ask that either.
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
        """Return a pass of the course's own module, noted."""
        passed = reference_pass(self._named(name), *given)
        answer = {"value": _arrays(passed.value), "gradients": _arrays(passed.gradients)}
        self._note(name, hash_of_pass(*given), answer)
        return passed

    def constant(self, name: str) -> Any:
        """Return a text or a number, or several in a row, of that name, noted."""
        value = self._named(name)
        if not is_constant(value):
            return None
        self.constants[name] = packed_value(value)
        return value

    def _named(self, name: str) -> Any:
        if name not in self._found:
            module, _, last = name.rpartition(".")
            self._found[name] = getattr(self._modules.get(module), last, None)
        return self._found[name]

    def _note(self, name: str, asked: ProjectionHash, value: Any) -> None:
        known = self._known.setdefault((name, asked.kind), [])
        if any(asked.is_close(sums[np.newaxis])[0] for sums in known):
            return
        known.append(asked.sums)
        data = packed_value(value)
        place = self.values.setdefault(data, len(self.values))
        answers = self.functions.setdefault(name, RecordedAnswers())
        answers.kinds.append(asked.kind)
        answers.sums += asked.sums.astype("<f8").tobytes()
        answers.values.append(place)


def named(reference: str, name: str) -> Any:
    """Return what the reference has under a dotted name; None where it has nothing."""
    module, _, last = name.rpartition(".")
    try:
        found = importlib.import_module(f"{reference}.{module}".rstrip("."))
    except ModuleNotFoundError:
        return None
    return getattr(found, last, None)


def is_constant(value: Any) -> bool:
    """Return whether it is a text, a number, or a row of such."""
    if isinstance(value, tuple):
        return all(isinstance(each, str | int | float) for each in value)
    return isinstance(value, str | int | float)


def _arrays(value: Any) -> Any:
    """Return values of a pass as tensors: float32 is all that a student's answers can tell."""
    if isinstance(value, dict):
        return {name: _arrays(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_arrays(each) for each in value]
    return np.asarray(value).view(Tensor) if isinstance(value, np.ndarray) else value


HINTS: dict[HintPolicy, int] = {"practice": 3, "homework": 2, "exam": 0}
FIND = "_stand_in"  # the name that released code has for `stand_in`
STAND_IN = re.compile(rf"{FIND}\('([\w.]+)'\)")


class ReferenceAnswers(msgspec.Struct):
    """Answers of the reference to the checks of one exercise.

    `untold` are the checks that a released course cannot tell even of the course's own solution.
    """

    constants: dict[str, bytes]
    functions: dict[str, RecordedAnswers]
    values: list[bytes]
    untold: list[str]


def recorded_answers(course: Course, bundle: Path, exercise: Exercise) -> ReferenceAnswers:
    """Record what the checks of the released course in a folder ask of the reference."""
    made = load_course(bundle / FILE_NAME)
    assert made.content.released is not None
    untold: dict[str, None] = {}
    with judge_for(made, exercise) as judge:
        with importable(course):
            recorder = Recorder(course.content.reference, asked_of(bundle, exercise))
        record_with(recorder)
        try:
            sources = list(own_work(course, exercise))
            for seed in made.content.released.seeds:
                for place, source in enumerate(sources):
                    results = judge.run(source, RunOptions(seed=seed)).results
                    told = (r.name for r in results if r.outcome == "not told" and not place)
                    untold |= dict.fromkeys(told)
        finally:
            record_with(None)
    values = list(recorder.values)
    return ReferenceAnswers(recorder.constants, recorder.functions, values, list(untold))


def asked_of(bundle: Path, exercise: Exercise) -> set[str]:
    """Return the modules of the reference that released code has stand-ins from."""
    texts = [path.read_text(encoding="utf-8") for path in bundle.rglob("*.py")]
    names = {name for text in texts for name in STAND_IN.findall(text)}
    found = {name.rpartition(".")[0] for name in names} - {""}
    return found | ({"modules"} if exercise.needs == "torch" else set())


def finished(
    answers: ReferenceAnswers,
    exercise: Exercise,
    checks: Sequence[Check],
    policy: HintPolicy,
    released: tuple[str, tuple[int, ...]],
) -> ExerciseRecord:
    """Return the record as it is written; hints beyond what the policy shows are left out."""
    digest, seeds = released
    most = HINTS[policy]
    public = [check for check in checks if not check.hidden]
    return ExerciseRecord(
        exercise=exercise.name,
        digest=digest,
        numpy=np.__version__,
        seeds=list(seeds),
        canary=canary().sums.tolist(),
        order=[check.name for check in checks],
        hints={check.name: check.hints[:most] for check in public if check.hints[:most]},
        hidden=[HiddenCheck(c.name, c.title, c.weight) for c in checks if c.hidden],
        weights={check.name: check.weight for check in public},
        untold=answers.untold,
        constants=answers.constants,
        functions=answers.functions,
        values=answers.values,
    )
