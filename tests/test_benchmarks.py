"""Each benchmark still runs: a short form of all of them, and a small class under stress."""

import subprocess
import sys

import pytest

from benchmarks.commands import check_against_import
from benchmarks.desk import views
from benchmarks.isolation import costs, pytests_share
from benchmarks.timing import SHORT
from tests.conftest import ROOT

SECONDS = 2400  # on a machine that has much else to do


def run(*args):
    command = [sys.executable, "-m", *args]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)


def test_what_needs_no_class_is_measured():
    rows = [
        check_against_import("softmax", "numpy", "", SHORT),
        pytests_share(SHORT),
        *costs("numpy", SHORT),
        *views(SHORT),
    ]
    assert len(rows) > 9
    assert all(isinstance(cell, str) for row in rows for cell in row)


@pytest.mark.thorough
def test_the_benchmarks_run_to_their_end():
    done = run("benchmarks.run", "--short")
    assert done.returncode == 0, done.stderr
    for row in ("check softmax", "numpy: confined", "grade, 2 workers",
                "two mistakes", "watch softmax", "nbgrader autograde", "pytest's share", "desk, 20 × 15: map"):  # fmt: skip
        assert row in done.stdout


@pytest.mark.thorough  # tests/sandbox/test_deadline.py has the rule, with a clock that is told
def test_a_class_graded_beside_busy_loops_gets_the_same_bytes():
    done = run("benchmarks.stress", "2", "1", "1", "softmax", "self_attention")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same bytes" in done.stdout


@pytest.mark.thorough
def test_a_class_is_handed_out_by_the_real_scheduler():
    done = run("benchmarks.cluster", "--short")
    assert done.returncode == 0, done.stderr
    assert "2 workers, 60 submissions" in done.stdout and "efficiency" in done.stdout


def test_a_large_class_is_stopped_and_gone_on_with():
    done = run("benchmarks.journal", "--short")
    assert done.returncode == 0, done.stderr
    for row in ("stopped half-way", "gone on with", "all known"):
        assert row in done.stdout
