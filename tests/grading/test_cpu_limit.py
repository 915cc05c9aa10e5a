"""Work of the judge's own that takes too long is ended, and costs only its finding."""

import time

import pytest

from autograder.grading import diagnoses
from autograder.grading.cpu_limit import CpuLimitExceeded, cpu_limit

WRONG = "import numpy as np\ndef softmax(x, axis=-1): return np.exp(x) / np.exp(x).sum()\n"


def endless(*_):
    while True:
        try:
            sum(range(1000))
        except Exception:  # a handler that would go on
            continue


def test_endless_work_is_ended():
    with pytest.raises(CpuLimitExceeded), cpu_limit(0.2):
        endless()


def test_short_work_and_sleep_are_not():
    with cpu_limit(0.5):
        time.sleep(1.0)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("trouble", [endless, lambda *_: 1 / 0, lambda *_: [0] * 10**14])
def test_a_diagnosis_that_fails_costs_no_points(grade_text, monkeypatch, trouble):
    before = grade_text("softmax", WRONG)
    assert any(check.diagnosis for check in before.checks)
    monkeypatch.setattr(diagnoses, "SECONDS", 0.3)
    monkeypatch.setattr(diagnoses, "Examination", trouble)
    after = grade_text("softmax", WRONG)
    assert after.points == before.points
    assert after.status == "graded"
    assert not any(check.diagnosis for check in after.checks)
