"""Names from records: the same as by replay."""

import numpy as np
import pytest

from autograder.author import Family, Misconception, Probe, Recipe, Trait
from autograder.authoring.diagnosis_records import ReplayRecorder, names_of
from autograder.checks.recorded_answers import pack, read_packed
from autograder.course.own_modules import importable
from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.mistakes import load_module, read_mistakes
from autograder.diagnosis.outcome import RAISES, Outcome, outcome_of
from autograder.diagnosis.recorded_replay import RecordedNames, RecordedReplay
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose

PLAIN = {"kind": "plain"}
SEPARATE = ("keys-by-query-matrix", "queries-not-projected")


@pytest.fixture(scope="module")
def both(course, tmp_path_factory):
    """The replay of `project_qkv`, and what is recorded of it."""
    path = tmp_path_factory.mktemp("names") / "names.bin"
    with importable(course):
        module = load_module(course.content.reference, "qkv_projection")
        (recipe,) = read_mistakes(module).recipes.values()
        path.write_bytes(pack(names_of(course, course.exercise("qkv_projection"), 2)))
        (function,) = read_packed(path, RecordedNames).functions
    return Replay(recipe), RecordedReplay(function, "released")


def found(replay, recipe, wrong, noise=0.0):
    def ask(probe):
        try:
            value = recipe.run(probe, wrong)
        except Exception:
            return Answer(Outcome(RAISES), "stopped")
        given = (
            tuple(np.asarray(each) + noise for each in value)
            if isinstance(value, tuple)
            else value + noise
        )
        return Answer(outcome_of(given))

    finding = diagnose(Examination(replay, ask))
    return None if finding is None else (finding.kind, finding.says, finding.misconceptions)


@pytest.mark.thorough
def test_single_mistakes(both):
    full, recorded = both
    recipe = full.recipe
    singles = [wrong for wrong in full.singles if wrong[0] in recipe.misconceptions]
    assert len(recorded.singles) == len(full.singles)
    for wrong in [(), *singles]:
        for noise in (0.0, 1e-8):
            assert found(recorded, recipe, wrong, noise) == found(full, recipe, wrong, noise)


@pytest.mark.thorough
def test_pairs(both):
    full, recorded = both
    pairs = [pair for pair in full.pairs if set(pair) <= set(full.recipe.misconceptions)][::7]
    assert len(pairs) > 20
    less = []  # a kit cannot explain each of several results alone
    for pair in pairs:
        in_kit, in_course = (found(replay, full.recipe, pair) for replay in (recorded, full))
        if in_kit != in_course:
            assert in_kit is None or in_kit[0] == "located"
            less.append(tuple(wrong.id for wrong in pair))
    assert less == [
        ("products-not-added", "keys-not-projected"),
        ("queries-by-key-matrix", "all-by-query-matrix"),
    ]


@pytest.mark.parametrize(
    ("pair", "names"),
    [
        # X for the queries and X W_Q for the keys: each result has its own mistake
        ("keys-not-projected queries-and-keys-swapped", SEPARATE),
        (" ".join(SEPARATE), SEPARATE),
        # X W_K, X W_Q, X W_Q: one of the mistakes changes two results, in both pairs
        ("queries-by-key-matrix all-by-query-matrix", ()),
        ("values-by-query-matrix queries-and-keys-swapped", ()),
    ],
)
def test_of_pairs_with_the_same_answers_the_pair_in_two_results_is_named(both, pair, names):
    full, _ = both
    by_id = {wrong.id: wrong for wrong in full.recipe.misconceptions}
    wrong = tuple(by_id[id] for id in pair.split())
    for replay in both:
        finding = found(replay, full.recipe, wrong)
        assert (finding[2] if finding else ()) == names


@pytest.mark.thorough
def test_what_may_be_done_to_any_argument_or_result(both):
    full, recorded = both
    kept = [each[0].id for each in recorded.families]
    assert len(kept) > 100
    assert kept == [each[0].id for each in full.families if each[0].id in set(kept)]
    for wrong in [each for each in full.families if each[0].id in set(kept)][::9]:
        in_kit, in_course = (found(replay, full.recipe, wrong) for replay in (recorded, full))
        if not wrong[0].id.startswith("result-limited"):  # a kit says less of these
            assert in_kit == in_course


def test_what_is_on_no_list_is_described(both):
    full, recorded = both
    odd = Misconception("odd", "", (), {"values": lambda s: np.maximum(s.X @ s.W_V, 7.0)})
    said = found(recorded, full.recipe, (odd,))
    assert said == found(full, full.recipe, (odd,))
    assert said[0] != "named"


def test_two_mistakes_in_another_right_style():
    """A fill of 99 in place of 100 is no mistake, but shows where two others were made."""
    recipe = Recipe(
        "filled",
        # of zeros, three times as much is no more: only the other mistake shows
        lambda rng: [*((rng.normal(size=4),) for _ in range(3)), (np.zeros(4),)],
        (
            Family("scaled", ("?",), {"tripled": ("Tripled.", lambda s: 3 * s.x)}),
            Family("total", ("?",), {"mean": ("The mean.", lambda s: s.filled.mean())}),
        ),
        steps={
            "scaled": lambda s: 2 * s.x,
            "filled": lambda s: np.append(s.scaled, 100.0),
            "total": lambda s: s.filled.min(),
        },
        parameters=("x",),
        alternatives=({"filled": lambda s: np.append(s.scaled, 99.0)},),
    )
    full = Replay(recipe)
    recorded = RecordedReplay(ReplayRecorder(recipe, 1).function(PLAIN, ""), "released")
    own = set(recipe.misconceptions)
    (styled,) = (pair for pair in full.pairs if len(pair) == 3 and set(pair[:2]) <= own)
    kind, says, names = found(recorded, recipe, styled)
    assert kind == "named" and names == ("tripled", "mean")
    assert (kind, says, names) == found(full, recipe, styled)


def test_hints_beyond_the_policy_are_not_recorded(both):
    assert {len(each.hints) for each in both[1].recipe.misconceptions} <= {2, 3}  # 3: of None
    assert sum(len(each.hints) == 3 for each in both[1].recipe.misconceptions) <= 1


def test_a_property_of_one_side_only_is_recorded_so():
    """A kit said "wrong, but only for small numbers" of rounding, which large numbers hide."""
    recipe = Recipe(
        "double",
        lambda rng: [(rng.normal(size=3) * size,) for size in (1.0, 1.0, 1000.0, 1000.0)],
        (),
        steps={"doubled": lambda s: 2 * s.x},
        parameters=("x",),
        traits=(
            Trait(lambda s: np.abs(s.x).max() > 10, "for large ones", "for small ones", False),
            Trait(lambda s: s.x[0] > 0, "above 0", "below 0"),
        ),
    )
    recorded = RecordedReplay(ReplayRecorder(recipe, 1).function(PLAIN, ""), "released").recipe
    assert [trait.both_ways for trait in recorded.traits] == [False, True]


def test_a_huge_number_fits_no_recorded_change():
    """Its allowed error was infinite, so a kit named the first change that it tried."""
    recipe = Recipe(
        "double",
        lambda rng: [Probe((rng.normal(size=3),), condition=1e9) for _ in range(4)],
        (),
        steps={"doubled": lambda s: 2 * s.x},
        parameters=("x",),
        labels={"doubled": "the numbers"},
    )
    recorded = RecordedReplay(ReplayRecorder(recipe, 1).function(PLAIN, ""), "released")

    def ask(probe):
        return Answer(outcome_of(np.array([-1e302, *probe.args[0][1:]])))

    finding = diagnose(Examination(recorded, ask))
    assert finding is None or finding.kind != "named"
