"""What is not believed of a submission that is graded beside others: it is graded again, alone."""

import msgspec
import pytest

from autograder.classroom.judge_pool import Setup, Task, TaskGrader
from autograder.course.course_file import FILE_NAME
from autograder.grading import diagnoses as diagnoses_module
from autograder.report.model import ExerciseReport
from autograder.submission.source import from_text
from tests.conftest import ROOT

WRONG = "import numpy as np\ndef softmax(x, axis=-1): return np.exp(x) / np.exp(x).sum()\n"


@pytest.fixture
def graded(tmp_path):
    """A function: a submission's report, graded beside others, and whether it is in doubt."""
    setup = Setup(ROOT / FILE_NAME, ("softmax",), 2026, "none", (), tmp_path, alone=False)

    def grade():
        source = from_text(WRONG, "softmax", "softmax.py")
        with TaskGrader(setup) as grading:
            outcome = grading.grade(Task(0, "s01", (source,)))
        report = msgspec.json.decode(outcome.reports["softmax"], type=ExerciseReport)
        return report, bool(outcome.doubtful)

    return grade


def diagnoses(report):
    return [check.diagnosis for check in report.checks if check.diagnosis]


def test_a_wrong_answer_is_believed(graded):
    report, is_doubtful = graded()
    assert diagnoses(report)
    assert not is_doubtful


def test_a_diagnosis_whose_process_was_killed_is_in_doubt(graded, monkeypatch):
    """All checks have their outcome by then, and none of them says that something is missing."""
    real = diagnoses_module.answer_to

    def killed(submission, *rest):
        session = submission._session
        session.workers.process(session, session.place).child.kill()
        return real(submission, *rest)

    monkeypatch.setattr(diagnoses_module, "answer_to", killed)
    report, is_doubtful = graded()
    assert report.status == "graded"
    assert not diagnoses(report)
    assert is_doubtful
