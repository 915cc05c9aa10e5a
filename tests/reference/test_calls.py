"""Parts that checks share: arguments in tuples, answers that follow, and masks by name."""

import numpy as np
import pytest

from autograder.author import Mismatch
from reference.checks.calls import expect_arguments_stay, pairs, with_mask

NAMES = ["x", "W_q", "W_k", "mask"]


class Changing:
    """Function of a student that adds 1 to the array at one place of a tuple."""

    def __init__(self, place):
        self.place = place

    def with_arguments(self, x, weights, mask):
        changed = [array + (number == self.place) for number, array in enumerate(weights)]
        return None, [x, changed, mask]


def arguments():
    return np.ones(2), (np.ones((2, 2)), np.zeros((2, 2))), None


def test_an_array_in_a_tuple_that_changes_is_named():
    with pytest.raises(Mismatch, match="argument W_k"):
        expect_arguments_stay(Changing(1), NAMES, *arguments())


def test_arguments_that_stay_pass():
    expect_arguments_stay(Changing(None), NAMES, *arguments())


def test_pairs_keep_a_list_whole():
    assert list(pairs([["a", "b"], (1, (2, 3))], [["a"], [4, [5, 6]]])) == [
        (["a", "b"], ["a"]),
        (1, 4),
        (2, 5),
        (3, 6),
    ]


def test_a_mask_is_passed_by_name():
    function = with_mask(lambda *args, **named: (args, named), 2)
    assert function(1, 2) == ((1, 2), {})
    assert function(1, 2, 3) == ((1, 2), {"mask": 3})
