"""What a course knows of the mistakes of one exercise: one record, read from one module."""

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from autograder.diagnosis.finding import Finding
from autograder.diagnosis.recipe import Recipe

RECIPES, EXPLAINS, SIMULATES = NAMES = ("RECIPES", "explain_value", "simulated_values")
Read = Callable[[str], Any]
Explain = Callable[[str, Read, str], Finding | None]
Simulated = Callable[[], Iterator[tuple[str, str, dict[str, object]]]]


@dataclass(frozen=True)
class Mistakes:
    """The mistakes of an exercise.

    Attributes:
        recipes: the steps of its functions, and the ways in which they are done wrong, by name.
        explain_value: what is wrong with a value that was handed in, from its name, a function
            that reads values by name, and the student's variant.
        simulated_values: for `verify`: a value's name, a mistake, and the values as it makes them.
    """

    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    explain_value: Explain | None = None
    simulated_values: Simulated | None = None


class WrongMistakes(Exception):
    """A name in the module of an exercise's misconceptions is not what it must be."""

    def __init__(self, name: str, says: str) -> None:
        super().__init__(says)
        self.name = name


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
    """The record that a module holds by its three names; an empty one where there is no module.

    Raises:
        WrongMistakes: one of the names stands for something of another type.
    """
    recipes = getattr(module, RECIPES, {})
    if not isinstance(recipes, Mapping):
        raise WrongMistakes(RECIPES, f"it is {_kind(recipes)}; expected a dict of recipes by name")
    for name, recipe in recipes.items():
        if not isinstance(name, str) or not isinstance(recipe, Recipe):
            says = f"it has {_kind(recipe)} under {name!r}; expected a Recipe under its name"
            raise WrongMistakes(RECIPES, says)
    explain = getattr(module, EXPLAINS, None)
    simulated = getattr(module, SIMULATES, None)
    for name, found, count, asked in (
        (EXPLAINS, explain, 3, "a function of a value's name, of what reads values, and a variant"),
        (SIMULATES, simulated, 0, "a function without parameters"),
    ):
        if found is not None and not _takes(found, count):
            raise WrongMistakes(name, f"it is {_kind(found)}; expected {asked}")
    return Mistakes(recipes, explain, simulated)


def _takes(found: object, count: int) -> bool:
    """Whether something can be called with so many arguments."""
    if not callable(found):
        return False
    try:
        inspect.signature(found).bind(*range(count))
    except (TypeError, ValueError):
        return False
    return True


def _kind(value: object) -> str:
    if inspect.isfunction(value):
        return f"a function {inspect.signature(value)}"
    return f"of type {type(value).__name__}"
