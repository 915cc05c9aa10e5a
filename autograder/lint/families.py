"""Families of mistakes: texts, names and changes that are not as they must be."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.diagnosis.family import Family, Misconception
from autograder.diagnosis.recipe import Recipe
from autograder.lint.places import Places
from autograder.lint.slip import Slip, meant
from autograder.lint.stopped import slip_of
from autograder.text import several

HINTS = 3


def slips_in_families(
    recipe: Recipe, known: Sequence[str], places: Places, folders: Sequence[Path]
) -> list[Slip]:
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
                found = [slip_of(error, folders, here.path, doing, here.line)]
            else:
                found = [*_texts(family, places)]
                for wrong in made:
                    found += _steps(wrong, recipe, known, places)
                    found += _other(wrong, recipe, by_name, places)
        slips += found
    return slips


def _shape(family: Family, places: Places) -> Iterator[Slip]:
    """Whether a family is put together as it must be."""
    if not isinstance(family.ways, Mapping) or not family.ways:
        yield places.of_word(family.step, f"the ways of a family of `{family.step}` are a dict.")
        return
    for name, ways in family.ways.items():
        if not isinstance(name, str) or not name:
            yield places.of_word(name, f"a mistake's name is {name!r}; it is a text.")
        for way in ways if isinstance(ways, list) else [ways]:
            if not isinstance(way, tuple) or len(way) < 2 or not isinstance(way[0], str):
                says = f"`{name}` is no way to go wrong; expected (finding, change, …)."
                yield places.of_word(name, says)


def _texts(family: Family, places: Places) -> Iterator[Slip]:
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
) -> Iterator[Slip]:
    what = f"the misconception `{wrong.id}` of `{recipe.function}`"
    if not wrong.replaces:
        yield places.of_misconception(wrong, f"{what} replaces nothing; give a dict of steps.")
    if "" in wrong.replaces:
        says = f"{what} names no step; give its family one, or the change as a dict of steps."
        yield places.of_misconception(wrong, says)
        return

    def place(word: str, says: str) -> Slip:
        return places.of_misconception(wrong, says, word)

    yield from slips_in_steps(wrong.replaces, known, what, place)


def slips_in_steps(
    steps: Mapping[str, Any], known: Sequence[str], what: str, place: Callable[[str, str], Slip]
) -> Iterator[Slip]:
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
) -> Iterator[Slip]:
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


def _twice(places: Places) -> Iterator[Slip]:
    """Names that stand twice in one dict, which keeps the last without a word."""
    for text in places.own_texts():
        for table in (node for node in ast.walk(text.tree) if isinstance(node, ast.Dict)):
            seen: set[object] = set()
            for key in (key for key in table.keys if isinstance(key, ast.Constant)):
                if key.value in seen:
                    says = f"`{key.value!s}` stands twice in one dict; the first would be lost."
                    yield Slip(text.path, key.lineno, says)
                seen.add(key.value)
