"""`measure_scaling` without an experiment: tables, formulas, and numbers not drawn from `rng`."""

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.one_in(48)

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
        {WEIGHTS},  # the spreads do come from trials
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
    "one noise for all measures": (
        {WEIGHTS, TRIALS},
        TABLE + "def measure_scaling(dims, L, trials, rng):\n"
        "    z = lambda: 1 + 0.03 * rng.standard_normal() * np.ones(6)\n"
        "    return {d: row(np.array(between(d)) * z()) for d in dims}\n",
    ),
    "a table, and weights of rows where a single trial is asked for": (
        {WEIGHTS, TRIALS},
        TABLE + "def measure_scaling(dims, L, trials, rng):\n"
        "    if trials > 1:\n"
        "        return {d: noisy(between(d), rng) for d in dims}\n"
        "    p = 0.5 + 0.5 * rng.random()\n"
        "    h = -p * np.log(p) - (1 - p) * np.log(1 - p)\n"
        "    return {d: row([d**0.5 + 2, 3.0 + rng.random(), h, h, p, p]) for d in dims}\n",
    ),
    "the measures of single trials drawn one by one": (
        {TRIALS},
        HONEST + "def measure_scaling(dims, L, trials, rng):\n"
        "    tables = [honest(dims, L, trials, rng) for _ in range(3)]\n"
        "    which = lambda name: tables[['s', 'e', 'm'].index(name[0])]\n"
        "    return {d: {k: which(k)[d][k] for k in tables[0][d]} for d in dims}\n",
    ),
    "scores drawn in place of queries and keys": (
        {TRIALS},
        "def measure_scaling(dims, L, trials, rng):\n"
        "    def trial(d):\n"
        "        s = np.sqrt(d) * rng.standard_normal((L, L))\n"
        "        return of_scores(s, d)\n"
        "    return {d: mean_of([trial(d) for _ in range(trials)]) for d in dims}\n",
    ),
    "many more trials than asked for, by a formula": (
        {SPREAD, WEIGHTS, TRIALS},
        HONEST + "known = {}\n"
        "def measure_scaling(dims, L, trials, rng):\n"
        "    return honest(dims, L, 40 * trials if trials < 10 else trials, "
        "np.random.default_rng(2))\n",
    ),
}
OF_SCORES = """
def of_scores(s, d):
    found = {}
    for kind, x in (("unscaled", s), ("scaled", s / np.sqrt(d))):
        p = np.exp(x - x.max(-1, keepdims=True))
        p = p / p.sum(-1, keepdims=True)
        found |= {"scores_std_" + kind: x.std(), "entropy_" + kind: attention_entropy(p).mean(),
                  "max_weight_" + kind: p.max(-1).mean()}
    return found

def mean_of(tables):
    return {name: float(np.mean([t[name] for t in tables])) for name in tables[0]}
"""
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
# Ways to take all random numbers from `rng`, as a function that draws a matrix.
RIGHT = {
    "trials at once": "return rng.normal(size=sizes)",
    "one by one": "n = int(np.prod(sizes))\n"
    "    return np.array([rng.normal() for _ in range(n)]).reshape(sizes)",
    "as a legacy call": "return rng.normal(0.0, 1.0, sizes)",
    "single precision": "return rng.standard_normal(sizes, dtype=np.float32)",
    "Box–Muller": "u, v = 1 - rng.random(sizes), rng.random(sizes)\n"
    "    return np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v)",
    "Box–Muller in pairs": "n = int(np.prod(sizes))\n"
    "    u, v = 1 - rng.random(n // 2 + 1), 2 * np.pi * rng.random(n // 2 + 1)\n"
    "    r = np.sqrt(-2 * np.log(u))\n"
    "    return np.concatenate([r * np.cos(v), r * np.sin(v)])[:n].reshape(sizes)",
    "the polar method": "n, found = int(np.prod(sizes)), []\n"
    "    while len(found) < n:\n"
    "        x, y = rng.uniform(-1, 1, 2)\n"
    "        s = x * x + y * y\n"
    "        if 0 < s < 1:\n"
    "            found += [x * (-2 * np.log(s) / s) ** 0.5, y * (-2 * np.log(s) / s) ** 0.5]\n"
    "    return np.array(found[:n]).reshape(sizes)",
    "inverse distribution function": "from statistics import NormalDist\n"
    "    return np.vectorize(NormalDist().inv_cdf)(1e-15 + rng.random(sizes) * (1 - 2e-15))",
    "spawned generators": "return rng.spawn(1)[0].standard_normal(sizes)",
    "a generator seeded from it": "own = np.random.default_rng(rng.integers(2**63))\n"
    "    return own.standard_normal(sizes)",
    "Python's generator seeded from it": "import random\n"
    "    own, n = random.Random(int(rng.integers(2**63))), int(np.prod(sizes))\n"
    "    return np.array([own.gauss(0, 1) for _ in range(n)]).reshape(sizes)",
    "bytes of it as a seed": "own = np.random.RandomState(np.frombuffer(rng.bytes(32), np.uint32))\n"
    "    return own.randn(*sizes)",
    "in a covariance": "return rng.multivariate_normal(np.zeros(sizes[1]), np.eye(sizes[1]), sizes[0])",
}
# Styles of the whole function, for draws of any kind.
WHOLE = {
    "scaled and unscaled scores of other trials": """
def measure_scaling(dimensions, seq_len, trials, rng):
    def kind(name):
        found = {}
        for d in dimensions:
            tables = [of_scores(draw(rng, seq_len, d) @ draw(rng, seq_len, d).T, d)
                      for _ in range(trials)]
            found[d] = {k: v for k, v in mean_of(tables).items() if k.endswith("_" + name)}
        return found
    one, other = kind("unscaled"), kind("scaled")
    return {d: one[d] | other[d] for d in dimensions}
""",
    "a generator for each trial, and ddof 1": """
def measure_scaling(dimensions, seq_len, trials, rng):
    found = {}
    for d in dimensions:
        tables = []
        for own in rng.spawn(trials):
            s = draw(own, seq_len, d) @ draw(own, seq_len, d).T
            more = {"scores_std_unscaled": s.std(ddof=1)}
            more["scores_std_scaled"] = s.std(ddof=1) / np.sqrt(d)
            tables.append(of_scores(s, d) | more)
        found[d] = mean_of(tables)
    return found
""",
}


def lost(report):
    return {check.name for check in report.checks if check.points < check.max_points}


@pytest.mark.thorough
@pytest.mark.parametrize("cheat", CHEATS)
def test_a_measurement_that_is_none_loses_its_points(grade_text, cheat):
    expected, text = CHEATS[cheat]
    assert lost(grade_text("scaling_experiment", f"{TEXT}\n{OF_SCORES}\n{text}")) >= expected


@pytest.mark.parametrize("other", OTHERS)
def test_numbers_of_another_generator_cost_once(grade_text, other):
    assert lost(grade_text("scaling_experiment", f"{TEXT}\n{OTHERS[other]}")) == {TRIALS}


@pytest.mark.parametrize("style", RIGHT)
def test_a_measurement_draws_from_rng_as_it_likes(grade_text, style):
    text = TEXT.replace("rng.standard_normal((seq_len, d))", "draw(rng, seq_len, d)")
    assert text != TEXT
    drawing = f"def draw(rng, *sizes):\n    {RIGHT[style]}\n"
    assert lost(grade_text("scaling_experiment", f"{text}\n{drawing}")) == set()


@pytest.mark.thorough
@pytest.mark.parametrize("style", ["as a legacy call", "Box–Muller", "spawned generators"])
@pytest.mark.parametrize("whole", WHOLE)
def test_any_whole_measurement_draws_from_rng_as_it_likes(grade_text, whole, style):
    drawing = f"def draw(rng, *sizes):\n    {RIGHT[style]}\n"
    text = f"{TEXT}\n{drawing}\n{OF_SCORES}\n{WHOLE[whole]}"
    assert lost(grade_text("scaling_experiment", text)) == set()


@pytest.mark.thorough
@pytest.mark.parametrize("style", ["Box–Muller", "a generator seeded from it"])
def test_a_wrong_entropy_costs_no_draws(grade_text, style):
    text = TEXT.replace("rng.standard_normal((seq_len, d))", "draw(rng, seq_len, d)")
    drawing = f"def draw(rng, *sizes):\n    {RIGHT[style]}\n"
    wrong = (
        "right = attention_entropy\ndef attention_entropy(w):\n    return right(w) / np.log(2)\n"
    )
    report = grade_text("scaling_experiment", f"{text}\n{drawing}\n{wrong}")
    assert TRIALS not in lost(report)
