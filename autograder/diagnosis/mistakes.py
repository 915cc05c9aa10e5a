"""What a course knows of the mistakes of one exercise: one record, in one module."""

import importlib
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

from autograder.diagnosis.finding import Finding
from autograder.diagnosis.recipe import Recipe

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
