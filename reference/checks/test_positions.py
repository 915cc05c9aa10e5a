"""Checks of `positions`: sines and cosines, their similarity, and a figure of them."""

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    expect_close,
    expect_independent_calls,
    expect_unchanged_arguments,
)
from reference.axis_labels import words
from reference.checks.pictures import expect_image_labels, first_image, shown
from reference.figures import cells_by_place
from reference.sinusoids import similarity, sinusoid

POSITIONS = frozenset(words("position positions pos token tokens row rows time"))
COLUMNS = frozenset(
    words("column columns col dimension dimensions dim dims feature features channel channels")
)


def expect_vectors(submission, *sizes, **base):
    for n, d in sizes:
        answer = submission.sinusoid(n, d, **base)
        expect_close(answer, sinusoid(n, d, **base), "the vectors", condition=n)


@pytest.mark.check(
    "sinusoid: a sine and a cosine at each position",
    points=2,
    grades=["sines and cosines"],
)
def test_one_pair(submission):
    """At position 0, what is in column 0 and in column 1?
    Column 2j is a sine and column 2j + 1 is a cosine. Row i has the angle i · ω_j, beginning with i
        = 0.
    For d = 2, print your angles first: 0, 1, 2, … for the positions 0, 1, 2, …
    """
    expect_vectors(submission, (2, 2), (1, 2), (5, 2))


@pytest.mark.check(
    "sinusoid: the frequency of each pair",
    points=3,
    grades=["frequencies"],
    needs=["test_one_pair"],
)
def test_frequencies(submission):
    """For d = 4, which frequency do columns 2 and 3 have? Compute it by hand.
    Both columns of pair j have the frequency base^(−2j/d): the exponent of columns 2 and 3 is −2/d.
    Print the exponents of all columns for d = 6: 0, 0, −1/3, −1/3, −2/3, −2/3.
    """
    expect_vectors(submission, (3, 4), (4, 6), (9, 8), (5, 16))


@pytest.mark.check(
    "sinusoid: an odd number of columns", grades=["odd widths"], needs=["test_one_pair"]
)
def test_odd_width(submission):
    """For d = 5, how many columns are cosines?
    For odd d, the last column is a sine without a cosine. The exponent is −2j/d, where d is not
        rounded.
    Compare the numbers of columns in pe[:, 0::2] and pe[:, 1::2] with those of your angles.
    """
    expect_vectors(submission, (3, 1), (3, 3), (4, 5), (6, 7))


@pytest.mark.check("sinusoid: another base", grades=["base"], needs=["test_one_pair"])
def test_base(submission):
    """If you pass base=100, what changes in your result?
    The frequencies are powers of `base`. The number 10,000 is only its default.
    Look for a 10000 inside the function.
    """
    expect_vectors(submission, (3, 4), (4, 6), base=100)
    expect_vectors(submission, (3, 4), base=2.5)
    answer = submission.sinusoid(5, 7, 50.0)
    expect_close(answer, sinusoid(5, 7, 50.0), "the vectors", condition=5)


@pytest.mark.check(
    "similarity: the dot product of each two rows, divided by d",
    points=2,
    grades=["similarity"],
)
def test_similarity(submission, rng):
    """Which two rows does entry [0, 1] of the result compare?
    Entry [i, k] is the dot product of the rows i and k, divided by the number of columns.
    A matrix times its own transpose gives all dot products; pe.shape[1] is the number of columns.
    """
    small = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 3.0, 0.0]])
    for pe in (small, sinusoid(5, 6), rng.normal(size=(3, 7)), rng.normal(size=(6, 3))):
        expect_close(submission.similarity(pe), similarity(pe), "the similarities")


def expect_picture(submission, pe):
    _, axes = first_image(submission.plot_positions(pe), "plot_positions")
    shown(axes, "the vectors")
    expect_close(cells_by_place(axes.images[-1]), pe, "the image, by rising y and x")
    return axes.images[-1]


@pytest.mark.check("plot_positions: a heat map of the vectors", grades=["heat map"])
def test_heat_map(submission):
    """Where does your picture show column 0 of position 0?
    Row i of `pe` should be at y = i, and column c at x = c. Draw the values unchanged.
    Make new axes, and pass `pe` unchanged to the imshow of these axes.
    """
    expect_picture(submission, sinusoid(7, 4))
    apart = np.array([[0.0, 1.0, 0.5], [0.8, 0.2, -0.4]])
    if expect_picture(submission, apart).colours < apart.size:
        raise Mismatch(
            "Cells with different values have the same colour. Look at the colour map, and at the "
            "values where its colours begin and end (vmin, vmax)."
        )


@pytest.mark.check("plot_positions: both axis labels, a title and a colour bar", grades=["labels"])
def test_labels(submission):
    """Without your code, what does a reader need to understand your picture?
    The x axis should name the columns, and the y axis the positions. The figure should have a title
        and a colour bar.
    Use the methods set_xlabel, set_ylabel and set_title of the axes, and colorbar of the figure.
    """
    figure, axes = first_image(submission.plot_positions(sinusoid(6, 4)), "plot_positions")
    expect_image_labels(figure, axes, {"columns": COLUMNS}, {"positions": POSITIONS})


@pytest.mark.check(
    "Other sizes, and arguments that stay as they are", grades=["sizes", "no side effects"]
)
def test_others(submission, rng, grading):
    """Which lines change pe or use something from an earlier call?
    All sizes from 1 on are possible, and n and d have nothing to do with each other. `pe[...] = …`
        and `pe /= …` change the caller's own array.
    Begin plot_positions with plt.subplots(). Make new arrays in the other functions.
    """
    grading("sizes")
    drawn = [(int(rng.integers(20, 60)), int(rng.integers(9, 40))) for _ in range(3)]
    expect_vectors(submission, (1, 1), (1, 6), (300, 12), *drawn)
    expect_vectors(submission, (12, 11), base=float(rng.integers(20, 500)))
    pe = rng.normal(size=(8, 5))
    expect_close(submission.similarity(pe), similarity(pe), "the similarities")
    expect_close(submission.similarity(pe[:1]), similarity(pe[:1]), "the similarities")
    expect_picture(submission, pe)
    grading("no side effects")
    for function in (submission.similarity, submission.plot_positions):
        expect_unchanged_arguments(function, ["pe"], pe)
    calls = [
        ("sinusoid", lambda s: s.sinusoid(5, 6)),
        ("similarity", lambda s: s.similarity(pe)),
        ("plot_positions", lambda s: s.plot_positions(pe)),
    ]
    between = [
        lambda s: s.sinusoid(5, 6, base=10.0),
        lambda s: s.similarity(pe[:3]),
        lambda s: s.plot_positions.kept(pe[:4, :4] + 1),
    ]
    expect_independent_calls(submission.fresh(), calls, between)
