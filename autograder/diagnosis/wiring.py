"""Misconceptions about wrongly connected steps of a recipe.

In such a misconception, a step reads a wrong value, is left out or repeated, or is changed. Only
recipes with `labels` have these misconceptions. The grader tries them only if no misconception of
the course matches.
"""

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

import numpy as np

from autograder.course.text import are
from autograder.diagnosis.array_changes import BY_A_SIZE, INSIDE, ArrayChange
from autograder.diagnosis.recipe import Misconception, Recipe, State, Step

MOST_PARAMETERS = 8


def generic(
    id: str, what: str, question: str, value: str, replaces: Mapping[str, Step]
) -> Misconception:
    hints = (
        question,
        f"Everything else is right. If {value} were right, your numbers would be right too.",
        f"Follow {value} line by line, print a small example, and compare it with the text.",
    )
    return Misconception(id, f"Your {what}.", hints, replaces)


class _Wires:
    """Steps of a recipe, and the values that the steps read in the calls of one draw.

    `names` are the students' names for the arguments and for the steps' values. `reads` lists the
    arrays that each step reads, by name. `shapes` lists the shapes of each array in all calls.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.names = as_students_know(recipe) | dict(recipe.labels)
        self.order = [*recipe.parameters, *recipe.steps]
        read: dict[str, dict[str, None]] = {step: {} for step in recipe.steps}
        shapes: dict[str, list[Any]] = {}
        traced = 0
        for probe in recipe.calls(0):
            try:
                state = recipe.trace(probe)
            except Exception:  # the correct code raises an exception in this call
                continue
            traced += 1
            for name in self.names:
                value = getattr(state, name, None)
                if isinstance(value, np.ndarray | np.floating) and value.dtype.kind == "f":
                    shapes.setdefault(name, []).append(np.shape(value))
            for step, does in recipe.steps.items():
                read[step] |= _read_by(does, state)
        self.shapes = {name: sizes for name, sizes in shapes.items() if len(sizes) == traced}
        self.reads = {step: [n for n in read[step] if n in self.shapes] for step in read}

    def before(self, step: str) -> list[str]:
        return [name for name in self.order[: self.order.index(step)] if name in self.shapes]

    def readers(self, name: str) -> list[str]:
        return [step for step, read in self.reads.items() if name in read and step in self.names]

    def alike(self, step: str) -> list[tuple[str, str]]:
        """Return each input that has the shape of the step's result, and its phrase."""
        read = self.reads[step] if step in self.names else ()
        return [(n, self.names[n]) for n in read if self.shapes[n] == self.shapes.get(step)]

    def step(self, name: str, **instead: Step) -> Step:
        does = self.recipe.steps[name]
        return lambda s: does(
            State(**{**vars(s), **{name: value(s) for name, value in instead.items()}})
        )


def wirings(recipe: Recipe) -> Iterator[Misconception]:
    """Yield all wrong connections of steps, simplest first. Without `labels`, yield none."""
    if not recipe.labels:
        return
    wires = _Wires(recipe)
    for misconceptions_of, names in (
        (_left_out_or_twice, wires.reads),
        (_another_value, wires.reads),
        (_changed_inside, wires.shapes),
        (_changed_for_a_step, wires.reads),
        (_plus_another, wires.shapes),
    ):
        for name in names:
            yield from misconceptions_of(wires, name)


def as_students_know(recipe: Recipe) -> dict[str, str]:
    weights = getattr(recipe.caller, "weights", {})
    called = getattr(recipe.caller, "called_with", recipe.parameters)
    known = {parameter: name for name, parameter in weights.items()}
    known |= {name: name for name in called} | dict(recipe.labels)
    return {name: known[name] for name in recipe.parameters[:MOST_PARAMETERS] if name in known}


def sizes_of_all(recipe: Recipe) -> tuple[str, ...]:
    sizes = [recipe.axes(recipe.right(probe)) for probe in recipe.calls(0)]
    return tuple(name for name in (sizes or [{}])[0] if all(name in call for call in sizes))


def _read_by(does: Step, state: Any) -> dict[str, None]:
    read: dict[str, None] = {}

    class Reading(State):
        def __getattribute__(self, name: str) -> Any:
            read[name] = None
            return super().__getattribute__(name)

    with np.errstate(all="ignore"):
        does(Reading(**vars(state)))
    return read


def changed_by(does: Step, change: ArrayChange) -> Step:
    return lambda s: change.of(does(s), getattr(s, "axis", -1))


def _left_out_or_twice(wires: _Wires, step: str) -> Iterator[Misconception]:
    for source, of in wires.alike(step):
        result = wires.names[step]
        question = f"What should your code do with {of} before any other step uses {of}?"
        yield generic(
            f"{source}-for-{step}",
            f"numbers match code without one step: {of} {are(of)} used instead of {result}",
            question,
            result,
            {step: attrgetter(source)},
        )
        yield generic(
            f"{step}-twice-of-{source}",
            f"numbers match a step that is done twice: {result} {are(result)} made from "
            f"{result} again",
            question,
            result,
            {step: wires.step(step, **{source: wires.recipe.steps[step]})},
        )


def _plus_another(wires: _Wires, step: str) -> Iterator[Misconception]:
    """Yield misconceptions that add an earlier value to a step's result, like a residual."""
    if step not in wires.recipe.steps or step not in wires.names:
        return
    does = wires.recipe.steps[step]
    for name in wires.before(step):
        if {*wires.shapes[name]} & {*wires.shapes[step]}:
            for id, only in (("plus", ""), ("plus-alike", ", where their shapes agree")):
                yield generic(
                    f"{step}-{id}-{name}",
                    f"numbers match {wires.names[step]} plus {wires.names[name]}{only}",
                    f"What is added to {wires.names[step]}?",
                    wires.names[step],
                    {step: _plus(does, name, only_alike=bool(only))},
                )


def _plus(does: Step, name: str, *, only_alike: bool) -> Step:
    def step(s: Any) -> Any:
        made, more = does(s), getattr(s, name)
        return made if only_alike and np.shape(more) != made.shape else made + more

    return step


def _another_value(wires: _Wires, step: str) -> Iterator[Misconception]:
    result = wires.names.get(step)
    where = f"in the step that makes {result}" if result else "among the results"
    for meant in wires.reads[step]:
        for other in wires.before(step):
            if other == meant:
                continue
            taken, instead = wires.names[other], wires.names[meant]
            yield generic(
                f"{other}-for-{meant}-in-{step}",
                f"numbers match {taken} instead of {instead}, {where}",
                f"Where do you use {taken}, and where do you use {instead}?",
                instead,
                {step: wires.step(step, **{meant: attrgetter(other)})},
            )


def _changed_inside(wires: _Wires, name: str) -> Iterator[Misconception]:
    if name not in wires.recipe.steps or not wires.readers(name):
        return
    value, does = wires.names[name], wires.recipe.steps[name]
    for size in sizes_of_all(wires.recipe):
        for id, words, power in BY_A_SIZE:
            yield generic(
                f"{name}-{id}-{size}",
                f"numbers match {value} {words}{size}",
                f"By which factor do you multiply {value}?",
                value,
                {name: _times(does, wires.recipe, size, power)},
            )
    for change in INSIDE:
        yield generic(
            f"{name}-{change.id}",
            f"numbers match {change.applied_to(value)}",
            f"What does your code do with {value} before the result?",
            value,
            {name: changed_by(does, change)},
        )


def _times(does: Step, recipe: Recipe, size: str, power: float) -> Step:
    return lambda s: does(s) * float(recipe.axes(s)[size]) ** power


def _changed_for_a_step(wires: _Wires, step: str) -> Iterator[Misconception]:
    result = wires.names.get(step)
    for name in wires.reads[step] if result else ():
        if sum(name in read for read in wires.reads.values()) == 1:
            continue
        value = wires.names[name]
        for change in INSIDE:
            yield generic(
                f"{name}-{change.id}-in-{step}",
                f"numbers match {change.applied_to(value)}, in the step that makes {result}",
                f"What does your code do with {value} to make {result}?",
                value,
                {step: wires.step(step, **{name: changed_by(attrgetter(name), change)})},
            )
