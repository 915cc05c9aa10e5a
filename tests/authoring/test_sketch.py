"""Arguments by which recorded answers are looked up."""

from dataclasses import dataclass

import numpy as np
import pytest

from autograder.checks.check_result import NotJudged
from autograder.checks.projection_hash import ProjectionHash
from autograder.checks.recorded_answers import packed_value, unpacked_value
from autograder.diagnosis.outcome import Outcome
from autograder.diagnosis.recorded_replay import SLACK, kind_and_sum, shuffled, unshuffled


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class Clever(Point):
    def far(self):
        return self.x > 9


def alike(one, other):
    first, second = ProjectionHash(one), ProjectionHash(other)
    return first.kind == second.kind and bool(first.is_close(second.sums[np.newaxis])[0])


def test_the_same_numbers_but_for_their_last_digits():
    x = np.random.default_rng(1).normal(size=(3, 4))
    assert alike((x, {"axis": -1}), (x * (1 + 1e-14), {"axis": -1}))
    assert alike((x,), (x.tolist(),))
    assert alike((Point(1.0, 2.0),), (Point(1.0, 2.0),))


@pytest.mark.parametrize(
    "other",
    [
        lambda x: x + 1e-6,
        lambda x: x.T,
        lambda x: x[::-1],
        lambda x: np.where(x > 0, x, np.inf),
        lambda x: x.astype(str),
        lambda x: None,
    ],
)
def test_other_values(other):
    x = np.random.default_rng(1).normal(size=(3, 3))
    assert not alike((x,), (other(x),))


@pytest.mark.parametrize("huge", [-1e9, -1e30, np.finfo(np.float64).min])
def test_a_huge_number_hides_no_other_one(huge):
    """A mask of −1e9 in place of −∞: other scores beside it are another question."""
    assert alike([huge, 1.0, 2.0], [huge, 1.0, 2.0])
    assert not alike([huge, 1.0, 2.0], [huge, 1.0, 2.001])
    kinds = [kind_and_sum(Outcome("", np.array([huge, 1.0, x]))) for x in (2.0, 2.001)]
    assert abs(kinds[0][1] - kinds[1][1]) > SLACK * abs(kinds[0][1])


def test_small_whole_numbers_are_told_apart():
    sketches = [ProjectionHash(((n, m), {})) for n in range(30) for m in range(30)]
    sums = np.array([each.sums for each in sketches])
    assert all(each.is_close(sums).sum() == 1 for each in sketches)


@pytest.mark.parametrize("value", [len, Clever(1.0, 2.0), [lambda: 1], {"a": {"b": object()}}])
def test_what_can_do_something_is_no_data(value):
    with pytest.raises(NotJudged):
        ProjectionHash((value,))


def test_values_come_back_as_what_they_were():
    value = {"a": (np.arange(3.0), [1, 2]), "b": Point(1.0, 2.5), "c": np.float64(2), "d": None}
    back = unpacked_value(packed_value(value))
    assert isinstance(back["a"], tuple)
    assert back["a"][0].tolist() == [0, 1, 2]
    assert (back["b"].x, back["b"].y) == (1.0, 2.5)
    assert (back["c"], back["d"]) == (2.0, None)
    assert alike(value["b"], back["b"])


def test_a_pair_is_recorded_as_one_sum_of_some_six_decimals():
    sums = np.array([1.5, -2.25e-3, 1e30, 0.0])
    kept = unshuffled(shuffled(sums))
    assert kept.shape == sums.shape
    np.testing.assert_allclose(kept, sums, rtol=SLACK)
    outcome = Outcome("array (3,)", np.array([1.0, np.nan, 3.0]))
    kind, total, weights = kind_and_sum(outcome)
    assert (len(kind), weights.shape) == (8, (3,))
    assert total == kind_and_sum(outcome)[1] != kind_and_sum(Outcome("", outcome.numbers[::-1]))[1]
