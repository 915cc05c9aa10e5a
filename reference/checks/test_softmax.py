"""Checks of `softmax`."""

import contextlib

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    Raised,
    expect_close,
    expect_independent_calls,
    expect_shape,
    expect_unchanged_arguments,
    graded_elsewhere,
)
from reference.checks.earlier import answers_right


@pytest.mark.check(
    "One row of numbers",
    points=2,
    grades=["values"],
    hints=(
        "What are the exponentials of the inputs in the call that the report shows?",
        "Each result is one exponential divided by the sum of all exponentials. Together, the "
        "results sum to 1.",
        "Compute np.exp(x) once. Then divide it by its sum along the axis.",
    ),
)
def test_one_row(submission, reference):
    for x in ([1.0, 2.0, 3.0], [0.0, 0.0], [3.0, -1.0, 0.5, 0.0]):
        x = np.array(x)
        expect_close(submission.softmax(x), reference.softmax(x))


@pytest.mark.check(
    "A matrix, along its last axis",
    points=2,
    grades=["values"],
    needs=["test_one_row"],
    hints=(
        "Which numbers should sum to 1: those of a row, those of a column, or all numbers?",
        "By default, the softmax runs along the last axis: every row of a matrix sums to 1.",
        "Sum along `axis` with keepdims=True, so that each row is divided by its own sum.",
    ),
)
def test_last_axis_by_default(submission, reference, rng):
    matrix = np.array([[1.0, 2.0], [3.0, 5.0], [0.0, 4.0]])
    for x in (matrix, rng.normal(size=(3, 5)), np.array([[0.0, -10.0], [-12.0, 0.0]])):
        expect_close(submission.softmax(x), reference.softmax(x))


@pytest.mark.check(
    "Any axis, and any number of axes",
    points=2,
    grades=["any axis"],
    needs=["test_one_row"],
    hints=(
        "In the call that the report shows, what are the shapes of the maximum and the sum?",
        "The maximum and the sum run along `axis`, and keep it as an axis of length 1.",
        "Pass axis=axis and keepdims=True to both calls. Then the shapes fit for any axis.",
    ),
)
def test_any_axis(submission, reference, rng):
    square = np.array([[1.0, 2.0], [4.0, 3.0]])
    expect_close(submission.softmax(square, axis=0), reference.softmax(square, 0))
    cases = [((3, 2), 0), ((3, 2), 1), ((2, 3, 4), 1), ((2, 3, 4), -3), ((2, 3, 4, 5), -2)]
    cases += [((2, 2, 1, 3, 2), 3)]
    for shape, axis in cases:
        x = rng.normal(size=shape)
        expect_close(submission.softmax(x, axis=axis), reference.softmax(x, axis))
    for x, axis in (
        ([5.0], 0),
        ([[2.0], [-1.0]], 1),
        ([[3.0, 0.0]], 0),
    ):  # one entry: the result is 1
        x = np.array(x)
        expect_close(submission.softmax(x, axis=axis), reference.softmax(x, axis))


@pytest.mark.check(
    "Lists and whole numbers are accepted",
    points=1,
    grades=["lists", "values"],
    needs=["test_one_row"],
    hints=(
        "Is your result the same if you write these numbers as floats, such as 1.0?",
        "A list has no arithmetic and no axes. An array of whole numbers stores no decimals.",
        "First make an array of floats: np.asarray(x, dtype=float).",
    ),
)
def test_lists_and_integers(submission, reference, grading):
    for x in ([1, 2, 3], [[1, 2], [3, 4]], np.array([0, 1, 5])):
        is_right = answers_right(submission, reference.softmax, np.array(x, dtype=float))
        grading("lists" if is_right else "values")
        expect_close(submission.softmax(x), reference.softmax(x))


@pytest.mark.check(
    "Large numbers do not overflow",
    points=2,
    grades=["large numbers"],
    needs=["test_one_row"],
    hints=(
        "What is the result of each line of your code in the call that the report shows?",
        "If you add the same number to all inputs, the softmax stays the same. Choose a number "
        "that makes every exponential small.",
        "Subtract the maximum along the axis (keepdims=True) before you exponentiate.",
    ),
)
def test_large_numbers(submission, reference):
    rows_apart = [[1e4, 0.0], [-1e4, -1e4 + 1]]  # each row needs its own maximum
    small_first = [[0.0, 1000.0], [-1e4, 1e4]]
    for x in ([1000.0, 1001.0], [1e4, -1e4, 0.0], [-1e4, -1e4 + 1], rows_apart, small_first):
        x = np.array(x)
        expect_close(submission.softmax(x), reference.softmax(x), condition=1e4)
    for x, axis in ((np.array([rows_apart, small_first]), -1), (np.array(rows_apart).T, 0)):
        answer = submission.softmax(x, axis=axis)
        expect_close(answer, reference.softmax(x, axis), condition=1e4)


@pytest.mark.check(
    "An input of −∞ gives exactly 0",
    points=1,
    grades=["minus infinity", "values"],
    needs=["test_one_row"],
    hints=(
        "What does each line of your code make of an input of −∞?",
        "An input of −∞ means “not at all”: it adds nothing to the sum.",
        "If the result is NaN, look for ∞ − ∞ or 0 · ∞. You can safely subtract the (finite) "
        "maximum.",
    ),
)
def test_minus_infinity(submission, reference, grading):
    rows = [[0.0, -np.inf], [1.0, -np.inf, 2.0], [[0.5, -np.inf, 1.5], [-np.inf, 3.0, -np.inf]]]
    rows += [[-np.inf, 0.0]]
    vanish = True  # large numbers, which another check grades
    with contextlib.suppress(Raised):
        vanish = not np.allclose(submission.softmax(np.array([-1e4, -1e4])), 0.5)
    if not vanish:
        rows += [[-2000.0, -np.inf], [-1e4, -np.inf]]  # a low number in place of −∞ is too high
    for x in rows:
        x = np.array(x)
        grading("minus infinity")
        answer = expect_shape(submission.softmax(x), x.shape)
        blocked, low = answer[np.isneginf(x)], x.max(axis=-1)
        if np.all(low <= -2000) and (blocked > 0).all():  # the rows before were right
            raise Mismatch(
                f"Beside −{-low:g}, an input of −∞ gets {blocked[0]:.4g}, like a finite number. "
                "It should get exactly 0, beside any finite number.",
                mistake="finite-for-minus-infinity",
            )
        grading("minus infinity" if blocked.any() else "values")
        expect_close(answer, reference.softmax(x))
        if (high := blocked[blocked != 0]).size:
            said = f"For an input of −∞, the result is {high[0]:.4g}. It has to be exactly 0."
            raise Mismatch(said.replace("-", "−"), told="For an input of −∞, the result is not 0.")


@pytest.mark.check(
    "The input and earlier results stay as they are",
    points=1,
    grades=["no side effects"],
    needs=["test_one_row"],
    hints=(
        "Does a line of your code write into x, such as `x -= …` or `x[...] = …`?",
        "x is the caller's own array. If you write into x, the caller's array changes too.",
        "`np.exp(x - largest)` makes new arrays. `x -= largest` writes into x.",
    ),
)
def test_input_unchanged(submission, rng):
    large = np.array([[900.0, -900.0], [0.0, 2.0]])
    cases = [(np.array([1.0, 2.0, 3.0]), -1), (np.array([[4.0, 1.0], [0.0, 2.0]]), 0), (large, -1)]
    cases += [(np.array([0.5, -np.inf, 1.5]), -1)]
    for axes in (2, 3, 4):
        x = rng.normal(size=rng.integers(2, 6, size=axes))
        cases += [(x, -1), (x, int(rng.integers(axes)))]
    for x, axis in cases:
        given = {} if axis == -1 else {"axis": axis}
        expect_unchanged_arguments(submission.softmax, ["x"], x, **given)
    for x in (np.array([3, 1, 2]), [1.0, 2.0, 3.0], [[1, 2], [4, 3]]):
        with graded_elsewhere(Raised):  # test_lists_and_integers grades these errors
            expect_unchanged_arguments(submission.softmax, ["x"], x)
    one, other = rng.normal(size=(2, 3, 4))
    calls = [
        ("softmax", lambda s: s.softmax(one)),
        ("softmax along axis 0", lambda s: s.softmax(other, axis=0)),
    ]
    between = [lambda s: s.softmax(other), lambda s: s.softmax(1000 * other)]
    expect_independent_calls(submission.fresh(), calls, between)


@pytest.mark.hidden
@pytest.mark.check(
    "Other sizes and values",
    points=1,
    grades=["any axis"],
    needs=["test_one_row"],
)
def test_other_sizes(submission, reference, rng):
    for shape, axis in (((1,), -1), ((1, 7), 0), ((5, 1, 3), 2), ((4, 6, 2, 3), 0), ((512,), 0)):
        x = rng.normal(scale=20.0, size=shape)
        answer = submission.softmax(x, axis=axis)
        expect_close(answer, reference.softmax(x, axis), condition=100.0)
    for _ in range(3):  # random sizes, which no table can know
        shape = rng.integers(1, 12, size=int(rng.integers(1, 5)))
        x, axis = rng.normal(scale=3.0, size=shape), int(rng.integers(-len(shape), len(shape)))
        expect_close(submission.softmax(x, axis=axis), reference.softmax(x, axis), condition=20.0)
