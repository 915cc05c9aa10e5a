"""Replay: misconceptions are run on the inputs that the student's code got."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, islice, pairwise, product
from typing import TypeVar

import numpy as np

from autograder.diagnosis.general import GENERAL, NOT_COMBINED, ORDER, families, generals
from autograder.diagnosis.outcome import RAISES, Outcome, alike, all_agree, only_nan, same
from autograder.diagnosis.recipe import (
    Alternative,
    Change,
    Fingerprint,
    Misconception,
    Probe,
    Recipe,
    fit_together,
    no_input_causes,
)
from autograder.diagnosis.wiring import generic

LEAST_OF_A_RESULT = 2  # each of two wrong results must be wrong in at least this many calls
Outcomes = Sequence[Outcome]
Changes = tuple[Change, ...]
Wrong = tuple[Misconception, *Changes]  # a mistake, and an alternative that is combined with it
Pair = tuple[Misconception, Misconception, *Changes]
Candidate = TypeVar("Candidate", bound=Changes)


class Replay:
    """Results of a recipe's misconceptions, single and in pairs, for the recipe's probes.

    Attributes:
        faults: the exceptions that are authoring errors.
        built_in: changes in all steps, even in the correct ones.
        cache: the known outcomes. A key is a pair: the index of a probe, and the changes.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.faults: list[Exception] = []
        self.cache: dict[tuple[int, Changes], Outcome] = {}
        self.built_in: Changes = ()
        self.alternatives = [Alternative(steps) for steps in recipe.alternatives]
        self.right_ways: list[Changes] = [(), *((way,) for way in self.alternatives)]
        self._probes: list[Probe] = []
        self._drawn = 0

    def with_built_in(self, first: Wrong) -> "Replay":
        """Return a replay in which this mistake is everywhere, for the draws so far."""
        replay = Replay(self.recipe)
        replay.built_in, replay.cache = first, self.cache
        replay._probes, replay._drawn = [*self._probes], self._drawn
        replay.alternatives = [way for way in self.alternatives if _fit(first, (way,))]
        replay.right_ways = [(), *((way,) for way in replay.alternatives)]
        replay.singles = [wrong for wrong in self.singles if _fit(first, wrong)]
        replay.families = [wrong for wrong in self.families if _fit(first, wrong)]
        return replay

    def probes(self, draws: int = 1) -> Sequence[Probe]:
        """Return the calls of the first `draws` draws. Each draw has one call of each kind."""
        while self._drawn < draws:
            self._probes += self.recipe.calls(self._drawn)
            self._drawn += 1
        return self._probes[: draws * len(self._probes) // self._drawn]

    def condition(self, index: int) -> float:
        """Return the factor by which rounding errors grow in a probe."""
        return self._probes[index].condition

    @cached_property
    def singles(self) -> list[Wrong]:
        """The course's misconceptions, then general misconceptions with other results.

        Each is also combined with each alternative that changes its results.
        """
        first_draw = range(len(self.probes()))
        found: list[Wrong] = []
        for misconception in self.recipe.misconceptions:
            ways: list[Wrong] = [(misconception,)]
            for way in self.in_alternatives(ways):
                if all(self.apart(first_draw, way, other) for other in ways):
                    ways.append(way)
            found += ways
        for general in generals(self.recipe):
            if self.telling(first_draw, (general,)) and all(
                self.apart(first_draw, (general,), other) for other in [(), *found]
            ):
                found.append((general,))
        return found

    @cached_property
    def families(self) -> list[Wrong]:
        """Generic changes of arguments, results and steps; see `general.families`.

        Besides each change alone, it is tried with each alternative of a neighbouring step.
        """
        plain: list[Wrong] = [(change,) for change in families(self.recipe)]
        neighbours = list(pairwise(self.recipe.steps))
        return plain + [
            wrong
            for wrong in self.in_alternatives(plain)
            if any(a in wrong[-1].replaces and b in wrong[0].replaces for a, b in neighbours)
        ]

    def in_alternatives(self, wrongs: Sequence[Wrong]) -> list[Wrong]:
        return [
            (wrong[0], way)
            for wrong in wrongs
            for way in self.alternatives
            if len(wrong) == 1 and fit_together(wrong[0], way)
        ]

    @property
    def combined(self) -> list[Wrong]:
        return [wrong for wrong in self.singles if wrong[0].id not in NOT_COMBINED]

    @cached_property
    def pairs(self) -> list[Pair]:
        """All pairs of misconceptions in different steps, also combined with alternatives."""
        found: Iterator[Pair] = (
            (first[0], second[0], *dict.fromkeys((*first[1:], *second[1:])))
            for first, second in combinations(self.combined, 2)
        )
        # two mistakes that both come with an alternative are found several times
        return [
            pair
            for pair in dict.fromkeys(found)
            if all(fit_together(*two) for two in combinations(pair, 2))
        ]

    def outcome(self, index: int, wrong: Changes = ()) -> Outcome:
        """Return a probe's outcome with these changes: the correct outcome without changes."""
        key = index, (*self.built_in, *wrong)
        if key not in self.cache:
            self.cache[key] = self._run(*key)
        return self.cache[key]

    def gives_only_nan(self, wrong: Misconception) -> bool:
        return only_nan([self.outcome(i, (wrong,)) for i in range(len(self.probes(1)))])

    def _run(self, index: int, wrong: Changes) -> Outcome:
        if wrong and isinstance(wrong[0], Fingerprint):
            return wrong[0].outcome(index)
        try:
            return self.recipe.comparison.of_replay(self.recipe.trace(self._probes[index], wrong))
        except Exception as error:
            authored = {*self.recipe.misconceptions, *GENERAL, *self.alternatives}
            if no_input_causes(error) and authored.issuperset(wrong):
                self.faults.append(error)
            return Outcome(RAISES)

    def is_right(self, index: int, answer: Outcome) -> bool:
        """Return True if correct code, with or without an alternative, gives this result."""
        return any(self.fits(index, answer, way) for way in self.right_ways)

    def fits(self, index: int, answer: Outcome, wrong: Changes) -> bool:
        return same(answer, self.outcome(index, wrong), self._probes[index].condition)

    def results_off(self, index: int, answer: Outcome, wrong: Changes) -> list[int]:
        """Return the positions of returned values that these changes do not give."""
        count = len(self.recipe.results)
        given, made = (each.in_parts(count) for each in (answer, self.outcome(index, wrong)))
        split = len(given.parts) == len(made.parts) == count
        return [n for n in range(count) if not (split and _alike(self, index, given, made, n))]

    def equal_results(self, index: int, one: Outcome, other: Outcome) -> list[bool]:
        """Return True for each returned value that is equal in two outcomes of one call."""
        parts = self.outcome(index).in_parts(len(self.recipe.results)).parts
        ends = np.cumsum([part.size for part in parts])[:-1]
        equal = np.split(alike(one, other, self.condition(index)), ends)
        return [bool(numbers.all()) for numbers in equal]

    def shows_alone(self, index: int, answer: Outcome, wrong: Changes) -> bool:
        """Return True if a result has the structure or a value that only these changes give."""
        made, right = self.outcome(index, wrong), self.outcome(index)
        if answer.raised or answer.signature == made.signature != right.signature:
            return not answer.raised
        if not len(answer.numbers) == len(made.numbers) == len(right.numbers):
            return False
        equal = (self.equal_results(index, answer, outcome) for outcome in (made, right))
        return any(its and not true for its, true in zip(*equal, strict=True))

    def giving(
        self, candidates: Sequence[Candidate], answers: Sequence[Outcome], calls: Sequence[int]
    ) -> list[Candidate]:
        fitting = list(candidates)
        for index in calls:
            fitting = [wrong for wrong in fitting if self.fits(index, answers[index], wrong)]
        return fitting

    def apart(self, indices: Sequence[int], wrong: Changes, other: Changes, least: int = 1) -> bool:
        """Return True if at least `least` probes distinguish two sets of changes."""
        telling = (
            i for i in indices if self._differ(i, wrong, other) or self._differ(i, other, wrong)
        )
        return len(list(islice(telling, least))) == least

    def telling(self, indices: Sequence[int], wrong: Changes) -> int:
        """Return the number of probes for which the changes give a wrong value, but no error."""
        return sum(all(self._differ(i, wrong, way) for way in self.right_ways) for i in indices)

    def _differ(self, index: int, wrong: Changes, other: Changes) -> bool:
        first, second = self.outcome(index, wrong), self.outcome(index, other)
        if first.raised or first.signature != second.signature:
            return not first.raised
        if first.allowed is not None and second.allowed is not None:
            apart = np.abs(first.numbers - second.numbers)
            return bool((apart > first.allowed + second.allowed).any())
        return not same(first, second, self._probes[index].condition)


def _fit(first: Changes, second: Changes) -> bool:
    return all(one is other or fit_together(one, other) for one, other in product(first, second))


def reasons_of_results(replay: Replay, answers: Outcomes) -> list[Misconception | None]:
    """Return a misconception, or None, for each of several returned values that is wrong."""
    count, everywhere = len(replay.recipe.results), range(len(answers))
    given = [answer.in_parts(count) for answer in answers]
    right = [replay.outcome(n).in_parts(count) for n in everywhere]
    if count < 2 or any(len(outcome.parts) != count for outcome in (*given, *right)):
        return []
    reasons: list[Misconception | None] = []
    for place in range(count):
        wrong = [n for n in everywhere if not _alike(replay, n, given[n], right[n], place)]
        others = (
            other
            for other in range(count)
            if other != place and _are_exchanged(replay, given, right, wrong, place, other)
        )
        if len(wrong) < LEAST_OF_A_RESULT:
            reasons += [None] if wrong else []
        elif (other := next(others, None)) is not None:
            names = " and ".join(replay.recipe.results[n] for n in sorted((place, other)))
            reasons.append(generic(names, f"results {names} are exchanged", ORDER, names, {}))
        else:
            reasons.append(_reason(replay, given, place, wrong))
    return reasons


def _are_exchanged(
    replay: Replay, given: Outcomes, right: Outcomes, calls: Sequence[int], one: int, other: int
) -> bool:
    """Return True if two values have each other's place."""
    for n in calls:
        parts = list(given[n].parts)
        parts[one], parts[other] = parts[other], parts[one]
        swapped = replace(given[n], parts=tuple(parts))
        if not all(_alike(replay, n, swapped, right[n], place) for place in (one, other)):
            return False
    return True


def _reason(
    replay: Replay, answers: Outcomes, place: int, wrong: Sequence[int]
) -> Misconception | None:
    found = [each for each in (*replay.singles, *replay.families) if len(each) == 1]
    for n in sorted(range(len(answers)), key=lambda n: n not in wrong):
        found = [each for each in found if _gives_result(replay, n, answers[n], each, place)]
    return found[0][0] if found else None


def _gives_result(replay: Replay, number: int, answer: Outcome, wrong: Wrong, place: int) -> bool:
    count = len(answer.parts)
    made, right = (replay.outcome(number, changes).in_parts(count) for changes in (wrong, ()))
    return len(made.parts) == count and all(
        _alike(replay, number, answer if other == place else right, made, other)
        for other in range(count)
    )


def _alike(replay: Replay, number: int, one: Outcome, other: Outcome, place: int) -> bool:
    first, second = (np.asarray(outcome.parts[place], float) for outcome in (one, other))
    return first.shape == second.shape and all_agree(
        first, second, one.precision, replay.condition(number)
    )
