"""A replay knows what each mistake gives, alone, in pairs, and with other correct ways."""

import numpy as np
import pytest

from autograder.author import Comparison, Family, Probe, Recipe
from autograder.diagnosis.outcome import RAISES, Outcome, outcome_of
from autograder.diagnosis.replay import Replay


def mistake(id, **replaces):
    return Family(None, ("?", "the property", "where"), {id: (f"It is {id}.", replaces)})


def raises(state):
    raise IndexError("no such step")


def doubled_if_negative(state):
    return np.where(state.total < 0, 2 * state.total, state.total)


RECIPE = Recipe(
    "f",
    lambda draw: [Probe((np.array([1.0 + draw, 2.0]),)), Probe((np.array([-1.0 - draw, 3.0]),))],
    (
        mistake("no-shift", shifted=lambda s: s.x),
        mistake("no-total", total=lambda s: s.shifted),
        mistake("loud", scaled=doubled_if_negative),
        mistake("stops", scaled=raises),
    ),
    steps={
        "shifted": lambda s: s.x + 1,
        "total": lambda s: np.cumsum(s.shifted),
        "scaled": lambda s: 3 * s.total,
    },
    parameters=("x",),
    labels={"shifted": "the shifted numbers", "total": "the total"},
    alternatives=(
        {"scaled": lambda s: 3 * s.total + 1e-3},
        {"shifted": lambda s: 1 + s.x},
    ),
)


@pytest.fixture
def replay():
    return Replay(RECIPE)


def named(replay, wrong):
    """Return the names of changes. The name of an alternative is the name of its step."""
    return tuple(
        next(iter(each.replaces)) if each in replay.alternatives else each.id for each in wrong
    )


def mistakes(replay, name):
    return next(wrong for wrong in replay.singles if wrong[0].id == name)


def test_each_draw_is_made_once_and_has_the_same_kinds_of_calls(replay):
    first, both = replay.probes(1), replay.probes(2)
    assert [probe.args[0][0] for probe in both] == [1, -1, 2, -2]
    assert all(one is other for one, other in zip(first, both, strict=False))
    assert len(replay.probes(1)) == 2


def test_a_mistake_comes_with_each_alternative_that_changes_its_answers(replay):
    course = [named(replay, wrong) for wrong in replay.singles if wrong[0] in RECIPE.misconceptions]
    # 1 + x gives what x + 1 gives, and no alternative acts on a step that the mistake replaces
    assert course == [
        ("no-shift",),
        ("no-shift", "scaled"),
        ("no-total",),
        ("no-total", "scaled"),
        ("loud",),
        ("stops",),
    ]


def test_a_general_mistake_counts_if_it_changes_an_answer(replay):
    general = {wrong[0].id for wrong in replay.singles} - {"no-shift", "no-total", "loud", "stops"}
    assert "negated" in general
    assert "rounded-2" not in general  # all right answers are whole numbers


def test_generic_changes_come_with_alternatives_of_neighbour_steps_only(replay):
    combined = [wrong for wrong in replay.families if len(wrong) == 2]
    pairs = {(step, named(replay, wrong)[1]) for wrong in combined for step in wrong[0].replaces}
    assert pairs == {("total", "shifted")}  # not, for example, ("shifted", "scaled")


def test_pairs_are_of_two_mistakes_whose_changes_fit_together(replay):
    assert not any(wrong in replay.alternatives for pair in replay.pairs for wrong in pair[:2])
    names = [named(replay, pair) for pair in replay.pairs]
    assert len(names) == len(set(names))
    assert ("no-shift", "wrapped", "scaled") in names  # the first has an alternative
    pairs = [wrong for wrong in replay.pairs if set(wrong[:2]) <= set(RECIPE.misconceptions)]
    assert [named(replay, wrong) for wrong in pairs] == [
        ("no-shift", "no-total"),
        ("no-shift", "no-total", "scaled"),
        ("no-shift", "loud"),
        ("no-shift", "stops"),
        ("no-total", "loud"),
        ("no-total", "stops"),
    ]


def test_a_call_shows_a_wrong_value_but_not_an_exception(replay):
    calls = range(len(replay.probes(2)))
    loud, stops = mistakes(replay, "loud"), mistakes(replay, "stops")
    assert replay.telling(calls, ()) == 0
    assert replay.telling(calls, loud) == 4  # scaled by 1 or 2 instead of 3
    assert replay.telling(calls, stops) == 0
    assert replay.telling(calls, mistakes(replay, "no-shift")) == 4


def test_two_changes_are_apart_if_enough_calls_tell_them_apart(replay):
    calls = range(len(replay.probes()))
    loud, stops = mistakes(replay, "loud"), mistakes(replay, "stops")
    assert replay.apart(calls, loud, stops) and replay.apart(calls, stops, loud)
    assert replay.apart(calls, loud, (), least=2) and not replay.apart(calls, loud, (), least=3)
    assert not replay.apart(calls, stops, stops) and not replay.apart(calls, (), ())


def test_random_results_are_apart_only_beyond_both_allowed_errors():
    def spread(state):
        return state.result, np.full(2, 0.4)

    near = {"a": ("A.", {"y": lambda s: s.x + 0.7}), "b": ("B.", {"y": lambda s: s.x + 0.9})}
    recipe = Recipe(
        "f",
        lambda draw: [Probe((np.array([1.0, 2.0]),))],
        (Family(None, None, near),),
        steps={"y": lambda s: s.x},
        parameters=("x",),
        comparison=Comparison(spread=spread),
    )
    replay = Replay(recipe)
    replay.probes()
    first, second = ((each,) for each in recipe.misconceptions)
    assert replay.telling([0], first) == 0 and replay.telling([0], second) == 1
    assert not replay.apart([0], first, second)


def test_an_alternative_is_right(replay):
    total = np.cumsum(replay.probes()[0].args[0] + 1)
    assert replay.is_right(0, outcome_of(3 * total))
    assert replay.is_right(0, outcome_of(3 * total + 1e-3))
    assert not replay.is_right(0, outcome_of(3 * total + 2e-3))
    assert not replay.is_right(0, Outcome(RAISES))


def test_a_candidate_has_to_give_every_answer(replay):
    replay.probes()
    no_shift = mistakes(replay, "no-shift")
    answers = [replay.outcome(0, no_shift), replay.outcome(1)]
    assert replay.giving(replay.singles, answers, [0]) == [no_shift]
    assert replay.giving(replay.singles, answers, [0, 1]) == []


def test_an_error_is_the_authors_only_if_no_input_causes_it():
    def unknown(state):
        return state.no_such_step

    def unfit(state):
        return state.x.reshape(7)

    recipe = Recipe(
        "f",
        lambda draw: [Probe((np.array([1.0, 2.0]),))],
        (mistake("unknown", y=unknown), mistake("unfit", y=unfit)),
        steps={"y": lambda s: s.x},
        parameters=("x",),
    )
    replay = Replay(recipe)
    replay.probes()
    authored, other = recipe.misconceptions
    for wrong in (authored, other):
        assert replay.outcome(0, (wrong,)).raised
    assert [type(error) for error in replay.faults] == [AttributeError]


def test_a_change_gets_at_most_one_alternative(replay):
    (alone,) = [wrong for wrong in replay.singles if named(replay, wrong) == ("no-total",)]
    combined = replay.in_alternatives([alone])
    assert [named(replay, wrong)[1] for wrong in combined] == ["scaled", "shifted"]
    assert replay.in_alternatives(combined) == []
