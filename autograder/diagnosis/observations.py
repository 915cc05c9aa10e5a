"""What was seen of a function: calls, its answers to them, and the right ones."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.diagnosis.outcome import Outcome, agree
from autograder.diagnosis.recipe import Probe, Recipe
from autograder.diagnosis.replay import Replay

ENOUGH = 2  # a statement has to be true of so many wrong answers, and of all of them
Cells = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Answer:
    """What the student's function did with a probe; `error` says so in words if it raised.

    `is_array` unless the value was a list, a tuple or something else that only holds numbers.
    """

    outcome: Outcome
    error: str = ""
    printed: bool = False
    is_array: bool = True


@dataclass(frozen=True)
class ObservedCall:
    """One call: the state of the right one, the student's answer, and the right answer."""

    state: Any
    answer: Answer
    expected: Outcome
    right: bool
    condition: float

    @property
    def value(self) -> Any:
        """The answer as facts see it: an array, or a list of them; as it is without numbers."""
        outcome = self.answer.outcome
        if not outcome.parts:
            return outcome.whole
        parts = [part.astype(np.float64) for part in outcome.parts]
        return parts[0] if len(parts) == 1 else parts


@dataclass(frozen=True)
class WrongAndRight:
    """A wrong answer and the right one, of the same shape."""

    mine: Outcome
    right: Outcome
    condition: float

    def same_cells(self, place: int = 0) -> Cells:
        """Which cells of one of the results are right."""
        mine, right = (each.parts[place].astype(float) for each in (self.mine, self.right))
        return agree(mine, right, self.mine.precision, self.condition)


@dataclass(frozen=True)
class Observations:
    """All calls that were made, in order: `draws` times the same kinds of calls."""

    recipe: Recipe
    cases: tuple[ObservedCall, ...]
    draws: int = 1

    def kinds(self, calls: Iterable[int]) -> set[int]:
        """The kinds that some calls are of, by number."""
        size = max(1, len(self.cases) // self.draws)
        return {number % size for number in calls}

    @cached_property
    def wrong(self) -> list[ObservedCall]:
        return [case for case in self.cases if not case.right]

    @cached_property
    def values(self) -> list[ObservedCall]:
        """The wrong answers that are values, and no errors."""
        return [case for case in self.wrong if not case.answer.outcome.raised]

    @cached_property
    def stops(self) -> str:
        """The first error, in words."""
        return next((case.answer.error for case in self.wrong if case.answer.error), "")

    @cached_property
    def of_other_kind(self) -> bool:
        """Whether an answer is put together otherwise: a dict for an array, or with other keys,
        three parts for two.
        """
        return any(_other_kind(case.answer.outcome, case.expected) for case in self.values)

    @cached_property
    def pairs(self) -> list[WrongAndRight]:
        """Answer and right answer of the wrong calls, if all have the same shape."""
        count = len(self.recipe.results)
        alike = [
            WrongAndRight(
                case.answer.outcome.in_parts(count), case.expected.in_parts(count), case.condition
            )
            for case in self.values
            if case.answer.outcome.signature == case.expected.signature
        ]
        return alike if ENOUGH <= len(alike) == len(self.values) else []

    @cached_property
    def wrong_parts(self) -> frozenset[int]:
        """Which of several results are wrong in some call; none where that cannot be told."""
        count = len(self.recipe.results)
        each_has = all(len(p.mine.parts) == len(p.right.parts) == count for p in self.pairs)
        if count < 2 or not each_has:
            return frozenset()
        return frozenset(
            place
            for pair in self.pairs
            for place in range(count)
            if not pair.same_cells(place).all()
        )


def observe(replay: Replay, answers: Sequence[Answer], draws: int) -> Observations:
    """What the answers to the first probes of so many draws show."""
    recipe, probes = replay.recipe, replay.probes(draws)
    return Observations(
        recipe,
        tuple(
            ObservedCall(
                recipe.right(probes[number]),
                answer,
                replay.outcome(number),
                replay.is_right(number, answer.outcome),
                probes[number].condition,
            )
            for number, answer in enumerate(answers)
        ),
        draws,
    )


def _other_kind(answer: Outcome, expected: Outcome) -> bool:
    if expected.signature.startswith("{"):
        return answer.signature != expected.signature  # its numbers stand under other keys
    array = answer.signature.startswith("(") and expected.signature.startswith("(")
    return not array and (
        len(answer.parts) != len(expected.parts) or answer.signature[0] != expected.signature[0]
    )


# `It is right without a mask, and wrong with one`: what divides right calls from wrong ones.


CHANCE = 0.05  # that calls which go wrong for another reason all have some property
Divided = tuple[frozenset[int], str, str]


def division(seen: Observations) -> str:
    """What all wrong calls have in common and no right one has; nothing if that is not so."""
    kinds = list(_kinds(seen.recipe, seen.cases))
    failed = frozenset(number for number, case in enumerate(seen.cases) if not case.right)
    fine = len([case for case in seen.cases if case.right])
    if len(failed) < ENOUGH or fine < ENOUGH:
        return ""
    for inside, when, otherwise in kinds:
        if inside == failed:
            return _said([seen.cases[i] for i in sorted(failed)], when, otherwise)
    for (one, when, _), (other, too, _) in combinations(kinds, 2):
        if one & other == failed:
            return f"It goes wrong {when} and {too} at once; in all other calls tried it is right."
    for inside, when, _ in _kinds(seen.recipe, seen.cases, both_ways=True):
        if failed < inside and _chance(seen, failed, inside) < CHANCE:
            return f"It goes wrong only {when}; in all other calls tried it is right."
    return ""


def _chance(seen: Observations, failed: frozenset[int], inside: frozenset[int]) -> float:
    """How likely so many kinds of calls would all be among those that have a property."""
    kinds = len(seen.kinds(range(len(seen.cases))))
    share = len(seen.kinds(inside)) / kinds
    return float(share ** len(seen.kinds(failed)))


def _kinds(
    recipe: Recipe, cases: Sequence[ObservedCall], both_ways: bool = False
) -> Iterator[Divided]:
    """For each property and its opposite, the calls that have it, and the words for both.

    With `both_ways`, no property that may hide what is wrong.
    """
    for trait in recipe.traits:
        if both_ways and not trait.both_ways:
            continue
        held = frozenset(i for i, case in enumerate(cases) if trait.of(case.state))
        yield held, trait.when, trait.otherwise
        if trait.both_ways:
            yield frozenset(range(len(cases))) - held, trait.otherwise, trait.when


def sides_of_traits(recipe: Recipe, probes: Sequence[Probe]) -> list[tuple[frozenset[int], str]]:
    """For each property the calls that have it, and those that have it not, each in words."""
    states = [recipe.right(probe) for probe in probes]
    return [
        (frozenset(i for i, state in enumerate(states) if trait.of(state) == held), words)
        for trait in recipe.traits
        for held, words in ((True, trait.when), (False, trait.otherwise))
    ]


def kinds_of_calls(recipe: Recipe, probes: Sequence[Probe]) -> list[tuple[list[int], str]]:
    """The calls that have a property, or have it not, and those of two; the most calls first.

    With each, how it is said: `without a mask and for a single head`.
    """
    sides = sides_of_traits(recipe, probes)
    both = [(one & two, f"{a} and {b}") for (one, a), (two, b) in combinations(sides, 2)]
    found = [(sorted(inside), words) for inside, words in (*sides, *both)]
    return sorted((each for each in found if len(each[0]) < len(probes)), key=lambda k: -len(k[0]))


def _said(failed: Sequence[ObservedCall], when: str, otherwise: str) -> str:
    if not all(case.answer.error for case in failed):
        return f"It is right {otherwise}, and wrong {when}."
    return f"It is right {otherwise}, and stops with an error {when}: {failed[0].answer.error}"
