"""Steps put together wrongly are told in the recipe's own words, and what is not so is not said."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.author import Family, Misconception, Probe, Recipe
from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.outcome import outcome_of
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.diagnosis.wiring import wirings


def probes(draw):
    rng = np.random.default_rng(draw)

    def case(rows, columns):
        return Probe((rng.normal(size=(rows, columns)), rng.normal(size=(rows, columns))))

    return [case(2, 3), case(3, 3), case(4, 2), case(3, 5), case(1, 4)]


RECIPE = Recipe(
    "mixed",
    probes,
    steps={
        "sums": lambda s: s.x + 2 * s.y,
        "powers": lambda s: np.exp(s.sums),
        "mixture": lambda s: s.powers * s.y,
        "means": lambda s: s.mixture.mean(-1, keepdims=True) + 0 * s.mixture,
    },
    parameters=("x", "y"),
    labels={
        "sums": "the sums",
        "powers": "the powers",
        "mixture": "the mixture",
        "means": "the means",
    },
    axes=lambda s: {"L": s.x.shape[0], "d": s.x.shape[1]},
)


def mean(x):
    return x.mean(-1, keepdims=True) + 0 * x


def examine(function, recipe=RECIPE):
    return diagnose(
        Examination(Replay(recipe), lambda probe: Answer(outcome_of(function(*probe.args))))
    )


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (
            lambda x, y: mean((x + 2 * y) * y),
            "match code without one step: the sums are used instead of the powers",
        ),
        (
            lambda x, y: mean(np.exp(np.exp(x + 2 * y)) * y),
            "a step that is done twice: the powers are made from the powers again",
        ),
        (
            lambda x, y: mean(np.exp(x + 2 * y) * x),
            "x instead of y, in the step that makes the mixture",
        ),
        (
            lambda x, y: mean(np.exp(x + 2 * y) * (x + 2 * y)),
            "the sums instead of y, in the step that makes the mixture",
        ),
        (
            lambda x, y: mean(
                (np.exp(x + 2 * y) - 1 * np.exp(x + 2 * y).mean(-1, keepdims=True)) * y
            ),
            "the powers minus their mean along the last axis",
        ),
        (
            lambda x, y: mean(np.exp((x + 2 * y) / np.sqrt(x.shape[1])) * y),
            "the sums divided by √d",
        ),
        (
            lambda x, y: mean(np.exp(x + 2 * y) * (y + 1)),
            "y with 1 added to each number, in the step that makes the mixture",
        ),
    ],
)
def test_it_is_named_in_the_words_of_the_recipe(function, says):
    found = examine(function)
    assert found.kind == "named" and says in found.says


def test_a_recipe_without_words_has_none():
    assert not list(wirings(replace(RECIPE, labels={})))


def test_ids_are_told_apart_and_each_can_be_replayed():
    replay = Replay(RECIPE)
    replay.probes()
    ids = [wrong[0].id for wrong in replay.families if len(wrong) == 1]
    assert len(ids) == len(set(ids))
    assert all(replay.outcome(0, wrong).signature for wrong in replay.families)
    assert not replay.faults


def test_what_no_wiring_gives_is_not_named():
    found = examine(lambda x, y: np.sin(3 * x) * y)
    assert found is None or found.kind != "named"


def test_a_borrowed_mistake_takes_no_name_away():
    squared = {"mixture": lambda s: s.powers**2}
    recipe = replace(
        RECIPE,
        families=(Family(None, (), {"own": ("It is its own.", squared)}),),
        fallbacks=(
            Misconception("other", "It is another's.", (), squared),
            Misconception("cubed", "It is cubed.", (), {"mixture": lambda s: s.powers**3}),
        ),
    )
    assert examine(lambda x, y: mean(np.exp(x + 2 * y) ** 2), recipe).misconceptions == ("own",)
    assert examine(lambda x, y: mean(np.exp(x + 2 * y) ** 3), recipe).misconceptions == ("cubed",)


TWO_RESULTS = Recipe(
    "both",
    probes,
    steps={
        "sums": lambda s: s.x + s.y,
        "products": lambda s: s.x * s.y,
        "differences": lambda s: s.x - s.y,
        "results": lambda s: (s.sums, s.products, s.differences),
    },
    parameters=("x", "y"),
    results=("the sums", "the products", "the differences"),
)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (
            lambda x, y: (np.abs(x + y), np.tanh(x * y), x - y),
            "There are two mistakes. 1: Your code has the effect of the sums as absolute values. 2: Your "
            "code has the effect of the products after a tanh.",
        ),
        (
            lambda x, y: (np.abs(x + y), np.abs(x * y), x - y),
            "Your numbers match the sums and the products as absolute values.",
        ),
        (
            lambda x, y: (x * y, x - y, x + y),
            "Your results are right, but in another order: the products, the "
            "differences, the sums.",
        ),
    ],
)
def test_results_that_are_wrong_each_together_or_in_another_order(function, says):
    assert examine(function, TWO_RESULTS).says == says


def test_of_two_wrong_results_nothing_is_said_where_one_has_no_reason():
    def one_is_odd(x, y):
        return np.abs(x + y), np.sin(3 * x * y) + y, x - y

    found = examine(one_is_odd, TWO_RESULTS)
    assert found is None or found.kind != "named"
