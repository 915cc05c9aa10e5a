"""Lateness and excuses: what the policy takes off, and that each of it is said."""

from datetime import datetime

import msgspec
import pytest

from autograder.classroom.finalize import finalize
from autograder.classroom.grades import Scale, grade_of
from autograder.course.course_file import Course, load_course
from autograder.course.errors import UserError
from autograder.course.lateness import LatePolicy, days_late, late_penalty
from autograder.report.grades_table import write_grades
from autograder.report.model import Adjustment, Lateness
from autograder.report.overview import ClassOverview, above_maximum_note
from tests.classroom.records import record

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
    cost = late_penalty(policy, days, free_left)
    assert (cost.days, cost.free_days, cost.percent) == (days, free, percent)


def two(second="missing", **first):
    """Somebody with 9 of 12 points in one exercise, and another one; `first` is of the first."""
    report = record("s1")
    one = msgspec.structs.replace(report.exercises[0], **first)
    other = msgspec.structs.replace(
        one, name="causal_mask", title="Mask", status=second, points=0.0, excused=False
    )
    return msgspec.structs.replace(report, exercises=(one, other))


def test_no_total_is_negative(course):
    """More was taken off for lateness than is left after the work was graded again."""
    name = course.content.assignments[0].name
    taken_off = Lateness(assignment=name, due=DUE.isoformat(), points=20.0, said="Late.")
    before = msgspec.structs.replace(two(), lateness=(taken_off,))
    report = finalize(two(), course, only=[], before=before)
    assert report.lateness == (taken_off,)
    assert report.points == 0.0
    less = Adjustment(points=-30.0, said="All together: -30 points")
    report = finalize(two(), course, [less])
    assert (report.points, report.adjustments[0].points) == (0.0, -9.0)


def test_a_row_with_an_excuse_adds_up(course, tmp_path):
    report = finalize(two(excused=True), course)
    assert (report.points, report.max_points, report.status) == (0.0, 12.0, "missing")
    assert (
        grade_of(report, ["softmax", "causal_mask"]).why_not
        == "missing in the exercises not excused"
    )
    rest = finalize(two("graded", excused=True), course)
    with pytest.raises(UserError, match=r"excused from a part can get only 12. Add --scale"):
        Scale(24.0, False).text(grade_of(rest, ["softmax", "causal_mask"]), "x.csv")
    overview = ClassOverview("C", ())
    overview.add(report, "page")
    whole = finalize(record("s2", excused=True), course)
    overview.add(whole, "page")
    write_grades(tmp_path / "grades.csv", ["softmax"], overview.rows)
    assert (tmp_path / "grades.csv").read_text().splitlines()[1:] == [
        "s1,EX,,12,missing,softmax: excused.",
        "s2,EX,EX,0,excused,softmax: excused.",
    ]


def test_an_excuse_is_said_once_and_notes_stay_apart(course):
    said = [Adjustment(exercise="softmax", points=0.0, said="Softmax: excused: ill")]
    overview = ClassOverview("C", ())
    overview.add(finalize(two("not loaded", excused=True), course, said), "page")
    assert overview.rows[0].said == "Softmax: excused: ill | causal_mask: not loaded. "


def test_points_above_the_maximum_are_named(course):
    overview = ClassOverview("C", ())
    overview.add(finalize(two(points=16.0), course), "page")
    bonus = [Adjustment(points=100.0, said="All together: +100 points")]
    overview.add(finalize(record("s2"), course, bonus), "page")
    assert above_maximum_note(overview.above) == [
        "More points than the maximum, which is right only for a bonus: "
        "s1 (softmax: 16 of 12), s2 (109 of 12)."
    ]


def test_changes_are_said_in_the_order_in_which_they_are_reckoned():
    late = Lateness(assignment="a", due="", points=1.0, said="late")
    said = [Adjustment(said="total"), Adjustment(exercise="softmax", said="softmax")]
    report = msgspec.structs.replace(record("s1"), lateness=(late,), adjustments=tuple(said))
    assert report.changes == ["softmax", "late", "total"]


@pytest.fixture
def with_policy(course):
    def with_policy(**policy):
        late = LatePolicy(**policy) if policy else None
        return Course(course.root, msgspec.structs.replace(course.content, late=late))

    return with_policy


def test_each_deduction_has_its_line(with_policy):
    course = with_policy(percent_a_day=10, free_days=1)
    report = record("s1", 9.0, at="2027-02-08T01:00:00+00:00", at_from="Gradescope")
    done = finalize(report, course)
    (late,) = done.lateness
    assert (late.days, late.free_days, late.percent, late.points) == (3, 1, 20, 1.8)
    assert done.points == 7.2
    assert done.exercises[0].points == 9.0
    assert late.said == (
        "Attention by hand and in NumPy: Handed in 2027-02-08 01:00:00+00:00 (by Gradescope). "
        "This is 3 days late: 20 % are taken off, 1.8 points. This used 1 free late day."
    )
    assert grade_of(done, ["softmax"], "attention-1").points == 7.2


def test_an_excuse_that_comes_later_changes_its_assignment_s_lateness(with_policy):
    """Late work of which a part is excused later: nothing is taken off for that part any more."""
    course = with_policy(percent_a_day=10)
    late = record("s1", 9.0, at="2027-02-06T01:00:00+00:00", at_from="Canvas").hand_in
    report = msgspec.structs.replace(two("graded"), hand_in=late)
    other = msgspec.structs.replace(report.exercises[1], name="qkv_projection", points=4.0)
    report = msgspec.structs.replace(report, exercises=(report.exercises[0], other))
    before = finalize(report, course)
    assert before.lateness[0].points == 1.3
    excused = msgspec.structs.replace(late, at="2027-02-12T01:00:00+00:00", excused=("softmax",))
    report = msgspec.structs.replace(before, hand_in=excused)
    done = finalize(report, course, only=["find_the_bug"], before=before)
    assert (done.points, done.lateness[0].points) == (3.6, 0.4)
    assert "0.4 points" in done.lateness[0].said
    assert (
        finalize(before, course, only=["find_the_bug"], before=before).lateness == before.lateness
    )


def test_without_a_policy_it_is_said_and_nothing_taken_off(with_policy):
    report = record("s1", 9.0, at="2027-02-06T01:00:00+00:00", at_from="Gradescope")
    done = finalize(report, with_policy())
    assert done.points == 9.0
    assert "This is 1 day late" in done.lateness[0].said
    assert done.lateness[0].said.endswith("nothing is taken off.")


@pytest.mark.parametrize(
    ("policy", "ends"),
    [
        (
            {"percent_a_day": 10, "until_days": 2},
            "3 days late. After 2 days, no points are left: 9 points are taken off.",
        ),
        (
            {"free_days": 2, "until_days": 0.5},
            "3 days late. After 0.5 days that are not free, no points are left: 9 points are taken "
            "off. This used 2 free late days.",
        ),
        ({"until_days": 0}, "3 days late. Late work gets no points: 9 points are taken off."),
        ({"percent_a_day": 40, "until_days": 3}, "3 days late: 100 % are taken off, 9 points."),
    ],
)
def test_work_that_is_too_late_is_told_from_when(with_policy, policy, ends):
    """10 % a day are not 100 % after three days: the line said so without a reason."""
    report = record("s1", 9.0, at="2027-02-08T01:00:00+00:00", at_from="Gradescope")
    (late,) = finalize(report, with_policy(**policy)).lateness
    assert late.said.endswith(f"This is {ends}")


def test_a_mark_without_a_time_is_said(with_policy):
    done = finalize(record("s1", late=True, platform="canvas"), with_policy(percent_a_day=10))
    assert done.points == 9.0
    assert (
        "marked as late by canvas. The time of the submission is unknown" in done.lateness[0].said
    )
    assert done.lateness[0].said.endswith("A roster can give the time in its column handed_in.")


def test_in_time_and_missing_have_no_line(with_policy):
    course = with_policy(percent_a_day=10)
    assert finalize(record("s1", at="2027-02-05T01:00:00"), course).lateness == ()
    late = record("s1", 0.0, "missing", at="2027-03-05T01:00:00")
    assert finalize(late, course).lateness == ()


@pytest.mark.parametrize("word", ["attention-1", "softmax", "all"])
def test_who_is_excused_has_neither_points_nor_a_maximum(course, word):
    done = finalize(record("s1", 9.0, excused=False, **{"name": "x"}), course)
    assert not done.exercises[0].excused
    hand_in = msgspec.structs.replace(done.hand_in, excused=(word,))
    done = finalize(msgspec.structs.replace(done, hand_in=hand_in), course)
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
