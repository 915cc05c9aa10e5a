"""Recipes and their misconceptions: names and types that are not as they must be."""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from autograder.diagnosis.recipe import RETURNED, Fact, Misconception, Probe, Recipe, Trait
from autograder.lint.places import Places
from autograder.lint.slip import Slip, meant
from autograder.text import several

HINTS = 3
CALLABLE = ("probes", "axes", "read", "summary", "sample", "measure")
MAY_BE_NONE = ("summary", "sample", "measure")


def slips_in_recipe(
    name: str, recipe: Recipe, places: Places, solution: Mapping[str, ast.stmt] | None
) -> list[Slip]:
    """What is wrong with a recipe, without running it. `solution` has what the solution defines."""
    if recipe.function != name:
        says = f"the recipe of `{recipe.function}` stands under `{name}`; both are the function."
        return [places.of_recipe(recipe.function, says)]
    if solution is not None and name not in solution:
        says = f"`{name}` is no function of the solution{meant(name, solution)}"
        return [places.of_recipe(name, says)]
    slips = list(_types(recipe, places))
    if not slips:
        slips += _parameters(recipe, places, None if solution is None else solution[name])
        slips += _misconceptions(recipe, places)
    return slips


def _types(recipe: Recipe, places: Places) -> Iterator[Slip]:
    """Fields of a recipe that are of another type than they must be."""

    def slip(field: str, value: object, expected: str) -> Slip:
        kind = type(value).__name__
        says = (
            f"in the recipe of `{recipe.function}`, `{field}` is of type {kind}; it is {expected}."
        )
        return places.of_recipe(recipe.function, says, field)

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
    for field, kind in (("misconceptions", Misconception), ("traits", Trait), ("facts", Fact)):
        value = getattr(recipe, field)
        if not _all(value, kind):
            yield slip(field, _odd(value, kind), f"a tuple of {kind.__name__}")
    if not _all(recipe.styles, Mapping):
        yield slip("styles", _odd(recipe.styles, Mapping), "a tuple of dicts of steps")
    for field in CALLABLE:
        value = getattr(recipe, field)
        if not callable(value) and not (value is None and field in MAY_BE_NONE):
            yield slip(field, value, "a function")


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


def _misconceptions(recipe: Recipe, places: Places) -> Iterator[Slip]:
    known = [*recipe.steps, *recipe.parameters, RETURNED]
    for way in recipe.styles:
        yield from _replaced(way, known, f"a style of `{recipe.function}`", places.of_word)
    by_name: dict[str, list[Misconception]] = {}
    for wrong in recipe.misconceptions:
        yield from _texts(wrong, places)
        others = by_name.setdefault(str(wrong.id), [])
        if any(_is_another(wrong, other) for other in others):
            says = (
                f"the id `{wrong.id}` is taken by another mistake of `{recipe.function}`, with "
                f"other hints and other steps; ids are unique."
            )
            yield places.of_misconception(wrong, says)
        others.append(wrong)
        if isinstance(wrong.replaces, Mapping):
            yield from _replaced(
                wrong.replaces,
                known,
                f"the misconception `{wrong.id}` of `{recipe.function}`",
                lambda word, says, wrong=wrong: places.of_misconception(wrong, says, word),  # type: ignore[misc]
            )


def _is_another(one: Misconception, other: Misconception) -> bool:
    """Whether two of one id have nothing in common: two ways of a mistake share something."""
    shared = one.finding == other.finding or one.hints == other.hints
    return not shared and set(one.replaces) != set(other.replaces)


def _replaced(
    steps: Mapping[str, Any],
    known: list[str],
    what: str,
    place: Callable[[str, str], Slip],
) -> Iterator[Slip]:
    for name, does in steps.items():
        if name not in known:
            said = f"{what} replaces `{name}`, which is no step or parameter"
            yield place(str(name), said + meant(str(name), known))
        elif not callable(does):
            kind = type(does).__name__
            yield place(str(name), f"{what} has a {kind} for `{name}`; expected a function.")


def _texts(wrong: Misconception, places: Places) -> Iterator[Slip]:
    what = f"the misconception `{wrong.id}`"
    if not isinstance(wrong.id, str) or not wrong.id:
        yield places.of_misconception(wrong, f"a misconception's id is {wrong.id!r}; it is a text.")
    if not isinstance(wrong.finding, str) or not wrong.finding.strip():
        yield places.of_misconception(wrong, f"{what} has no finding to tell.")
    hints = wrong.hints
    if isinstance(hints, str) or not _all(hints, str):
        yield places.of_misconception(wrong, f"the hints of {what} are not a tuple of three texts.")
    elif len([hint for hint in hints if hint.strip()]) != HINTS:
        says = f"{what} has {several(len(hints), 'hint')}; there are three, none of them empty."
        yield places.of_misconception(wrong, says)
    if not isinstance(wrong.replaces, Mapping) or not wrong.replaces:
        yield places.of_misconception(wrong, f"{what} replaces nothing; give a dict of steps.")


def slips_in_probes(recipe: Recipe, probes: object, places: Places) -> list[Slip]:
    """What is wrong with the calls that a recipe draws."""

    def slip(says: str) -> Slip:
        says = f"the probes of `{recipe.function}`: {says}"
        return places.of_recipe(recipe.function, says, "probes")

    if not isinstance(probes, list | tuple) or not _all(probes, Probe) or not probes:
        return [slip("expected a list of at least one Probe.")]
    for probe in probes:
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
