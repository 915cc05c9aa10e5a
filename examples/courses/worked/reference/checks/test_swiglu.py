"""Checks of `swiglu`."""

import numpy as np
import pytest

from autograder.author import NotStarted, expect_close, expect_module, expect_parts
from reference.swiglu import swiglu
from reference.swiglu_contract import CONTRACT, drawn
from reference.variants.swiglu import own_numbers


@pytest.mark.check("One number", points=2, grades=["formula"])
def test_one(submission):
    """What are W1 x and W3 x, and which of them goes through silu?
    silu(W1 x) is multiplied by W3 x, element by element. Then comes W2.
    Compare each line of forward with the example in the text.
    """
    one = {"d_model": 1, "d_ff": 1, "x": np.array([2.0]), "W1": np.eye(1), "W2": np.eye(1), "W3": 3 * np.eye(1)}
    expect_module(submission.SwiGLU, CONTRACT, swiglu, **one)


@pytest.mark.check("Sequences of vectors", points=3, grades=["formula"])
def test_sequences(submission, rng):
    """Which sizes have W1 x, W3 x and their product?
    The product is taken element by element, for each vector of the sequence by itself.
    Look at the shape after each line of forward.
    """
    for sizes in ((2, 3), (3, 2, 4), (4, 6, 2, 3)):
        expect_module(submission.SwiGLU, CONTRACT, swiglu, condition=20, **drawn(rng, *sizes))


@pytest.mark.check("Parts without bias", points=1, grades=["parts"])
def test_parts(submission, rng):
    """Which parts does your module have?
    The text asks for w1, w2 and w3, each without bias.
    Look at the names and the arguments in __init__.
    """
    run = expect_module(submission.SwiGLU, CONTRACT, swiglu, condition=20, **drawn(rng, 3, 5))
    expect_parts(run, "SwiGLU", ["w1", "w2", "w3"], without_bias=["w1", "w2", "w3"])


@pytest.mark.check("Your own numbers", points=1, grades=["by hand"])
def test_own(submission):
    """What is silu of your x?
    silu(x) = x / (1 + exp(−x)). The other factor is W3 x.
    Compare each step with the example in the text.
    """
    if submission.value("own_y") is None:
        raise NotStarted("own_y")
    own = {name: np.full((1, 1), value) for name, value in own_numbers(submission.variant).items()}
    expect_close(submission.value("own_y"), swiglu(**own)[0, 0], "own_y", within=0.01)


@pytest.mark.hidden
@pytest.mark.check("Other sizes", points=1, grades=["formula"])
def test_others(submission, rng):
    for sizes in ((5, 5, 5), (1, 7), (6, 3, 2, 2)):
        expect_module(submission.SwiGLU, CONTRACT, swiglu, condition=20, **drawn(rng, *sizes))
