"""Values as text: in order, safe to print, and marked where they are cut."""

import datetime

import numpy as np

from autograder.report.values import MOST, as_text, describe_call
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
