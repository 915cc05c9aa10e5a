"""Values of odd types, as plain data: numbers in any clothes, and a true sentence of what is none."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from autograder.sandbox.problems import NotPlain, NotWritten, Raised
from autograder.worker.serialise import Unsendable, serialised

NUMBERS = np.array([[1.0, 0.5], [-2.0, 3.25]])


def objects(kind):
    return np.array([[kind(x) for x in row] for row in NUMBERS], dtype=object)


@pytest.mark.parametrize(
    "value",
    [
        objects(Fraction),
        objects(Decimal),
        objects(float),
        objects(np.float32),
        np.array([*NUMBERS, None], dtype=object)[:2],
        memoryview(np.ascontiguousarray(NUMBERS)),
        memoryview(NUMBERS.astype(np.float32)),
    ],
    ids=["fractions", "decimals", "floats", "numpy's floats", "rows", "memory", "memory, float32"],
)
def test_numbers_of_any_type_are_numbers(value):
    plain = serialised(value)
    assert plain.dtype.kind == "f"
    np.testing.assert_array_equal(plain, NUMBERS)


def test_memory_of_any_number_of_axes():
    for size in ((3,), (2, 3), (2, 3, 4)):
        numbers = np.arange(float(np.prod(size))).reshape(size)
        np.testing.assert_array_equal(serialised([memoryview(numbers)])[0], numbers)


def test_large_whole_numbers_and_complex_ones():
    np.testing.assert_array_equal(serialised(np.array([2**70, 1], object)), [2.0**70, 1.0])
    np.testing.assert_array_equal(serialised(np.array([1j, 2], object)), [1j, 2])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.array([[1, 2], [3]], object), "rows of different lengths"),
        (np.array([np.ones(2), np.ones(3)], object), "rows of different lengths"),
        (np.array([1.0, None], object), "type NoneType is among them"),
        (np.array(["a", 1.0], object), "type str is among them"),
        (np.array([{1}, 1.0], object), "a set"),
        (np.array([[["a"], ["b"]], None], object)[:1], "do not form an array of numbers"),
    ],
)
def test_what_is_said_of_other_objects_is_so(value, said):
    with pytest.raises(Unsendable, match=said) as caught:
        serialised(value)
    assert ("different lengths" in str(caught.value)) == ("different lengths" in said)


LIBRARY = """
import asyncio, io

class Odd:
    def __array__(self, *_, **__):
        return asyncio.AbstractEventLoop().time()

def reads():
    return Odd()

def calls():
    asyncio.AbstractEventLoop().time()
"""


@pytest.mark.parametrize("name", ["reads", "calls"])
def test_an_error_of_a_library_is_no_stub(submit, name):
    with pytest.raises(Raised) as caught:
        getattr(submit(LIBRARY), name)()
    assert not isinstance(caught.value, NotWritten)
    assert "NotImplementedError" in caught.value.finding


@pytest.mark.parametrize(
    "body",
    [
        "raise NotImplementedError",
        "raise NotImplementedError()",
        "if True: raise NotImplementedError('later')",
        "return g()\ndef g():\n    raise NotImplementedError()",
    ],
)
def test_a_stub_is_one(submit, body):
    with pytest.raises(NotWritten, match="not written yet"):
        submit(f"def f():\n    {body}\n").f()


def test_a_ragged_answer_is_told_so(submit):
    with pytest.raises(NotPlain, match="rows of different lengths"):
        submit("import numpy as np\ndef f(): return np.array([[1, 2], [3]], object)\n").f()
