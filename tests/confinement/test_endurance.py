"""Nothing is lost by a kill, and nothing leaks; `make soak` does both for longer."""

import subprocess
import sys

import pytest

from autograder.sandbox.levels import why_not
from tests.confinement.arena import ROOT
from tests.confinement.kills import disturb

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="confinement is Linux's")


@pytest.fixture(autouse=True)
def confined():
    if why_not("full"):
        pytest.skip(f"the full level does not hold here: {why_not('full')}")


@pytest.mark.parametrize(
    ("kills", "students"), [(1, 12), pytest.param(8, 60, marks=pytest.mark.thorough)]
)
def test_kills_at_random_moments_change_nothing(kills, students):
    assert sum(disturb(kills, 3, students).values()) == kills


@pytest.mark.thorough
def test_a_mixed_crowd_leaves_nothing_behind():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.soak", "60"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *counts, last = done.stdout.splitlines()
    assert "0 wrong grades" in last
    first, final = (eval(line.split(maxsplit=1)[1]) for line in (counts[1], counts[-1]))
    for name in ("descriptors", "its descriptors", "processes", "mounts", "its mounts"):
        assert first[name] == final[name], name
