"""The broken functions of `find_the_bug`: for each thing to look at, one is broken there only."""

import runpy

import numpy as np
import pytest

from reference.bugs import NAMES, implementations
from tests.conftest import ROOT
from tests.reference.lazy_dropout import DropoutTest, lazy_dropout_tests
from tests.reference.lazy_tests import KINDS, lazy_tests, thorough

LAZY = [(name, what, test) for name in KINDS for what, test in lazy_tests(name)]
RIGHT = [
    ROOT / "solutions" / "find_the_bug.py",
    *sorted((ROOT / "examples" / "right" / "find_the_bug").glob("*.py")),
]


def broken(name):
    return [each for each in implementations(name) if each.wrong]


def right(name):
    return [each for each in implementations(name) if not each.wrong]


@pytest.mark.parametrize("name", NAMES)
def test_there_are_enough_of_both_kinds_and_no_two_alike(name):
    assert len(right(name)) >= 4
    assert 12 <= len(broken(name)) <= 18
    texts = [each.text for each in implementations(name)]
    assert len(set(texts)) == len(texts)
    assert len({each.wrong for each in broken(name)}) == len(broken(name))


@pytest.mark.parametrize("name", KINDS)
def test_a_thorough_test_stops_all_that_are_broken_and_no_other(name):
    test = thorough(name)
    assert [each.id for each in right(name) if test.stops(name, each.function)] == []
    assert [each.id for each in broken(name) if not test.stops(name, each.function)] == []


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("name", "test"),
    [(name, test) for name, _, test in LAZY],
    ids=[f"{name}: {what}" for name, what, _ in LAZY],
)
def test_a_lazy_test_lets_a_broken_function_pass(name, test):
    assert [each.id for each in right(name) if test.stops(name, each.function)] == []
    assert [each.id for each in broken(name) if not test.stops(name, each.function)]


def test_a_thorough_test_of_dropout_stops_all_that_are_broken_and_no_other():
    test, name = DropoutTest(), "attention_with_dropout"
    assert [each.id for each in right(name) if test.stops(each.function)] == []
    assert [each.id for each in broken(name) if not test.stops(each.function)] == []


@pytest.mark.one_in(10)
@pytest.mark.parametrize(
    "test",
    [test for _, test in lazy_dropout_tests()],
    ids=[what for what, _ in lazy_dropout_tests()],
)
def test_a_lazy_test_of_dropout_lets_a_broken_function_pass(test):
    name = "attention_with_dropout"
    assert [each.id for each in right(name) if test.stops(each.function)] == []
    assert [each.id for each in broken(name) if not test.stops(each.function)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", NAMES)
def test_the_solution_and_all_right_examples_tell_all_apart(path, name):
    test = runpy.run_path(str(path))[f"test_{name}"]
    mistaken = []
    for each in implementations(name):
        try:
            with np.errstate(all="ignore"):
                test(each.function)
        except Exception:
            stopped = True
        else:
            stopped = False
        if stopped != bool(each.wrong):
            mistaken.append(each.id)
    assert mistaken == []
