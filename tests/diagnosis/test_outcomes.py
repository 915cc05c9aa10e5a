"""A comparison never truncates: what differs anywhere, and in any way, is another outcome."""

from dataclasses import dataclass

import numpy as np
import pytest

from autograder.author import Comparison, Fact, Family, Probe, Recipe
from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.outcome import MOST_NUMBERS, RAISES, Outcome, group_id, outcome_of, same
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.worker.serialise import serialised

HINTS = ("?", "!", ".")


@dataclass
class Token:
    kind: str
    value: float = 1.0


DIFFERENT = [
    ("a" * 40 + "b", "a" * 40 + "c"),
    ("a  b", "a b"),
    ("a\n", "a"),
    (["a"] * 64 + ["b"], ["a"] * 64 + ["c"]),
    (dict.fromkeys(map(str, range(70)), 1), {**dict.fromkeys(map(str, range(70)), 1), "69": 2}),
    ({"a", "b"}, {"a", "c"}),
    ({1, 2}, {1, 3}),
    ({1}, {True}),
    ({(1, 2): 3}, {(1, 3): 3}),
    (b"a", b"b"),
    (Token("a"), Token("b")),
    (Token("a"), Token("a", 2.0)),
    (1 + 2j, 1 + 3j),
    (np.array([1, 2j]), np.array([1, 3j])),
    (2**70, 2**70 + 1),
    ([2**60, 1], [2**60 + 1, 1]),
    ([np.full(MOST_NUMBERS + 1, 1.0)], [np.full(MOST_NUMBERS + 1, 2.0)]),
    (["a; 'b'"], ["a", "b"]),
    ([[[[[[[[[["a"]]]]]]]]]], [[[[[[[[[["b"]]]]]]]]]]),
    (None, "None"),
    ("{}", {}),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=range(len(DIFFERENT)))
def test_what_differs_is_another_outcome(one, other):
    first, second = (outcome_of(serialised(value)) for value in (one, other))
    assert not same(first, second, 1.0)
    assert same(first, outcome_of(serialised(one)), 1.0)
    assert same(outcome_of(one), first, 1.0)  # as the reference has it, and as it is sent


@pytest.mark.parametrize(("one", "other"), [([1, 2], (1, 2)), (True, 1), (np.ones(2), [1.0, 1.0])])
def test_kinds_are_told_apart_where_a_recipe_asks_for_it(one, other):
    first, second = serialised(one), serialised(other)
    assert same(outcome_of(first), outcome_of(second), 1.0)
    assert not same(outcome_of(first, by_kind=True), outcome_of(second, by_kind=True), 1.0)
    assert same(outcome_of(one, by_kind=True), outcome_of(first, by_kind=True), 1.0)


RECIPE = Recipe(
    "join",
    lambda draw: [Probe((["word"] * n + [f"end{draw}"],)) for n in (12, 14, 16, 18)],
    (
        Family(
            "parts",
            HINTS,
            {
                "last-left-out": ("The last is left out.", lambda s: s.words[:-1]),
                "reversed": ("They are reversed.", lambda s: s.words[::-1]),
            },
        ),
    ),
    steps={"parts": lambda s: list(s.words), "text": lambda s: " ".join(s.parts)},
    parameters=("words",),
    facts=(Fact("shouts", lambda s, v: v.isupper(), "It is all in capitals."),),
)


def examined(function):
    replay = Replay(RECIPE)
    return diagnose(
        Examination(replay, lambda probe: Answer(outcome_of(serialised(function(*probe.args)))))
    )


def test_texts_are_named_by_all_of_their_letters():
    named = examined(lambda words: " ".join(words[:-1]))
    assert (named.kind, named.misconceptions) == ("named", ("last-left-out",))
    almost = examined(lambda words: " ".join(words[:-1]) + "!")
    assert almost is None or almost.kind != "named"


def test_facts_see_a_text_as_it_is():
    assert "all in capitals" in examined(lambda words: " ".join(words).upper()).says


def test_a_text_that_reads_like_a_number_is_no_rounded_number():
    recipe = Recipe(
        "write",
        lambda draw: [(1.2345 + draw,), (2.25,), (3.0625,)],
        steps={"text": lambda s: str(s.x)},
        parameters=("x",),
    )
    replay = Replay(recipe)
    found = diagnose(Examination(replay, lambda probe: Answer(outcome_of(round(probe.args[0], 1)))))
    assert found is None or found.kind != "named"


@pytest.mark.parametrize("place", range(3))
def test_every_number_counts(place):
    expected = outcome_of(np.array([1.0, -2.0, 0.0]))
    near, far = np.array([1.0, -2.0, 0.0]), np.array([1.0, -2.0, 0.0])
    near[place] += 1e-12
    far[place] += 1e-3
    assert same(outcome_of(near), expected, 1.0)
    assert not same(outcome_of(far), expected, 1.0)


def test_a_random_result_is_equal_within_its_own_error():
    expected = Outcome("number", np.array([5.0, 1.0]), allowed=np.array([0.5, 0.1]))
    for numbers, is_same in (((5.4, 0.95), True), ((4.6, 1.05), True), ((5.6, 1.0), False)):
        assert same(Outcome("number", np.array(numbers)), expected, 1.0) is is_same
    assert not same(Outcome("number", np.array([5.0, 1.2])), expected, 1.0)


def test_two_random_results_differ_if_their_errors_do_not_meet():
    def replay(shift):
        recipe = Recipe(
            "mean",
            lambda draw: [(1.0,)],
            (Family("mean", HINTS, {"shifted": ("It is shifted.", lambda s: s.x + shift)}),),
            steps={"mean": lambda s: s.x},
            parameters=("x",),
            comparison=Comparison(spread=lambda s: (np.array([s.result]), np.array([0.1]))),
        )
        made = Replay(recipe)
        made.probes()
        return made.apart([0], recipe.misconceptions[:1], ())

    assert replay(0.3) and not replay(0.15)


def test_numbers_are_rounded_to_the_students_dtype():
    tenth = outcome_of(np.array([0.1]))
    assert tenth.in_precision(np.dtype(np.float64)) is tenth
    assert tenth.in_precision(np.dtype(np.float32)).numbers[0] == np.float32(0.1)


def test_answers_have_one_group_if_they_agree_to_three_digits():
    def group(*numbers):
        return group_id([outcome_of(np.array(numbers))])

    assert group(0.0, 1.0) == group(-0.0, 1.0001)
    assert group(0.001) != group(0.002)
    assert group_id([Outcome(RAISES)]) == ""


@pytest.mark.parametrize("value", ["a", np.array([np.nan, 1.0])])
def test_an_answer_that_is_always_the_same_is_named(value):
    found = examined(lambda words: value)
    assert found is not None and found.misconceptions == ("hard-coded",)


def test_no_answer_and_an_error_are_not_hard_coded():
    stops = Examination(Replay(RECIPE), lambda probe: Answer(Outcome(RAISES)))
    for found in (examined(lambda words: None), diagnose(stops)):
        assert found is None or "hard-coded" not in found.misconceptions
