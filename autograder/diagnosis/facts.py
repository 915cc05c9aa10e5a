"""Statements that are true of the answers, where no misconception gives them.

Each statement holds of every call that was made, also of calls that no search for names has seen.
"""

from collections.abc import Sequence

import numpy as np

from autograder.diagnosis.finding import Finding, located, named_fact, sentence, stated
from autograder.diagnosis.observations import ENOUGH, Observations, ObservedCall, division
from autograder.diagnosis.outcome import Outcome
from autograder.diagnosis.recipe import Fact
from autograder.diagnosis.relations import named_value, relation, wrong_region
from autograder.report.model import Statement
from autograder.report.numbers import shape

MOST = 3  # statements of a finding


def only_nan(outcomes: Sequence[Outcome]) -> bool:
    """Return whether no answer holds a number that could tell one mistake from another."""
    return all(
        not outcome.raised and len(outcome.numbers) > 0 and bool(np.isnan(outcome.numbers).all())
        for outcome in outcomes
    )


def locate(seen: Observations) -> Finding | None:
    """Return the most telling statements that are true of every wrong answer."""
    if seen.of_other_kind:
        divided = division(seen)
        return located("statements", divided) if divided else None
    statements = true_statements(seen)
    if not statements:
        return (
            located("error", stated("error", error=seen.stops, line=seen.stop_line))
            if seen.stops
            else None
        )
    measure = measured(seen)
    if measure is not None:
        return named_fact("measure", measure)
    by_name = next((fact for fact in _facts(seen) if fact.is_named), None)
    if by_name is not None:
        return named_fact("fact", _fact(by_name))
    return located("statements", *statements[:MOST])


def true_statements(seen: Observations) -> list[Statement]:
    """Return all that is true of the wrong answers, in the order in which a report states it."""
    measure, divided = measured(seen), division(seen)
    stops = seen.stops if seen.values and divided is None else ""
    candidates = [
        measure,
        divided,
        stated("only_nan") if only_nan([case.answer.outcome for case in seen.cases]) else None,
        stated("some_stop", error=stops) if stops else None,
        *(() if measure else map(_fact, _facts(seen))),
    ]
    if seen.recipe.comparison.is_exact:
        candidates += [_right_result(seen), relation(seen), _other_shape(seen), wrong_region(seen)]
    found: dict[str, Statement] = {}
    for statement in candidates:
        if statement is not None:
            found.setdefault(sentence(statement), statement)
    return list(found.values())


def measured(seen: Observations) -> Statement | None:
    """Return a fact with a value that is the same in every wrong answer."""
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
    """Return the two most telling facts that hold of every wrong answer."""
    if len(seen.values) < ENOUGH:
        return []
    plain = [fact for fact in seen.recipe.facts if not fact.has_value]
    return [fact for fact in plain if all(_holds(fact, case) for case in seen.values)][:2]


def _holds(fact: Fact, case: ObservedCall) -> bool:
    """Return whether a fact holds of an answer; False where it cannot be tested."""
    try:
        with np.errstate(all="ignore"):
            return bool(fact.holds(case.state, case.value))
    except Exception:
        return False


def _right_result(seen: Observations) -> Statement | None:
    """Return which of several results is right: in every call, so none may have raised an error."""
    names, wrong = seen.recipe.results, seen.wrong_parts
    good = [name for place, name in enumerate(names) if place not in wrong]
    bad = [name for place, name in enumerate(names) if place in wrong]
    if not good or not bad or len(seen.values) != len(seen.wrong):
        return None
    return stated("right_result", right=good[0], wrong=bad[0])


def _other_shape(seen: Observations) -> Statement | None:
    """Return the shape, where it is wrong in every wrong answer, and the answer an array."""
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
    answer, right = shapes[0]
    return stated("other_shape", shape=shape(answer), expected=shape(right))
