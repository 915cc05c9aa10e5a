"""Values as text: in order, safe to print, and marked where they are cut."""

import datetime

import numpy as np
import pytest

from autograder.checks.proxy import Call
from autograder.report.values import MOST, as_text, describe_call
from autograder.worker.codec import tensor
from autograder.worker.values import Record, Tuple


def test_values_are_written_as_python_has_them():
    assert as_text([1, "a", None, True, 2.5]) == "[1, 'a', None, True, 2.5]"
    assert as_text(Tuple([1])) == "(1,)"
    assert as_text(Tuple([1, 2], "Point", ("x", "y"))) == "Point(x=1, y=2)"
    assert as_text({"b", "a", "c"}) == "{'a', 'b', 'c'}"
    assert as_text(frozenset()) == "frozenset()"
    assert as_text({(1, 2): {"a": []}}) == "{(1, 2): {'a': []}}"
    assert as_text(Record("Token", {"kind": "a"})) == "Token(kind='a')"
    assert as_text(datetime.date(2027, 2, 5)) == "2027-02-05"
    assert as_text(np.arange(3)) == "[0, 1, 2]"
    assert as_text(np.float64(2.5)) == "2.5"


def test_what_is_cut_says_so():
    assert as_text("a" * 1000) == "'" + "a" * (MOST - 1) + " …"
    assert as_text(list(range(10_000)), 20) == "[0, 1, 2, 3, 4, 5, 6 …"
    assert as_text("a" * 10, 12) == "'aaaaaaaaaa'"


def test_a_huge_number_is_no_long_work():
    assert as_text(2**100_000, 20).endswith(" …")


def test_nothing_can_reach_the_terminal():
    hostile = Record("T\x1b[31m", {"\x07\n": "\x1b[2J\u202e", "b": b"\x1b"})
    text = as_text([hostile, {"\x1b": 1}])
    assert text.isprintable()


def test_a_call_shows_sets_in_order_and_tuples_as_such():
    assert describe_call("f", ({"b", "a"}, (1, 2)), {}) == "f({'a', 'b'}, (1, 2))"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.array([1.0, 0.25, -np.inf, np.nan]), "np.array([1., 0.25, -np.inf, np.nan])"),
        (np.array([[1, 2]]), "np.array([[1, 2]])"),
        (np.array([[True, False]]), "np.array([[True, False]])"),
        (np.array(2.5), "np.array(2.5)"),
        (np.array([0.1], np.float32), "np.array([0.1], dtype=np.float32)"),
        (tensor(np.array([[0.1, -np.inf]])), "torch.tensor([[0.1, -torch.inf]])"),
        (tensor(np.array([True])), "torch.tensor([True])"),
        (np.array([0.12345]), "<array of shape (1,)>"),
        (np.zeros((0, 3)), "<array of shape (0, 3)>"),
        (np.ones((2, 3, 4), bool), "<mask of shape (2, 3, 4)>"),
        (tensor(np.zeros((2, 3, 4))), "<tensor of shape (2, 3, 4)>"),
        ([1, 2.0, [np.zeros(1)]], "[1, 2.0, [np.array([0.])]]"),
        (1 / 3, repr(1 / 3)),
        (float("-inf"), "-np.inf"),
    ],
)
def test_what_a_call_is_given_is_python_text_that_makes_it(value, text):
    assert describe_call("f", (value,), {}) == f"f({text})"
    if "<" not in text and "torch" not in text:
        again = eval(text)
        assert type(again) is type(value)
        np.testing.assert_equal(again, value)
        assert getattr(again, "dtype", 0) == getattr(value, "dtype", 0)


def test_a_module_is_in_evaluation_and_its_weights_are_said():
    call = Call("Model", (), {}, (4,), evaluates=True, has_weights=True)
    assert str(call) == "Model(4).eval()(), with weights of the check"
    assert str(Call("Model", (), {}, (0.5,))) == "Model(0.5)()"
