"""Factors are named by sizes where one expression gives them all."""

import math

import pytest

from autograder.diagnosis.facts import in_names, named_factor, rounded, seems_one, shape_in_names
from autograder.diagnosis.finding import sentence

CALLS = [{"L": 3, "d": 4, "v": 5}, {"L": 5, "d": 9, "v": 2}, {"L": 2, "d": 16, "v": 7}]


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (lambda s: s["d"], "d"),
        (lambda s: 1 / math.sqrt(s["d"]), "1 / √d"),
        (lambda s: s["v"] ** 2, "v²"),
        (lambda s: 3.0, ""),
        (lambda s: s["d"] ** 1.23, ""),
    ],
)
def test_named_factor(factor, words):
    assert named_factor([factor(sizes) for sizes in CALLS], CALLS) == words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2.718, "2.718"),
        (0.125, "0.125"),
        (-0.9998963, "−0.9999"),
        (1.00002, ""),
        (1234.5, "1234.5"),
        (1e-9, "1e−9"),
    ],
)
def test_a_number_is_shown_with_the_digits_that_tell_it(value, shown):
    """With two decimals, 2.718 was shown as 2.72, and a factor of 0.9999 as 1."""
    assert ("" if seems_one(value) else rounded(value)) == shown


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (lambda s: (s["L"], s["v"]), "L, v"),
        (lambda s: (s["L"] * s["d"],), "L·d"),
        (lambda s: (s["L"] - 1, 2 * s["v"]), "L − 1, 2·v"),
        (lambda s: (s["L"] + 1,), "L + 1"),
        (lambda s: (1, s["d"]), "1, d"),
        (lambda s: (s["v"] + 3,), ""),
        (lambda s: (1,) * s["L"], ""),
    ],
)
def test_a_shape_is_written_with_names_only_if_they_fit_every_call(shape, words):
    assert shape_in_names([shape(sizes) for sizes in CALLS], CALLS) == words


def test_merged_axes_are_said_of_any_number_of_axes():
    calls = [{"B": 2, "L": 3, "d": 5}, {"B": 2, "C": 4, "L": 6, "d": 7}]
    right = [tuple(sizes.values()) for sizes in calls]
    merged = [(math.prod(shape[:-1]), shape[-1]) for shape in right]
    said = in_names("Q", merged, right, calls)
    assert sentence(said) == "The shape of Q is (…·L, d). It should be (…, L, d)."


def test_a_size_with_two_names_gets_none():
    calls = [sizes | {"n": sizes["L"]} for sizes in CALLS]
    assert shape_in_names([(sizes["L"], sizes["d"]) for sizes in calls], calls) == ""
