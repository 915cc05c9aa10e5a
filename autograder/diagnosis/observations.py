"""Calls of a function with its answers to them and the right ones, and what divides these."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.diagnosis.finding import stated
from autograder.diagnosis.outcome import Outcome, agree
from autograder.diagnosis.recipe import Probe, Recipe
from autograder.diagnosis.replay import Replay
from autograder.report.model import Statement

ENOUGH = 2  # a statement has to be true of so many wrong answers, and of all of them
CHANCE = 0.05  # that calls which go wrong for another reason all have some property
Cells = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Answer:
    """An answer of the student's function to a probe; `error` says in words what it raised, `line`
    is the line of the student's file on which, 0 if it is on none.

    `is_array` unless the value was a list, a tuple or something else that only holds numbers.
    """

    outcome: Outcome
    error: str = ""
    line: int = 0
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

    answer: Outcome
    right: Outcome
    condition: float

    def same_cells(self, place: int = 0) -> Cells:
        """Return which cells of one of the results are right."""
        answer, right = (
            outcome.parts[place].astype(float) for outcome in (self.answer, self.right)
        )
        return agree(answer, right, self.answer.precision, self.condition)


@dataclass(frozen=True)
class Observations:
    """All calls that were made, in order: `draws` times the same kinds of calls."""

    recipe: Recipe
    cases: tuple[ObservedCall, ...]
    draws: int = 1

    def kinds(self, calls: Iterable[int]) -> set[int]:
        """Return the kinds that some calls are of, by number."""
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

    @property
    def stop_line(self) -> str:
        """The line of the student's file on which the first error is."""
        return next((str(case.answer.line) for case in self.wrong if case.answer.error), "")

    @cached_property
    def of_other_kind(self) -> bool:
        """True if an answer has another structure: a dict for an array, or other keys."""
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
        """The places of the results that are wrong in some call; none where that cannot be told."""
        count = len(self.recipe.results)
        each_has = all(len(p.answer.parts) == len(p.right.parts) == count for p in self.pairs)
        if count < 2 or not each_has:
            return frozenset()
        return frozenset(
            place
            for pair in self.pairs
            for place in range(count)
            if not pair.same_cells(place).all()
        )


def observe(replay: Replay, answers: Sequence[Answer], draws: int) -> Observations:
    """Return the calls of the first draws with the answers to them."""
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


def division(seen: Observations) -> Statement | None:
    """Return what all wrong calls have in common and no right one has: `right without a mask`."""
    failed = frozenset(number for number, case in enumerate(seen.cases) if not case.right)
    if min(len(failed), len(seen.cases) - len(failed)) < ENOUGH:
        return None
    kinds = list(_kinds(seen.recipe, seen.cases))
    for inside, when, otherwise in kinds:
        if inside == failed:
            errors = [seen.cases[number].answer.error for number in sorted(failed)]
            if all(errors):
                return stated("right_and_error", right=otherwise, wrong=when, error=errors[0])
            return stated("right_and_wrong", right=otherwise, wrong=when)
    for (one, when, _), (other, also, _) in combinations(kinds, 2):
        if one & other == failed:
            return stated("wrong_with_both", wrong=when, also=also)
    for inside, when, _ in _kinds(seen.recipe, seen.cases, both_ways=True):
        if failed < inside and _chance(seen, failed, inside) < CHANCE:
            return stated("wrong_only", wrong=when)
    return None


def _chance(seen: Observations, failed: frozenset[int], inside: frozenset[int]) -> float:
    """Return how likely so many kinds of calls would all be among those that have a property."""
    kinds = len(seen.kinds(range(len(seen.cases))))
    share = len(seen.kinds(inside)) / kinds
    return float(share ** len(seen.kinds(failed)))


def _kinds(
    recipe: Recipe, cases: Sequence[ObservedCall], both_ways: bool = False
) -> Iterator[tuple[frozenset[int], str, str]]:
    """Yield for each property and its opposite the calls that have it, and the words for both.

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
    """Return for each property the calls that have it, and those that have not, each in words."""
    states = [recipe.right(probe) for probe in probes]
    return [
        (frozenset(i for i, state in enumerate(states) if trait.of(state) == held), words)
        for trait in recipe.traits
        for held, words in ((True, trait.when), (False, trait.otherwise))
    ]


def kinds_of_calls(recipe: Recipe, probes: Sequence[Probe]) -> list[tuple[list[int], str]]:
    """Return the calls with or without a property, and those of two; the most calls first.

    Each comes with its words: `without a mask and for a single head`.
    """
    sides = sides_of_traits(recipe, probes)
    both = [(one & two, f"{a} and {b}") for (one, a), (two, b) in combinations(sides, 2)]
    found = [(sorted(inside), words) for inside, words in (*sides, *both)]
    return sorted((kind for kind in found if len(kind[0]) < len(probes)), key=lambda k: -len(k[0]))
