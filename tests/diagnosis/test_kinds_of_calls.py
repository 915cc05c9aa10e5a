"""Statements about some of the calls, and names beside errors."""

import numpy as np
import pytest

from autograder.author import Fact, Family, Probe, Recipe, Trait
from autograder.diagnosis.examination import Answer, Examination, observe
from autograder.diagnosis.facts import division
from autograder.diagnosis.finding import sentence, with_error
from autograder.diagnosis.outcome import RAISES, Outcome, outcome_of
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose

TOTAL = Recipe(
    "total",
    lambda rng: [
        (rng.normal(size=size), sign)
        for size in ((1,), (4,), (5,), (6,), (7,), (2, 3), (3, 3))
        for sign in (1, -1)
    ],
    (Family("total", ("?",), {"mean": ("The mean.", lambda s: s.sign * s.x.mean())}),),
    steps={"total": lambda s: s.sign * s.x.sum()},
    parameters=("x", "sign"),
    traits=(
        Trait(lambda s: s.x.ndim > 1, "for a matrix", "for one row"),
        Trait(lambda s: s.sign < 0, "with a minus", "without one"),
    ),
)


def examined(function, recipe=TOTAL):
    def ask(probe):
        try:
            return Answer(outcome_of(function(*probe.args)))
        except ValueError:
            return Answer(Outcome(RAISES), f"{recipe.function} stopped with ValueError.")

    return diagnose(Examination(Replay(recipe), ask))


def said(function, recipe=TOTAL):
    found = examined(function, recipe)
    return found.kind, found.misconceptions, found.says


def test_the_name_of_all_wrong_results_is_told_beside_errors():
    def half_written(x, sign):
        if x.ndim > 1:
            raise ValueError
        return x.mean() * sign if len(x) > 4 else x.sum() * sign

    says = "In the calls that give a wrong result: the mean. Some other calls stop with an error."
    assert said(half_written) == ("named", ("mean",), says)


def test_a_name_that_gives_only_some_of_the_wrong_results_is_not_said():
    """The condition ("For one row: …") had nothing to do with the mistake in 12 of 12 reports."""

    def two_ways(x, sign):
        return sign * (x.max() + 1 if x.ndim > 1 else x.mean())

    assert examined(two_ways) is None


@pytest.mark.parametrize(("condition", "is_named"), [(20.0, True), (1e5, False)])
def test_no_name_is_said_of_large_numbers_only(condition, is_named):
    """It was "For large scores: one softmax runs over the whole array.", of a maximum."""
    large = Recipe(
        "total",
        lambda rng: [
            Probe((rng.normal(size=4) + shift, 1), condition=condition if shift else 20.0)
            for shift in (0, 0, 0, 0, 1000, 1000)
        ],
        TOTAL.families,
        steps=TOTAL.steps,
        parameters=("x", "sign"),
        traits=(Trait(lambda s: s.x.max() > 100, "for large x", "for small x"),),
    )
    found = examined(lambda x, sign: x.mean() if x.max() > 100 else x.sum(), large)
    assert (found is not None and found.kind == "named") is is_named


def divided(kinds, with_trait, wrong, *more):
    """What is stated of so many kinds of calls, of which these have a property, these go wrong."""
    recipe = Recipe(
        "f",
        lambda _: [Probe((number,)) for number in range(kinds)],
        parameters=("number",),
        steps={"result": lambda s: s.number},
        traits=(Trait(lambda s: s.number in with_trait, "in the rain", "in the sun"), *more),
    )
    answers = [Answer(outcome_of(-1 if number in wrong else number)) for number in range(kinds)]
    found = division(observe(Replay(recipe), answers))
    return found and sentence(found)


def test_a_property_that_wrong_calls_share_by_chance_is_not_stated():
    """Of six kinds of calls four have it: that two wrong ones are among them is likely."""
    assert divided(6, {0, 1, 2, 3}, {1, 2}) is None


def test_a_property_that_wrong_calls_hardly_share_by_chance_is_stated():
    said = "In the rain, your code is wrong for some tested inputs."
    assert divided(16, {0, 1, 2}, {1, 2}) == said


def test_what_is_wrong_comes_before_what_is_right():
    assert divided(8, {0, 1, 2}, {0, 1, 2}) == (
        "The grader also tried 8 other inputs. In the rain, your code is wrong each time. "
        "In the sun, it is right each time."
    )
    dark = Trait(lambda s: s.number in {1, 2, 6, 7}, "in the dark", "in the light")
    assert divided(8, {0, 1, 2}, {1, 2}, dark) is None  # two properties may meet by chance


SCALED = Recipe(
    "scaled",
    lambda rng: [(rng.normal(size=size),) for size in ((2,), (4,), (5,), (2, 3), (3, 4), (4, 2))],
    steps={"scaled": lambda s: 2 * s.x},
    parameters=("x",),
    facts=(Fact("negative", lambda s, v: bool((v < 0).all()), "All results are negative."),),
)


@pytest.mark.parametrize("change", [lambda x: x.sum(-1) ** 2, lambda x: x[None], np.sum])
def test_a_wrong_shape_is_left_to_the_check(change):
    """It was "The shape of the result is wrong.", above a check that shows both shapes."""
    assert examined(lambda x: change(np.cos(x)), SCALED) is None


def test_beside_an_error_a_fact_is_told_of_the_results_alone():
    """Two causes seemed to be one: "scaled stopped with … All results are negative."."""

    def wrong_or_no_result(x):
        if len(x) == 4:
            raise ValueError
        return -np.exp(x)

    finding = examined(wrong_or_no_result, SCALED)
    assert finding.says == (
        "All results are negative. In other calls, scaled stopped with ValueError."
    )
    assert with_error(finding, "scaled stopped with ValueError in line 4.").says == (
        "scaled stopped with ValueError in line 4. Some other calls return a wrong result. "
        "In calls that return a wrong result: all results are negative."
    )
