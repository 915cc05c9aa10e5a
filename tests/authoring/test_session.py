"""What may follow from a student's own step, where nobody can work it out."""

from types import SimpleNamespace

import numpy as np
import pytest

from autograder.checks.check_result import MayFollow, NotJudged
from autograder.checks.expect import Mismatch
from autograder.checks.follow_through import expect_follows
from autograder.checks.recorded_answers import StandIn, record_with, settle_follow_through


class Nothing:
    """Records with nothing in them."""

    def call(self, name, args, kwargs):
        raise NotJudged


@pytest.fixture(autouse=True)
def _no_answers():
    record_with(Nothing())
    yield
    record_with(None)


def check(outcome, *about):
    return SimpleNamespace(outcome=outcome, about=about)


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ([check("passed", "step"), check("passed", "step", "other")], True),
        ([check("passed", "step"), check("failed", "step")], False),
        ([check("passed", "other")], False),
        ([check("graded when handed in", "step")], False),
        (
            [
                check("passed", "step"),
                check("graded when handed in", "step"),
                check("failed", "other"),
            ],
            True,
        ),
    ],
)
def test_wrong_only_where_the_step_is_right(results, told):
    wrong = Mismatch("It differs.")
    error = MayFollow(wrong, "step")
    assert settle_follow_through(error, results) is (wrong if told else error)


def test_a_right_answer_asks_for_no_records(submit):
    own = StandIn("following.own")
    submission = submit("def step(x): return x")
    expect_follows(np.ones(2), np.ones(2), own, "it", print, "step", submission)
    with pytest.raises(MayFollow, match="depends on your step"):
        expect_follows(np.zeros(2), np.ones(2), own, "it", print, "step", submission)
    with pytest.raises(MayFollow):
        expect_follows(
            np.zeros(2), np.ones(2), lambda _: own(print), "it", print, "step", submission
        )


@pytest.mark.parametrize(
    "answer", [None, "text", np.zeros(3), [[1], [1, 2]], np.array([0, np.nan]), np.array([9.0, 0])]
)
def test_what_can_follow_from_nothing_is_wrong(submit, answer):
    """Another shape, no numbers, what is not finite, or what the check says cannot follow."""
    own, submission = StandIn("following.own"), submit("def step(x): return x")
    with pytest.raises(Mismatch):
        expect_follows(
            answer,
            np.ones(2),
            own,
            "it",
            print,
            "step",
            submission,
            cannot_follow=lambda given: given.max() > 8,
        )


def test_no_answer_of_the_students_is_wrong(submit):
    def cannot_follow(answer):
        submission.step(answer)

    submission = submit("def step(x): return x[99]")
    with pytest.raises(Mismatch):
        expect_follows(
            np.zeros(2),
            np.ones(2),
            StandIn("following.own"),
            "it",
            print,
            "step",
            submission,
            cannot_follow=cannot_follow,
        )


def test_a_stand_in_is_no_data():
    with pytest.raises(NotJudged):
        list(StandIn("answers"))
    with pytest.raises(NotJudged):
        _ = StandIn("answers").parts
