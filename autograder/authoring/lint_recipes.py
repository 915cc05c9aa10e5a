"""Recipes and their misconceptions: names and types that are not as they must be."""

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from autograder.authoring.lint_places import Places
from autograder.course.authoring_errors import AuthoringError, meant
from autograder.course.text import several
from autograder.diagnosis.family import Family, Misconception
from autograder.diagnosis.mistakes import NAME, Mistakes
from autograder.diagnosis.outcome import Comparison
from autograder.diagnosis.recipe import RETURNED, Fact, Probe, Recipe, Trait
from autograder.grading.author_exceptions import as_authoring_error

# Families of mistakes: texts, names and changes that are not as they must be.


HINTS = 3


def errors_in_families(
    recipe: Recipe, known: Sequence[str], places: Places, folders: Sequence[Path]
) -> list[AuthoringError]:
    """What is wrong with the families of a recipe; `known` are its steps and arguments."""
    slips = [*_twice(places)]
    by_name: dict[str, list[Misconception]] = {}
    families: Any = recipe.families
    for family in families:
        found = [*_shape(family, places)]
        if not found:
            try:
                made = family.misconceptions
            except Exception as error:
                name = next(iter(family.ways), "")
                here = places.of_word(name, "")
                doing = f"the changes of the family with `{name}` cannot be made"
                found = [as_authoring_error(error, folders, here.path, doing, here.line)]
            else:
                found = [*_texts(family, places)]
                for wrong in made:
                    found += _steps(wrong, recipe, known, places)
                    found += _other(wrong, recipe, by_name, places)
        slips += found
    return slips


def _shape(family: Family, places: Places) -> Iterator[AuthoringError]:
    """Whether a family is put together as it must be."""
    if not isinstance(family.ways, Mapping) or not family.ways:
        yield places.of_word(
            family.target, f"the ways of a family of `{family.target}` are a dict."
        )
        return
    for name, ways in family.ways.items():
        if not isinstance(name, str) or not name:
            yield places.of_word(name, f"a mistake's name is {name!r}; it is a text.")
        for way in ways if isinstance(ways, list) else [ways]:
            if not isinstance(way, tuple) or len(way) < 2 or not isinstance(way[0], str):
                says = f"`{name}` is no way to go wrong; expected (finding, change, …)."
                yield places.of_word(name, says)


def _texts(family: Family, places: Places) -> Iterator[AuthoringError]:
    first = next(iter(family.ways))
    hints = family.hints
    if isinstance(hints, str) or not all(isinstance(hint, str) for hint in hints):
        yield places.of_word(first, f"the hints of `{first}` are not a tuple of three texts.")
    elif hints and len([hint for hint in hints if hint.strip()]) != HINTS:
        says = f"`{first}` has {several(len(hints), 'hint')}; there are three, or none at all."
        yield places.of_word(first, says)
    for name, finding, _ in family.said():
        if not finding.strip():
            yield places.of_word(name, f"`{name}` has no finding to tell.")


def _steps(
    wrong: Misconception, recipe: Recipe, known: Sequence[str], places: Places
) -> Iterator[AuthoringError]:
    what = f"the misconception `{wrong.id}` of `{recipe.function}`"
    if not wrong.replaces:
        yield places.of_misconception(wrong, f"{what} replaces nothing; give a dict of steps.")
    if "" in wrong.replaces:
        says = f"{what} names no step; give its family one, or the change as a dict of steps."
        yield places.of_misconception(wrong, says)
        return

    def place(word: str, says: str) -> AuthoringError:
        return places.of_misconception(wrong, says, word)

    yield from errors_in_steps(wrong.replaces, known, what, place)


def errors_in_steps(
    steps: Mapping[str, Any],
    known: Sequence[str],
    what: str,
    place: Callable[[str, str], AuthoringError],
) -> Iterator[AuthoringError]:
    """Steps that stand in place of none, or are no functions."""
    for name, does in steps.items():
        if name not in known:
            said = f"{what} replaces `{name}`, which is no step or parameter"
            yield place(str(name), said + meant(str(name), known))
        elif not callable(does):
            kind = type(does).__name__
            yield place(str(name), f"{what} has a {kind} for `{name}`; expected a function.")


def _other(
    wrong: Misconception,
    recipe: Recipe,
    by_name: dict[str, list[Misconception]],
    places: Places,
) -> Iterator[AuthoringError]:
    """One name for two mistakes that have nothing in common."""
    others = by_name.setdefault(wrong.id, [])
    if any(_is_another(wrong, other) for other in others):
        yield places.of_misconception(
            wrong,
            f"the name `{wrong.id}` is taken by another mistake of `{recipe.function}`, with other "
            f"hints and other steps; names are unique.",
        )
    others.append(wrong)


def _is_another(one: Misconception, other: Misconception) -> bool:
    """Whether two of one name have nothing in common: two ways of a mistake share something."""
    shared = one.finding == other.finding or one.hints == other.hints
    return not shared and set(one.replaces) != set(other.replaces)


def _twice(places: Places) -> Iterator[AuthoringError]:
    """Names that stand twice in one dict, which keeps the last without a word."""
    for text in places.own_texts():
        for table in (node for node in ast.walk(text.tree) if isinstance(node, ast.Dict)):
            seen: set[object] = set()
            for key in (key for key in table.keys if isinstance(key, ast.Constant)):
                if key.value in seen:
                    says = f"`{key.value!s}` stands twice in one dict; the first would be lost."
                    yield AuthoringError(text.path, key.lineno, says)
                seen.add(key.value)


COMPARISON_FUNCTIONS = ("read", "sample", "spread")


def errors_in_recipe(
    recipe: Recipe,
    places: Places,
    solution: Mapping[str, ast.stmt] | None,
    folders: Sequence[Path],
) -> list[AuthoringError]:
    """What is wrong with a recipe, without running it. `solution` has what the solution defines."""
    name = recipe.function
    if solution is not None and name not in solution:
        says = f"`{name}` is no function of the solution{meant(name, solution)}"
        return [places.of_recipe(name, says)]
    slips = list(_types(recipe, places))
    if not slips:
        known = [*recipe.steps, *recipe.parameters, RETURNED]
        slips += _parameters(recipe, places, None if solution is None else solution[name])
        for way in recipe.alternatives:
            slips += errors_in_steps(way, known, f"a style of `{name}`", places.of_word)
        slips += errors_in_families(recipe, known, places, folders)
    return slips


def _types(recipe: Recipe, places: Places) -> Iterator[AuthoringError]:
    """Fields of a recipe that are of another type than they must be."""

    def slip(field: str, value: object, expected: str) -> AuthoringError:
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
    if not _all(recipe.alternatives, Mapping):
        yield slip("alternatives", _odd(recipe.alternatives, Mapping), "a tuple of dicts of steps")
    for field in ("probes", "axes"):
        if not callable(getattr(recipe, field)):
            yield slip(field, getattr(recipe, field), "a function")
    comparison: Any = recipe.comparison
    if not isinstance(comparison, Comparison):
        yield slip("comparison", comparison, "a Comparison")
        return
    for field, value in vars(comparison).items():
        if (
            field in COMPARISON_FUNCTIONS
            and not callable(value)
            and not (value is None and field != "read")
        ):
            yield slip(field, value, "a function")


def _names(
    recipe: Recipe, slip: Callable[[str, object, str], AuthoringError]
) -> Iterator[AuthoringError]:
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


def _parameters(
    recipe: Recipe, places: Places, solution: ast.stmt | None
) -> Iterator[AuthoringError]:
    def slip(word: str, says: str) -> AuthoringError:
        return places.of_recipe(
            recipe.function, f"in the recipe of `{recipe.function}`, {says}", word
        )

    for name in recipe.defaults:
        if name not in recipe.parameters:
            said = f"`defaults` has `{name}`, which is no parameter"
            yield slip(name, said + meant(name, recipe.parameters))
    if isinstance(solution, ast.FunctionDef) and recipe.caller is None:
        own = [each.arg for each in _arguments(solution.args)]
        for name in recipe.parameters:
            if name not in own and solution.args.kwarg is None and solution.args.vararg is None:
                said = f"`{name}` is no parameter of the solution's function"
                yield slip(name, said + meant(name, own))
    if not recipe.steps:
        yield slip(recipe.function, "there are no steps.")


def _arguments(args: ast.arguments) -> list[ast.arg]:
    return [*args.posonlyargs, *args.args, *args.kwonlyargs]


def errors_in_probes(recipe: Recipe, probes: Any, places: Places) -> list[AuthoringError]:
    """What is wrong with the calls that a recipe draws."""

    def slip(says: str) -> AuthoringError:
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


# The record of an exercise's mistakes: what is in it that is of another type, or twice.


OWN_FUNCTIONS = {
    "explain_value": (3, "a function of a value's name, of what reads values, and a variant"),
    "simulated_values": (0, "a function without parameters"),
}


def errors_in_record(
    module: ModuleType, mistakes: Mistakes, places: Places
) -> list[AuthoringError]:
    """What is wrong with a module's record, before one of its recipes is looked at."""
    return [*_recipes(mistakes, places), *_functions(module, mistakes, places)]


def _recipes(mistakes: Mistakes, places: Places) -> Iterator[AuthoringError]:
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


def _functions(module: ModuleType, mistakes: Mistakes, places: Places) -> Iterator[AuthoringError]:
    for name, (count, expected) in OWN_FUNCTIONS.items():
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
