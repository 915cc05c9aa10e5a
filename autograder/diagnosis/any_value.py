"""Mistakes that every function can be made with: what goes in, or what comes out, is changed.

They are replayed like the course's own misconceptions, but only where none of these fits: so they
take no name away, and whatever they say is a fact of the same kind.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np

from autograder.diagnosis.array_changes import (
    BY_A_NUMBER,
    BY_A_SIZE,
    ON_ARGUMENTS,
    ON_RESULTS,
    REDUCTIONS,
    ArrayChange,
    Change,
)
from autograder.diagnosis.blueprint import Blueprint, InTensors
from autograder.diagnosis.family import Misconception
from autograder.diagnosis.recipe import RETURNED, Recipe
from autograder.diagnosis.wiring import (
    as_students_know,
    changed_by,
    hints_on,
    sizes_of_all,
    value_of,
    wirings,
)
from autograder.text import one_and_other

MOST_RESULTS = 3


def families(recipe: Recipe) -> tuple[Misconception, ...]:
    """All that may be done to the results or the arguments of this function, plainest first.

    None where a course calls in a way of its own: students then know no such arguments.
    """
    if not isinstance(recipe.call, Blueprint | InTensors | None):
        return ()
    return (
        *recipe.borrowed,
        *_of_results(recipe),
        *_of_arguments(recipe),
        *wirings(recipe),
        *_changed_arguments(as_students_know(recipe), BY_A_NUMBER),
    )


def _of_arguments(recipe: Recipe) -> Iterator[Misconception]:
    names = as_students_know(recipe)
    for one, other in permutations(names, 2):
        if one < other:
            yield Misconception(
                f"{one}-and-{other}-exchanged",
                f"Your numbers are those of {names[one]} and {names[other]} exchanged.",
                hints_on("Which argument stands for what?", f"{names[one]} and {names[other]}"),
                {one: value_of(other), other: value_of(one)},
            )
        yield Misconception(
            f"{other}-for-{one}",
            f"Your numbers are those of {names[other]} used in place of {names[one]} everywhere.",
            hints_on("Which argument stands for what?", f"{names[other]} and {names[one]}"),
            {one: value_of(other)},
        )
    yield from _changed_arguments(names, ON_ARGUMENTS)


def _changed_arguments(
    names: Mapping[str, str], changes: Sequence[ArrayChange]
) -> Iterator[Misconception]:
    for name, said in names.items():
        for change in changes:
            yield Misconception(
                f"{name}-{change.id}",
                f"Your numbers are those of {change.said_of(said)} before it is used.",
                hints_on(f"What becomes of {said} before it is used?", said),
                {name: changed_by(value_of(name), change)},
            )


def _of_results(recipe: Recipe) -> Iterator[Misconception]:
    count = len(recipe.results)
    if count > 1:
        yield Misconception(
            "results-in-another-order",
            "Your results are right, but handed back in reverse order.",
            hints_on("In which order are the results asked for?", "the results"),
            {RETURNED: lambda state: tuple(state.result)[::-1]},
        )
    yield from _other_orders(recipe, count)
    for places in _which(count):
        said = one_and_other([recipe.results[n] for n in places]) or "the right ones"
        for change in (*ON_RESULTS, *REDUCTIONS):
            if not places and change in BY_A_NUMBER:
                continue  # the relation of answers says so, whatever the number is
            yield _after(change, said, places)
        yield from _by_a_size(recipe, said, places)


def _other_orders(recipe: Recipe, count: int) -> Iterator[Misconception]:
    if not 2 < count <= MOST_RESULTS:
        return
    for order in permutations(range(count)):
        said = ", ".join(recipe.results[place] for place in order)
        yield Misconception(
            "-".join(["results-as", *map(str, order)]),
            f"Your results are right, but they stand in another order: {said}.",
            hints_on("In which order are the results asked for?", "the results"),
            {RETURNED: _in_order(order)},
        )


def _in_order(order: tuple[int, ...]) -> Change:
    return lambda state: tuple(state.result[place] for place in order)


def _by_a_size(recipe: Recipe, said: str, places: tuple[int, ...]) -> Iterator[Misconception]:
    """Results times or divided by a size of the calls, or its root."""
    for size in sizes_of_all(recipe):
        for factor in BY_A_SIZE:
            yield Misconception(
                "-".join(["result", factor.id, size, *map(str, places)]),
                f"Your numbers are those of {said} {factor.words}{size}.",
                hints_on("What is done to the result last, before it is returned?", "the result"),
                {RETURNED: _times_a_size(recipe, places, size, factor.power)},
            )


def _times_a_size(recipe: Recipe, places: tuple[int, ...], size: str, power: float) -> Change:
    def returned(state: Any) -> Any:
        factor = float(recipe.axes(state)[size]) ** power
        if not places:
            return np.asarray(state.result, float) * factor
        return tuple(
            part * factor if number in places else part for number, part in enumerate(state.result)
        )

    return returned


def _which(count: int) -> Iterator[tuple[int, ...]]:
    """Each of several results alone, then some or all of them at once; of one, nothing."""
    if count < 2:
        yield ()
        return
    for size in range(1, min(count, MOST_RESULTS) + 1):
        yield from combinations(range(count), size)


def _after(change: ArrayChange, said: str, places: tuple[int, ...]) -> Misconception:
    def returned(state: Any) -> Any:
        if not places:
            return change.of(state.result)
        return tuple(
            change.of(part) if number in places else part
            for number, part in enumerate(state.result)
        )

    return Misconception(
        "-".join(["result", change.id, *map(str, places)]),
        f"Your numbers are those of {change.said_of(said)}.",
        hints_on("What is done to the result last, before it is returned?", "the result"),
        {RETURNED: returned},
    )
