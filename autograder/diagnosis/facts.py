"""True statements about wrong answers that no misconception explains.

Each statement is true of every observed call. This includes the calls that the search for a
misconception did not use.
"""

import contextlib
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from autograder.diagnosis.examination import ENOUGH, Answer, Observations
from autograder.diagnosis.finding import Finding, located, named_fact, sentence, stated
from autograder.diagnosis.outcome import only_nan
from autograder.diagnosis.recipe import Fact, Probe, Recipe, Trait
from autograder.diagnosis.relations import named_value, relation
from autograder.report.model import Statement

MOST = 3  # statements per finding
CHANCE = 0.05  # largest allowed probability that the wrong calls share a property by chance


def locate(seen: Observations) -> Finding | None:
    """Return a finding with the most informative statements that are true of all wrong answers."""
    if seen.of_other_kind:
        divided = division(seen)
        return located("statements", divided) if divided else None
    statements = true_statements(seen)
    if not statements:
        stop = seen.first_error
        return stopping(stop) if stop is not None else None
    if statements[0].code == "measure":
        return named_fact("measure", statements[0])
    stops = seen.first_error is not None
    by_name = next((fact for fact in _facts(seen) if fact.is_named and not stops), None)
    if by_name is not None:
        return named_fact("fact", _fact(by_name))
    return located("statements", *statements[:MOST], stops=stops)


def stopping(answer: Answer) -> Finding:
    """Return the finding that a function stops with an error."""
    return located("error", stated("error", error=answer.error, line=str(answer.line)))


def true_statements(seen: Observations) -> list[Statement]:
    """Return all true statements about the wrong answers, in the order of the report."""
    measure, divided = measured(seen), division(seen)
    stop = seen.first_error if seen.values and divided is None else None
    candidates = [
        measure,
        divided,
        stated("only_nan") if only_nan([case.answer.outcome for case in seen.cases]) else None,
        stated("some_stop", error=stop.error) if stop is not None else None,
        *(() if measure else map(_fact, _facts(seen))),
    ]
    if seen.recipe.comparison.is_exact:
        candidates += [_right_result(seen), relation(seen), _other_shape(seen)]
    found: dict[str, Statement] = {}
    for statement in candidates:
        if statement is not None:
            found.setdefault(sentence(statement), statement)
    return list(found.values())


def measured(seen: Observations) -> Statement | None:
    """Return a fact whose value is the same in every wrong answer, or None."""
    if len(seen.values) < ENOUGH or seen.of_other_kind:
        return None
    for fact in seen.recipe.facts:
        value = named_value(fact, seen) if fact.has_value else ""
        if value:
            return stated("measure", id=fact.id, value=value, says=fact.says.format(value))
    return None


def _fact(fact: Fact) -> Statement:
    return stated("fact", id=fact.id, says=fact.says)


def _facts(seen: Observations) -> list[Fact]:
    """Return at most two facts that are true of every wrong answer, the most informative first."""
    if len(seen.values) < ENOUGH:
        return []
    holding = []
    for fact in seen.recipe.facts:
        with contextlib.suppress(Exception), np.errstate(all="ignore"):  # skip facts that raise
            if not fact.has_value and all(fact.holds(c.state, c.value) for c in seen.values):
                holding.append(fact)
    return holding[:2]


def _right_result(seen: Observations) -> Statement | None:
    """Return a statement that one result is always right, or None if there is no such result."""
    names, wrong = seen.recipe.results, seen.wrong_parts
    good = [name for place, name in enumerate(names) if place not in wrong]
    bad = [name for place, name in enumerate(names) if place in wrong]
    if not good or not bad or len(seen.values) != len(seen.wrong):
        return None
    return stated("right_result", right=good[0], wrong=bad[0])


def _other_shape(seen: Observations) -> Statement | None:
    """Return a statement that every wrong answer has a wrong shape, or None if this is false.

    The statement contains the number of extra or missing axes if all wrong answers agree on it. It
    contains no sizes, because sizes differ from call to call.
    """
    shapes = [
        (case.answer.outcome.parts[0].shape, case.expected.parts[0].shape)
        for case in seen.values
        if case.answer.is_array
        and len(case.answer.outcome.parts) == len(case.expected.parts) == 1
        and len(seen.recipe.results) < ENOUGH
    ]
    is_everywhere = ENOUGH <= len(shapes) == len(seen.values)
    if not is_everywhere or any(answer == right for answer, right in shapes):
        return None
    if not any(answer for answer, _ in shapes):
        return stated("number_for_array")
    missing = {len(right) - len(answer) for answer, right in shapes}
    axes = missing.pop() if len(missing) == 1 else 0
    if not axes:
        return stated("other_shape")
    return stated(
        "axes_missing" if axes > 0 else "axes_added",
        axes="one axis" if abs(axes) == 1 else f"{abs(axes)} axes",
    )


class Side(NamedTuple):
    """One side of a property: either the calls with the property, or the calls without it.

    `words` describes these calls, and `otherwise` describes all other calls. `is_safe` is false if
    calls on this side may be wrong for another reason than the property.
    """

    trait: Trait
    calls: frozenset[int]
    words: str
    otherwise: str
    is_safe: bool


def sides_of_traits(recipe: Recipe, states: Sequence[Any]) -> list[Side]:
    """Return both sides of each property that the recipe defines."""
    sides = []
    for trait in recipe.traits:
        held = frozenset(number for number, state in enumerate(states) if trait.of(state))
        others = frozenset(range(len(states))) - held
        sides.append(Side(trait, held, trait.when, trait.otherwise, is_safe=True))
        sides.append(Side(trait, others, trait.otherwise, trait.when, trait.both_ways))
    return sides


def kinds_of_calls(recipe: Recipe, probes: Sequence[Probe]) -> list[tuple[list[int], str]]:
    """Return groups of calls, each with a phrase that describes it. The largest group comes first.

    The calls of a group all have, or all lack, one or two properties. An example of a phrase:
    `without a mask and for a single head`.
    """
    states = [recipe.right(probe) for probe in probes]
    sides = [(side.calls, side.words) for side in sides_of_traits(recipe, states)]
    both = [(one & two, f"{a} and {b}") for (one, a), (two, b) in combinations(sides, 2)]
    kinds = [(sorted(calls), words) for calls, words in (*sides, *both)]
    return sorted((kind for kind in kinds if len(kind[0]) < len(probes)), key=lambda k: -len(k[0]))


def division(seen: Observations) -> Statement | None:
    """Return a statement about a property that distinguishes wrong calls from right ones."""
    failed = frozenset(number for number, case in enumerate(seen.cases) if not case.right)
    if min(len(failed), len(seen.cases) - len(failed)) < ENOUGH:
        return None
    sides = sides_of_traits(seen.recipe, [case.state for case in seen.cases])
    safe = [side for side in sides if side.is_safe]
    equal = [side for side in safe if side.calls == failed]
    if equal:  # if two properties fit, the cause is unknown
        return _one_property(seen, equal[0], failed) if len(equal) == 1 else None
    for one, other in combinations(safe, 2):
        if one.calls & other.calls == failed:
            return stated("wrong_with_both", wrong=one.words, also=other.words)
    for side in sides:
        if side.trait.both_ways and failed < side.calls:
            share = _kinds(seen, side.calls) / seen.kinds
            if share ** _kinds(seen, failed) < CHANCE:
                return stated("wrong_only", wrong=side.words)
    return None


def _one_property(seen: Observations, side: Side, failed: frozenset[int]) -> Statement:
    errors = [seen.cases[number].answer.error for number in sorted(failed)]
    if all(errors):
        found = {"right": side.otherwise, "wrong": side.words, "error": errors[0]}
        return stated("right_and_error", **found)
    return stated("right_and_wrong", right=side.otherwise, wrong=side.words)


def _kinds(seen: Observations, calls: frozenset[int]) -> int:
    return len({number % seen.kinds for number in calls})
