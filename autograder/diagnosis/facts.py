"""Where no misconception matches: what is true of the answers, and where they are wrong.

Each detector is a rule with its own refutation: it speaks only of what holds of every call that
was made, and it is asked again after calls that no search for names has seen.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from autograder.course.text import are, capital
from autograder.diagnosis.finding import Finding
from autograder.diagnosis.observations import ENOUGH, Answer, Observations, ObservedCall, division
from autograder.diagnosis.outcome import Outcome
from autograder.diagnosis.recipe import Fact
from autograder.diagnosis.relations import RELATIONS, measured
from autograder.diagnosis.replay import Replay
from autograder.report.numbers import shape

MOST = 3  # sentences
HARD_CODED = "hard-coded"
Detector = Callable[[Observations], Iterator[str]]


def stopped_everywhere(answers: Sequence[Answer]) -> Finding | None:
    """The function stops with an error at every call."""
    said = next((answer.error for answer in answers if answer.error), "")
    return Finding(kind="error", says=said) if said else None


def only_nan(outcomes: Sequence[Outcome]) -> bool:
    """Whether no answer holds a number that could tell one mistake from another."""
    return all(
        not outcome.raised and len(outcome.numbers) > 0 and bool(np.isnan(outcome.numbers).all())
        for outcome in outcomes
    )


def always_the_same(replay: Replay, outcomes: Sequence[Outcome]) -> Finding | None:
    """The result does not depend on the arguments."""
    first = outcomes[0]
    expected = [replay.outcome(i) for i in range(len(outcomes))]
    if first.raised or first.signature == "None":
        return None
    if len({(each.signature, each.numbers.tobytes()) for each in expected}) <= ENOUGH:
        return None
    if not all(
        other.signature == first.signature
        and np.array_equal(other.numbers, first.numbers, equal_nan=True)
        for other in outcomes
    ):
        return None
    return Finding(
        kind="located",
        misconceptions=(HARD_CODED,),
        says="The result is the same whatever the function is given: it does not depend on its "
        "arguments.",
    )


def locate(seen: Observations) -> Finding | None:
    """The most telling statements that are true of every wrong answer."""
    said = sentences(seen)
    if seen.of_other_kind:
        said = [text for text in said if text == division(seen)]
        return Finding("located", said[0]) if said else None
    if not said:
        return Finding(kind="error", says=seen.stops) if seen.stops else None
    of_value = named_measure(seen)
    if of_value is not None:
        return of_value
    name = next((fact for fact in _facts(seen) if fact.is_named), None)
    if name is not None:
        return Finding("named", name.says, (name.id,))
    return Finding(kind="located", says=" ".join(said[:MOST]))


def named_measure(seen: Observations) -> Finding | None:
    """The fact with a value that is the same in every wrong answer, by its name."""
    of_value = measured(seen)
    return None if of_value is None else Finding("named", of_value[1], (of_value[0].id,))


def sentences(seen: Observations) -> list[str]:
    """All that the detectors say, the most telling first."""
    return list(dict.fromkeys(text for each in DETECTORS for text in each(seen) if text))


def _measure(seen: Observations) -> Iterator[str]:
    of_value = measured(seen)
    if of_value is not None:
        yield of_value[1]


def _division(seen: Observations) -> Iterator[str]:
    yield division(seen)


def _only_nan(seen: Observations) -> Iterator[str]:
    if seen.cases and only_nan([case.answer.outcome for case in seen.cases]):
        yield "Every number in the results is NaN (not a number), in every call."


def _some_stop(seen: Observations) -> Iterator[str]:
    if seen.stops and seen.values and not division(seen):
        yield f"Some calls stop with an error: {seen.stops}"


def _said_facts(seen: Observations) -> Iterator[str]:
    if measured(seen) is None:
        yield from (fact.says for fact in _facts(seen))


def _facts(seen: Observations) -> list[Fact]:
    """The two most telling facts that hold of every wrong answer."""
    if len(seen.values) < ENOUGH:
        return []
    plain = [fact for fact in seen.recipe.facts if not fact.has_value]
    return [fact for fact in plain if all(_holds(fact, case) for case in seen.values)][:2]


def _holds(fact: Fact, case: ObservedCall) -> bool:
    """Whether a fact holds of an answer; one that it cannot be tested on, it does not hold of."""
    try:
        with np.errstate(all="ignore"):
            return bool(fact.holds(case.state, case.value))
    except Exception:
        return False


def _results(seen: Observations) -> Iterator[str]:
    """Which of several results is right: in every call, so none may have ended with an error."""
    names, wrong = seen.recipe.results, seen.wrong_parts
    good = [name for place, name in enumerate(names) if place not in wrong]
    bad = [name for place, name in enumerate(names) if place in wrong]
    if good and bad and len(seen.values) == len(seen.wrong):
        yield f"{capital(good[0])} {are(good[0])} right; {bad[0]} {are(bad[0])} not."


def _other_shape(seen: Observations) -> Iterator[str]:
    """The shape, where it is wrong in every wrong answer, and the answer an array."""
    shapes = [
        (case.answer.outcome.parts[0].shape, case.expected.parts[0].shape)
        for case in seen.values
        if case.answer.is_array
        and len(case.answer.outcome.parts) == len(case.expected.parts) == 1
        and len(seen.recipe.results) < ENOUGH
    ]
    if ENOUGH <= len(shapes) == len(seen.values) and all(mine != right for mine, right in shapes):
        mine, right = shapes[0]
        yield f"The shape is not the one asked for: {shape(mine)} in place of {shape(right)}."


def _if_exact(detector: Detector) -> Detector:
    """A rule for functions without chance."""

    def of(seen: Observations) -> Iterator[str]:
        if seen.recipe.comparison.is_exact:
            yield from detector(seen)

    return of


# The order is that in which a report says them.
DETECTORS: tuple[Detector, ...] = (
    _measure,
    _division,
    _only_nan,
    _some_stop,
    _said_facts,
    *(_if_exact(detector) for detector in (_results, *RELATIONS[:1], _other_shape, *RELATIONS[1:])),
)
