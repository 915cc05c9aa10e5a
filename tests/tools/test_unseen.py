"""Mutants whose line is known, and an oracle that tells a false word from a true one."""

import ast
import subprocess
import sys

import pytest

from autograder.course.own_modules import importable
from autograder.report.model import Diagnosis, Statement
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.messages import Unit
from tools.unseen.measure import Unseen, measure
from tools.unseen.mutated import pairs, singles
from tools.unseen.oracle import Oracle
from tools.unseen.table import markdown, notes

FIRST_AXIS = """
import numpy as np
def softmax(x, axis=-1):
    e = np.exp(np.asarray(x) - np.max(x))
    return e / e.sum(axis=0, keepdims=True)
"""


@pytest.fixture(autouse=True)
def _its_own_reference(course):
    """Other tests of this process may have loaded another course's."""
    with importable(course):
        yield


def test_the_command_prints_a_table(root):
    command = [sys.executable, "-m", "tools.unseen", "reflection"]  # it has questions only
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "| exercise | mutants |" in done.stdout


def test_mutants_change_the_lines_they_name_and_no_other(course):
    alone = list(singles(course, "softmax", 6))
    both = list(pairs(course, "softmax", 2))
    assert len(alone) == 6 and len(both) == 2
    assert all(len(mutant.lines) == 1 for mutant in alone)
    assert all(len(mutant.lines) == 2 for mutant in both)
    assert alone == list(singles(course, "softmax", 6))
    for mutant in (*alone, *both):
        ast.parse(mutant.text)


def test_a_sample_is_measured_and_nothing_false_is_said(course):
    found = measure(course, course.exercise("softmax"), 4)
    assert found.single["rejected"] >= 3
    assert not found.single["false"] and not found.pair["false"]
    assert "| softmax | 4 |" in markdown([found])


@pytest.mark.parametrize(
    ("names", "is_false"),
    [
        (("always-first-axis",), False),
        (("always-last-axis",), True),
        (("base-2",), True),
    ],
)
def test_a_name_is_false_if_its_replay_gives_something_else(course, judge, names, is_false):
    replay = judge.catalogue.replay("softmax", "softmax")
    said = next(wrong[0].finding for wrong in replay.singles if wrong[0].id == names[0])
    told = Diagnosis(
        kind="named", code="named", finding=said, misconceptions=names, function="softmax"
    )
    assert oracle_says(course, judge, told) is is_false


def test_a_statement_is_false_if_no_detector_makes_it_again(course, judge):
    stops = Statement(code="some_stop", values={"error": "x", "line": "1"})
    told = Diagnosis(
        kind="located", code="statements", finding="", function="softmax", statements=(stops,)
    )
    assert oracle_says(course, judge, told)


def oracle_says(course, judge, told):
    exercise = course.exercise("softmax")
    source = Source("softmax", "softmax.py", (Unit("softmax.py", FIRST_AXIS),))
    client = WorkerSession(Workers(source, "numpy", course.limits(exercise), judge.children))
    try:
        return Oracle(judge.catalogue, "softmax").is_false(told, client)
    finally:
        client.close()


def test_the_table_counts_and_the_notes_list_what_missed():
    found = Unseen("sums", mutants=3)
    found.single.update({"rejected": 2, "named": 1, "differs": 1})
    assert "| sums | 3 | 2 | 1 | 0 | 0 | 0 | 1 | 0 | 50.0% |" in markdown([found])
    assert notes([found]) == ""
