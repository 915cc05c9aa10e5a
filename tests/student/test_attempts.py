"""Hints come one at a time: after a new attempt that fails the same way, or on request."""

import msgspec
import pytest

from autograder.report.model import Cause, CheckReport, Diagnosis, Evidence, ExerciseReport
from autograder.student.step import Attempts, next_step, no_further_hint


def exercise(digest, *names, outcome="failed"):
    diagnosis = (
        Diagnosis(kind="named", finding="It is so.", misconceptions=names) if names else None
    )
    check = CheckReport(
        name="test_a",
        title="A",
        points=0.0,
        max_points=1.0,
        outcome=outcome,
        finding="It differs.",
        diagnosis=diagnosis,
        hints=("First?", "Second.", "Third."),
    )
    return ExerciseReport(
        name="e", title="E", status="graded", points=0, max_points=1, digest=digest, checks=(check,)
    )


def level(before, now, policy="practice", asked=False):
    after = next_step(before, now, policy, asked)
    seen = after.checks.get("test_a")
    return seen.hints if seen else 0, after


def test_the_first_hint_comes_with_the_finding():
    assert level(Attempts(), exercise("1", "no-scaling"))[0] == 1


def test_looking_again_shows_no_more():
    _, seen = level(Attempts(), exercise("1", "no-scaling"))
    assert level(seen, exercise("1", "no-scaling"))[0] == 1


@pytest.mark.parametrize("policy", ["practice", "homework"])
def test_a_new_attempt_that_fails_the_same_way_shows_one_more(policy):
    _, seen = level(Attempts(), exercise("1", "no-scaling"), policy)
    now, seen = level(seen, exercise("2", "no-scaling"), policy)
    assert now == 2
    assert level(seen, exercise("3", "no-scaling"), policy)[0] == 3
    _, seen = level(seen, exercise("3", "no-scaling"), policy)
    assert level(seen, exercise("4", "no-scaling"), policy)[0] == 3  # there are no more


def test_another_mistake_starts_from_its_first_hint():
    _, seen = level(Attempts(), exercise("1", "no-scaling"))
    _, seen = level(seen, exercise("2", "no-scaling"))
    assert level(seen, exercise("3", "mask-inverted"))[0] == 1


def failing(digest, function="softmax", diagnosis=None, **cause):
    check = msgspec.structs.replace(
        exercise(digest).checks[0],
        cause=Cause(**cause),
        evidence=Evidence(call="f(1)", function=function),
        diagnosis=diagnosis,
    )
    return msgspec.structs.replace(exercise(digest), checks=(check,))


NAME = {"code": "raised", "error": "NameError", "message": "name 'y' is not defined"}
SHAPES = {"code": "raised", "error": "ValueError", "message": "operands could not be broadcast"}


@pytest.mark.parametrize(
    ("before", "after", "hints"),
    [
        (NAME, NAME, 2),
        (NAME, {**NAME, "message": "name 'z' is not defined"}, 2),
        (NAME, SHAPES, 1),
        (NAME, {"code": "mismatch"}, 1),
        ({"code": "mismatch"}, {"code": "other_shape"}, 1),
        ({"code": "mismatch"}, {"code": "mismatch", "message": "4 of 9 values differ."}, 2),
        (NAME, {**NAME, "function": "attention"}, 1),
    ],
)
def test_the_level_rises_only_for_the_same_failure(before, after, hints):
    """The same code and the same function; another error begins with its own first hint."""
    _, seen = level(Attempts(), failing("1", **before))
    assert level(seen, failing("2", **after))[0] == hints


def test_asking_shows_one_more_in_practice_alone():
    _, seen = level(Attempts(), exercise("1", "no-scaling"))
    assert level(seen, exercise("1", "no-scaling"), asked=True)[0] == 2
    assert level(seen, exercise("1", "no-scaling"), "homework", asked=True)[0] == 1


def test_an_exam_shows_none():
    assert level(Attempts(), exercise("1", "no-scaling"), "exam", asked=True)[0] == 0


def test_what_passes_is_forgotten():
    _, seen = level(Attempts(), exercise("1"))
    assert level(seen, exercise("2", outcome="passed"))[1].checks == {}


def test_attempts_survive_being_stored():
    _, seen = level(Attempts(), exercise("1", "no-scaling"))
    assert msgspec.json.decode(msgspec.json.encode(seen), type=Attempts) == seen


def hints_shown(attempts):
    return {name: seen.hints for name, seen in attempts.checks.items()}


def both(digest, *mistakes, passed=()):
    each = [exercise(digest, mistake).checks[0] for mistake in mistakes]
    checks = [
        msgspec.structs.replace(
            check, name=f"test_{n}", outcome="passed" if n in passed else "failed"
        )
        for n, check in enumerate(each)
    ]
    return msgspec.structs.replace(exercise(digest), checks=tuple(checks))


def test_only_the_mistake_to_mend_first_gets_one_more():
    mistakes = "split-mixed", "merge-mixed", "split-mixed"
    seen = next_step(Attempts(), both("1", *mistakes), "practice", False)
    seen = next_step(seen, both("2", *mistakes), "practice", False)
    seen = next_step(seen, both("2", *mistakes), "practice", True)
    assert hints_shown(seen) == {"test_0": 3, "test_1": 1, "test_2": 3}


@pytest.mark.parametrize("asked", [False, True])
def test_the_second_mistake_begins_with_its_first_hint(asked):
    """Where the first one is fixed, nobody has seen a hint to the second yet: two were shown."""
    seen = next_step(Attempts(), both("1", "split-mixed", "merge-mixed"), "practice", False)
    fixed = both("2", "split-mixed", "merge-mixed", passed={0})
    assert no_further_hint(seen, fixed, "practice", "values", "") == ""
    seen = next_step(seen, fixed, "practice", asked)
    assert hints_shown(seen) == {"test_1": 1}
    again = both("3", "split-mixed", "merge-mixed", passed={0})
    assert hints_shown(next_step(seen, again, "practice", False)) == {"test_1": 2}


def test_the_same_mistake_in_another_check_goes_on():
    seen = next_step(Attempts(), both("1", "split-mixed", "split-mixed"), "practice", False)
    fixed = both("2", "split-mixed", "split-mixed", passed={0})
    assert hints_shown(next_step(seen, fixed, "practice", False)) == {"test_1": 2}
