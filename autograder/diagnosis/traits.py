"""`It is right without a mask, and wrong with one`: what divides right calls from wrong ones."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from autograder.diagnosis.recipe import Probe, Recipe
from autograder.diagnosis.seen import ENOUGH, Observed, SeenCall

CHANCE = 0.05  # that calls which go wrong for another reason all have some property
Divided = tuple[frozenset[int], str, str]


def division(seen: Observed) -> str:
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


def _chance(seen: Observed, failed: frozenset[int], inside: frozenset[int]) -> float:
    """How likely so many kinds of calls would all be among those that have a property."""
    kinds = len(seen.kinds(range(len(seen.cases))))
    share = len(seen.kinds(inside)) / kinds
    return float(share ** len(seen.kinds(failed)))


def _kinds(recipe: Recipe, cases: Sequence[SeenCall], both_ways: bool = False) -> Iterator[Divided]:
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


def _said(failed: Sequence[SeenCall], when: str, otherwise: str) -> str:
    if not all(case.answer.error for case in failed):
        return f"It is right {otherwise}, and wrong {when}."
    return f"It is right {otherwise}, and stops with an error {when}: {failed[0].answer.error}"
