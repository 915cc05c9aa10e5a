"""Comparing what is not numbers: texts, lists, dicts."""

from autograder.checking.expect import Mismatch
from autograder.text import capital, one_line


def expect_same(actual, expected, what="the result"):
    """Pass if two values are the same, the types of all their parts too; tuples come as lists."""
    __tracebackhide__ = True
    if actual is None and expected is not None:
        raise Mismatch(f"{capital(what)} is None. Is a `return` missing?", what)
    if not alike(actual, expected):
        yours, right = (one_line(repr(value), 120) for value in (actual, expected))
        raise Mismatch(f"{capital(what)} is {yours}; expected {right}.", what)


def alike(one, other):
    """Whether two values are the same; a dict's order does not matter."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other
