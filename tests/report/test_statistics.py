"""Item statistics against SciPy's, and against what their definitions say."""

import importlib

import numpy as np
import pytest

from autograder.report import statistics

CLASSES = [np.random.default_rng(seed) for seed in range(5)]


@pytest.fixture(scope="module")
def stats():
    """SciPy's, which takes a second to import: only the process that runs these tests does."""
    return importlib.import_module("scipy.stats")


def a_class(rng, students=60, exercises=6):
    """Points of students of different ability, rounded, so that many are the same."""
    ability = rng.normal(size=(students, 1))
    return np.clip(np.round(5 + 2 * ability + 2 * rng.normal(size=(students, exercises))), 0, 10)


def measured(points, rest, maximum):
    names = [f"s{number}" for number in range(len(points))]
    return statistics.measure("Exercise", "Check", maximum, points, rest, names)


@pytest.mark.parametrize("rng", CLASSES)
def test_an_item_is_measured_as_by_the_oracle(stats, rng):
    points = a_class(rng)
    one, rest = points[:, 0], points[:, 1:].sum(1)
    found, oracle = measured(one, rest, 10.0), stats.pearsonr(one, rest)
    assert found.discrimination == pytest.approx(oracle.statistic, abs=1e-9)
    assert found.discrimination_in == pytest.approx(oracle.confidence_interval(), abs=1e-4)
    assert found.facility == pytest.approx(one.mean() / 10, abs=1e-9)
    assert found.deviation == pytest.approx(stats.tstd(one / 10), abs=1e-9)
    within = stats.norm.interval(0.95, one.mean() / 10, stats.sem(one / 10))
    assert found.facility_in == pytest.approx(within, abs=1e-4)


def test_what_is_not_defined_is_not_made_up():
    nobody = measured(np.zeros(0), np.zeros(0), 2.0)
    assert nobody.students == 0
    assert np.isnan([nobody.facility, *nobody.facility_in, nobody.discrimination]).all()
    same = measured(np.full(30, 2.0), np.arange(30.0), 2.0)
    assert same.facility == 1.0 and same.facility_in == (1.0, 1.0)
    assert np.isnan([same.discrimination, *same.discrimination_in]).all()
    assert np.isnan(measured(np.zeros(5), np.arange(5.0), 0.0).facility)
    assert (
        statistics.interval_text(measured(np.arange(5.0), np.arange(5.0), 4.0).discrimination_in)
        == ""
    )


def test_those_against_the_grain_are_named():
    rest = np.arange(20.0)
    points = (rest <= 9).astype(float)
    points[[0, 19]] = 0, 1
    found = measured(points, rest, 1.0)
    assert found.discrimination < 0 and len(found.against) == 3
    assert not {"s0", "s19"} & set(found.against)
    assert measured(rest, rest, 19.0).against == ()


@pytest.mark.parametrize("rng", CLASSES)
def test_alpha_is_what_the_analysis_of_variance_gives(stats, rng):
    points = a_class(rng)  # Hoyt (1941): 1 − MS(residual) / MS(students)
    students, exercises = points.shape
    mean = points.mean()
    of_students = exercises * ((points.mean(1) - mean) ** 2).sum() / (students - 1)
    left = points - points.mean(1, keepdims=True) - points.mean(0) + mean
    residual = (left**2).sum() / ((students - 1) * (exercises - 1))
    alpha = statistics.cronbach_alpha(points)
    assert alpha == pytest.approx(1 - residual / of_students, abs=1e-9)
    error = statistics.standard_error_of_measurement(points, alpha)
    assert error == pytest.approx(stats.tstd(points.sum(1)) * np.sqrt(1 - alpha), abs=1e-9)


def test_alpha_of_what_does_not_vary_is_unknown():
    assert np.isnan(statistics.cronbach_alpha(np.ones((30, 4))))
    assert np.isnan(statistics.cronbach_alpha(np.arange(30.0)[:, None]))
    assert np.isnan(statistics.cronbach_alpha(np.zeros((0, 4))))
    assert np.isnan(statistics.standard_error_of_measurement(np.ones((30, 4)), -0.1))
