"""What is computed once: the same for the same content, and for nothing else."""

import numpy as np
import pytest

from autograder.checks.memoize import memoize


@pytest.fixture
def counted():
    calls = []

    @memoize
    def total(build, numbers, scale=1.0):
        calls.append(numbers)
        return build(np.asarray(numbers) * scale)

    return total, calls


def test_the_same_content_is_computed_once(counted):
    total, calls = counted
    for _ in range(3):
        assert total(np.sum, [np.arange(3.0), np.ones(3)], scale=2.0) == 12.0
    assert len(calls) == 1


def test_other_content_types_and_functions_are_computed_anew(counted):
    total, calls = counted
    x = np.arange(4.0)
    asked = [(np.sum, x), (np.sum, x.reshape(2, 2)), (np.sum, x.astype(np.float32)), (np.max, x)]
    asked += [(np.sum, list(x)), (np.sum, (*x, 0.0)), (lambda each: 7, x)]
    for build, numbers in asked:
        total(build, numbers)
    total(np.sum, x, scale=2.0)
    x[0] = 1.0
    total(np.sum, x)
    assert len(calls) == len(asked) + 2


def test_what_is_kept_cannot_be_written_to(counted):
    total, _ = counted
    with pytest.raises(ValueError):
        total(np.cumsum, [1, 2])[0] = 5
