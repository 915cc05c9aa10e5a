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


@pytest.mark.parametrize("rng", CLASSES)
def test_an_item_is_measured_as_by_the_oracle(stats, rng):
    points = a_class(rng)
    one, rest = points[:, 0], points[:, 1:].sum(1)
    found = statistics.item_statistics(one, rest, 10.0)
    assert found.discrimination == pytest.approx(stats.pearsonr(one, rest).statistic, abs=1e-9)
    assert found.facility == pytest.approx(one.mean() / 10, abs=1e-9)
    assert found.deviation == pytest.approx(stats.tstd(one / 10), abs=1e-9)


def test_what_is_not_defined_is_not_made_up():
    nobody = statistics.item_statistics(np.zeros(0), np.zeros(0), 2.0)
    assert nobody.students == 0
    assert np.isnan([nobody.facility, nobody.discrimination]).all()
    same = statistics.item_statistics(np.full(30, 2.0), np.arange(30.0), 2.0)
    assert same.facility == 1.0
    assert np.isnan(same.discrimination)
    assert np.isnan(statistics.item_statistics(np.zeros(5), np.arange(5.0), 0.0).facility)


def test_those_against_the_grain_are_named():
    rest = np.arange(20.0)
    points = (rest > 9).astype(float)
    points[[0, 19]] = 1, 0
    assert set(statistics.against_the_grain(points, rest)[:2]) == {0, 19}
    assert statistics.against_the_grain(rest, rest) == []


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


def test_intervals_are_those_of_the_classes_drawn(stats):
    points = a_class(np.random.default_rng(3), 40, 3)
    drawn = statistics.bootstrap_draws(40)
    (low, high), *_ = statistics.correlation_intervals(points[:, :1], points[:, 1:2], drawn)
    number = np.arange(40)
    each = [number.repeat(row.astype(int)) for row in drawn]
    slowly = [stats.pearsonr(points[rows, 0], points[rows, 1]).statistic for rows in each]
    np.testing.assert_allclose([low, high], np.quantile(slowly, [0.025, 0.975]), atol=1e-9)
    (low, high), *_ = statistics.mean_intervals(points[:, :1], drawn)
    slowly = [points[rows, 0].mean() for rows in each]
    np.testing.assert_allclose([low, high], np.quantile(slowly, [0.025, 0.975]), atol=1e-9)
    slowly = [statistics.cronbach_alpha(points[rows]) for rows in each]
    found = statistics.interval_of(statistics.cronbach_alpha, points, drawn)
    np.testing.assert_allclose(found, np.quantile(slowly, [0.025, 0.975]), atol=1e-9)


def test_where_most_classes_leave_it_open_there_is_no_interval():
    one, rest = np.zeros((30, 1)), np.arange(30.0)[:, None]
    assert np.isnan(
        statistics.correlation_intervals(one, rest, statistics.bootstrap_draws(30))
    ).all()
