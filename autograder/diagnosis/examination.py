"""Observed calls of one function: the arguments, the student's results and the correct results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.diagnosis.outcome import Outcome, all_agree, group_id
from autograder.diagnosis.recipe import Probe, Recipe
from autograder.diagnosis.replay import Candidate, Replay, Wrong

Array = npt.NDArray[Any]
TELLING = 2  # at least this many probes must distinguish a misconception from correct code
ENOUGH = 2  # a statement needs at least this many wrong answers, and must be true of each


@dataclass(frozen=True)
class Answer:
    outcome: Outcome
    error: str = ""  # describes an exception
    line: int = 0  # student's line that raised the exception, or 0
    printed: bool = False
    is_array: bool = True  # false for a list, a tuple or another container of numbers
    changed: str = ""  # the name of an array among the arguments that the call changed


Ask = Callable[[Probe], Answer]


@dataclass(frozen=True)
class ObservedCall:
    """Observed call: values of the correct steps, the correct result, and the student's result."""

    state: Any
    answer: Answer
    expected: Outcome
    right: bool
    condition: float

    @property
    def value(self) -> Any:
        outcome = self.answer.outcome
        parts = [part.astype(np.float64) for part in outcome.parts]
        return parts[0] if len(parts) == 1 else parts or outcome.whole

    @property
    def is_of_other_kind(self) -> bool:
        """True if the result has a wrong structure, such as a dict instead of an array."""
        answer, expected = self.answer.outcome, self.expected
        if expected.signature.startswith("{"):
            return answer.signature != expected.signature  # another structure: other keys
        is_same_kind = answer.signature[0] == expected.signature[0]
        if is_same_kind and expected.signature[0] == "(":
            return False
        return not is_same_kind or len(answer.parts) != len(expected.parts)


@dataclass(frozen=True)
class Observations:
    """All observed calls of a function in order. Each draw has `kinds` calls, one of each kind."""

    recipe: Recipe
    cases: tuple[ObservedCall, ...]
    kinds: int

    @cached_property
    def wrong(self) -> list[ObservedCall]:
        return [case for case in self.cases if not case.right]

    @cached_property
    def values(self) -> list[ObservedCall]:
        """The calls with a wrong value. Calls that raised an exception are left out."""
        return [case for case in self.wrong if not case.answer.outcome.raised]

    @property
    def first_error(self) -> Answer | None:
        return next((case.answer for case in self.wrong if case.answer.error), None)

    @property
    def of_other_kind(self) -> bool:
        """True if a result has another structure than the correct result."""
        return any(
            case.is_of_other_kind and not (self.recipe.results and self.in_parts(case))
            for case in self.values
        )

    def in_parts(self, case: ObservedCall) -> list[tuple[Array, Array]]:
        """Return pairs of a returned and a right value, or none if their numbers differ."""
        count = max(1, len(self.recipe.results))
        own, right = (
            outcome.in_parts(count).parts for outcome in (case.answer.outcome, case.expected)
        )
        if not len(own) == len(right) == count or (count == 1 and not case.answer.is_array):
            return []
        return [*zip(own, right, strict=True)]

    @cached_property
    def of_right_shape(self) -> list[tuple[ObservedCall, Outcome, Outcome]]:
        """Calls with wrong values of the right shape, each with both results, split into parts."""
        count = len(self.recipe.results)
        alike = [
            (case, case.answer.outcome.in_parts(count), case.expected.in_parts(count))
            for case in self.values
            if case.answer.outcome.signature == case.expected.signature
        ]
        return alike if ENOUGH <= len(alike) == len(self.values) else []

    @cached_property
    def wrong_parts(self) -> frozenset[int]:
        """Positions of returned values that are wrong in some call. An empty set if unknown."""
        count = len(self.recipe.results)
        if count < 2 or any(len(right.parts) != count for _, _, right in self.of_right_shape):
            return frozenset()
        wrong = set()
        for case, answer, right in self.of_right_shape:
            for place, parts in enumerate(zip(answer.parts, right.parts, strict=True)):
                given, true = (part.astype(float) for part in parts)
                if not all_agree(given, true, answer.precision, case.condition):
                    wrong.add(place)
        return frozenset(wrong)


def observe(replay: Replay, answers: Sequence[Answer]) -> Observations:
    """Return the first probes as observed calls, with these results of the student."""
    kinds = len(replay.probes())
    probes = replay.probes(len(answers) // kinds)
    cases = (
        ObservedCall(
            replay.recipe.right(probe, replay.built_in),
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
    """Results of one function to the probes. A diagnosis asks for one draw of probes after another.

    Attributes:
        ask: a function that calls the student's function, in a process without earlier calls.
        alone: starts a new process without earlier calls, and returns a function like `ask` for
            this process. It is None if no call can leave state behind.
    """

    replay: Replay
    ask: Ask
    alone: Callable[[], Ask] | None = None
    answers: list[Answer] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)  # whether each answer is right

    def draw(self, draws: int) -> None:
        """Call the function with the probes of the first `draws` draws, if this is not done yet."""
        for probe in self.replay.probes(draws)[len(self.answers) :]:
            answer = self.ask(probe)
            self.right.append(self.replay.is_right(len(self.answers), answer.outcome))
            self.answers.append(answer)

    @property
    def outcomes(self) -> list[Outcome]:
        return [answer.outcome for answer in self.answers]

    @property
    def wrong(self) -> list[int]:
        return [number for number, is_right in enumerate(self.right) if not is_right]

    @property
    def everywhere(self) -> range:
        return range(len(self.answers))

    @property
    def wrong_first(self) -> list[int]:
        """All calls: first those with a wrong value, then those that raise, then the right ones."""
        wrong, outcomes = {*self.wrong}, self.outcomes
        return sorted(self.everywhere, key=lambda n: (n not in wrong, outcomes[n].raised))

    def with_built_in(self, first: Wrong) -> "Examination":
        """Return an examination of the same answers, with a mistake in the correct code."""
        replay = self.replay.with_built_in(first)
        right = [replay.is_right(n, outcome) for n, outcome in enumerate(self.outcomes)]
        return Examination(replay, self.ask, self.alone, [*self.answers], right)

    def observed(self) -> Observations:
        return observe(self.replay, self.answers)

    def giving(self, candidates: Sequence[Candidate], calls: Sequence[int]) -> list[Candidate]:
        """Return candidates that give the student's results in all calls, and pass `telling`."""
        return self.telling(self.replay.giving(candidates, self.outcomes, calls), calls)

    def telling(self, candidates: Sequence[Candidate], calls: Sequence[int]) -> list[Candidate]:
        """Return the candidates that differ from correct code in at least `TELLING` calls."""
        return [wrong for wrong in candidates if self.replay.telling(calls, wrong) >= TELLING]

    def group(self) -> str:
        """Return an id that is equal for similar wrong results; see `group_id`."""
        return group_id(self.outcomes[: len(self.replay.probes(1))])
