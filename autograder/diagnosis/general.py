"""Generic misconceptions, which fit any function. They change results or arguments."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations, product
from operator import attrgetter
from typing import Any

import numpy as np

from autograder.checks.expect import WHOLE_NUMBERS
from autograder.course.text import join_names
from autograder.diagnosis.array_changes import (
    BY_A_NUMBER,
    BY_A_SIZE,
    ON_ARGUMENTS,
    ON_RESULTS,
    REDUCTIONS,
    ArrayChange,
)
from autograder.diagnosis.callers import ModuleCaller, TensorCaller
from autograder.diagnosis.hints import HINTS
from autograder.diagnosis.recipe import RETURNED, Hints, Misconception, Recipe, Step
from autograder.diagnosis.wiring import (
    as_students_know,
    changed_by,
    generic,
    sizes_of_all,
    wirings,
)

COMPARE_SHAPES = "Compare the shape of your result with the one that the exercise asks for."
WHAT_IS_A_ROW = "What does a row of your result stand for, and what should it stand for?"
NOTHING_RETURNED = Misconception(
    "nothing-returned",
    "The function returns None: nothing is handed back to whoever calls it.",
    HINTS["nothing_returned"],
    {RETURNED: lambda state: None},
)
PRINTED = replace(
    NOTHING_RETURNED,
    finding="The function prints and returns None: `print` hands nothing back to whoever calls it.",
    hints=HINTS["printed"],
)


def _of_result(id: str, finding: str, hints: Hints, change: Callable[[Any], Any]) -> Misconception:
    """Return a misconception that changes each array of the right result."""

    def changed(value: Any) -> Any:
        if np.asarray(value).dtype.kind in "SU":
            raise TypeError("a text has no decimals, and no axes, even if it reads like a number")
        return change(np.asarray(value, dtype=float))

    def returned(state: Any) -> Any:
        result = state.result
        if isinstance(result, tuple):
            return tuple(map(changed, result))
        return result if isinstance(result, dict) else changed(result)

    return Misconception(id, finding, hints, {RETURNED: returned})


GENERAL = (
    NOTHING_RETURNED,
    *(
        _of_result(
            f"rounded-{digits}",
            f"{{Your numbers are right but|The numbers are}} rounded to {digits} decimals.",
            (
                "How many decimals do your results have, and how many does the exact answer have?",
                "A result is compared to about six decimals; later steps need them all.",
                "Take away the call of round, or whatever cuts the decimals; round only what you "
                "print.",
            ),
            partial(np.round, decimals=digits),
        )
        for digits in (1, 2, 3, 4)
    ),
    _of_result(
        "whole-numbers",
        "{Your numbers are the right ones|The numbers are} cut down to whole numbers.",
        WHOLE_NUMBERS,
        np.trunc,
    ),
    Misconception(
        "wrapped",
        "The result is {right but }wrapped once more: it has an extra axis of size 1 in front.",
        (
            COMPARE_SHAPES,
            "There is one axis too many; the numbers themselves are right.",
            "Return the array itself: not in brackets, and without np.newaxis or keepdims.",
        ),
        {RETURNED: lambda state: [state.result]},
    ),
    _of_result(
        "squeezed",
        "The result {is right, but it }has lost its axes of size 1, as `squeeze` takes them away.",
        (
            COMPARE_SHAPES,
            "An axis of size 1, such as a batch of one, is an axis as well.",
            "Look for squeeze, or a reshape or an index that takes such an axis away.",
        ),
        np.squeeze,
    ),
    _of_result(
        "flattened",
        "The numbers are {right but }in one long row: the result has lost its axes.",
        (
            COMPARE_SHAPES,
            "All numbers are there, in the right order; the rows are not.",
            "Look for flatten, ravel or reshape(-1) near the end, and leave it out.",
        ),
        np.ravel,
    ),
    _of_result(
        "transposed",
        "The result is {right but }transposed: its last two axes have changed places.",
        (
            WHAT_IS_A_ROW,
            "Entry [i][j] of your result stands where [j][i] should be.",
            "Look for a .T or swapaxes that is one too many, or one that is missing at the end.",
        ),
        lambda x: np.swapaxes(x, -1, -2) if x.ndim > 1 else x,
    ),
    _of_result(
        "transposed",
        "{The result is right but all its axes|All axes of the result} are reversed, as `.T` does.",
        (
            WHAT_IS_A_ROW,
            "The first axis of your result stands where the last should be.",
            "Look for a .T at the end, and leave it out.",
        ),
        np.transpose,
    ),
    _of_result(
        "negated",
        "{Your numbers are the right ones with their sign|The sign of the numbers is} turned "
        "round.",
        (
            "Which sign should your numbers have?",
            "Every number is right but for its sign.",
            "Look for a minus that is one too many, or one too few, and follow it through.",
        ),
        np.negative,
    ),
)
# Changes that are not combined with a second mistake: the result has too little information.
NOT_COMBINED = {"nothing-returned", "rounded-1", "squeezed", "negated"}
MOST_RESULTS = 3


def families(recipe: Recipe) -> tuple[Misconception, ...]:
    """Return generic changes of a function's results, arguments and steps, simplest first.

    A function with a custom caller has none, because students do not know its recipe's arguments.
    """
    if not isinstance(recipe.caller, ModuleCaller | TensorCaller | None):
        return ()
    names = as_students_know(recipe)
    return (
        *recipe.fallbacks,
        *_of_results(recipe),
        *_exchanged_arguments(names),
        *_changed_arguments(names, ON_ARGUMENTS),
        *wirings(recipe),
        *_changed_arguments(names, BY_A_NUMBER),
    )


def _exchanged_arguments(names: Mapping[str, str]) -> Iterator[Misconception]:
    question = "Which argument stands for what?"
    for one, other in permutations(names, 2):
        first, second = names[one], names[other]
        if one < other:
            yield generic(
                f"{one}-and-{other}-exchanged",
                f"numbers are those of {first} and {second} exchanged",
                question,
                f"{first} and {second}",
                {one: attrgetter(other), other: attrgetter(one)},
            )
        yield generic(
            f"{other}-for-{one}",
            f"numbers are those of {second} used instead of {first} everywhere",
            question,
            f"{second} and {first}",
            {one: attrgetter(other)},
        )


def _changed_arguments(
    names: Mapping[str, str], changes: Sequence[ArrayChange]
) -> Iterator[Misconception]:
    for name, argument in names.items():
        for change in changes:
            yield generic(
                f"{name}-{change.id}",
                f"numbers are those of {change.applied_to(argument)} before it is used",
                f"What becomes of {argument} before it is used?",
                argument,
                {name: changed_by(attrgetter(name), change)},
            )


def _of_results(recipe: Recipe) -> Iterator[Misconception]:
    yield from _other_orders(recipe.results)
    places_at_once: list[tuple[int, ...]] = [()]  # the empty tuple stands for the only result
    if (count := len(recipe.results)) > 1:
        sizes = range(1, min(count, MOST_RESULTS) + 1)
        places_at_once = [places for size in sizes for places in combinations(range(count), size)]
    for places in places_at_once:
        results = join_names([recipe.results[n] for n in places]) or "the right ones"
        changes: list[tuple[str, str, Step]] = [
            (change.id, change.applied_to(results), _changed(places, change.of))
            for change in (*ON_RESULTS, *REDUCTIONS)
            # for a single result, `relation` reports any factor or constant
            if places or change not in BY_A_NUMBER
        ]
        for size, (id, words, power) in product(sizes_of_all(recipe), BY_A_SIZE):
            returned = _times_a_size(recipe, places, size, power)
            changes.append((f"{id}-{size}", f"{results} {words}{size}", returned))
        for id, words, returned in changes:
            yield generic(
                "-".join(["result", id, *map(str, places)]),
                f"numbers are those of {words}",
                "What is done to the result last, before it is returned?",
                "the result",
                {RETURNED: returned},
            )


def _other_orders(results: Sequence[str]) -> Iterator[Misconception]:
    question, count = "In which order are the results asked for?", len(results)
    if count > 1:
        yield generic(
            "results-in-another-order",
            "results are right, but handed back in reverse order",
            question,
            "the results",
            {RETURNED: lambda state: tuple(state.result)[::-1]},
        )
    for order in permutations(range(count)) if 2 < count <= MOST_RESULTS else ():
        names = ", ".join(results[place] for place in order)
        yield generic(
            "-".join(["results-as", *map(str, order)]),
            f"results are right, but they stand in another order: {names}",
            question,
            "the results",
            {RETURNED: _in_order(order)},
        )


def _in_order(order: tuple[int, ...]) -> Step:
    return lambda state: tuple(state.result[place] for place in order)


def _changed(places: tuple[int, ...], change: Callable[[Any], Any]) -> Step:
    """Return a step that changes the results at these positions, or the only result."""
    if not places:
        return lambda state: change(state.result)
    return lambda state: tuple(
        change(part) if place in places else part for place, part in enumerate(state.result)
    )


def _times_a_size(recipe: Recipe, places: tuple[int, ...], size: str, power: float) -> Step:
    def returned(state: Any) -> Any:
        factor = float(recipe.axes(state)[size]) ** power
        return _changed(places, lambda part: np.asarray(part, float) * factor)(state)

    return returned
