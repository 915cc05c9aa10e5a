"""Generic misconceptions for any function, which change results or arguments."""

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
from autograder.diagnosis.wiring import as_students_know, changed_by, generic, sizes_of_all, wirings

COMPARE_SHAPES = "Compare the shape of your result with the shape that the exercise asks for."
ORDER = "What is the right order of the results?"
WHAT_IS_A_ROW = "Which values should one row of the result contain?"
NOTHING_RETURNED = Misconception(
    "nothing-returned",
    "The function returns None. It should return a result.",
    HINTS["nothing_returned"],
    {RETURNED: lambda state: None},
)
PRINTED = replace(
    NOTHING_RETURNED,
    finding="The function prints something, but it returns None. `print` does not return a value.",
    hints=HINTS["printed"],
)


def _of_result(id: str, finding: str, hints: Hints, change: Callable[[Any], Any]) -> Misconception:
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
                "The grader compares about six decimals of a result. Later steps need all "
                "decimals.",
                "Remove the call of round, or other code that cuts off decimals. Round only the "
                "numbers that you print.",
            ),
            partial(np.round, decimals=digits),
        )
        for digits in (1, 2, 3, 4, 5)
    ),
    _of_result(
        "whole-numbers",
        "{Your numbers are the right numbers without their decimals|The decimals of the numbers "
        "are cut off}.",
        WHOLE_NUMBERS,
        np.trunc,
    ),
    Misconception(
        "wrapped",
        "The result {is right, but it }has an extra axis of size 1 in front.",
        (
            COMPARE_SHAPES,
            "There is one axis too many. The numbers are right.",
            "Look for brackets around the array, np.newaxis, keepdims, or a reshape that adds it.",
        ),
        {RETURNED: lambda state: [state.result]},
    ),
    _of_result(
        "squeezed",
        "The result {is right, but it }has lost its axes of size 1, as after `squeeze`.",
        (
            COMPARE_SHAPES,
            "An axis of size 1, such as a batch of one, is an axis too.",
            "Look for squeeze, or for a reshape or an index that removes an axis of size 1.",
        ),
        np.squeeze,
    ),
    _of_result(
        "flattened",
        "The numbers are {right but }in one long row: the result has lost its axes.",
        (
            COMPARE_SHAPES,
            "All numbers are there, in the right order. Only the axes are missing.",
            "Look for flatten, ravel or reshape(-1), or for a list that is filled in a loop.",
        ),
        np.ravel,
    ),
    _of_result(
        "transposed",
        "The result is {right but }transposed: its last two axes are exchanged.",
        (
            WHAT_IS_A_ROW,
            "Entry [i][j] of your result should be entry [j][i].",
            "Look for a .T or swapaxes that should not be there, or that is missing at the end.",
        ),
        lambda x: np.swapaxes(x, -1, -2) if x.ndim > 1 else x,
    ),
    _of_result(
        "transposed",
        "{The result is right, but all its axes|All axes of the result} are reversed, as after "
        "`.T`.",
        (WHAT_IS_A_ROW, "The first axis of your result should be the last.", COMPARE_SHAPES),
        np.transpose,
    ),
    _of_result(
        "negated",
        "{Your numbers are right, but their signs|The signs of the numbers} are reversed.",
        (
            "Which sign should your numbers have?",
            "Every number is right except for its sign.",
            "Look for a minus sign that should not be there, or that is missing.",
        ),
        np.negative,
    ),
)
# Changes that are not combined with a second mistake: the result has too little information.
NOT_COMBINED = {"nothing-returned", "rounded-1", "negated", "stored-as-whole"}
MOST_RESULTS = 3


def generals(recipe: Recipe) -> tuple[Misconception, ...]:
    """Return general misconceptions, which are tried like the misconceptions of the course.

    Each named step of a plain function has one: the step's value is cut to whole numbers, because
    `np.empty_like(x)` has the integer dtype of x.
    """
    steps = [step for step in recipe.steps if step in recipe.labels and recipe.caller is None]
    stored = (
        Misconception(
            "stored-as-whole",
            f"If all inputs are whole numbers, the decimals of {recipe.labels[step]} are cut off, "
            "as in an array that np.empty_like or np.zeros_like makes.",
            WHOLE_NUMBERS,
            {step: _stored(recipe.steps[step])},
        )
        for step in steps
    )
    return (*GENERAL, *stored)


def _stored(does: Step) -> Step:
    def step(state: Any) -> Any:
        given = [np.asarray(getattr(state, name)).dtype.kind for name in state.given]
        return np.trunc(does(state)) if {*given} <= {"i", "u"} else does(state)

    return step


def families(recipe: Recipe) -> tuple[Misconception, ...]:
    """Return generic changes of a function's results, arguments and steps, simplest first.

    With a custom caller, return none. A report on a generic change would name arguments of the
    recipe, and students do not know these arguments.
    """
    if not isinstance(recipe.caller, ModuleCaller | TensorCaller | None):
        return ()
    names = as_students_know(recipe)
    last = "the axis" if "axis" in recipe.parameters else "the last axis"
    found = (
        *_of_results(recipe),
        *_exchanged_arguments(names),
        *_changed_arguments(names, ON_ARGUMENTS),
        *wirings(recipe),
        *_changed_arguments(names, BY_A_NUMBER),
    )
    return (
        *recipe.fallbacks,
        *(replace(change, finding=change.finding.format(last=last)) for change in found),
    )


def _exchanged_arguments(names: Mapping[str, str]) -> Iterator[Misconception]:
    question = "What does each argument mean?"
    for one, other in permutations(names, 2):
        first, second = names[one], names[other]
        if one < other:
            yield generic(
                f"{one}-and-{other}-exchanged",
                f"numbers match a call with {first} and {second} exchanged",
                question,
                f"{first} and {second}",
                {one: attrgetter(other), other: attrgetter(one)},
            )
        yield generic(
            f"{other}-for-{one}",
            f"numbers match a call with {second} instead of {first} everywhere",
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
                f"numbers match {change.applied_to(argument)}, before any other step",
                f"Which line of your code changes {argument} before any other step?",
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
        results = join_names([recipe.results[n] for n in places]) or "the right results"
        changes: list[tuple[str, str, Step]] = [
            (change.id, change.applied_to(results), _changed_result(places, change))
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
                f"numbers match {words}",
                "Which line of your code makes the numbers that are wrong?",
                "the result",
                {RETURNED: returned},
            )


def _other_orders(results: Sequence[str]) -> Iterator[Misconception]:
    count = len(results)
    orders = permutations(range(count)) if count <= MOST_RESULTS else [tuple(range(count))[::-1]]
    for order in orders if count > 1 else ():
        names = ", ".join(results[place] for place in order)
        yield generic(
            "-".join(["results-as", *map(str, order)]),
            f"results are right, but in another order: {names}",
            ORDER,
            "the results",
            {RETURNED: _in_order(order)},
        )


def _in_order(order: tuple[int, ...]) -> Step:
    return lambda state: tuple(state.result[place] for place in order)


def _changed_result(places: tuple[int, ...], change: ArrayChange) -> Step:
    if places or change in REDUCTIONS:
        return _changed(places, change.of)
    return changed_by(attrgetter("result"), change)


def _changed(places: tuple[int, ...], change: Callable[[Any], Any]) -> Step:
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
