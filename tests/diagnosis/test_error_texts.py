"""Errors of Python and NumPy that a beginner does not understand get a sentence."""

import pytest

from autograder.diagnosis.errors import explain
from autograder.sandbox.problems import Raised
from autograder.worker.messages import CodePlace

ERRORS = {
    "cached": ("TypeError", "unhashable type: 'numpy.ndarray'", "f(x)", "keys of a dict"),
    "no brackets": (
        "TypeError",
        "unsupported operand type(s) for -: 'float' and 'builtin_function_or_method'",
        "x - x.max",
        "Round brackets call it",
    ),
    "index of a shape": ("IndexError", "tuple index out of range", "x.shape[1]", "shape (3,)"),
    "axes": (
        "TypeError",
        "transpose() takes from 1 to 2 positional arguments but 5 were given",
        "np.transpose(x, 0, 2, 1, 3)",
        "one tuple",
    ),
    "unpacked": (
        "ValueError",
        "not enough values to unpack (expected 2, got 1)",
        "rows, cols = x.shape",
        "A shape has one part for each axis",
    ),
    "not stored": ("ValueError", "axes don't match array", "x.transpose(1, 0)", "not store"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_is_explained(name):
    type, message, line, expected = ERRORS[name]
    place = CodePlace("f.py", 3, line, end=len(line))
    error = Raised("raised", "f", message, place, type, said=message, shapes={"x": (3,)})
    said = explain(error, {})
    assert expected in said
    assert "[-2]" not in said
