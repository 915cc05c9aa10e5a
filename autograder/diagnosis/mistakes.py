"""What a course knows of the mistakes of one exercise: one record, in one module."""

import dataclasses
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import numpy as np

from autograder.checks.projection_hash import ProjectionHash
from autograder.course.errors import UserError
from autograder.diagnosis.family import Family
from autograder.diagnosis.finding import Finding
from autograder.diagnosis.outcome import Outcome
from autograder.diagnosis.recipe import Fingerprint, LibraryObject, Probe, Recipe, fingerprint

NAME = "MISTAKES"
Read = Callable[[str], Any]
Explain = Callable[[str, Read, str], Finding | None]
Simulated = Callable[[], Iterator[tuple[str, str, dict[str, object]]]]


class Mistakes:
    """The mistakes of an exercise, as `MISTAKES` in its module of misconceptions.

    Attributes:
        listed: a recipe for each of its functions: how it is done, and how it is done wrong.
        explain_value: what is wrong with a value that was handed in, from its name, a function
            that reads values by name, and the student's variant.
        simulated_values: for `verify`: a value's name, a mistake, and the values as it makes them.
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
        """The recipes by the names of their functions."""
        return {recipe.function: recipe for recipe in self.listed}


class WrongMistakes(Exception):
    """`MISTAKES` is no record of mistakes."""


def module_name(reference: str, exercise: str) -> str:
    """The module of an exercise's misconceptions."""
    return f"{reference}.misconceptions.{exercise}"


def load_module(reference: str, exercise: str) -> ModuleType | None:
    """The module of an exercise's misconceptions; None where the course has none.

    Raises:
        Exception: whatever it raises while it is imported.
    """
    name = module_name(reference, exercise)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in {name, f"{reference}.misconceptions", reference}:
            raise
        return None


def read_mistakes(module: ModuleType | None) -> Mistakes:
    """The record of a module; an empty one where there is none.

    Raises:
        WrongMistakes: what stands under its name is something else.
    """
    mistakes = vars(module).get(NAME, Mistakes()) if module is not None else Mistakes()
    if not isinstance(mistakes, Mistakes):
        kind = type(mistakes).__name__
        raise WrongMistakes(f"it is of type {kind}; expected Mistakes(Recipe(…), …)")
    return mistakes


# Misconceptions that were named on the desk: a file each, beside those that the course has.
#
# `misconceptions/named/EXERCISE/` in the package of the reference holds a module for each
# mistake that could be written as code, with `FUNCTION` and `NAMED`, its family; and a JSON file
# for each of which only the answers are known.


NAMED = "named"
CODE, ANSWERS = ".py", ".json"
DRAWS = 2
MOST_BYTES = 64 * 2**20


class RecordedAnswer(msgspec.Struct, frozen=True):
    """What was answered to a call, and the call in short: its kind, and three sums.

    `numbers` are float64, one after the other.
    """

    kind: str
    sums: tuple[float, ...]
    signature: str
    numbers: bytes = b""
    precision: str = "<f8"

    @property
    def outcome(self) -> Outcome:
        numbers = np.frombuffer(self.numbers, "<f8")
        return Outcome(self.signature, numbers, np.dtype(self.precision))


class NamedAnswers(msgspec.Struct, frozen=True):
    """A mistake of a function, by the answers to the recipe's probes."""

    id: str
    function: str
    finding: str
    hints: tuple[str, str, str]
    answers: tuple[RecordedAnswer, ...]


def recorded_answer(probe: Probe, outcome: Outcome) -> RecordedAnswer:
    """A call and what came of it, as it is kept."""
    sketch = _sketch(probe)
    return RecordedAnswer(
        sketch.kind.hex(),
        tuple(map(float, sketch.sums)),
        outcome.signature,
        outcome.numbers.astype("<f8").tobytes(),
        outcome.precision.str,
    )


def folder_of(package: Path, exercise: str) -> Path:
    """Where an exercise's are, in the folder of the course's misconceptions."""
    return package / NAMED / exercise


def known_mistakes(reference: str, exercise: str) -> Mistakes:
    """What a course knows of an exercise's mistakes, with those that were named on the desk.

    Raises:
        Exception: whatever a module of the course's raises while it is imported.
        WrongMistakes: `MISTAKES` is no record of mistakes.
        UserError: what is recorded is damaged.
    """
    mistakes = read_mistakes(load_module(reference, exercise))
    folder = _folder(reference, exercise)
    if folder is None or not mistakes.listed:
        return mistakes
    by_code = [_family(reference, exercise, path) for path in sorted(folder.glob(f"[!_]*{CODE}"))]
    by_answers = [read_answers(path) for path in sorted(folder.glob(f"*{ANSWERS}"))]
    listed = [_with(recipe, by_code, by_answers) for recipe in mistakes.listed]
    return Mistakes(
        *listed,
        explain_value=mistakes.explain_value,
        simulated_values=mistakes.simulated_values,
    )


def _folder(reference: str, exercise: str) -> Path | None:
    try:
        package = importlib.import_module(f"{reference}.misconceptions")
    except ModuleNotFoundError:
        return None
    folder = folder_of(Path(next(iter(package.__path__))), exercise)
    return folder if folder.is_dir() else None


def _family(reference: str, exercise: str, path: Path) -> tuple[str, Family]:
    module = importlib.import_module(f"{reference}.misconceptions.{NAMED}.{exercise}.{path.stem}")
    return module.FUNCTION, module.NAMED


def read_answers(path: Path) -> NamedAnswers:
    """What is recorded of a mistake.

    Raises:
        UserError: it cannot be read, or is no such record.
    """
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(MOST_BYTES), type=NamedAnswers)
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(
            f"{path}, a mistake that was named on the desk, cannot be read ({error}). Remove it, "
            f"and name the group again."
        ) from None


def _with(
    recipe: Recipe, by_code: Iterable[tuple[str, Family]], by_answers: Iterable[NamedAnswers]
) -> Recipe:
    """A recipe with what was named of its function."""
    families: Sequence[Family] = tuple(recipe.families)  # type: ignore[arg-type]
    more = [family for function, family in by_code if function == recipe.function]
    mine = [each for each in by_answers if each.function == recipe.function]
    if not more and not mine:
        return recipe
    whole = dataclasses.replace(recipe, families=(*families, *more))
    if mine:
        known = tuple(_fingerprint(whole, each) for each in mine)
        whole = dataclasses.replace(whole, fingerprints=known)
    return whole


def _fingerprint(recipe: Recipe, named: NamedAnswers) -> Fingerprint:
    """The mistake; where the recipe's probes are others now, no answer is like it."""
    still = not out_of_date(recipe, named)
    outcomes = [each.outcome for each in named.answers] if still else []
    return fingerprint(recipe, named.id, named.finding, named.hints, outcomes)


def out_of_date(recipe: Recipe, named: NamedAnswers) -> bool:
    """Whether a recipe asks something else than what was answered."""
    probes = [probe for draw in range(DRAWS) for probe in recipe.calls(draw)]
    return len(probes) != len(named.answers) or not all(
        _is_of(probe, answer) for probe, answer in zip(probes, named.answers, strict=True)
    )


def _is_of(probe: Probe, answer: RecordedAnswer) -> bool:
    sketch = _sketch(probe)
    return sketch.kind.hex() == answer.kind and bool(sketch.is_close(np.array([answer.sums]))[0])


def _sketch(probe: Probe) -> ProjectionHash:
    """A call in short; what is made where the function runs, by what it is made of."""
    args = [
        [arg.target, *arg.args] if isinstance(arg, LibraryObject) else arg for arg in probe.args
    ]
    return ProjectionHash([args, dict(probe.kwargs)])
