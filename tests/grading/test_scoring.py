"""Points of a check, and of the exercise."""

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from autograder.checks.check_result import Check, CheckResult
from autograder.diagnosis.hints import way_of_failing
from autograder.grading.scoring import check_report
from autograder.report.model import Cause, CheckOutcome, Diagnosis
from tests.conftest import ROOT

CHECK = Check("test_a", "test_a", Path("test_a.py"), "A check", weight=1.5)


@pytest.mark.parametrize("outcome", get_args(CheckOutcome))
def test_only_a_check_that_passed_has_points(outcome):
    report = check_report(CheckResult(check=CHECK, outcome=outcome), 0.84, forbidden=False)
    assert report.max_points == 1.26  # 1.5 · 0.84
    assert report.points == (1.26 if outcome == "passed" else 0)


def test_forbidden_names_cost_all_points():
    assert check_report(CheckResult(check=CHECK, outcome="passed"), 1.0, forbidden=True).points == 0


@pytest.mark.parametrize("change", ["softmax(x, axis=-1)", "softmax(x, axes=-1)", "not_softmax(x)"])
def test_an_exercise_has_the_points_of_its_checks(grade_text, change):
    text = (ROOT / "solutions" / "softmax.py").read_text()
    report = grade_text("softmax", text.replace("softmax(x, axis=-1)", change))
    assert report.points == pytest.approx(sum(check.points for check in report.checks))
    assert report.max_points == pytest.approx(sum(check.max_points for check in report.checks))


def test_a_second_failure_counts_as_the_same_if_its_cause_is():
    report = check_report(CheckResult(check=CHECK, outcome="failed"), 1.0, forbidden=False)
    by_name = msgspec.structs.replace(
        report, cause=Cause(code="raised", error="NameError", message="name 'a' is not defined")
    )
    by_shape = msgspec.structs.replace(report, cause=Cause(code="shape"))
    named = msgspec.structs.replace(
        by_shape,
        diagnosis=Diagnosis(kind="named", finding="", misconceptions=("b", "a"), function="f"),
    )
    assert way_of_failing(report) == "failed"
    assert len({way_of_failing(check) for check in (report, by_name, by_shape, named)}) == 4
    assert way_of_failing(named) == "a+b f"
