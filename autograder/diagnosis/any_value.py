"""Mistakes that every function can be made with: what goes in, or what comes out, is changed.

They are replayed like the course's own misconceptions, but only where none of these fits: so they
take no name away, and whatever they say is a fact of the same kind.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from typing import Any

import numpy as np

from autograder.diagnosis.blueprint import Blueprint, InTensors
from autograder.diagnosis.family import Hints, Misconception
from autograder.diagnosis.recipe import RETURNED, Recipe

Change = Callable[[Any], Any]
MOST_PARAMETERS = 8


def families(recipe: Recipe) -> tuple[Misconception, ...]:
    """All that may be done to the results or the arguments of this function, plainest first.

    None where a course calls in a way of its own: students then know no such arguments.
    """
    if not isinstance(recipe.call, Blueprint | InTensors | None):
        return ()
    return (*_of_results(recipe), *_of_arguments(recipe))


def _where_it_applies(change: Change, axes: int = 1) -> Change:
    """A change of an array with at least so many axes; all else stays as it is."""

    def changed(value: Any) -> Any:
        if not isinstance(value, np.ndarray | list | np.floating | float):
            return value
        try:
            array = np.asarray(value)
        except ValueError:
            return value
        if array.dtype.kind not in "fiu" or array.ndim < axes or not array.size:
            return value
        return change(array.astype(float))

    return changed


def _shares_of_exponentials(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _length(x: Any) -> Any:
    return np.sqrt((x * x).sum(axis=-1, keepdims=True))


# What may be done to an argument before it is used, or to a result at last; with the axes it needs.
ON_BOTH: Mapping[str, tuple[str, Change, int]] = {
    "absolute": ("without their signs", np.abs, 0),
    "centred": ("less their mean along the last axis", lambda x: x - x.mean(-1, keepdims=True), 1),
    "unit-length": ("divided by their length along the last axis", lambda x: x / _length(x), 1),
    "standardised": (
        "standardised along the last axis, to mean 0 and spread 1",
        lambda x: (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True),
        1,
    ),
    "share-of-maximum": (
        "divided by their maximum along the last axis",
        lambda x: x / x.max(-1, keepdims=True),
        1,
    ),
    "exponential-shares": (
        "as exponentials divided by their sum along the last axis",
        _shares_of_exponentials,
        1,
    ),
    "whole": ("cut down to whole numbers", np.trunc, 0),
    "squared": ("squared", np.square, 0),
    "negative-to-zero": ("with 0 for what is negative", lambda x: np.maximum(x, 0), 0),
    "sorted": ("sorted along the last axis", lambda x: np.sort(x, axis=-1), 1),
    "reversed-rows": ("with the rows in reverse order", lambda x: x[..., ::-1, :], 2),
    "reversed": ("in reverse order along the last axis", lambda x: x[..., ::-1], 1),
    "shifted-rows": ("with each row in the next one's place", lambda x: np.roll(x, 1, -2), 2),
    "shifted": ("with each number in the next one's place", lambda x: np.roll(x, 1, -1), 1),
    "first-of-batch": ("with those of the first item for all", lambda x: x[:1] + 0 * x, 3),
    "mean-of-batch": ("averaged over the first axis", lambda x: x.mean(0) + 0 * x, 3),
}
ON_RESULTS: Mapping[str, tuple[str, Change, int]] = {
    "share-of-sum": (
        "divided by their sum along the last axis",
        lambda x: x / x.sum(-1, keepdims=True),
        1,
    ),
    "logarithms": ("after a logarithm", np.log, 0),
    "roots": ("after a square root", np.sqrt, 0),
    "exponentials": ("after np.exp", np.exp, 0),
    "tanh": ("after a tanh", np.tanh, 0),
    "sigmoid": ("after a sigmoid", lambda x: 1 / (1 + np.exp(-x)), 0),
    "zero-to-one": ("cut to what lies between 0 and 1", lambda x: np.clip(x, 0, 1), 0),
    "without-last": ("without the last along the last axis", lambda x: x[..., :-1], 1),
    "without-first": ("without the first along the last axis", lambda x: x[..., 1:], 1),
    "without-last-row": ("without the last row", lambda x: x[..., :-1, :], 2),
    "without-first-row": ("without the first row", lambda x: x[..., 1:, :], 2),
    "running-sums": ("added up along the last axis", lambda x: np.cumsum(x, -1), 1),
    "axes-turned": ("with the first two axes exchanged", lambda x: np.swapaxes(x, 0, 1), 3),
    "axes-turned-outer": (
        "with the first axis and the last exchanged",
        lambda x: np.swapaxes(x, 0, -1),
        3,
    ),
}
REDUCED: Mapping[str, tuple[str, Callable[..., Any]]] = {
    "sum": ("summed", np.sum),
    "mean": ("averaged", np.mean),
    "max": ("cut down to their maximum", np.max),
    "min": ("cut down to their minimum", np.min),
    "first": ("cut down to the first", lambda x, axis: np.take(x, 0, axis)),
    "last": ("cut down to the last", lambda x, axis: np.take(x, -1, axis)),
}
AXES = {0: "the first axis", -1: "the last axis", -2: "the last axis but one"}


def _of_arguments(recipe: Recipe) -> Iterator[Misconception]:
    names = _as_called(recipe)
    for one, other in permutations(names, 2):
        if one < other:
            yield Misconception(
                f"{one}-and-{other}-exchanged",
                f"Your numbers are those of {names[one]} and {names[other]} exchanged.",
                _hints("Which argument stands for what?", f"{names[one]} and {names[other]}"),
                {one: _taken(other), other: _taken(one)},
            )
        yield Misconception(
            f"{other}-for-{one}",
            f"Your numbers are those of {names[other]} used in place of {names[one]} everywhere.",
            _hints("Which argument stands for what?", f"{names[other]} and {names[one]}"),
            {one: _taken(other)},
        )
    for name, said in names.items():
        for id, (words, change, axes) in ON_BOTH.items():
            yield Misconception(
                f"{name}-{id}",
                f"Your numbers are those of {said} {words} before it is used.",
                _hints(f"What becomes of {said} before it is used?", said),
                {name: _changed(name, _where_it_applies(change, axes))},
            )


def _as_called(recipe: Recipe) -> dict[str, str]:
    """The parameters that students know by name, each with that name."""
    weights = getattr(recipe.call, "weights", {})
    called = getattr(recipe.call, "called_with", recipe.parameters)
    known = {parameter: name for name, parameter in weights.items()}
    known |= {name: name for name in called}
    return {name: known[name] for name in recipe.parameters[:MOST_PARAMETERS] if name in known}


def _taken(name: str) -> Change:
    return lambda state: getattr(state, name)


def _changed(name: str, change: Change) -> Change:
    return lambda state: change(getattr(state, name))


def _of_results(recipe: Recipe) -> Iterator[Misconception]:
    count = len(recipe.results)
    if count > 1:
        yield Misconception(
            "results-in-another-order",
            "Your results are right, but handed back in reverse order.",
            _hints("In which order are the results asked for?", "the results"),
            {RETURNED: lambda state: tuple(state.result)[::-1]},
        )
    places: list[int | None] = [None] if count < 2 else list(range(count))
    for place in places:
        said = "the right ones" if place is None else recipe.results[place]
        for id, (words, change, axes) in {**ON_BOTH, **ON_RESULTS}.items():
            yield _after(f"result-{id}", f"{said} {words}", place, _where_it_applies(change, axes))
        for id, (words, reduce) in REDUCED.items():
            for axis, along in AXES.items():
                change = _where_it_applies(_along(reduce, axis), 1 if axis != -2 else 2)
                yield _after(f"result-{id}-{axis}", f"{said} {words} along {along}", place, change)


def _along(reduce: Callable[..., Any], axis: int) -> Change:
    return lambda x: reduce(x, axis=axis)


def _after(id: str, words: str, place: int | None, change: Change) -> Misconception:
    def returned(state: Any) -> Any:
        if place is None:
            return change(state.result)
        return tuple(
            change(part) if number == place else part for number, part in enumerate(state.result)
        )

    return Misconception(
        id if place is None else f"{id}-{place}",
        f"Your numbers are those of {words}.",
        _hints("What is done to the result last, before it is returned?", "the result"),
        {RETURNED: returned},
    )


def _hints(question: str, what: str) -> Hints:
    return (
        question,
        f"All else is right: with {what} as the text says, your numbers would be too.",
        f"Follow {what} line by line, print a small example, and compare it with the text.",
    )
