"""The record of an exercise's mistakes: what is in it that is of another type, or twice."""

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from autograder.diagnosis.mistakes import NAME, Mistakes
from autograder.diagnosis.recipe import Recipe
from autograder.lint.places import Places
from autograder.lint.slip import Slip

FUNCTIONS = {
    "explain_value": (3, "a function of a value's name, of what reads values, and a variant"),
    "simulated_values": (0, "a function without parameters"),
}


def slips_in_record(module: ModuleType, mistakes: Mistakes, places: Places) -> list[Slip]:
    """What is wrong with a module's record, before one of its recipes is looked at."""
    return [*_recipes(mistakes, places), *_functions(module, mistakes, places)]


def _recipes(mistakes: Mistakes, places: Places) -> Iterator[Slip]:
    seen: set[str] = set()
    listed: tuple[Any, ...] = mistakes.listed
    for recipe in listed:
        if not isinstance(recipe, Recipe):
            says = f"`{NAME}` has a {type(recipe).__name__} in it; expected a Recipe."
            yield places.of_name(NAME, says)
        elif recipe.function in seen:
            says = f"a second recipe of `{recipe.function}`; a function has one."
            yield places.of_recipe(recipe.function, says)
        else:
            seen.add(recipe.function)


def _functions(module: ModuleType, mistakes: Mistakes, places: Places) -> Iterator[Slip]:
    for name, (count, expected) in FUNCTIONS.items():
        found = getattr(mistakes, name)
        if found is None and name in vars(module):
            says = f"`{name}` is not in `{NAME}`, so it is never asked; expected {name}={name}."
            yield places.of_name(name, says)
        if found is not None and not _takes(found, count):
            says = f"`{name}` is {_kind(found)}; expected {expected}."
            yield places.of_argument(name, says)


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
