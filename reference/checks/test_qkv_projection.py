"""Checks of `qkv_projection`."""

import numpy as np
import pytest

from autograder.author import (
    expect_close,
    expect_independent_calls,
    expect_results,
    expect_shape,
    expect_unchanged_arguments,
)

NAMES = ("Q", "K", "V")
SIZES = {  # (batch, L, d_model, d_k, d_v): all sizes of a case differ
    "one sequence": ((), 3, 4, 2, 5),
    "a batch": ((2,), 4, 3, 5, 1),
    "two batch axes": ((2, 3), 5, 4, 1, 6),
}


def draw(rng, batch, length, d_model, d_k, d_v):
    return (
        rng.normal(size=(*batch, length, d_model)),
        rng.normal(size=(d_model, d_k)),
        rng.normal(size=(d_model, d_k)),
        rng.normal(size=(d_model, d_v)),
    )


def run(submission, *args):
    return expect_results(submission.project_qkv(*args), NAMES, "project_qkv")


def compare(submission, reference, *args):
    answers = run(submission, *args)
    for name, answer, right in zip(NAMES, answers, reference.project_qkv(*args), strict=True):
        expect_close(answer, right, name, condition=20.0)


@pytest.mark.check(
    "Three results, one row for each token",
    points=1,
    grades=["three results"],
    hints=(
        "Which shape do the queries of a sequence of 3 tokens have?",
        "Every token has a query, a key and a value. So each result has L rows, and as many "
        "columns as its matrix.",
        "End with one line that returns Q, K and V, in this order.",
    ),
)
def test_shapes(submission, rng):
    args = draw(rng, *SIZES["one sequence"])
    for name, answer, width in zip(NAMES, run(submission, *args), (2, 2, 5), strict=True):
        expect_shape(answer, (3, width), name)


@pytest.mark.check(
    "Q, K and V of a small example",
    points=3,
    grades=["values"],
    needs=["test_shapes"],
    hints=(
        "Which matrix does each of your three products use?",
        "Row i of Q is row i of X times W_Q. K and V are made with W_K and W_V.",
        "X is on the left of each product, and no matrix is transposed.",
    ),
)
def test_by_hand(submission, reference):
    X = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -1.0]])
    W_Q = np.array([[1.0, 0.0], [2.0, 1.0]])
    W_K = np.array([[0.0, 1.0], [1.0, 3.0]])
    W_V = np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 1.0]])
    compare(submission, reference, X, W_Q, W_K, W_V)


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param(
            name,
            id=name.replace(" ", "_"),
            marks=pytest.mark.check(
                f"L, d_model, d_k and d_v may all differ: {name}",
                points=1,
                grades=["sizes"],
                needs=["test_by_hand"],
                hints=(
                    "Over which axis of X does the product sum?",
                    "The product sums over the last axis of X and the first axis of the matrix. "
                    "All other axes of X stay.",
                    "The operator @ works for any number of batch axes.",
                ),
            ),
        )
        for name in SIZES
    ],
)
def test_sizes(submission, reference, rng, sizes):
    compare(submission, reference, *draw(rng, *SIZES[sizes]))


@pytest.mark.check(
    "Unchanged arguments, and independent calls",
    points=1,
    grades=["no side effects"],
    needs=["test_by_hand"],
    hints=(
        "Which lines of your code change an argument or a global name?",
        "X is the caller's own array. If you write into X, the caller's array changes too.",
        "`Q = X @ W_Q` makes a new array. `X -= …`, `X[...] = …` and `X.shape = …` change X "
        "itself.",
    ),
)
def test_unchanged(submission, rng):
    for batch in ((2, 3), (2,), ()):
        args = draw(rng, batch, 3, 4, 5, 2)
        expect_unchanged_arguments(submission.project_qkv, ["X", "W_Q", "W_K", "W_V"], *args)
    other = draw(rng, (), 3, 4, 5, 2)
    calls = [
        ("project_qkv", lambda s: s.project_qkv(*args)),
        ("project_qkv", lambda s: s.project_qkv(*other)),
    ]
    expect_independent_calls(submission.fresh(), calls)


@pytest.mark.hidden
@pytest.mark.check("Other values", points=1, grades=["values"], needs=["test_by_hand"])
def test_other_values(submission, reference, rng):
    compare(submission, reference, *draw(rng, (3,), 1, 7, 2, 3))
    for batch in ((), (2,)):  # random sizes, which no table can know
        length, d_model, d_k, d_v = rng.choice(np.arange(6, 41), size=4, replace=False)
        compare(submission, reference, *draw(rng, batch, length, d_model, d_k, d_v))
    compare(submission, reference, *(50 * each for each in draw(rng, (), 3, 3, 3, 3)))
