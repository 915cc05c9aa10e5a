"""In a worker, what `numpy.empty` makes is the same at any time, and nothing that was there."""

import re

import numpy as np
import pytest

from autograder.worker import preparation


@pytest.fixture
def filled(monkeypatch):
    """NumPy as workers have it, for one test."""
    for name in ("empty", "empty_like"):
        monkeypatch.setattr(np, name, getattr(np, name))
    preparation.fill_unwritten()


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("float64", np.nan),
        ("float16", np.nan),
        ("int8", 127),
        ("uint8", 255),
        ("bool", True),
        ("object", None),
    ],
)
def test_every_kind_of_number_has_its_own(kind, value):
    for made in (np.empty((2, 3), kind), np.empty_like(np.ones((2, 3)), dtype=kind)):
        assert made.shape == (2, 3)
        np.testing.assert_array_equal(made, np.full((2, 3), value, kind))


@pytest.mark.usefixtures("filled")
def test_subclasses_and_several_numbers_as_one():
    assert isinstance(np.empty_like(np.ma.ones(2)), np.ma.MaskedArray)
    assert np.isnan(np.empty(2, (float, (3,)))).all()
    assert np.empty(2, "f4,i4").shape == (2,)


@pytest.mark.usefixtures("filled")
def test_errors_are_numpys_own():
    with pytest.raises(TypeError, match=re.escape("empty() missing required argument 'shape'")):
        np.empty()


def test_a_submission_is_not_right_by_what_lay_there(grade_text):
    report = grade_text(
        "softmax",
        """
        import numpy as np
        def softmax(x, axis=-1):
            out = np.empty(np.shape(x))
            return out
        """,
    )
    assert "NaN (not a number)" in str(report)
