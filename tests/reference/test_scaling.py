"""The scaling experiment's reference: entropy, gradients, and how wide a fair result spreads."""

import numpy as np
import pytest
import torch

import reference
from reference import draws
from reference.checks import fair_trials


def test_entropy_is_torchs():
    weights = reference.softmax(np.random.default_rng(0).normal(size=(3, 4, 5)))
    expected = torch.distributions.Categorical(torch.from_numpy(weights)).entropy()
    np.testing.assert_allclose(reference.entropy(weights), expected.numpy(), atol=1e-12)
    np.testing.assert_array_equal(reference.entropy(np.eye(3)), np.zeros(3))
    assert reference.entropy(np.full(7, 1 / 7)) == pytest.approx(np.log(7))


def test_gradient_norm_by_finite_differences():
    scores = np.random.default_rng(1).normal(scale=2, size=6)
    step = 1e-6
    columns = [
        (reference.softmax(scores + step * unit) - reference.softmax(scores - step * unit))
        / (2 * step)
        for unit in np.eye(6)
    ]
    assert reference.gradient_norm(scores) == pytest.approx(np.linalg.norm(columns), rel=1e-7)


def test_gradient_norm_by_automatic_differentiation():
    scores = torch.randn(5, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), scores)
    assert reference.gradient_norm(scores.numpy()) == pytest.approx(jacobian.norm().item())


def test_the_claims_of_the_lesson():
    measured = {d: reference.sampling_distributions(d, 16) for d in (4, 16, 64, 256)}
    spread = [measured[d]["scores_std_unscaled"].mean for d in measured]
    exponent = np.polyfit(np.log(list(measured)), np.log(spread), 1)[0]
    assert exponent == pytest.approx(0.5, abs=0.02)
    scaled = [measured[d]["entropy_scaled"].mean for d in measured]
    unscaled = [measured[d]["entropy_unscaled"].mean for d in measured]
    assert max(scaled) - min(scaled) < 0.1 < max(unscaled) - min(unscaled)
    small, large = (np.random.default_rng(3).normal(scale=s, size=(500, 8)) for s in (1, 16))
    assert reference.gradient_norm(large).mean() < 0.3 * reference.gradient_norm(small).mean()


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("dimension", "seq_len", "trials"),
    [(4, 8, 40), pytest.param(256, 8, 40, marks=pytest.mark.thorough), (16, 8, 5)],
)
def test_fair_experiments_stay_well_inside_the_interval(dimension, seq_len, trials):
    """4,000 fair experiments: their extremes must lie inside, at every measure, with room."""
    rng = np.random.default_rng([7, dimension])
    runs = 4000
    shape = (runs * trials, seq_len, dimension)
    totals = {name: np.empty(0) for name in reference.MEASURES}
    for _ in range(20):
        part = (shape[0] // 20, seq_len, dimension)
        measured = reference.measure_trial(rng.standard_normal(part), rng.standard_normal(part))
        for name, values in measured.items():
            totals[name] = np.append(totals[name], values.reshape(-1, trials).mean(axis=1))
    for name, means in totals.items():
        one = reference.sampling_distributions(dimension, seq_len)[name]
        low, high = reference.acceptance_interval(one, trials, 1e-9)
        assert low < means.min() and means.max() < high, name
        # the interval is a bound on chance, not a blank cheque: at most twice the range seen
        assert high - low < 2.6 * (means.max() - means.min()), name


def made(state):
    names = {}
    exec(draws.GENERATOR, names)
    return names["generator"](state.key, state.position)


@pytest.mark.parametrize("size", [28, 40, 47, 48])
def test_draws_of_a_known_size(size):
    single, double = (
        made(draws.sized(each, 5)).normal(size=draws.KNOWN) for each in (size, size + 1)
    )
    np.testing.assert_array_equal(double, 2 * single)
    assert abs(single).max() < 2.0 ** (size - 49)
    assert abs(single).min() > 2.0 ** (size - 55)
    assert (single > 0).any()
    assert (single < 0).any()


def test_a_seeded_state_is_numpys():
    own = np.random.Generator(np.random.MT19937([3, 4])).normal(size=1000)
    np.testing.assert_array_equal(made(draws.seeded(3, 4)).normal(size=1000), own)


@pytest.mark.parametrize("freedom", [10, 24])
def test_the_interval_of_a_variance(freedom):
    """At a chance that can be seen: a fifth of the draws is outside before it is widened."""
    draws_of_variance = np.random.default_rng(1).chisquare(freedom, 100_000) / freedom
    low, high = reference.scaling.variance_interval(freedom, 0.2)
    outside = (draws_of_variance < low * 1.5).mean(), (draws_of_variance > high / 1.5).mean()
    assert outside == pytest.approx((0.1, 0.1), abs=0.005)
    narrow, wide = reference.scaling.variance_interval(freedom, 1e-9)
    assert narrow < low < 1 < high < wide


@pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(10, 60), marks=pytest.mark.thorough)]
)
def test_fair_experiments_scatter_as_they_should(seeds):
    """Fair experiments at many dimensions: their extremes lie inside, with room."""
    for seed in seeds:
        rng = np.random.default_rng([8, seed])
        sizes = fair_trials.many_sizes(rng)
        table = {}
        for d in sizes.dimensions:
            Q, K = rng.normal(size=(2, sizes.trials, sizes.seq_len, d))
            trials = reference.measure_trial(Q, K)
            table[d] = {name: values.mean() for name, values in trials.items()}
        fair_trials.expect_scatter(
            table,
            reference.MEASURES,
            sizes,
            lambda d, sizes=sizes: reference.sampling_distributions(d, sizes.seq_len, 300),
        )
