"""The targets of a repair: failed checks of functions whose mistake has no name."""

from types import SimpleNamespace

import pytest

from autograder.diagnosis.repair.targets import find_targets, targets_by_function
from autograder.report.model import Diagnosis
from autograder.submission.source import Source
from autograder.worker.messages import Unit

FILE = """
def mask(n):
    return n

def weights(x):
    return mask(x)

def output(x):
    return weights(x)

def count(n):
    return n

class Attention:
    def forward(self, x):
        return output(x)
"""
SOURCE = Source("masks", "masks.py", (Unit("masks.py", FILE),))


def check(function, outcome="failed", kind=None, named=False):
    diagnosis = Diagnosis(kind="named", finding="It is wrong.", function=function)
    return SimpleNamespace(
        name=f"test_{function}",
        outcome=outcome,
        kind=kind,
        hidden=False,
        about=(function,),
        diagnosis=diagnosis if named else None,
    )


@pytest.mark.parametrize("user", ["weights", "output", "Attention"])
def test_what_uses_a_function_with_a_named_mistake_is_no_target(user):
    """It fails for that, as far as is known: directly, or by way of other functions."""
    targets = find_targets(SOURCE, [check("mask", named=True), check(user), check("count")])
    assert targets.failed == ("test_count",)
    assert targets.functions == ("count",)
    assert targets.checks == {"test_count"}


def test_what_a_named_function_uses_is_a_target():
    targets = find_targets(SOURCE, [check("mask"), check("weights", named=True)])
    assert targets.failed == ("test_mask",)


def test_what_uses_an_unwritten_function_is_no_target():
    assert find_targets(SOURCE, [check("mask", kind="missing"), check("output")]).failed == ()


def test_where_nothing_has_a_name_all_that_fails_is_a_target():
    targets = find_targets(SOURCE, [check("mask"), check("weights"), check("count", "passed")])
    assert targets.failed == ("test_mask", "test_weights")
    assert targets.checks == frozenset() and targets.functions == ()


def test_a_check_that_did_not_run_has_to_pass_where_it_asks_for_the_same_functions():
    results = [check("mask"), check("count"), check("weights", "not run")]
    mask, _ = targets_by_function(SOURCE, results, find_targets(SOURCE, results))
    assert mask.not_run == ("test_weights",)
    assert [mask.are_met_by(check(name, "failed")) for name in ("mask", "weights")] == [False, True]
    assert mask.are_met_by(check("mask", "passed"))


def test_functions_that_fail_in_checks_of_their_own_are_targets_by_themselves():
    results = [check("mask"), check("count"), check("weights", "passed")]
    targets = targets_by_function(SOURCE, results, find_targets(SOURCE, results))
    assert [each.functions for each in targets] == [("mask",), ("count",)]
    assert [each.checks for each in targets] == [{"test_mask"}, {"test_count"}]


@pytest.mark.parametrize("user", ["weights", "output", "Attention"])
def test_a_function_that_uses_another_that_fails_is_no_target_by_itself(user):
    """An edit of its right call would go round the function that is called."""
    results = [check("mask"), check(user), check("count")]
    targets = targets_by_function(SOURCE, results, find_targets(SOURCE, results))
    assert [each.functions for each in targets] == [("mask",), ("count",)]
