"""Comparing is strict: shape, then finiteness, then values; and what is right is accepted."""

import numpy as np
import pytest

from autograder.checks.equality import expect_equal
from autograder.checks.expect import (
    WHOLE_NUMBERS,
    Mismatch,
    expect_close,
    expect_error,
    expect_results,
    expect_unchanged,
    expect_unchanged_arguments,
)
from autograder.checks.tolerance import allowed_error
from autograder.sandbox.problems import Raised

RIGHT = np.array([[0.25, 0.75], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "is None."),
        (np.zeros((0, 2, 2)), "shape (0, 2, 2); expected (2, 2)"),
        (RIGHT[np.newaxis], "shape (1, 2, 2); expected (2, 2)"),
        (RIGHT[:1], "shape (1, 2)"),
        (0.5, "shape () (a single number)"),
        (RIGHT * np.nan, "NaN (not a number) at [0][0]"),
        (np.where(RIGHT == 0.75, np.inf, RIGHT), "an infinite value at [0][1]"),
        (RIGHT.T, "2 of 4 values differ. At [0][1]: yours 0.5, expected 0.75"),
        (
            RIGHT + np.array([[0.1, 1e-7], [0, 0]]),
            "1 of 4 values differ too much. At [0][0]: yours",
        ),
        (RIGHT + 1e-5, "all 4 values differ"),
        ("0.25 0.75", "a text; expected numbers"),
        ({"a": RIGHT}, "a dict; expected numbers"),
        ([[1.0], [1.0, 2.0]], "its rows differ in length"),
        ([["0.25", "0.75"], ["0.5", "0.5"]], "text in quotes"),
        (np.array([[None, 1], [1, 1]], object), "something other than numbers"),
        (RIGHT + 0j, "complex numbers"),
        (RIGHT.astype(np.float16) + np.float16(0.02), "values differ"),
    ],
)
def test_what_is_not_right(answer, said):
    with pytest.raises(Mismatch) as caught:
        expect_close(answer, RIGHT)
    assert said in caught.value.finding


@pytest.mark.parametrize(
    ("compare", "code"),
    [
        (lambda: expect_close(None, RIGHT), "nothing_returned"),
        (lambda: expect_results(None, ("a", "b"), "f"), "nothing_returned"),
        (lambda: expect_equal(None, "a"), "nothing_returned"),
        (lambda: expect_close(RIGHT[:1], RIGHT), "other_shape"),
        (lambda: expect_close("0.25 0.75", RIGHT), "other_kind"),
        (lambda: expect_results(RIGHT, ("a", "b"), "f"), "other_results"),
        (lambda: expect_unchanged(RIGHT, RIGHT + 1, "x"), "argument_changed"),
        (lambda: expect_close(RIGHT + 1, RIGHT), "mismatch"),
        (lambda: expect_equal("b", "a"), "mismatch"),
    ],
)
def test_a_mismatch_has_the_code_of_its_kind(compare, code):
    """Hints are chosen by it, and by no sentence."""
    with pytest.raises(Mismatch) as caught:
        compare()
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (RIGHT[:1], "cut-short"),
        (RIGHT[:, :1].tolist(), "cut-short"),
        (RIGHT[1:], ""),  # the last entries
        (RIGHT[0], ""),
        (np.vstack([RIGHT, RIGHT]), ""),
        (RIGHT[:0], ""),
    ],
)
def test_a_result_that_is_cut_short_is_named(answer, mistake):
    with pytest.raises(Mismatch) as caught:
        expect_close(answer, RIGHT)
    assert caught.value.mistake == mistake
    assert ("The first entries are right" in caught.value.finding) is bool(mistake)


@pytest.mark.parametrize(
    "answer",
    [
        RIGHT,
        RIGHT.tolist(),
        tuple(map(tuple, RIGHT)),
        RIGHT.astype(np.float32),
        RIGHT.astype(np.float16),
        np.asfortranarray(RIGHT),
        RIGHT + 9e-7,
    ],
)
def test_what_is_right(answer):
    expect_close(answer, RIGHT)


def test_whole_numbers_and_truth_values_are_numbers():
    expect_close([[1, 0]], np.array([[1.0, 0.0]]))
    expect_close([[True, False]], np.array([[1.0, 0.0]]))


def test_tolerance_follows_dtype_and_condition():
    one = np.ones(1)
    assert allowed_error(np.dtype("f8"), one, 1e4)[0] == pytest.approx(1e-6, rel=0.1)
    assert allowed_error(np.dtype("f4"), one, 1e4)[0] == pytest.approx(1e-2, rel=0.1)
    assert allowed_error(np.dtype("i8"), one)[0] == allowed_error(np.dtype("f8"), one)[0]


def test_beside_nan_all_that_differs_is_marked():
    with pytest.raises(Mismatch) as caught:
        expect_close([[np.nan, 0.5], [0.0, 1.0]], np.eye(2))
    np.testing.assert_array_equal(caught.value.wrong, [[True, True], [False, False]])
    with pytest.raises(Mismatch, match="has NaN"):
        expect_close(np.nan, 1.0)


def test_wrong_cells_are_those_that_differ():
    with pytest.raises(Mismatch) as caught:
        expect_close(RIGHT.T, RIGHT)
    np.testing.assert_array_equal(caught.value.wrong, [[False, True], [True, False]])


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, "returned None"),
        ([RIGHT, RIGHT], None),
        (RIGHT, "one array of shape (2, 2)"),
        (np.zeros((2, 3, 4)), "one array of shape (2, 3, 4)"),
        (np.zeros(3), "one array of shape (3,)"),
        ([RIGHT], "returned 1 result;"),
        ([RIGHT] * 3, "returned 3 results"),
        ({"a": 1, "b": 2}, "returned a dict"),
    ],
)
def test_several_results(result, said):
    if said is None:
        assert len(expect_results(result, ("output", "weights"), "f")) == 2
        return
    with pytest.raises(Mismatch) as caught:
        expect_results(result, ("output", "weights"), "f")
    assert said in caught.value.finding


def test_a_changed_argument():
    expect_unchanged(np.array([1.0, np.nan]), np.array([1.0, np.nan]), "x")
    for after in (np.array([2.0, np.nan]), np.zeros(3), None, [1.0]):
        with pytest.raises(Mismatch, match="call changed the argument x"):
            expect_unchanged(np.array([1.0, np.nan]), after, "x")


def test_a_call_and_its_arguments(submit):
    work = submit(
        """
        def f(x, words, n, y=0):
            words.sort()
            y += 1
            return [n]
        """
    )
    names, x = ["x", "words", "n"], np.ones(2)
    assert expect_unchanged_arguments(work.f, names, x, ["a", "b"], 5) == [5]
    with pytest.raises(Mismatch, match="call changed the argument words.* now \\['a', 'b'\\]"):
        expect_unchanged_arguments(work.f, names, x, ["b", "a"], 5)
    with pytest.raises(Mismatch, match="call changed the argument y"):
        expect_unchanged_arguments(work.f, names, x, [], 5, y=x)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('10 features, 4 heads')", None),
        ("raise ValueError('d_model=10 % num_heads=4')", None),
        ("raise ValueError('40 and 100')", "does not name 10 and 4"),
        ("a, b = 1, 2, 3", "did not raise this ValueError itself"),
        ("raise TypeError('10 4')", "Expected a ValueError here"),
        ("raise AssertionError('10 4')", "Expected a ValueError here"),
        ("raise UnicodeError('10 4')", None),
        ("raise type('Own', (UnicodeError,), {})('10 4')", None),
        ("return 1", "returned a whole number; expected it to raise ValueError"),
    ],
)
def test_an_expected_error(submit, body, said):
    function = submit(f"def f(x): {body}").f
    if said is None:
        expect_error(function, 0, type="ValueError", naming=(10, 4))
        return
    with pytest.raises(Mismatch) as caught:
        expect_error(function, 0, type="ValueError", naming=(10, 4))
    assert said in caught.value.finding


@pytest.mark.parametrize(
    "value",
    [
        "[[0.5] * 30] * 30, [[0.25] * 30] * 30",
        "[[[0.5] * 30] * 30, [[0.25] * 30] * 30]",
        "np.zeros((30, 30)), np.ones((30, 30))",
        "[np.zeros((30, 30)), np.ones((30, 30))]",
        "[0.5] * 900, [0.25] * 900",
    ],
)
def test_two_results_of_one_shape_stay_two(submit, value):
    answer = submit(f"import numpy as np\ndef f():\n    return {value}").f()
    first, second = expect_results(answer, ("output", "weights"), "f")
    assert np.shape(first) == np.shape(second)
    assert not np.array_equal(first, second)


def test_a_long_list_of_arrays_is_no_array(submit):
    answer = submit("import numpy as np\ndef f():\n    return [np.zeros(2)] * 600").f()
    assert isinstance(answer, list)
    assert len(answer) == 600


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, bool])
@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4, 1e5])
def test_no_dtype_makes_zeros_right(dtype, condition):
    """Of weights of a row of five, the largest is at least 0.2."""
    right = np.array([[0.2, 0.2, 0.2, 0.2, 0.2], [1.0, 0.0, 0.0, 0.0, 0.0]])
    with pytest.raises(Mismatch):
        expect_close(np.zeros((2, 5), dtype), right, condition=condition)


def test_half_precision_is_told_what_it_is():
    right = np.array([0.1234567, 0.8765433])
    expect_close(right.astype(np.float32), right)
    with pytest.raises(Mismatch, match="float16"):
        expect_close(right.astype(np.float16), right)
    right = np.array([0.1234567, 0.8765433, 0.3333333])
    with pytest.raises(Mismatch, match="float16"):
        expect_close(right.astype(np.float16).astype(float), right)
    for other in (np.round(right, 3), np.round(right * 8) / 8, -right.astype(np.float16)):
        with pytest.raises(Mismatch, match=r"expected 0.123457\.$"):
            expect_close(other.astype(float), right)


@pytest.mark.parametrize(
    ("answer", "is_cut"),
    [([1, -1, 2], True), ([1.0, -2.0, 2.0], True), ([1, -1, 3], False), ([1.5, -1, 2], False)],
)
def test_numbers_that_are_cut_to_whole_ones_are_told_so(answer, is_cut):
    """The hints were about the order of the axes where `astype(int)` had cut the right numbers."""
    with pytest.raises(Mismatch) as caught:
        expect_close(np.array(answer), np.array([1.5, -1.25, 2.0]))
    assert ("All your values are whole numbers" in caught.value.finding) == is_cut
    assert (caught.value.hints == WHOLE_NUMBERS) == is_cut


def test_the_allowance_of_float32_and_float64_is_what_it_was():
    one = np.ones(1)
    assert allowed_error(np.dtype(np.float32), one, 1e4)[0] == pytest.approx(
        1e-6 + 8 * 2**-23 * 1e4
    )
    assert allowed_error(np.dtype(np.float64), one, 1e4)[0] == pytest.approx(
        1e-6 + 8 * 2**-52 * 1e4
    )
    for coarse in (np.float16, np.longdouble, np.int8):
        at_most = allowed_error(np.dtype(np.float32), one, 1e4)[0]
        assert allowed_error(np.dtype(coarse), one, 1e4)[0] <= at_most


NAMESAKES = {
    "its own class of that name": "class ValueError(Exception): pass\nraise ValueError('10 4')",
    "renamed": "class E(Exception): pass\nE.__name__ = 'ValueError'\nraise E('10 4')",
    "renamed, and derived from": "class E(Exception): pass\n"
    "E.__name__ = 'ValueError'\nclass F(E): pass\nraise F('10 4')",
    "made by type": "raise type('ValueError', (Exception,), {})('10 4')",
    "put in the place of Python's": "import builtins\n"
    "builtins.ValueError = type('ValueError', (Exception,), {})\n"
    "raise builtins.ValueError('10 4')",
    "a class that says it is equal": "class Meta(type):\n"
    "    def __eq__(self, other): return True\n"
    "    def __hash__(self): return hash(ValueError)\n"
    "    def mro(self): return type.mro(self)\n"
    "class E(Exception, metaclass=Meta): pass\nraise E('10 4')",
    "a class that says what it is derived from": "class Meta(type):\n"
    "    __mro__ = (ValueError, Exception, BaseException, object)\n"
    "class E(Exception, metaclass=Meta): pass\nraise E('10 4')",
}
REAL = {
    "Python's": "raise ValueError('10 4')",
    "derived": "class Bad(ValueError): pass\nraise Bad('10 4')",
    "derived, ten times": "each = ValueError\nfor n in range(10):\n"
    "    each = type(f'E{n}', (each,), {})\nraise each('10 4')",
    "derived from two": "class Bad(KeyError, ValueError): pass\nraise Bad('10 4')",
    "NumPy's own": "raise np.linalg.LinAlgError('10 4')",
}


def refusing(submit, body):
    indented = body.replace("\n", "\n    ")
    return submit(f"import numpy as np\ndef split(x):\n    {indented}\n").split


@pytest.mark.parametrize("kind", REAL)
def test_an_error_of_the_right_type_or_derived_from_it_is_a_refusal(submit, kind):
    expect_error(refusing(submit, REAL[kind]), 0, type="ValueError", naming=(10, 4))


@pytest.mark.parametrize("kind", NAMESAKES)
def test_an_error_that_only_has_the_name_is_none(submit, kind):
    with pytest.raises(Mismatch, match="Expected a ValueError here"):
        expect_error(refusing(submit, NAMESAKES[kind]), 0, type="ValueError", naming=(10, 4))


def test_a_report_shows_the_call_that_was_newest_when_it_went_wrong(submit):
    """And of an exception its own; calls that the check is not about are never shown."""
    work = submit("def f(x):\n    if x < 0:\n        raise ValueError\n    return x\n")
    work.f(1)
    work.aside().f(2)
    wrong = Mismatch("It differs.")
    with pytest.raises(Raised) as caught:
        work.f(-3)
    work.fresh().f(4)
    calls = [str(work.call_of(error)) for error in (wrong, caught.value, AssertionError())]
    assert calls == ["f(1)", "f(-3)", "f(4)"]


def test_entries_that_are_not_compared_do_not_count():
    among = np.array([[True, False], [True, True]])
    expect_close(np.where(among, RIGHT, np.nan), RIGHT, among=among)
    with pytest.raises(Mismatch, match=r"all 3 values differ. At \[0\]\[0\]: yours 1.25"):
        expect_close(RIGHT + 1, RIGHT, among=among)
