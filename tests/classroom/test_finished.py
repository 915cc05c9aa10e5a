"""Lateness and excuses: what the policy takes off, and that each of it is said."""

from datetime import datetime

import msgspec
import pytest

from autograder.classroom.finished import finished
from autograder.course import Course, load_course
from autograder.errors import UserError
from autograder.exports.grades import grade_of
from autograder.lateness import LatePolicy, charge, days_late

from ..exports.records import record

DUE = datetime.fromisoformat("2027-02-05T23:59:00+01:00")


@pytest.mark.parametrize(
    ("at", "grace", "extra", "days"),
    [
        ("2027-02-05T23:59:00+01:00", 0, 0, 0),
        ("2027-02-05T22:59:01+00:00", 0, 0, 1),
        ("2027-02-06T00:09:00+01:00", 10, 0, 0),
        ("2027-02-06T00:09:01+01:00", 10, 0, 1),
        ("2027-02-06T23:59:00+01:00", 0, 0, 1),
        ("2027-02-06T23:59:01+01:00", 0, 0, 2),
        ("2027-02-06T23:59:00", 0, 0, 1),  # in the deadline's own zone
        ("2027-02-07T23:00:00+01:00", 0, 2, 0),
        ("2027-02-01T00:00:00Z", 0, 0, 0),
    ],
)
def test_days(at, grace, extra, days):
    assert days_late(DUE, datetime.fromisoformat(at), grace, extra) == days


@pytest.mark.parametrize(
    ("policy", "days", "free_left", "free", "percent"),
    [
        (LatePolicy(), 3, 0, 0, 0),
        (LatePolicy(percent_a_day=10), 3, 0, 0, 30),
        (LatePolicy(percent_a_day=10, free_days=2), 3, 2, 2, 10),
        (LatePolicy(percent_a_day=40), 3, 0, 0, 100),
        (LatePolicy(percent_a_day=10, until_days=2), 2, 0, 0, 20),
        (LatePolicy(percent_a_day=10, until_days=2), 3, 0, 0, 100),
        (LatePolicy(until_days=0), 1, 0, 0, 100),  # as nbgrader's method `zero`
        (LatePolicy(until_days=0), 1, 1, 1, 0),
        (LatePolicy(free_days=2), 1, -1, 0, 0),
    ],
)
def test_what_days_cost(policy, days, free_left, free, percent):
    cost = charge(policy, days, free_left)
    assert (cost.days, cost.free_days, cost.percent) == (days, free, percent)


@pytest.fixture
def with_policy(course):
    def with_policy(**policy):
        late = LatePolicy(**policy) if policy else None
        return Course(course.root, msgspec.structs.replace(course.content, late=late))

    return with_policy


def test_each_deduction_has_its_line(with_policy):
    course = with_policy(percent_a_day=10, free_days=1)
    report = record("s1", 9.0, at="2027-02-08T01:00:00+00:00", at_from="Gradescope")
    done = finished(report, course)
    (late,) = done.lateness
    assert (late.days, late.free_days, late.percent, late.points) == (3, 1, 20, 1.8)
    assert done.points == 7.2
    assert done.exercises[0].points == 9.0
    assert late.said == (
        "Attention by hand and in NumPy: Handed in 3 days after the deadline (2027-02-08 "
        "01:00:00+00:00, by Gradescope): 20 % are taken off, 1.8 points. 1 late day of yours used."
    )
    assert grade_of(done, ["softmax"], "attention-1").points == 7.2


def test_without_a_policy_it_is_said_and_nothing_taken_off(with_policy):
    report = record("s1", 9.0, at="2027-02-06T01:00:00+00:00", at_from="Gradescope")
    done = finished(report, with_policy())
    assert done.points == 9.0
    assert "1 day after the deadline" in done.lateness[0].said
    assert done.lateness[0].said.endswith("nothing is taken off.")


def test_a_mark_without_a_time_is_said(with_policy):
    done = finished(record("s1", late=True, platform="canvas"), with_policy(percent_a_day=10))
    assert done.points == 9.0
    assert "marked as late by canvas. When it came is not known" in done.lateness[0].said


def test_in_time_and_missing_have_no_line(with_policy):
    course = with_policy(percent_a_day=10)
    assert finished(record("s1", at="2027-02-05T01:00:00"), course).lateness == ()
    late = record("s1", 0.0, "missing", at="2027-03-05T01:00:00")
    assert finished(late, course).lateness == ()


@pytest.mark.parametrize("word", ["attention-1", "softmax", "all"])
def test_who_is_excused_has_neither_points_nor_a_maximum(course, word):
    done = finished(record("s1", 9.0, excused=False, **{"name": "x"}), course)
    assert not done.exercises[0].excused
    hand_in = msgspec.structs.replace(done.hand_in, excused=(word,))
    done = finished(msgspec.structs.replace(done, hand_in=hand_in), course)
    assert (done.points, done.max_points, done.exercises[0].excused) == (0, 0, True)
    assert grade_of(done, ["softmax"]).excused


def test_a_mistake_in_a_policy_is_named(root, tmp_path):
    text = (root / "course.yml").read_text()
    path = tmp_path / "course.yml"
    path.write_text(text + "late:\n  percent_a_dy: 10\n")
    with pytest.raises(UserError, match="unknown field `percent_a_dy`; did you mean `percent_a_d"):
        load_course(path)
    path.write_text(text + "late:\n  percent_a_day: 101\n")
    with pytest.raises(UserError, match=r"field `late\.percent_a_day`: expected"):
        load_course(path)
