"""Known mistakes of an exercise, from the course's own module and from the desk.

Each mistake from the desk has a file in the reference package's folder
`misconceptions/named/EXERCISE/`. The file is a module with `FUNCTION` and the family `NAMED`. If
only results are known, it is a JSON file.
"""

import dataclasses
import importlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import numpy as np

from autograder.checks.projection_hash import ProjectionHash
from autograder.course.errors import UserError
from autograder.diagnosis.finding import Finding
from autograder.diagnosis.outcome import Outcome
from autograder.diagnosis.recipe import RETURNED, Fingerprint, LibraryObject, Probe, Recipe

NAME = "MISTAKES"
NAMED = "named"
CODE, ANSWERS = ".py", ".json"
DRAWS = 2
MAX_BYTES = 64 * 2**20
Read = Callable[[str], Any]
Explain = Callable[[str, Read, str], Finding | None]
Simulated = Callable[[], Iterator[tuple[str, str, dict[str, object]]]]


class Mistakes:
    """Mistakes of an exercise: the value of `MISTAKES` in its module of misconceptions.

    Attributes:
        listed: a recipe for each function, with the correct steps and the mistakes.
        explain_value: a function that explains a student's wrong value. It gets the value's name, a
            function that reads values by name, and the student's variant.
        simulated_values: a function for the command `verify`. It yields a value's name, a mistake,
            and the resulting values.
    """

    def __init__(
        self,
        *listed: Recipe,
        explain_value: Explain | None = None,
        simulated_values: Simulated | None = None,
    ) -> None:
        self.listed = listed
        self.explain_value = explain_value
        self.simulated_values = simulated_values

    @property
    def recipes(self) -> Mapping[str, Recipe]:
        """A dict from function names to recipes."""
        return {recipe.function: recipe for recipe in self.listed}


class WrongMistakes(Exception):
    """`MISTAKES` is not an object of the class `Mistakes`."""


def load_module(reference: str, exercise: str) -> ModuleType | None:
    """Return the module of an exercise's misconceptions. If there is no module, return None."""
    name = f"{reference}.misconceptions.{exercise}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in {name, f"{reference}.misconceptions", reference}:
            raise
        return None


def read_mistakes(module: ModuleType | None) -> Mistakes:
    """Return a module's `MISTAKES`, by default none, or raise `WrongMistakes`."""
    mistakes = vars(module).get(NAME, Mistakes()) if module is not None else Mistakes()
    if not isinstance(mistakes, Mistakes):
        kind = type(mistakes).__name__
        raise WrongMistakes(f"it is of type {kind}; expected Mistakes(Recipe(…), …)")
    return mistakes


class RecordedAnswer(msgspec.Struct, frozen=True):
    kind: str
    sums: tuple[float, ...]
    signature: str
    numbers: bytes = b""  # one row of float64
    precision: str = "<f8"

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.signature, np.frombuffer(self.numbers, "<f8"), np.dtype(self.precision))


class NamedAnswers(msgspec.Struct, frozen=True):
    """Mistake without code, known only by wrong results for the probes."""

    id: str
    function: str
    finding: str
    hints: tuple[str, str, str]
    answers: tuple[RecordedAnswer, ...]


def recorded_answer(probe: Probe, outcome: Outcome) -> RecordedAnswer:
    call = probe_hash(probe)
    numbers, precision = outcome.numbers.astype("<f8").tobytes(), outcome.precision.str
    sums = tuple(map(float, call.sums))
    return RecordedAnswer(call.kind.hex(), sums, outcome.signature, numbers, precision)


def folder_of(package: Path, exercise: str) -> Path:
    return package / NAMED / exercise


def known_mistakes(reference: str, exercise: str) -> Mistakes:
    """Return all known mistakes of an exercise, including mistakes from the desk.

    An unusable module of the course may raise any exception.
    """
    mistakes = read_mistakes(load_module(reference, exercise))
    try:
        package = importlib.import_module(f"{reference}.misconceptions")
    except ModuleNotFoundError:
        return mistakes
    folder = folder_of(Path(next(iter(package.__path__))), exercise)
    if not folder.is_dir() or not mistakes.listed:
        return mistakes
    modules = [
        importlib.import_module(f"{package.__name__}.{NAMED}.{exercise}.{path.stem}")
        for path in sorted(folder.glob(f"[!_]*{CODE}"))
    ]
    answers = [read_answers(path) for path in sorted(folder.glob(f"*{ANSWERS}"))]
    recipes = []
    for recipe in mistakes.listed:
        function = recipe.function
        families: tuple[Any, ...] = tuple(recipe.families)
        more = tuple(module.NAMED for module in modules if function == module.FUNCTION)
        prints = tuple(fingerprint(recipe, one) for one in answers if one.function == function)
        recipes.append(
            dataclasses.replace(recipe, families=(*families, *more), fingerprints=prints)
        )
    return Mistakes(
        *recipes, explain_value=mistakes.explain_value, simulated_values=mistakes.simulated_values
    )


def read_answers(path: Path) -> NamedAnswers:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(MAX_BYTES), type=NamedAnswers)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{path}, a mistake that was named on the desk, cannot be read ({error}). Remove it, "
            f"and name the group again."
        ) from None


def fingerprint(recipe: Recipe, named: NamedAnswers) -> Fingerprint:
    """Return the misconception with these results. With changed probes, it matches no student."""

    def no_code(_: Any) -> Any:
        raise NotImplementedError("of this mistake only its answers are known")

    whole = dict.fromkeys((*recipe.parameters, *recipe.steps, RETURNED), no_code)
    known = () if out_of_date(recipe, named) else named.answers
    outcomes = tuple(answer.outcome for answer in known)
    return Fingerprint(named.id, named.finding, named.hints, whole, outcomes)


def out_of_date(recipe: Recipe, named: NamedAnswers) -> bool:
    calls = [probe_hash(probe) for draw in range(DRAWS) for probe in recipe.calls(draw)]
    return len(calls) != len(named.answers) or not all(
        call.kind.hex() == answer.kind and call.is_close(np.array([answer.sums]))[0]
        for call, answer in zip(calls, named.answers, strict=True)
    )


def probe_hash(probe: Probe) -> ProjectionHash:
    args = [
        [arg.target, *arg.args] if isinstance(arg, LibraryObject) else arg for arg in probe.args
    ]
    return ProjectionHash([args, dict(probe.kwargs)])
