"""`measure_scaling` without an experiment: tables, formulas, and numbers not drawn from `rng`."""

import pytest

from tests.conftest import ROOT

TEXT = (ROOT / "solutions" / "scaling_experiment.py").read_text()
SPREAD = "test_spread"
WEIGHTS = "test_entropy_and_largest_weight"
TRIALS = "test_trials_and_generator"
ALL = {SPREAD, WEIGHTS, TRIALS}

# What a fair experiment gives at the sizes that the text names, and functions to use it with.
TABLE = """
MEASURES = ["scores_std_unscaled", "scores_std_scaled", "entropy_unscaled", "entropy_scaled",
            "max_weight_unscaled", "max_weight_scaled"]
TABLE = {4: [1.96, 0.98, 1.05, 1.66, 0.60, 0.36], 16: [3.93, 0.983, 0.52, 1.66, 0.80, 0.36],
         64: [7.88, 0.985, 0.25, 1.66, 0.90, 0.36], 256: [15.8, 0.987, 0.13, 1.66, 0.95, 0.36]}
NOISE = [0.02, 0.02, 0.04, 0.02, 0.02, 0.01]

def nearest(d):
    return TABLE[min(TABLE, key=lambda known: abs(known - d))]

def between(d):
    known = sorted(TABLE)
    return [np.interp(np.log(d), np.log(known), [TABLE[k][i] for k in known]) for i in range(6)]

def row(values):
    return dict(zip(MEASURES, map(float, values)))

def noisy(values, rng, size=1.0):
    return row(v * (1 + size * s * rng.standard_normal()) for v, s in zip(values, NOISE))
"""
HONEST = "honest = measure_scaling\n"
CHEATS = {
    "a constant table": (
        ALL,
        TABLE + "def measure_scaling(dims, L, trials, rng):\n"
        "    return {d: row(nearest(d)) for d in dims}\n",
    ),
    "a table with noise from rng": (
        ALL,
        TABLE + "def measure_scaling(dims, L, trials, rng):\n"
        "    return {d: noisy(nearest(d), rng) for d in dims}\n",
    ),
    "a table read between its rows, with noise": (
        {WEIGHTS, TRIALS},
        TABLE + "def measure_scaling(dims, L, trials, rng):\n"
        "    return {d: noisy(between(d), rng) for d in dims}\n",
    ),
    "a table with noise of another generator": (
        ALL,
        TABLE + "def measure_scaling(dims, L, trials, rng):\n"
        "    return {d: noisy(nearest(d), np.random.default_rng()) for d in dims}\n",
    ),
    "the root of d without noise, and a table": (
        ALL,
        TABLE + "def measure_scaling(dims, L, trials, rng):\n"
        "    return {d: row([d**0.5, 1.0, *between(d)[2:]]) for d in dims}\n",
    ),
    "the root of d with noise, and a table": (
        {WEIGHTS, TRIALS},
        TABLE + "def measure_scaling(dims, L, trials, rng):\n"
        "    return {d: noisy([d**0.5, 1.0, *between(d)[2:]], rng) for d in dims}\n",
    ),
    "spreads measured, and a table of weights": (
        {WEIGHTS, TRIALS},
        TABLE + HONEST + "def measure_scaling(dims, L, trials, rng):\n"
        "    results = honest(dims, L, trials, rng)\n"
        "    for d in dims:\n"
        "        kept = {k: v for k, v in results[d].items() if k.startswith('scores')}\n"
        "        results[d] = {**noisy(between(d), rng), **kept}\n"
        "    return results\n",
    ),
    "one trial for all": (
        {SPREAD, TRIALS},
        HONEST + "def measure_scaling(dims, L, trials, rng):\n    return honest(dims, L, 1, rng)\n",
    ),
    "many more trials than asked for, by a formula": (
        {SPREAD, WEIGHTS, TRIALS},
        HONEST + "known = {}\n"
        "def measure_scaling(dims, L, trials, rng):\n"
        "    return honest(dims, L, 40 * trials if trials < 10 else trials, "
        "np.random.default_rng(2))\n",
    ),
}
# Real experiments, with other numbers than those of `rng`: they lose the points for that alone.
OTHERS = {
    "the first call's answer kept": (
        HONEST + "cache = {}\n"
        "def measure_scaling(dims, L, trials, rng):\n"
        "    key = (*dims, L, trials)\n"
        "    if key not in cache:\n"
        "        cache[key] = honest(dims, L, trials, rng)\n"
        "    return cache[key]\n"
    ),
    "a generator of its own, from the other's state": (
        HONEST + "import zlib\n"
        "def measure_scaling(dims, L, trials, rng):\n"
        "    seed = zlib.crc32(repr(rng.bit_generator.state).encode()) + rng.integers(1)\n"
        "    return honest(dims, L, trials, np.random.default_rng(seed))\n"
    ),
    "a generator of its own, from the other's first number": (
        HONEST + "def measure_scaling(dims, L, trials, rng):\n"
        "    return honest(dims, L, trials, np.random.default_rng(rng.integers(2**60)))\n"
    ),
    "a copy of the generator": (
        HONEST + "import copy\n"
        "def measure_scaling(dims, L, trials, rng):\n"
        "    return honest(dims, L, trials, copy.deepcopy(rng))\n"
    ),
    "numpy's own generator": (
        HONEST + "def measure_scaling(dims, L, trials, rng):\n"
        "    return honest(dims, L, trials, np.random.default_rng())\n"
    ),
    "a generator with a seed of its own": (
        HONEST + "def measure_scaling(dims, L, trials, rng):\n"
        "    return honest(dims, L, trials, np.random.default_rng(1))\n"
    ),
}
RIGHT = {
    "trials at once": "def draws(rng, *sizes):\n    return rng.normal(size=sizes)\n",
    "one by one": "def draws(rng, *sizes):\n"
    "    return np.array([rng.normal() for _ in range(int(np.prod(sizes)))]).reshape(sizes)\n",
    "as a legacy call": "def draws(rng, *sizes):\n    return rng.normal(0.0, 1.0, sizes)\n",
}


def lost(report):
    return {check.name for check in report.checks if check.points < check.max_points}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_measurement_that_is_none_loses_its_points(grade_text, cheat):
    expected, text = CHEATS[cheat]
    assert lost(grade_text("scaling_experiment", f"{TEXT}\n{text}")) >= expected


@pytest.mark.parametrize("other", OTHERS)
def test_numbers_of_another_generator_cost_once(grade_text, other):
    assert lost(grade_text("scaling_experiment", f"{TEXT}\n{OTHERS[other]}")) == {TRIALS}


@pytest.mark.parametrize("style", RIGHT)
def test_a_measurement_draws_from_rng_as_it_likes(grade_text, style):
    text = TEXT.replace("rng.standard_normal((seq_len, d))", "draws(rng, seq_len, d)")
    assert text != TEXT
    assert (
        lost(
            grade_text(
                "scaling_experiment",
                f"{RIGHT[style]}\n{text}".replace(
                    "def draws", "import numpy as np\n\ndef draws", 1
                ),
            )
        )
        == set()
    )
