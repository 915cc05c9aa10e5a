"""Recipes and their misconceptions: names and types that are not as they must be."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.diagnosis.comparison import Comparison
from autograder.diagnosis.family import Family
from autograder.diagnosis.recipe import RETURNED, Fact, Probe, Recipe, Trait
from autograder.lint.families import slips_in_families, slips_in_steps
from autograder.lint.places import Places
from autograder.lint.slip import Slip, meant
from autograder.text import several

FUNCTIONS = ("read", "sample", "spread")


def slips_in_recipe(
    recipe: Recipe,
    places: Places,
    solution: Mapping[str, ast.stmt] | None,
    folders: Sequence[Path],
) -> list[Slip]:
    """What is wrong with a recipe, without running it. `solution` has what the solution defines."""
    name = recipe.function
    if solution is not None and name not in solution:
        says = f"`{name}` is no function of the solution{meant(name, solution)}"
        return [places.of_recipe(name, says)]
    slips = list(_types(recipe, places))
    if not slips:
        known = [*recipe.steps, *recipe.parameters, RETURNED]
        slips += _parameters(recipe, places, None if solution is None else solution[name])
        for way in recipe.styles:
            slips += slips_in_steps(way, known, f"a style of `{name}`", places.of_word)
        slips += slips_in_families(recipe, known, places, folders)
    return slips


def _types(recipe: Recipe, places: Places) -> Iterator[Slip]:
    """Fields of a recipe that are of another type than they must be."""

    def slip(field: str, value: object, expected: str) -> Slip:
        kind = type(value).__name__
        says = (
            f"in the recipe of `{recipe.function}`, `{field}` is of type {kind}; it is {expected}."
        )
        return places.of_recipe(recipe.function, says, field)

    yield from _names(recipe, slip)
    for field, kind in (("families", Family), ("traits", Trait), ("facts", Fact)):
        value = getattr(recipe, field)
        if not _all(value, kind):
            yield slip(field, _odd(value, kind), f"a tuple of {kind.__name__}")
    if not _all(recipe.styles, Mapping):
        yield slip("styles", _odd(recipe.styles, Mapping), "a tuple of dicts of steps")
    for field in ("probes", "axes"):
        if not callable(getattr(recipe, field)):
            yield slip(field, getattr(recipe, field), "a function")
    comparison: Any = recipe.comparison
    if not isinstance(comparison, Comparison):
        yield slip("comparison", comparison, "a Comparison")
        return
    for field, value in vars(comparison).items():
        if field in FUNCTIONS and not callable(value) and not (value is None and field != "read"):
            yield slip(field, value, "a function")


def _names(recipe: Recipe, slip: Callable[[str, object, str], Slip]) -> Iterator[Slip]:
    """Names, and what stands under names."""
    for field in ("parameters", "results"):
        value = getattr(recipe, field)
        if isinstance(value, str) or not _all(value, str):
            yield slip(field, value, "a tuple of names")
    for field in ("steps", "defaults"):
        value = getattr(recipe, field)
        if not isinstance(value, Mapping) or not _all(value, str):
            yield slip(field, value, "a dict by name")
        elif field == "steps":
            for step, does in value.items():
                if not callable(does):
                    yield slip(f"steps[{step!r}]", does, "a function of the state")


def _all(values: object, kind: type) -> bool:
    return isinstance(values, Iterable) and all(isinstance(each, kind) for each in values)


def _odd(values: object, kind: type) -> object:
    """The first of some values that is of another type; the whole where it has no values."""
    if not isinstance(values, Iterable):
        return values
    return next(each for each in values if not isinstance(each, kind))


def _parameters(recipe: Recipe, places: Places, solution: ast.stmt | None) -> Iterator[Slip]:
    def slip(word: str, says: str) -> Slip:
        return places.of_recipe(
            recipe.function, f"in the recipe of `{recipe.function}`, {says}", word
        )

    for name in recipe.defaults:
        if name not in recipe.parameters:
            said = f"`defaults` has `{name}`, which is no parameter"
            yield slip(name, said + meant(name, recipe.parameters))
    if isinstance(solution, ast.FunctionDef) and recipe.call is None:
        own = [each.arg for each in _arguments(solution.args)]
        for name in recipe.parameters:
            if name not in own and solution.args.kwarg is None and solution.args.vararg is None:
                said = f"`{name}` is no parameter of the solution's function"
                yield slip(name, said + meant(name, own))
    if not recipe.steps:
        yield slip(recipe.function, "there are no steps.")


def _arguments(args: ast.arguments) -> list[ast.arg]:
    return [*args.posonlyargs, *args.args, *args.kwonlyargs]


def slips_in_probes(recipe: Recipe, probes: Any, places: Places) -> list[Slip]:
    """What is wrong with the calls that a recipe draws."""

    def slip(says: str) -> Slip:
        says = f"the probes of `{recipe.function}`: {says}"
        return places.of_recipe(recipe.function, says, "probes")

    listed = isinstance(probes, list) and all(isinstance(p, Probe | tuple) for p in probes)
    if not listed or not probes:
        return [slip("expected a list of at least one Probe, or tuple of arguments.")]
    for each in probes:
        probe = each if isinstance(each, Probe) else Probe(each)
        if len(probe.args) > len(recipe.parameters):
            count = several(len(probe.args), "argument")
            return [slip(f"one has {count}, for {several(len(recipe.parameters), 'parameter')}.")]
        for name in probe.kwargs:
            if name not in recipe.parameters:
                return [slip(f"`{name}` is no parameter{meant(name, recipe.parameters)}")]
        rest = recipe.parameters[len(probe.args) :]
        absent = [each for each in rest if each not in {*probe.kwargs, *recipe.defaults}]
        if absent:
            return [slip(f"one has no value for `{absent[0]}`, which has no default.")]
    return []
