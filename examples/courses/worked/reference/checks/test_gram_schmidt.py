"""Checks of `gram_schmidt`."""

import numpy as np
import pytest

from autograder.author import expect_same
from reference.gram_schmidt import gram_schmidt


@pytest.mark.check("Two and three columns", points=4, grades=["orthonormal"])
def test_columns(submission, rng):
    """What is the dot product of two of your columns, and what is the length of each?
    From each column, subtract its projection on every earlier q. Then divide by the length.
    Look at the line that makes the rest: which columns does it use?
    """
    three = np.array([[1.0, 2.0, 0.0], [2.0, 0.0, 1.0], [2.0, 1.0, 3.0]])
    for A in (np.array([[3.0, 1.0], [4.0, 2.0]]), three, rng.normal(size=(5, 3))):
        expect_same(submission.gram_schmidt, gram_schmidt, A, condition=100)


@pytest.mark.hidden
@pytest.mark.check("Other sizes", points=2, grades=["orthonormal"], needs=["test_columns"])
def test_others(submission, rng):
    for size in ((1, 1), (4, 1), (4, 4), (7, 5)):
        expect_same(submission.gram_schmidt, gram_schmidt, rng.normal(size=size), condition=1e3)
