"""One function of one submission: the calls that it was asked, its answers and the right ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.diagnosis.outcome import Outcome, agree, group_id
from autograder.diagnosis.recipe import Probe, Recipe
from autograder.diagnosis.replay import Candidate, Replay

TELLING = 2  # so many probes have to tell a misconception from whatever else it could be
ENOUGH = 2  # a statement has to be true of so many wrong answers, and of all of them
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


Ask = Callable[[Probe], Answer]


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

    @property
    def is_of_other_kind(self) -> bool:
        """True if the answer has another structure: a dict for an array, or other keys."""
        answer, expected = self.answer.outcome, self.expected
        if expected.signature.startswith("{"):
            return answer.signature != expected.signature  # its numbers stand under other keys
        if answer.signature[0] == expected.signature[0] == "(":
            return False
        return (
            len(answer.parts) != len(expected.parts) or answer.signature[0] != expected.signature[0]
        )

    def in_parts(self, count: int) -> "ObservedCall":
        """Return the call with its answers split into `count` results; see `Outcome.in_parts`."""
        answer = replace(self.answer, outcome=self.answer.outcome.in_parts(count))
        return replace(self, answer=answer, expected=self.expected.in_parts(count))

    def same_cells(self, place: int = 0) -> Cells:
        """Return which cells of one of the results are right, where both have the same shape."""
        outcome = self.answer.outcome
        answer, right = (each.parts[place].astype(float) for each in (outcome, self.expected))
        return agree(answer, right, outcome.precision, self.condition)


@dataclass(frozen=True)
class Observations:
    """All calls that were made, in order: the same number of kinds of calls in each draw."""

    recipe: Recipe
    cases: tuple[ObservedCall, ...]
    kinds: int

    @cached_property
    def wrong(self) -> list[ObservedCall]:
        return [case for case in self.cases if not case.right]

    @cached_property
    def values(self) -> list[ObservedCall]:
        """The wrong answers that are values, and no errors."""
        return [case for case in self.wrong if not case.answer.outcome.raised]

    @property
    def first_error(self) -> Answer | None:
        return next((case.answer for case in self.wrong if case.answer.error), None)

    @property
    def of_other_kind(self) -> bool:
        """True if an answer has another structure than the right one."""
        return any(case.is_of_other_kind for case in self.values)

    @cached_property
    def of_right_shape(self) -> list[ObservedCall]:
        """The wrong answers with their results apart, if all have the shape of the right ones."""
        alike = [
            case.in_parts(len(self.recipe.results))
            for case in self.values
            if case.answer.outcome.signature == case.expected.signature
        ]
        return alike if ENOUGH <= len(alike) == len(self.values) else []

    @cached_property
    def wrong_parts(self) -> frozenset[int]:
        """The places of the results that are wrong in some call; none where that cannot be told."""
        count = len(self.recipe.results)
        cases = self.of_right_shape
        if count < 2 or any(len(case.expected.parts) != count for case in cases):
            return frozenset()
        return frozenset(
            place for case in cases for place in range(count) if not case.same_cells(place).all()
        )


def observe(replay: Replay, answers: Sequence[Answer]) -> Observations:
    """Return the calls of some draws with the answers to them."""
    kinds = len(replay.probes())
    probes = replay.probes(len(answers) // kinds)
    cases = (
        ObservedCall(
            replay.recipe.right(probe),
            answer,
            replay.outcome(number),
            replay.is_right(number, answer.outcome),
            probe.condition,
        )
        for number, (probe, answer) in enumerate(zip(probes, answers, strict=True))
    )
    return Observations(replay.recipe, tuple(cases), kinds)


@dataclass
class Examination:
    """The answers of one function to as many draws of probes as a diagnosis needs.

    Attributes:
        ask: asks in one process, in which nothing ran before.
        alone: starts another such process, and returns its `ask`; None where asking leaves no
            trace.
    """

    replay: Replay
    ask: Ask
    alone: Callable[[], Ask] | None = None
    answers: list[Answer] = field(default_factory=list)

    def draw(self, draws: int) -> None:
        """Ask the probes of the first `draws` draws that have not been asked yet."""
        for probe in self.replay.probes(draws)[len(self.answers) :]:
            self.answers.append(self.ask(probe))

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes of the answers, in order."""
        return [answer.outcome for answer in self.answers]

    @property
    def right(self) -> list[bool]:
        """True for each right answer, in order."""
        return [self.replay.is_right(i, outcome) for i, outcome in enumerate(self.outcomes)]

    @property
    def wrong(self) -> list[int]:
        """The numbers of the wrong answers."""
        return [number for number, is_right in enumerate(self.right) if not is_right]

    @property
    def everywhere(self) -> range:
        """The numbers of all answers."""
        return range(len(self.answers))

    def observed(self) -> Observations:
        """Return all calls with their answers and the right ones."""
        return observe(self.replay, self.answers)

    def giving(self, candidates: Sequence[Candidate], calls: Sequence[int]) -> list[Candidate]:
        """Return the candidates that give the answers to all these calls.

        `TELLING` of these calls have to tell them from a right function.
        """
        return self.told_from_right(self.replay.giving(candidates, self.outcomes, calls), calls)

    def told_from_right(
        self, candidates: Sequence[Candidate], calls: Sequence[int]
    ) -> list[Candidate]:
        """Return the candidates that `TELLING` of these calls tell from a right function."""
        return [wrong for wrong in candidates if self.replay.telling(calls, wrong) >= TELLING]

    def group(self) -> str:
        """Return an id that wrong answers of the same kind share; see `group_id`."""
        return group_id(self.outcomes[: len(self.replay.probes(1))])
