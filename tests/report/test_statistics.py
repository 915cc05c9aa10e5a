"""Statistics of a class against NumPy's, and of classes without points."""

import math

import numpy as np
import pytest

from autograder.report.overview import Scores
from autograder.report.statistics import item_remark, summarise, tenths
from tests.report.test_class_sentences import EXERCISES, a_report, summary_of


@pytest.mark.parametrize("count", [1, 2, 5, 60])
def test_totals_and_items_are_those_of_the_oracle(count):
    points = 2 * np.random.default_rng(count).integers(0, 2, (count, 3, 2)).astype(float)
    scores = Scores(EXERCISES)
    for number, own in enumerate(points.tolist()):
        scores.add(a_report(f"s{number}", own))
    summary, totals = summarise(scores), points.sum((1, 2))
    assert (summary.mean, summary.median) == pytest.approx((totals.mean(), np.median(totals)))
    if count > 1:
        assert summary.deviation == pytest.approx(totals.std(ddof=1))
    facilities = [each.facility for each in summary.exercises]
    assert facilities == pytest.approx(points.sum(2).mean(0) / 4)
    of_checks = [each.facility for each in summary.checks]
    assert of_checks == pytest.approx(points.mean(0).ravel() / 2)
    assert [each.failed for each in summary.checks] == (points < 2).sum(0).ravel().tolist()


def test_what_is_not_defined_is_not_made_up():
    nobody = summary_of(0)
    assert all(map(math.isnan, (nobody.mean, nobody.median, nobody.deviation)))
    assert nobody.exercises == nobody.checks == ()
    assert math.isnan(summary_of(1).deviation)


def test_tenths_count_everybody_once():
    assert tenths([-1.0, 0.0, 0.3, 0.99, 1.0, 7.0], 1.0) == (2, 0, 0, 1, 0, 0, 0, 0, 0, 3)
    assert tenths([0.0, 1.0], 0.0) == (0,) * 10


def test_an_item_that_all_or_none_solve_is_pointed_out():
    (check, *_) = summary_of(25).checks
    assert item_remark(check) == ""
    assert "Nobody has a point" in item_remark(check._replace(facility=0.0))
    assert "All students" in item_remark(check._replace(facility=1.0))
    assert item_remark(check._replace(facility=0.0, students=19)) == ""
