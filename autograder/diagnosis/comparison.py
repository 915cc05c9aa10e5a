"""How the results of one function are compared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.diagnosis.outcome import Outcome, outcome_of


@dataclass(frozen=True)
class Comparison:
    """What of a result is compared, and how exactly. Nothing but the rounding is left out of it.

    Attributes:
        precision: the dtype in which students' code computes, which limits what can be told apart.
        by_kind: whether a list is another result than a tuple or an array, and True another than 1.
        read: the part of a student's result that is compared: the images of a figure, say.
        sample: one result as a student's function gives it, from the state of a replay, where that
            is not the replay's own result: a figure, a mean over random trials.
        spread: for functions with random results: the middle of each number, and how far from it
            a fair result may lie, from the state of a replay. None where results are exact.
    """

    precision: Any = np.float64
    by_kind: bool = False
    read: Callable[[Any], Any] = lambda value: value
    sample: Callable[[Any], Any] | None = None
    spread: Callable[[Any], tuple[Any, Any]] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the same call has the same result again."""
        return self.spread is None

    def of_student(self, value: Any) -> Outcome:
        """The outcome of a call of the student's function."""
        read = self.read(value)
        if read is None and value is not None:
            return Outcome("has nothing to compare")
        return outcome_of(read, self.by_kind)

    def of_replay(self, state: Any) -> Outcome:
        """The outcome that a call with this state should have."""
        if self.spread is None:
            outcome = outcome_of(state.result, self.by_kind)
            return outcome.in_precision(np.dtype(self.precision))
        middle, allowed = map(outcome_of, self.spread(state))
        return Outcome(
            middle.signature, middle.numbers, allowed=allowed.numbers, parts=middle.parts
        )


EXACT = Comparison()
