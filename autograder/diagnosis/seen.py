"""What was seen of a function: calls, its answers to them, and the right ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.diagnosis.outcome import Outcome, agree
from autograder.diagnosis.recipe import Recipe
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
class SeenCall:
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
class Observed:
    """All calls that were made, in order: `draws` times the same kinds of calls."""

    recipe: Recipe
    cases: tuple[SeenCall, ...]
    draws: int = 1

    def kinds(self, calls: Iterable[int]) -> set[int]:
        """The kinds that some calls are of, by number."""
        size = max(1, len(self.cases) // self.draws)
        return {number % size for number in calls}

    @cached_property
    def wrong(self) -> list[SeenCall]:
        return [case for case in self.cases if not case.right]

    @cached_property
    def values(self) -> list[SeenCall]:
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


def seen_of(replay: Replay, answers: Sequence[Answer], draws: int) -> Observed:
    """What the answers to the first probes of so many draws show."""
    recipe, probes = replay.recipe, replay.probes(draws)
    return Observed(
        recipe,
        tuple(
            SeenCall(
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
