"""A mistake that is known by its answers alone, where nobody has written it as code."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from autograder.diagnosis.family import Hints, Misconception, Step
from autograder.diagnosis.outcome import Outcome
from autograder.diagnosis.recipe import RETURNED, Recipe

ELSEWHERE = Outcome("was not recorded")  # of a call that nobody asked: no answer is like it


class OnlyRecorded(Exception):
    """Code was asked for, where there are only answers."""


def _no_code(_: Any) -> Any:
    raise OnlyRecorded("of this mistake only its answers are known")


@dataclass(frozen=True, eq=False)
class Fingerprint(Misconception):
    """A misconception with what it answers to each probe, in their order.

    It stands for the whole function, so it goes together with no other mistake and no style.
    """

    outcomes: tuple[Outcome, ...] = ()

    def outcome(self, index: int) -> Outcome:
        """What it answers to a probe."""
        return self.outcomes[index] if index < len(self.outcomes) else ELSEWHERE


def fingerprint(
    recipe: Recipe, name: str, finding: str, hints: Hints, outcomes: Iterable[Outcome]
) -> Fingerprint:
    """A mistake of a recipe's function, by its answers."""
    whole = dict.fromkeys((*recipe.parameters, *recipe.steps, RETURNED), _no_code)
    replaces: Mapping[str, Step] = whole
    return Fingerprint(name, finding, hints, replaces, tuple(outcomes))


def fingerprint_in(changes: Iterable[Any]) -> Fingerprint | None:
    """The one among some changes; None where all are code."""
    return next((each for each in changes if isinstance(each, Fingerprint)), None)
