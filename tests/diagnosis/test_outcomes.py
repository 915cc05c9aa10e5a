"""A comparison never truncates: what differs anywhere, and in any way, is another outcome."""

import datetime
from dataclasses import dataclass

import numpy as np
import pytest

from autograder.author import Fact, Family, Probe, Recipe
from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.outcome import MOST_NUMBERS, outcome_of, same
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.worker.serialise import serialised

HINTS = ("?", "!", ".")


@dataclass
class Token:
    kind: str
    value: float = 1.0


DAY = datetime.date(2027, 2, 5)
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
    (DAY, DAY + datetime.timedelta(1)),
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
