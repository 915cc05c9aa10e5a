"""Steps that are put together wrongly: one reads another value, is left out, done twice, too early.

They are made of a recipe's own steps, for every recipe that says what its values are called.
Like all that may be done to any value, they are replayed only where no misconception fits.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from autograder.course.text import are, join_names
from autograder.diagnosis.array_changes import (
    BY_A_SIZE,
    IN_PLACE_OF_A_STEP,
    INSIDE,
    ON_TWO,
    ArrayChange,
)
from autograder.diagnosis.family import Hints, Misconception, Step
from autograder.diagnosis.recipe import Recipe, State

MOST_PARAMETERS = 8


@dataclass(frozen=True)
class _Wires:
    """The steps of a recipe and what each reads, for the calls of one draw.

    Attributes:
        names: what students call its values and arguments, in the order in which they are made.
        reads: for each step, the named arrays of numbers that it reads.
        every: for each step, all values that it reads.
        shapes: for each named array, its shape in each call.
        sizes: the names of sizes that every call has.
    """

    recipe: Recipe
    names: Mapping[str, str]
    reads: Mapping[str, tuple[str, ...]]
    every: Mapping[str, tuple[str, ...]]
    shapes: Mapping[str, tuple[Any, ...]]
    sizes: tuple[str, ...]

    @property
    def order(self) -> Sequence[str]:
        return [*self.recipe.parameters, *self.recipe.steps]

    def before(self, step: str) -> list[str]:
        """The arrays that are there when a step is done."""
        made = self.order[: self.order.index(step)]
        return [name for name in made if name in self.shapes]

    def readers(self, name: str) -> list[str]:
        """The steps that read a value."""
        return [step for step, read in self.reads.items() if name in read]

    def step(self, name: str, **instead: Step) -> Step:
        """A step that reads other values under some names."""
        does = self.recipe.steps[name]
        return lambda s: does(_with(s, instead))


def wirings(recipe: Recipe) -> Iterator[Misconception]:
    """All of them, plainest first; none where a recipe has no words for its steps."""
    if not recipe.labels:
        return
    wires = _wires(recipe)
    for step in wires.reads:
        yield from _left_out_or_twice(wires, step)
    for step in wires.reads:
        yield from _another_value(wires, step)
    for name in wires.shapes:
        yield from _from_there_on(wires, name)
    for step in wires.reads:
        yield from _other_order(wires, step)
    for name in wires.shapes:
        yield from _changed_inside(wires, name)
    for step in wires.reads:
        yield from _in_its_place(wires, step)
    for step in wires.reads:
        yield from _changed_for_a_step(wires, step)


def as_students_know(recipe: Recipe) -> dict[str, str]:
    """The parameters that students know by name, each with that name."""
    weights = getattr(recipe.caller, "weights", {})
    called = getattr(recipe.caller, "called_with", recipe.parameters)
    known = {parameter: name for name, parameter in weights.items()}
    known |= {name: name for name in called} | dict(recipe.labels)
    return {name: known[name] for name in recipe.parameters[:MOST_PARAMETERS] if name in known}


def hints_on(question: str, what: str) -> Hints:
    """Hints on a value that is not what it should be, where all else is right."""
    return (
        question,
        f"All else is right: with {what} as the text says, your numbers would be too.",
        f"Follow {what} line by line, print a small example, and compare it with the text.",
    )


def _wires(recipe: Recipe) -> _Wires:
    names = as_students_know(recipe) | dict(recipe.labels)
    reads: dict[str, dict[str, None]] = {step: {} for step in recipe.steps}
    shapes: dict[str, list[Any]] = {}
    traced = 0
    for probe in recipe.calls(0):
        try:
            state = recipe.trace(probe)
        except Exception:  # an error is the right answer to this call
            continue
        traced += 1
        for name in names:
            value = getattr(state, name, None)
            if isinstance(value, np.ndarray | np.floating) and value.dtype.kind == "f":
                shapes.setdefault(name, []).append(np.shape(value))
        for step, does in recipe.steps.items():
            reads[step] |= _read_by(does, state)
    order = {*recipe.parameters, *recipe.steps}
    arrays = {name: tuple(each) for name, each in shapes.items() if len(each) == traced}
    return _Wires(
        recipe,
        names,
        {step: tuple(name for name in read if name in arrays) for step, read in reads.items()},
        {step: tuple(name for name in read if name in order) for step, read in reads.items()},
        arrays,
        sizes_of_all(recipe),
    )


def sizes_of_all(recipe: Recipe) -> tuple[str, ...]:
    """The names of the sizes that every call has."""
    sizes = [set(recipe.axes(recipe.right(probe))) for probe in recipe.calls(0)]
    first = recipe.axes(recipe.right(recipe.calls(0)[0])) if sizes else ()
    return tuple(name for name in first if all(name in each for each in sizes))


def _read_by(does: Step, state: Any) -> dict[str, None]:
    """The names that a step reads, in order."""
    read: dict[str, None] = {}

    class Reading(State):
        def __getattribute__(self, name: str) -> Any:
            if not name.startswith("__"):
                read[name] = None
            return super().__getattribute__(name)

    with np.errstate(all="ignore"):
        does(Reading(**vars(state)))
    return read


def _with(state: Any, instead: Mapping[str, Step]) -> Any:
    return State(**{**vars(state), **{name: value(state) for name, value in instead.items()}})


def value_of(name: str) -> Step:
    """A step that gives a value as it is."""
    return lambda s: getattr(s, name)


def changed_by(does: Step, change: ArrayChange) -> Step:
    """A step of which the result is changed."""
    return lambda s: change.of(does(s))


def _times_a_size(does: Step, sizes: Callable[[Any], Any], size: str, power: float) -> Step:
    return lambda s: does(s) * float(sizes(s)[size]) ** power


def _left_out_or_twice(wires: _Wires, step: str) -> Iterator[Misconception]:
    said = wires.names.get(step, "")
    for source in wires.reads[step] if said else ():
        if step not in wires.shapes or wires.shapes[source] != wires.shapes[step]:
            continue
        of = wires.names[source]
        hints = hints_on(f"What has to become of {of} before anything else uses it?", said)
        yield Misconception(
            f"{source}-for-{step}",
            f"Your numbers are those without a step: {of} {are(of)} used where {said} should be.",
            hints,
            {step: value_of(source)},
        )
        yield Misconception(
            f"{step}-twice-of-{source}",
            f"Your numbers are those of a step that is done twice: {said} {are(said)} made of "
            f"{said} once more.",
            hints,
            {step: wires.step(step, **{source: wires.recipe.steps[step]})},
        )


def _in_its_place(wires: _Wires, step: str) -> Iterator[Misconception]:
    """Something else is done with what a step is made of."""
    said = wires.names.get(step, "")
    for source in wires.reads[step] if said else ():
        if wires.shapes[source] != wires.shapes.get(step):
            continue
        of = wires.names[source]
        for change in IN_PLACE_OF_A_STEP:
            yield Misconception(
                f"{source}-{change.id}-for-{step}",
                f"Your numbers are those of {change.said_of(of)} where {said} should be.",
                hints_on(f"What has to become of {of} before anything else uses it?", said),
                {step: changed_by(value_of(source), change)},
            )


def _another_value(wires: _Wires, step: str) -> Iterator[Misconception]:
    said = wires.names.get(step)
    for meant in wires.reads[step]:
        for other in wires.before(step):
            if other == meant:
                continue
            taken, instead = wires.names[other], wires.names[meant]
            where = f"where {said} {are(said)} made" if said else "among the results"
            yield Misconception(
                f"{other}-for-{meant}-in-{step}",
                f"Your numbers are those of {taken} in place of {instead}, {where}.",
                hints_on(f"Where do you use {taken}, and where {instead}?", instead),
                {step: wires.step(step, **{meant: value_of(other)})},
            )


def _from_there_on(wires: _Wires, made: str) -> Iterator[Misconception]:
    """A value takes the place of another in all later steps, as where one name is used for both."""
    if made not in wires.recipe.steps:
        return
    later = wires.order[wires.order.index(made) + 1 :]
    for meant in wires.before(made):
        readers = [step for step in wires.readers(meant) if step in later and step in wires.names]
        taken, instead = wires.names[made], wires.names[meant]
        for count in range(2, len(readers) + 1):
            where = "in all that follows"
            if count < len(readers):
                said = join_names([wires.names.get(each, each) for each in readers[:count]])
                where = f"where {said} are made"
            yield Misconception(
                f"{made}-for-{meant}-from-there-on" + f"-{count}" * (count < len(readers)),
                f"Your numbers are those of {taken} in place of {instead} {where}, as if one name "
                "were used for both.",
                hints_on(f"Under which name do you keep {taken}?", instead),
                {step: wires.step(step, **{meant: value_of(made)}) for step in readers[:count]},
            )


def _other_order(wires: _Wires, second: str) -> Iterator[Misconception]:
    """Two steps of which one makes the other's input, each done on the other's."""
    for first in wires.reads[second]:
        if first not in wires.recipe.steps or not {first, second} <= wires.names.keys():
            continue
        before = wires.order[: wires.order.index(first)]
        if not set(wires.every[second]) <= {first, *before}:
            continue  # it needs what is made between the two
        for source in wires.reads[first]:
            if not wires.shapes[source] == wires.shapes[first] == wires.shapes.get(second):
                continue
            one, other = wires.names[first], wires.names[second]
            earlier = wires.step(second, **{first: value_of(source)})
            yield Misconception(
                f"{second}-before-{first}-of-{source}",
                f"Your numbers are those of two steps in the other order: that which makes {other} "
                f"comes before that which makes {one}.",
                hints_on(f"Which comes first, {one} or {other}?", f"{one} and {other}"),
                {first: earlier, second: wires.step(first, **{source: value_of(first)})},
            )


def _changed_inside(wires: _Wires, name: str) -> Iterator[Misconception]:
    """A value that is changed before the steps after it."""
    used = [step for step in wires.readers(name) if step in wires.names]
    if name not in wires.recipe.steps or not used:
        return
    said, does = wires.names[name], wires.recipe.steps[name]
    yield from _by_a_size(wires, name)
    for change in INSIDE:
        yield Misconception(
            f"{name}-{change.id}",
            f"Your numbers are those of {change.said_of(said)}.",
            hints_on(f"What becomes of {said} on the way to the result?", said),
            {name: changed_by(does, change)},
        )


def _changed_for_a_step(wires: _Wires, step: str) -> Iterator[Misconception]:
    """A value, or two, that only one of the steps after it sees changed."""
    said = wires.names.get(step)
    if said is None:
        return
    alone = [(name,) for name in wires.reads[step] if len(wires.readers(name)) > 1]
    for names in [*alone, *combinations(wires.reads[step], 2)]:
        values = " and ".join(wires.names[name] for name in names)
        for change in INSIDE if len(names) == 1 else ON_TWO:
            changed = {name: changed_by(value_of(name), change) for name in names}
            yield Misconception(
                "-".join([*names, change.id, "in", step]),
                f"Your numbers are those of {change.said_of(values)}, where {said} "
                f"{are(said)} made.",
                hints_on(f"What becomes of {values} where {said} {are(said)} made?", values),
                {step: wires.step(step, **changed)},
            )


def _by_a_size(wires: _Wires, name: str) -> Iterator[Misconception]:
    """A value times or divided by a size of the call, or its root."""
    said, does, axes = wires.names[name], wires.recipe.steps[name], wires.recipe.axes
    for size in wires.sizes:
        for factor in BY_A_SIZE:
            yield Misconception(
                f"{name}-{factor.id}-{size}",
                f"Your numbers are those of {said} {factor.words}{size}.",
                hints_on(f"Which factor do you put on {said}?", said),
                {name: _times_a_size(does, axes, size, factor.power)},
            )
