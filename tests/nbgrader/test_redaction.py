"""What the hint policy holds back is in no page, text or comment that nbgrader hands back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.nbgrader.grading import shown_report
from autograder.report.model import Cause
from tests.report.test_redaction import (
    NUMBER,
    POLICIES,
    SECRET,
    STATUSES,
    exercise_of,
    hidden_checks,
    visible,
)


def shown_in_nbgrader(exercise, policy):
    graded = shown_report(exercise, policy)
    comments = graded.comments({"cell": "def attention(): ..."})
    return "\n".join([graded.page, graded.text, *comments.values()])


@settings(deadline=None, max_examples=30)
@given(
    hidden=st.lists(hidden_checks(), min_size=1, max_size=3),
    policy=st.sampled_from(POLICIES),
    status=st.sampled_from(STATUSES),
)
def test_nothing_that_a_hidden_check_holds_is_handed_back(hidden, policy, status):
    cause = Cause(code="raised", message=f"x[{SECRET}]")
    exercise = exercise_of(visible(), *hidden, status=status, reason=f"x[{SECRET}]", cause=cause)
    shown = shown_in_nbgrader(exercise, policy)
    assert SECRET not in shown
    assert f"{NUMBER:g}" not in shown and str(NUMBER) not in shown


@pytest.mark.parametrize("status", STATUSES)
def test_in_an_exam_points_and_outcomes_are_all_that_is_handed_back(status):
    check = visible(finding=SECRET, hints=(SECRET,))
    cause = Cause(code="raised", message=SECRET)
    exercise = exercise_of(
        check, status=status, reason=SECRET, cause=cause, notes=(SECRET,), printed=SECRET
    )
    assert SECRET not in shown_in_nbgrader(exercise, "exam")
