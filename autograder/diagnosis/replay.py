"""Misconceptions replayed on the same inputs, and found again in a student's answers."""

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations, islice
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from autograder.checks.value_structure import Vector
from autograder.diagnosis.general import COMBINING, GENERAL, families
from autograder.diagnosis.misconceptions import Alternative, Change, Misconception
from autograder.diagnosis.outcome import RAISES, Outcome, agree, same
from autograder.diagnosis.recipe import (
    Probe,
    Recipe,
    fingerprint_in,
    fit_together,
    no_input_causes,
)

Changes = tuple[Change, ...]
Wrong = tuple[Misconception, *Changes]  # a mistake, and the alternatives in which it is seen
Pair = tuple[Misconception, Misconception, *Changes]
Candidate = TypeVar("Candidate", bound=Changes)
Counts = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Replay:
    """A recipe's misconceptions on its probes, alone and in pairs. What was computed is kept.

    Attributes:
        faults: the exceptions that are errors of the course's author.
        cache: what came of a probe with some changes.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.faults: list[Exception] = []
        self.cache: dict[tuple[int, Changes], Outcome] = {}
        self.alternatives = [Alternative(steps) for steps in recipe.alternatives]
        self._generic: set[Changes] = set()
        self._rights: dict[int, Any] = {}
        self._probes: list[Probe] = []
        self._size = 0
        self._heard: dict[int, list[Pair]] = {}
        self._columns: dict[tuple[int, int], _Column] = {}

    def probes(self, draws: int = 1) -> Sequence[Probe]:
        """Return the calls of the first `draws` draws; each draw has the same kinds of calls."""
        while len(self._probes) < draws * self._size or not self._size:
            drawn = self.recipe.calls(len(self._probes) // (self._size or 1))
            self._size = len(drawn)
            self._probes += drawn
        return self._probes[: draws * self._size]

    @cached_property
    def singles(self) -> list[Wrong]:
        """The course's misconceptions, in each alternative in which they look different.

        After them come those general ones that are something else here.
        """
        self.probes()
        found: list[Wrong] = []
        for misconception in self.recipe.misconceptions:
            looks: list[Wrong] = [(misconception,)]
            for way in self.alternatives:
                styled: Wrong = (misconception, way)
                if fit_together(misconception, way) and not any(
                    self._alike(styled, x) for x in looks
                ):
                    looks.append(styled)
            found += looks
        for general in GENERAL:
            wrong: Wrong = (general,)
            telling = self.telling(range(self._size), wrong)
            if telling and not any(self._alike(wrong, other) for other in [(), *found]):
                found.append(wrong)
        return found

    @cached_property
    def families(self) -> list[Wrong]:
        """The generic changes of any arguments and results; see `general.families`."""
        plain: list[Wrong] = [(change,) for change in families(self.recipe)]
        steps = list(self.recipe.steps)

        def shows(wrong: Wrong) -> bool:
            """Return whether the change is right after the alternative: there it shows most."""
            after = {steps.index(name) + 1 for name in wrong[-1].replaces if name in steps}
            return any(steps[place] in wrong[0].replaces for place in after if place < len(steps))

        return plain + [
            wrong for wrong in self._with_alternatives(plain)[len(plain) :] if shows(wrong)
        ]

    def families_giving(self, index: int, answer: Outcome) -> list[Wrong]:
        """Return the generic changes that give the answer to a probe, in all alternatives."""
        return self._with_alternatives(self._matching(index, answer, self.families))

    def _with_alternatives(self, wrongs: list[Wrong]) -> list[Wrong]:
        """Return changes as they are, then each in every alternative that goes with it."""
        styled: list[Wrong] = [
            (wrong[0], way)
            for wrong in wrongs
            for way in self.alternatives
            if len(wrong) == 1 and fit_together(wrong[0], way)
        ]
        self._generic |= {*wrongs, *styled}
        return wrongs + styled

    @property
    def known_by_result(self) -> Sequence[Wrong]:
        """All of which each result by itself is known."""
        return [wrong for wrong in (*self.singles, *self.families) if len(wrong) == 1]

    @cached_property
    def pairs(self) -> list[Pair]:
        """All pairs of misconceptions that touch different steps, both in the same alternative."""
        general = {misconception.id for misconception in GENERAL} - COMBINING
        alone = [wrong for wrong in self.singles if wrong[0].id not in general]
        return [
            (first[0], second[0], *dict.fromkeys((*first[1:], *second[1:])))
            for first, second in combinations(alone, 2)
            if first[0] is not second[0]  # in two alternatives
            and all(fit_together(*two) for two in combinations(dict.fromkeys((*first, *second)), 2))
        ]

    def outcome(self, index: int, wrong: Changes = ()) -> Outcome:
        """Return what comes of a probe with these changes; with none, the right answer."""
        key = index, wrong
        if key not in self.cache:
            known = fingerprint_in(wrong)
            self.cache[key] = known.outcome(index) if known else self._run(index, wrong)
        return self.cache[key]

    def _run(self, index: int, wrong: Changes) -> Outcome:
        try:
            return self.recipe.comparison.of_replay(self._traced(index, wrong))
        except Exception as error:
            if no_input_causes(error) and wrong not in self._generic:
                self.faults.append(error)
            return Outcome(RAISES)

    def _traced(self, index: int, wrong: Changes) -> Any:
        """Trace a call; generic changes go on from the right call's values."""
        probe, parameters = self._probes[index], set(self.recipe.parameters)
        if wrong in self._generic and not any(parameters & set(w.replaces) for w in wrong):
            if index not in self._rights:
                self._rights[index] = self.recipe.right(probe)
            if hasattr(self._rights[index], "result"):
                return self.recipe.resumed(self._rights[index], wrong)
        return self.recipe.trace(probe, wrong)

    def is_right(self, index: int, answer: Outcome) -> bool:
        """Return whether the answer to a probe is right, in some alternative."""
        return any(
            self.fits(index, answer, way) for way in [(), *((a,) for a in self.alternatives)]
        )

    def fits(self, index: int, answer: Outcome, wrong: Changes) -> bool:
        """Return whether the answer to a probe is what these changes give."""
        return same(answer, self.outcome(index, wrong), self._probes[index].condition)

    def _alike(self, wrong: Changes, other: Changes) -> bool:
        """Return whether two sets of changes are the same function on the first draw."""
        return not self.apart(range(self._size), wrong, other)

    def apart(self, indices: Sequence[int], wrong: Changes, other: Changes, least: int = 1) -> bool:
        """Return whether at least so many probes tell two sets of changes apart in any way."""
        telling = (
            i for i in indices if self._differ(i, wrong, other) or self._differ(i, other, wrong)
        )
        return len(list(islice(telling, least))) == least

    def telling(self, indices: Sequence[int], wrong: Changes, other: Changes = ()) -> int:
        """Return how many probes tell two sets of changes apart by values, not by errors."""
        return sum(self._differ(i, wrong, other) for i in indices)

    def _differ(self, index: int, wrong: Changes, other: Changes) -> bool:
        first, second = self.outcome(index, wrong), self.outcome(index, other)
        if first.raised or first.signature != second.signature:
            return first.signature != second.signature and not first.raised
        if first.allowed is not None and second.allowed is not None:
            apart = np.abs(first.numbers - second.numbers)
            return bool((apart > first.allowed + second.allowed).any())
        return not same(first, second, self._probes[index].condition)

    def misses(self, answers: Sequence[Outcome], indices: Sequence[int]) -> Counts:
        """Return for each single misconception how many of these probes speak against it."""
        counts = np.zeros(len(self.singles), np.int64)
        for index in indices:
            counts += ~self._hits(index, answers[index], self.singles)
        return counts

    def fitting(self, answers: Sequence[Outcome], indices: Sequence[int]) -> list[Wrong]:
        """Return the single misconceptions that none of these probes speaks against."""
        return [self.singles[n] for n in np.flatnonzero(self.misses(answers, indices) == 0)]

    def matching_pairs(self, answers: Sequence[Outcome], indices: Sequence[int]) -> list[Pair]:
        """Return the pairs that no probe speaks against."""
        order = sorted(indices, key=lambda i: (answers[i].raised, self.is_right(i, answers[i]), i))
        if not order:
            return []
        lead, *others = order
        return self.alive(self._likely(lead, answers[lead]), answers, others) or self.alive(
            self._matching(lead, answers[lead], self.pairs), answers, others
        )

    def alive(
        self, pairs: list[Pair], answers: Sequence[Outcome], indices: Sequence[int]
    ) -> list[Pair]:
        """Return those of some pairs that none of these probes speaks against."""
        for index in indices:
            pairs = [pair for pair in pairs if self.fits(index, answers[index], pair)]
        return pairs

    def _likely(self, index: int, answer: Outcome) -> list[Pair]:
        """Return the pairs that are likely to fit a probe, without a replay of each.

        Where one of two alone changes nothing in the probe, the other alone should fit it. Only
        pairs of which each alone changes something are replayed.
        """
        quiet = {wrong[0] for wrong in self.singles if self.fits(index, self.outcome(index), wrong)}
        fitting = {wrong[0] for wrong in self._matching(index, answer, self.singles)}
        if index not in self._heard:
            self._heard[index] = [
                pair for pair in self.pairs if pair[0] not in quiet and pair[1] not in quiet
            ]
        return self._matching(index, answer, self._heard[index]) + [
            pair
            for pair in self.pairs
            if (pair[0] in quiet and pair[1] in fitting)
            or (pair[1] in quiet and pair[0] in fitting)
        ]

    def _matching(
        self, index: int, answer: Outcome, candidates: list[Candidate]
    ) -> list[Candidate]:
        return [candidates[n] for n in np.flatnonzero(self._hits(index, answer, candidates))]

    def _hits(self, index: int, answer: Outcome, candidates: Sequence[Changes]) -> Bools:
        key = index, id(candidates)
        if key not in self._columns:
            outcomes = [self.outcome(index, wrong) for wrong in candidates]
            self._columns[key] = _Column(outcomes, self._probes[index].condition)
        return self._columns[key].hits(answer)


def both(pair: Pair) -> tuple[Misconception, Misconception]:
    """Return the two mistakes of a pair, without the alternatives in which they are seen."""
    return pair[0], pair[1]


class _Column:
    """The outcomes of many candidates on one probe, to be compared with an answer all at once."""

    def __init__(self, outcomes: Sequence[Outcome], condition: float) -> None:
        self.size = len(outcomes)
        self.condition = condition
        groups: dict[str, list[int]] = {}
        for number, outcome in enumerate(outcomes):
            groups.setdefault(outcome.signature, []).append(number)
        self.groups = {
            signature: (
                np.array(numbers),
                np.stack([outcomes[number].numbers for number in numbers]),
                _stacked([outcomes[number].allowed for number in numbers]),
            )
            for signature, numbers in groups.items()
        }

    def hits(self, answer: Outcome) -> Bools:
        """Return which candidates give this answer."""
        found = np.zeros(self.size, bool)
        if answer.signature in self.groups:
            numbers, values, allowed = self.groups[answer.signature]
            if allowed is None:
                close = agree(answer.numbers, values, answer.precision, self.condition)
            else:
                close = np.abs(answer.numbers - values) <= allowed
            found[numbers] = close.all(axis=-1)
        return found


def _stacked(allowed: Sequence[Vector | None]) -> Vector | None:
    given = [numbers for numbers in allowed if numbers is not None]
    return np.stack(given) if given else None
