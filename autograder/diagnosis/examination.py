"""Observed calls of one function of a submission: arguments, student's and correct answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.diagnosis.outcome import Outcome, agree, group_id
from autograder.diagnosis.recipe import Probe, Recipe
from autograder.diagnosis.replay import Candidate, Replay

TELLING = 2  # number of probes that must tell a misconception from correct code
ENOUGH = 2  # number of wrong answers that a statement needs, and it must hold for all
Cells = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Answer:
    """Answer of the student's function to a probe.

    `error` describes an exception, and `line` is the line of the student's file that raised it, or
    0. `is_array` is false if the value was a list, a tuple or another container of numbers.
    """

    outcome: Outcome
    error: str = ""
    line: int = 0
    printed: bool = False
    is_array: bool = True


Ask = Callable[[Probe], Answer]


@dataclass(frozen=True)
class ObservedCall:
    """One call: the state of the correct call, the student's answer, and the correct answer."""

    state: Any
    answer: Answer
    expected: Outcome
    right: bool
    condition: float

    @property
    def value(self) -> Any:
        """The answer as facts see it: an array or a list of arrays; unchanged without numbers."""
        outcome = self.answer.outcome
        if not outcome.parts:
            return outcome.whole
        parts = [part.astype(np.float64) for part in outcome.parts]
        return parts[0] if len(parts) == 1 else parts

    @property
    def is_of_other_kind(self) -> bool:
        """True if the answer has another structure: a dict instead of an array, or other keys."""
        answer, expected = self.answer.outcome, self.expected
        if expected.signature.startswith("{"):
            return answer.signature != expected.signature  # its numbers have other keys
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
        """Return which entries of one result are right; the shapes must match."""
        outcome = self.answer.outcome
        answer, right = (each.parts[place].astype(float) for each in (outcome, self.expected))
        return agree(answer, right, outcome.precision, self.condition)


@dataclass(frozen=True)
class Observations:
    """All observed calls in order; each draw has the same number of calls of each kind."""

    recipe: Recipe
    cases: tuple[ObservedCall, ...]
    kinds: int

    @cached_property
    def wrong(self) -> list[ObservedCall]:
        return [case for case in self.cases if not case.right]

    @cached_property
    def values(self) -> list[ObservedCall]:
        """The wrong answers that are values, not errors."""
        return [case for case in self.wrong if not case.answer.outcome.raised]

    @property
    def first_error(self) -> Answer | None:
        return next((case.answer for case in self.wrong if case.answer.error), None)

    @property
    def of_other_kind(self) -> bool:
        """True if an answer has another structure than the correct one."""
        return any(case.is_of_other_kind for case in self.values)

    @cached_property
    def of_right_shape(self) -> list[ObservedCall]:
        """The wrong answers, split into results, if all have the correct shapes."""
        alike = [
            case.in_parts(len(self.recipe.results))
            for case in self.values
            if case.answer.outcome.signature == case.expected.signature
        ]
        return alike if ENOUGH <= len(alike) == len(self.values) else []

    @cached_property
    def wrong_parts(self) -> frozenset[int]:
        """The positions of the results that are wrong in some call; empty if unknown."""
        count = len(self.recipe.results)
        cases = self.of_right_shape
        if count < 2 or any(len(case.expected.parts) != count for case in cases):
            return frozenset()
        return frozenset(
            place for case in cases for place in range(count) if not case.same_cells(place).all()
        )


def observe(replay: Replay, answers: Sequence[Answer]) -> Observations:
    """Return the calls of the first draws with their answers."""
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
    """Answers of one function to as many draws of probes as a diagnosis needs.

    Attributes:
        ask: calls the function in a process that had no earlier calls.
        alone: starts another such process and returns its `ask`; None if calls leave no state.
    """

    replay: Replay
    ask: Ask
    alone: Callable[[], Ask] | None = None
    answers: list[Answer] = field(default_factory=list)

    def draw(self, draws: int) -> None:
        """Call the function with those probes of the first `draws` draws that are still missing."""
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
        """The indices of the wrong answers."""
        return [number for number, is_right in enumerate(self.right) if not is_right]

    @property
    def everywhere(self) -> range:
        """The indices of all answers."""
        return range(len(self.answers))

    def observed(self) -> Observations:
        """Return all calls with their answers and the correct answers."""
        return observe(self.replay, self.answers)

    def giving(self, candidates: Sequence[Candidate], calls: Sequence[int]) -> list[Candidate]:
        """Return the candidates that give the answers to all these calls.

        At least `TELLING` of these calls must tell a candidate from correct code.
        """
        return self.told_from_right(self.replay.giving(candidates, self.outcomes, calls), calls)

    def told_from_right(
        self, candidates: Sequence[Candidate], calls: Sequence[int]
    ) -> list[Candidate]:
        """Return the candidates that at least `TELLING` of these calls tell from correct code."""
        return [wrong for wrong in candidates if self.replay.telling(calls, wrong) >= TELLING]

    def group(self) -> str:
        """Return the id that similar wrong answers share; see `group_id`."""
        return group_id(self.outcomes[: len(self.replay.probes(1))])
