"""Outcomes of hidden checks appear after a date, and nothing but points tells of them before."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import msgspec
import pytest

from autograder.course.course_file import parse_course
from autograder.course.errors import UserError
from autograder.grading import repair
from autograder.platforms import gradescope
from autograder.report.model import Cause, CheckReport, ExerciseReport, Repair
from autograder.report.redaction import exercise_for_student
from autograder.student.check import repair_to_show
from tests.classroom.records import record

SECRET = "HIDDENWORD"
TEXT = """
title: T
exercises:
  - {name: one, title: One, points: 10}
  - {name: two, title: Two, points: 10}
"""


def check(name, outcome, hidden):
    return CheckReport(
        name=name, title=name, points=5.0 * (outcome == "passed"), max_points=5.0,
        outcome=outcome, hidden=hidden, finding=SECRET if hidden else "seen",
    )  # fmt: skip


def exercise(outcome="failed", status="graded", reason="", ours=False):
    return ExerciseReport(
        name="one", title="One", status=status, points=5.0, max_points=10.0, reason=reason,
        reason_is_ours=ours, cause=Cause(code="timed_out") if reason else None,
        checks=(check("shown", "passed", False), check("secret", outcome, True)),
    )  # fmt: skip


def course(tmp_path, more):
    return parse_course(tmp_path / "course.yml", TEXT + more)


def date(days):
    return (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="minutes")


@pytest.mark.parametrize(
    ("more", "one", "two"),
    [
        ("", "by policy", "by policy"),
        ("reveal_hidden: {past}", "shown", "shown"),
        ("reveal_hidden: {future}", "held back", "held back"),
        (
            "reveal_hidden: {future}\nassignments:\n"
            "  - {{name: a, title: A, exercises: [one], reveal_hidden: {past}}}",
            "shown",
            "held back",
        ),
    ],
)
def test_the_date_is_the_assignments_or_the_courses(tmp_path, more, one, two):
    found = course(tmp_path, more.format(past=date(-1), future=date(1)))
    assert [found.hidden_checks(name) for name in ("one", "two")] == [one, two]


@pytest.mark.parametrize("value", ["2027-02-05T23:59", "2027-02-05 23:59:00", "soon", "2027-02-05"])
def test_a_date_needs_a_time_with_a_zone(tmp_path, value):
    with pytest.raises(UserError, match="reveal_hidden"):
        course(tmp_path, f"reveal_hidden: {value}")
    for zone in ("+01:00", "Z"):
        course(tmp_path, f"reveal_hidden: 2027-02-05T23:59:00{zone}")


@pytest.mark.parametrize("policy", ["practice", "homework", "exam"])
def test_by_policy_and_stage(policy):
    full = exercise()

    def names(stage):
        shown = exercise_for_student(full, policy, hidden=lambda _: stage)
        assert SECRET not in msgspec.json.encode(shown).decode()
        assert shown.points == 5.0
        return [(check.name, check.outcome) for check in shown.checks]

    both = [("shown", "passed"), ("secret", "failed")]
    assert names("held back") == both[:1]
    assert names("shown") == both
    assert names("by policy") == (both[:1] if policy == "exam" else both)
    assert exercise_for_student(full, policy) == exercise_for_student(
        full, policy, hidden=lambda _: "by policy"
    )


@pytest.mark.parametrize("policy", ["practice", "exam"])
@pytest.mark.parametrize("status", ["timed out", "crashed"])
def test_before_the_date_a_status_says_nothing_of_hidden_checks(policy, status):
    full = exercise(status, status, "It stopped.")
    before = exercise_for_student(full, policy, hidden=lambda _: "held back")
    assert (before.status, before.reason, before.cause) == ("graded", "", None)
    after = exercise_for_student(full, policy, hidden=lambda _: "shown")
    assert after.status == status


def test_before_the_date_a_repair_says_nothing_of_hidden_checks(monkeypatch):
    said = Repair(said="A change in line 3 makes every check pass.")
    full = msgspec.structs.replace(exercise(), repair=said)
    shown_only = msgspec.structs.replace(full, checks=full.checks[:1])
    monkeypatch.setattr(repair, "is_worth_looking", lambda *_: True)
    searches = []
    monkeypatch.setattr(repair, "look_for_repair", lambda *_: searches.append("one") or said)
    graded = SimpleNamespace(
        error=None,
        exercise=SimpleNamespace(name="one"),
        session=SimpleNamespace(source=None),
        report=full,
        results=[full.checks[1]],
    )
    for stage, kept in (("held back", None), ("shown", said), ("by policy", said)):

        def hidden(_, stage=stage):
            return stage

        assert exercise_for_student(full, "homework", hidden=hidden).repair == kept
        assert exercise_for_student(shown_only, "homework", hidden=hidden).repair == said
        content = SimpleNamespace(hints="homework")
        judge = SimpleNamespace(course=SimpleNamespace(hidden_checks=hidden, content=content))
        searches.clear()
        assert repair_to_show(judge, graded) == kept
        assert bool(searches) == bool(kept)  # "Looking for the line to change …" tells, too


def test_that_a_person_is_needed_is_always_said():
    full = exercise("error", "needs a person", "It stopped.")
    before = exercise_for_student(full, "practice", hidden=lambda _: "held back")
    assert (before.status, before.reason) == ("needs a person", "A person will look at this.")


def test_on_gradescope_they_are_one_number_before():
    report = msgspec.structs.replace(record("s1"), exercises=(exercise(),))
    before, after = (
        gradescope.results_of(report, "practice", lambda _, stage=stage: stage)["tests"]
        for stage in ("held back", "shown")
    )
    assert len(before) == len(after) == 2
    assert before[1]["visibility"] != "visible" and after[1]["visibility"] == "visible"
