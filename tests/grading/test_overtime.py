"""Work of the judge's own that takes too long is ended, and costs only its finding."""

import time

import pytest

from autograder.grading import diagnose
from autograder.grading.overtime import Overtime, at_most

WRONG = "import numpy as np\ndef softmax(x, axis=-1): return np.exp(x) / np.exp(x).sum()\n"


def endless(*_):
    while True:
        try:
            sum(range(1000))
        except Exception:  # a handler that would go on
            continue


def test_endless_work_is_ended():
    with pytest.raises(Overtime), at_most(0.2):
        endless()


def test_short_work_and_sleep_are_not():
    with at_most(0.5):
        time.sleep(1.0)


@pytest.mark.parametrize("trouble", [endless, lambda *_: 1 / 0, lambda *_: [0] * 10**14])
def test_a_diagnosis_that_fails_costs_no_points(grade_text, monkeypatch, trouble):
    before = grade_text("softmax", WRONG)
    assert any(check.diagnosis for check in before.checks)
    monkeypatch.setattr(diagnose, "SECONDS", 0.3)
    monkeypatch.setattr(diagnose, "Examination", trouble)
    after = grade_text("softmax", WRONG)
    assert after.points == before.points
    assert after.status == "graded"
    assert not any(check.diagnosis for check in after.checks)
