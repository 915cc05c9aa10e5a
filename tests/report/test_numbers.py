"""Two excerpts, cell by cell."""

import math

from autograder.report.model import Matrix
from autograder.report.numbers import as_cell, difference


def matrix(*rows, wrong=(), **more):
    return Matrix(shape=(len(rows), len(rows[0])), rows=rows, wrong=wrong, **more)


def test_what_is_wrong_differs_by_so_much():
    yours = matrix((1.5, 2.0), (3, 4), wrong=((True, False), (True, True)))
    assert difference(yours, matrix((1.0, 9.0), (3, 5))) == [[0.5, 0.0], [0.0, -1.0]]


def test_infinities_and_what_is_no_number():
    yours = matrix(("inf", "inf", "-inf", "nan"))
    apart = difference(yours, matrix(("inf", "-inf", 1.0, 1.0)))
    assert apart[0][:3] == [0.0, math.inf, -math.inf]
    assert math.isnan(apart[0][3])
    assert [as_cell(x) for x in apart[0]] == [0.0, "inf", "-inf", "nan"]


def test_other_parts_are_not_compared():
    assert difference(matrix((1, 2)), matrix((1, 2, 3))) == []
    assert difference(matrix((1, 2)), matrix((1, 2), left=4)) == []
