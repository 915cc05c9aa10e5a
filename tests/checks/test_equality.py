"""Answers that are no arrays: what is right passes, and what differs is said exactly."""

import enum
import functools
from dataclasses import dataclass

import numpy as np
import pytest

from autograder.checks.equality import (
    expect_equal,
    expect_same,
    expect_script,
    script_results,
)
from autograder.checks.expect import Mismatch, expect_error, expect_numbers
from autograder.checks.follow_through import values_agree
from autograder.checks.proxy import Function
from autograder.sandbox.problems import Raised
from autograder.worker.codec import Figure
from autograder.worker.serialise import serialised
from autograder.worker.values import Record


@dataclass
class Token:
    kind: str
    text: str = ""


@dataclass
class Name:
    kind: str


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


LONG = "w" * 5000
RIGHT = [
    (True, True),
    (np.True_, True),
    (3, 3.0),
    (np.float32(0.1), 0.1),
    (float("nan"), float("nan")),
    (10**30, 10**30),
    ("the cat", "the cat"),
    ((1, "a"), (1, "a")),
    ({"b": 1, "a": [2]}, {"a": [2], "b": 1}),
    ({"b", "a"}, {"a", "b"}),
    (Token("word"), Token("word")),
    ([Colour.RED], [Colour.RED]),
    ({("a", "b"): 2}, {("a", "b"): 2}),
    (list(range(600)), list(range(600))),
    ([["a", list(range(600))]], [["a", list(range(600))]]),
    (np.arange(3.0), np.arange(3)),
    ([0.1 + 0.2], [0.3]),
    (1 + 2j, 1 + 2j),
]


@pytest.mark.parametrize(("yours", "right"), RIGHT, ids=range(len(RIGHT)))
def test_what_is_equal_passes(yours, right):
    expect_equal(serialised(yours), right)


WRONG = [
    ("the hat sat", "the cat sat", "The result differs in the 2nd word: yours 'hat', expected 'cat'."),
    ("the cat", "the cat sat", "The result ends after the 2nd word; expected 'sat' next."),
    ("the cat sat on", "the cat sat", "The result goes on after the 3rd word, with 'on'."),
    ("The cat", "the cat", "The result is 'The cat'; expected 'the cat': only small and capital "
                           "letters differ."),
    ("the cat\n", "the cat", r"The result ends with '\n'; expected no white space there."),
    (" the cat", "the cat", "The result begins with ' '; expected no white space there."),
    ("the  cat", "the cat", "The result has other white space between its words: the 5th character "
                            "is ' '; expected 'c'."),
    ("", "cat", "The result is empty; expected 'cat'."),
    ("hat", "", "The result is 'hat'; expected ''."),
    ("a b\nc d", "a b\nc e", "The result: line 2 differs in the 2nd word: yours 'd', expected 'e'."),
    ("a\nb", "a\nb\nc", "The result has 2 lines; expected 3. The first that it lacks is 'c'."),
    (LONG, LONG + "s", f"The result is '{LONG[:59]} …; expected '{LONG[:59]} … (the 5001st "
                       "character is missing; expected 's')."),
    (["a", "b"], ["a", "c"], "The result: the 2nd item is 'b'; expected 'c'."),
    (["a"], ["a", "c"], "The result has 1 item; expected 2. The first that is missing is 'c'."),
    (["a", "c", "d"], ["a", "c"], "The result has 3 items; expected 2. The first that is too many "
                                  "is 'd'."),
    ([1, 2], (1, 2), "The result is a list; expected a tuple."),
    ((1, 2), [1, 2], "The result is a tuple; expected a list."),
    ([[1], (2,)], [[1], [2]], "The result: the 2nd item is a tuple; expected a list."),
    (1, True, "The result is a whole number; expected True."),
    (None, "a", "The result is None."),
    ("1", 1, "The result is a text; expected a whole number."),
    (1.5, 1, "The result is 1.5; expected 1."),
    (10**30, 10**30 + 1, f"The result is {10**30}; expected {10**30 + 1}."),
    ({"a", 1}, {"a", "b"}, "The result lacks the item 'b' and has the item 1 too many."),
    ({True}, {1}, "The result lacks the item 1 and has the item True too many."),
    ({"a": 1}, {"a": 1, "b": 2}, "The result lacks the key 'b'."),
    ({"a": [1, 2]}, {"a": [1, 3]}, "The result: the 2nd item of the value for 'a' is 2; expected 3."),
    (Token("word"), Token("number"), "The result: the field kind is 'word'; expected 'number'."),
    (Name("a"), Token("a"), "The result is a Name; expected a Token."),
    ([Token("a"), Token("b", "x")], [Token("a"), Token("b", "y")],
     "The result: the field text of the 2nd item is 'x'; expected 'y'."),
    (Colour.RED, Colour.BLUE, "The result: the field name is 'RED'; expected 'BLUE'."),
    (np.arange(4.0), np.array([0, 1, 5, 3]), "The result differs in 1 of 4 values. At [2]: yours "
                                             "2.0, expected 5."),
    (np.arange(3), np.arange(4), "The result has the shape (3,); expected (4,)."),
    (np.zeros(2), [0, 0], "The result is an array; expected a list."),
    (b"a" * 100, b"a" * 101, "is not b'aaaa"),
    ([*list(range(70)), 1], [*list(range(70)), 2], "The result: the 71st item is 1; expected 2."),
]  # fmt: skip


@pytest.mark.parametrize(("yours", "right", "said"), WRONG, ids=range(len(WRONG)))
def test_what_differs_is_said(yours, right, said):
    with pytest.raises(Mismatch) as caught:
        expect_equal(serialised(yours), right)
    assert said in caught.value.finding
    assert isinstance(caught.value.yours, str) and isinstance(caught.value.expected, str)


def test_a_finding_of_the_checks_own_comes_first_and_tolerances_can_be_wider():
    expect_equal([1.0, np.ones(2)], [1.0 + 1e-4, np.ones(2) + 1e-4], condition=1e12)
    expect_same(lambda x: x + 1e-4, abs, np.ones(2), condition=1e12)
    with pytest.raises(Mismatch):
        expect_same(lambda x: x + 1e-4, abs, 1)
    with pytest.raises(ValueError, match="at least one input"):
        expect_same(abs, abs)
    with pytest.raises(Mismatch, match=r"No\. The words: the 1st item is 'a'; expected 'b'\."):
        expect_equal(["a"], ["b"], "the words", finding="No.")


def test_numbers_are_no_set_and_no_record():
    with pytest.raises(Mismatch, match=r"is a set; expected numbers. A set has no order"):
        expect_numbers({1, 2})
    with pytest.raises(Mismatch, match="is an object of type Token; expected numbers"):
        expect_numbers(serialised(Token("a")))


PARSER = """
class ParseError(Exception):
    pass

def parse(text):
    raise ParseError(f"unexpected {text!r}")

def number(text):
    raise ValueError("no number:\\n" + text)
"""


def test_exceptions_by_type_and_message(submit):
    work = submit(PARSER)
    expect_error(work.parse, ")", type="ParseError", naming=("unexpected",))
    expect_error(work.number, "x", type="ValueError", naming=("x",))
    with pytest.raises(Mismatch, match="Expected a SyntaxError here"):
        expect_error(work.parse, ")", type="SyntaxError")


def test_lists_and_tuples_are_the_same_where_a_check_says_so():
    answer = serialised({"a": [("x", 1), ["y", 2]]})
    expect_equal(answer, {"a": [["x", 1], ("y", 2)]}, any_row=True)
    with pytest.raises(Mismatch, match="tuple"):
        expect_equal(answer, {"a": [["x", 1], ["y", 2]]})
    with pytest.raises(Mismatch):
        expect_equal(answer, {"a": [["x", 1], ["y", 3]]}, any_row=True)


def test_the_same_as_the_right_function_for_each_input():
    def joined(words, sign=" "):
        return sign.join(words)

    expect_same(joined, joined, ["a", "b"], (["a", "b"], "-"), ([],))
    with pytest.raises(Mismatch, match="The words"):
        expect_same(
            lambda words, sign=" ": joined(words),
            joined,
            ["a"],
            (["a", "b"], "-"),
            what="the words",
        )
    expect_same(lambda x: (0.1 + 0.2) * x, lambda x: 0.3 * x, 1.0, np.ones(3))
    with pytest.raises(Mismatch):
        expect_same(lambda x: [1], lambda x: (1,), 0)
    expect_same(lambda x: [1], lambda x: (1,), 0, any_row=True)


def test_what_the_right_function_does_to_its_arguments_is_not_seen():
    expect_same(len, lambda words: words.pop() and 2, ["a", "b"])


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (0.3, 0.1 + 0.2, True),
        (float("nan"), float("nan"), True),
        (np.ones(3), np.ones(3) + 1e-9, True),
        (np.ones(3), np.ones(4), False),
        (np.ones(3), [1.0, 1.0, 1.0], False),  # the second comes out of a memory of lists
        ({"a": [1.0, "x"]}, {"a": [1.0 + 1e-9, "x"]}, True),
        ({"a": [1.0, "x"]}, {"a": [1.0, "y"]}, False),
        (Record("Token", {"at": 1.0}), Record("Token", {"at": 1.1}), False),
        (Record("Token", {"at": 1.0}), Record("Name", {"at": 1.0}), False),
        (Figure("one"), Figure("one"), True),
        (Figure("one"), Figure("two"), False),
        (None, 0.0, False),
    ],
)
def test_a_later_result_agrees_but_for_the_last_digits(one, other, alike):
    assert values_agree(one, other) is alike
    assert values_agree(other, one) is alike


class Stack:
    def __init__(self, items=()):
        self.items = list(items)

    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)


class Bottomless(Stack):
    def pop(self):
        return self.items.pop() if self.items else None


class FirstIn(Stack):
    def pop(self):
        return self.items.pop(0)


SCRIPT = [("__init__", [1]), ("push", 2), ("pop",), ("__len__",), ("pop",), ("pop",)]


def made(kind):
    """Return a stand-in for `submission.Stack`, whose calls run on this class."""

    class Method(Function):
        def __init__(self, method, name):
            self.__name__ = name
            self._method = method

        def __call__(self, *args):
            try:
                return self._method(*args)
            except Exception as error:
                bases = [base.__name__ for base in type(error).__mro__]
                raise Raised("raised", "pop", type=type(error).__name__, bases=bases) from None

    class Class(Function):
        def __init__(self):
            pass

        def kept(self, *args):
            self.object = kind(*args)
            return self

        def method(self, name):
            return Method(getattr(self.object, name), name)

    return Class()


def test_a_script_of_method_calls():
    expected = [None, 2, 1, 1, {"raises": "IndexError"}]
    assert script_results(Stack, SCRIPT) == script_results(made(Stack), SCRIPT) == expected
    right = functools.partial(script_results, Stack)
    expect_script(made(Stack), right, SCRIPT, [])
    with pytest.raises(Mismatch, match=r"^After push\(2\): The result is 1; expected 2\.$"):
        expect_script(made(FirstIn), right, SCRIPT)
    with pytest.raises(Mismatch, match="pop returned None; expected it to raise IndexError"):
        expect_script(made(Bottomless), right, SCRIPT)
