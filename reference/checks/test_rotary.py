"""Checks of `rotary`: angles, rotated pairs, and scores that depend on the distance."""

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    expect_close,
    expect_error,
    expect_follows,
    expect_independent_calls,
    expect_shape,
    expect_unchanged_arguments,
)
from reference.checks.earlier import answers_right
from reference.rotations import angles, own_rotary_scores, rotary_scores, rotate


def expect_angles(submission, *cases, **base):
    for case in cases:
        answer = submission.angles(*case, **base)
        expect_close(answer, angles(*case, **base), "the angles", condition=20.0)


def expect_rotated(submission, *cases):
    for x, by in cases:
        expect_close(submission.rotate(x, by), rotate(x, by), "the turned vectors", condition=20.0)


def with_angles(rng, *sizes, of=None):
    """Return random vectors, and angles of the shape `of`."""
    return rng.normal(size=sizes), rng.uniform(-3, 3, of or (sizes[-2], sizes[-1] // 2))


def drawn(rng, *shapes):
    return [rng.normal(size=shape) for shape in shapes]


@pytest.mark.check("angles: position times frequency", points=2, grades=["angles"])
def test_angles(submission):
    """For d = 4 and base = 100, what are the two frequencies? Compute them by hand.
    The angle of pair j at position p is p · base^(−2j/d). There are d/2 pairs.
    Print the exponents for d = 6: 0, −1/3, −2/3.
    """
    expect_angles(submission, ([0, 1, 2], 2), ([0, 1, 2], 4), ([0, 1, 2, 3], 6), ([0, 1], 8))


@pytest.mark.check("angles: other positions", grades=["positions"], needs=["test_angles"])
def test_positions(submission):
    """For positions = [7, 3, 3], what is the first angle of each row?
    The positions are given. They need not begin with 0, and a position may occur twice.
    Multiply positions[..., np.newaxis] by the frequencies.
    """
    rows = np.array([[5, 6], [0, 9], [2, 2]])
    expect_angles(submission, ([3], 4), ([7, 3, 3], 4), (rows, 6), ([-2, 5000], 4))


@pytest.mark.check("angles: another base", grades=["base"], needs=["test_angles"])
def test_base(submission):
    """If you pass base=100, what changes in your result?
    The frequencies are powers of `base`. The number 10,000 is only its default.
    Look for a 10000 inside the function.
    """
    expect_angles(submission, ([0, 3], 4), ([0, 1, 2], 6), base=100)
    expect_angles(submission, ([1, 2], 8, 2.5))


@pytest.mark.check("angles: an odd d is refused", grades=["odd widths"])
def test_odd_width(submission):
    """What does your function do if d is 5?
    For an odd d, the function should raise a ValueError. Its message should contain d.
    Write raise ValueError(f"… {d} …") at the start of the function.
    """
    for d in (5, 3, 47):
        expect_error(submission.angles, [0, 1], d, type="ValueError", naming=(d,))


@pytest.mark.check("rotate: one pair", points=2, grades=["rotation"])
def test_one_pair(submission, rng):
    """If [1, 0] is turned by a quarter turn counterclockwise, where does it point?
    [a, b] becomes [a cos φ − b sin φ, a sin φ + b cos φ]. Both entries need the old a and the old
        b.
    Look at the signs. Then look for a line that uses a changed value.
    """
    quarter = np.array([[np.pi / 2]])
    cases = [(np.array([row]), quarter) for row in ([1.0, 0.0], [0.0, 1.0], [3.0, 4.0])]
    expect_rotated(submission, *cases, with_angles(rng, 3, 2))


@pytest.mark.check("rotate: many pairs", points=2, grades=["pairs"], needs=["test_one_pair"])
def test_pairs(submission, rng):
    """Which numbers of [1, 2, 3, 4] form pair 0?
    The features 2j and 2j + 1 form pair j. Turn pair j by angle j, and keep its places.
    x[..., 0::2] and x[..., 1::2] are the first and second features of all pairs.
    """
    small = np.array([[1.0, 2.0, 3.0, 4.0]])
    for by in ([[np.pi / 2, 0.0]], [[0.0, np.pi / 2]], [[0.1, 0.2]]):
        expect_rotated(submission, (small, np.array(by)))
    expect_rotated(submission, with_angles(rng, 3, 6), with_angles(rng, 4, 8))


@pytest.mark.check("rotate: heads", grades=["heads"], needs=["test_one_pair"])
def test_heads(submission, rng):
    """If x has the shape (B, H, L, d) and the angles (L, d/2), which axis of x is L?
    The positions are on the axis before the features. Angles broadcast from the last axis on.
    Multiply x[..., 0::2] by the cosines of shape (L, d/2). No new axis is needed.
    """
    cases = [with_angles(rng, *sizes) for sizes in ((2, 3, 4), (2, 3, 5, 4), (2, 4, 4, 6))]
    expect_rotated(submission, *cases, with_angles(rng, 2, 3, 4, 6, of=(2, 1, 4, 3)))


def products(submission, q, k, place, shift=0):
    """Return the dot products of vectors after the student's functions turned them."""
    turned = []
    for x, first in ((q, place + shift), (k, shift)):
        by = submission.angles(first + np.arange(len(x)), x.shape[-1])
        turned.append(expect_shape(submission.rotate(x, by), x.shape, "the turned vectors"))
    return turned[0] @ turned[1].T


@pytest.mark.check("Relative positions", points=2, grades=["relative positions"])
def test_relative(submission, rng):
    """If a query and a key move by the same number of positions, what happens to their angle?
    Both arrows of a pair turn by the same amount, so the dot product stays the same.
    Compare the pairs for which `angles` makes angles with the pairs that `rotate` turns.
    """
    q, k = rng.normal(size=(3, 6)), rng.normal(size=(4, 6))
    here = products(submission, q, k, 2)
    for shift in (1, 5, 40):
        there = products(submission, q, k, 2, shift)
        off = np.abs(there - here) > 1e-6 * (1 + np.abs(here))
        if off.any():
            said = f"Dot products change if all positions grow by {shift}."
            sides = "before", "afterwards"
            raise Mismatch(said, "the dot products", here, there, off, sides=sides)
    if np.allclose(products(submission, q, k, 3), here):
        raise Mismatch(
            "Your dot products stay the same if only the queries move by one position. They "
            "should change."
        )


def expect_scores(submission, note, offset, *cases):
    given = {"offset": offset} if offset else {}
    for q, k in cases:
        places = offset + np.arange(q.shape[-2])
        own = "rotate" if answers_right(submission, angles, places, q.shape[-1]) else "angles"
        expect_follows(
            submission.rotary_scores(q, k, **given),
            rotary_scores(q, k, offset),
            lambda steps, q=q, k=k: own_rotary_scores(steps, q, k, offset),
            "the scores",
            note,
            own,
            submission,
            condition=20.0,
            unlike=[lambda steps, q=q, k=k: own_rotary_scores(steps, q, k, offset + 1)],
        )


@pytest.mark.check("rotary_scores: queries and keys are turned", points=2, grades=["scores"])
def test_scores(submission, note, rng):
    """Which arrays does your function turn before the dot products?
    Turn queries and keys by their own positions. Divide the dot products by √d.
    For q = k = [[1, 0], [1, 0]], compare your scores with [[0.707, 0.382], [0.382, 0.707]].
    """
    equal = np.array([[1.0, 0.0], [1.0, 0.0]])
    more = drawn(rng, (3, 6), (5, 6)), drawn(rng, (2, 3, 4), (2, 2, 4))
    expect_scores(submission, note, 0, (equal, equal), *more)


@pytest.mark.check("rotary_scores: offset", grades=["offset"], needs=["test_scores"])
def test_offset(submission, note, rng):
    """With an offset of 4, at which position is query 0?
    Query i is at position offset + i. Key 0 is at position 0 for every offset.
    Look at the lines that make the positions of the queries and of the keys.
    """
    expect_scores(submission, note, 4, (np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]] * 5)))
    expect_scores(submission, note, 3, drawn(rng, (2, 6), (5, 6)))
    expect_scores(submission, note, 10, drawn(rng, (3, 4), (3, 4)))


@pytest.mark.check("Other sizes, and arguments that stay", grades=["sizes", "no side effects"])
def test_others(submission, note, rng, grading):
    """Which lines change x or work only for one number of axes?
    Any number of axes may be in front of the last two. `x[...] = …` and `x *= …` change the
        caller's own array.
    Make new arrays. Count axes from the end: -1 and -2.
    """
    grading("sizes")
    expect_angles(submission, (rng.integers(20, 900, 5), 10), (rng.integers(0, 9, (2, 1, 3)), 12))
    expect_rotated(
        submission, *(with_angles(rng, *s) for s in ((5, 4), (3, 3, 6), (2, 1, 3, 4, 8)))
    )
    expect_scores(submission, note, 3, drawn(rng, (2, 3, 4, 6), (2, 3, 7, 6)))
    expect_scores(submission, note, 0, drawn(rng, (9, 2), (4, 2)))
    grading("no side effects")
    x, by = with_angles(rng, 2, 4, 6)
    (q, k), positions = drawn(rng, (3, 4), (5, 4)), np.array([4, 2, 9])
    calls = {"angles": (positions, 6), "rotate": (x, by), "rotary_scores": (q, k, 2)}
    for (function, args), names in zip(
        calls.items(), ("positions d", "x angles", "q k offset"), strict=True
    ):
        expect_unchanged_arguments(getattr(submission, function), names.split(), *args)
    again = [(f, lambda s, f=f, args=args: getattr(s, f)(*args)) for f, args in calls.items()]
    between = [
        lambda s: s.angles(positions + 1, 6, base=10.0),
        lambda s: s.rotate(x + 1, by + 1),
        lambda s: s.rotary_scores(q, k, 7),
    ]
    expect_independent_calls(submission.fresh(), again, between)
