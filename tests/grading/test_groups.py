"""Failures without a name are put together by what was answered."""

from autograder.report.redaction import exercise_for_student
from autograder.submission.source import Source
from autograder.worker.messages import Unit

ODD = """
import numpy as np
def softmax(x, axis=-1):
    e = np.exp({})
    return e / e.sum(axis=axis, keepdims=True) + np.sin(3 * np.asarray(x))
"""
NAMED = """
import numpy as np
def softmax(x, axis=-1):
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)
"""


def groups(grade_source, text):
    report = grade_source(Source("softmax", "softmax.py", (Unit("softmax.py", text),)))
    shown = exercise_for_student(report, "practice")
    assert not any(check.group for check in shown.checks)
    return {check.group for check in report.checks} - {""}


def test_answers_that_are_alike_share_an_id_and_others_do_not(grade_source):
    first = groups(grade_source, ODD.format("x - np.max(x)"))
    assert len(first) == 1
    assert groups(grade_source, ODD.format("-np.max(x) + x")) == first
    assert groups(grade_source, ODD.format("(x - np.max(x)) * 1.5")) != first


def test_what_has_a_name_needs_no_group(grade_source):
    assert groups(grade_source, NAMED) == set()
