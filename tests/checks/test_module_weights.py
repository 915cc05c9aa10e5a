"""Parameters that another process says that a module has: what is made of them is bounded."""

import dataclasses

import numpy as np
import pytest

from autograder.checks import module_weights
from autograder.checks.module_weights import ParameterNames, TooManyParameters, find_fits
from autograder.worker.messages import Passed

WORDS = ParameterNames(lambda _: "", lambda name: name.endswith("bias"), {}, lambda _: None)
STATE = {"layer.weight": np.ones((3, 2), np.float32)}


def claimed(**extra):
    return Passed(state={"layer.weight": [3, 2]} | {f"{key}.bias": s for key, s in extra.items()})


@pytest.mark.parametrize(
    "extra",
    [
        {"one": [2**27]},
        {"one": [2**31 - 1] * 32},
        {"one": [0, 2**31 - 1, 2**31 - 1, 2**31 - 1]},
        {"one": [1000, 1000]},
        {f"part{n}": [1000] for n in range(900)},
    ],
)
def test_sizes_that_are_only_claimed_are_never_made(extra):
    with pytest.raises(TooManyParameters):
        find_fits(claimed(**extra), STATE, WORDS)


@pytest.mark.parametrize("extra", [{}, {"one": [3]}, {"one": [], "two": [100, 20]}])
def test_a_few_biases_too_many_are_set_to_0(extra):
    fit = find_fits(claimed(**extra), STATE, WORDS)[0]
    loaded = fit.loaded(STATE)
    np.testing.assert_array_equal(loaded["layer.weight"], STATE["layer.weight"])
    for name, sizes in extra.items():
        np.testing.assert_array_equal(loaded[f"{name}.bias"], np.zeros(sizes))


def test_large_parameters_that_nothing_asks_for_stay_as_they_are():
    passed = Passed(state={"layer.weight": [3, 2], "table": [2**27, 2**4]})
    assert set(find_fits(passed, STATE, WORDS)[0].loaded(STATE)) == {"layer.weight"}


def test_ways_that_come_to_nothing_are_counted():
    tried = []
    words = dataclasses.replace(WORDS, neutral=tried.append)  # None: nothing can be left out
    shapes = [(2, 3), (3, 4), (4, 5), (5, 6), (7,)]
    state = {f"w{n}": np.ones(shape) for n, shape in enumerate(shapes)}
    own = {f"o{n}_{copy}": list(s) for n, s in enumerate(shapes[:4]) for copy in range(20)}
    assert find_fits(Passed(state=own), state, words) == []
    assert 1 < len(tried) <= module_weights.MAX_TRIES
