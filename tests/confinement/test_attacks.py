"""No attack gets anywhere, on any level that this machine can show, as root and as a plain user."""

import os
import subprocess
import sys
import time

import pytest

from autograder.sandbox.levels import LEVELS, choose, why_not
from autograder.worker.confinement import LAYERS
from tests.confinement.arena import ROOT, arena
from tests.confinement.attacks import ATTACKS
from tests.confinement.layers import CASES, through
from tests.sandbox.processes import library_processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="confinement is Linux's")

# What a level does not hide: it is said in docs/confinement.md.
KNOWN = {
    "full": set(),
    "landlock": {"detect a file of the host", "see the host's name"},
    "no-open": {"detect a file of the host", "see the host's name"},
}
AS_A_PLAIN_USER = ("unshare", "--user", "--map-user=1000", "--map-group=1000")


def holds(level):
    reason = why_not(level)
    if reason:
        pytest.skip(f"{level} does not hold here: {reason}")


def test_there_are_enough_attacks():
    assert len(ATTACKS) >= 100


@pytest.mark.parametrize(
    "level", ["full", *(pytest.param(level, marks=pytest.mark.thorough) for level in LEVELS[1:])]
)
def test_nothing_gets_through(level):
    holds(level)
    with arena(LAYERS[level], level) as place:
        found = {name for name in ATTACKS if place.gets_through(name)}
    assert found == KNOWN[level]


@pytest.mark.parametrize(
    ("level", "every"),
    [(LEVELS[-1], 6), *(pytest.param(level, 1, marks=pytest.mark.thorough) for level in LEVELS)],
)
@pytest.mark.skipif(os.geteuid() != 0, reason="it is a plain user already")
def test_nothing_gets_through_as_a_plain_user(level, every):
    """In a user namespace of its own, where this process is user 1000 without any right."""
    holds(level)
    command = [*AS_A_PLAIN_USER, sys.executable, "-m", "tests.confinement.arena", level, str(every)]
    if subprocess.run([*AS_A_PLAIN_USER, "true"]).returncode:
        pytest.skip("unshare cannot make a plain user here")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    first, *others = done.stdout.splitlines()
    made = list(ATTACKS)[::every]
    assert first.startswith(f"{len(made)} attacks as uid 1000"), done.stderr
    assert {line.strip() for line in others} == KNOWN[level] & set(made)


@pytest.mark.parametrize("layer", CASES)
def test_each_layer_matters(layer):
    holds("full")
    base, left, attack = CASES[layer]
    assert through(base, [attack]) == []
    assert through(left, [attack]) == [attack]


def test_processes_end_with_their_submission():
    """Even without the filter: a process that is left behind is gone when the child is."""
    holds("full")
    with arena(tuple(x for x in LAYERS["full"] if x != "seccomp")) as place:
        assert place.gets_through("leave a process running")  # it could start one
        for _ in range(100):
            if not _sleepers(place):
                return
            time.sleep(0.02)
    raise AssertionError("a process was left behind")


def _sleepers(place):
    (libraries,) = library_processes(place.children)
    shown = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True).stdout
    pairs = [tuple(map(int, line.split())) for line in shown.splitlines()]
    below = {libraries}
    for _ in range(5):
        below |= {pid for pid, parent in pairs if parent in below}
    return len(below) - 3  # the process with the libraries, and the fork server's two processes


def test_the_strongest_rung_is_chosen_and_none_is_refused(monkeypatch):
    from autograder.course.errors import UserError
    from autograder.sandbox import levels

    monkeypatch.setattr(levels, "why_not", lambda level: "" if level == "landlock" else "it is off")
    assert choose(None, own_code=False) == "landlock"
    with pytest.raises(UserError, match="'full' does not work here: it is off"):
        choose("full", own_code=False)
    monkeypatch.setattr(levels, "why_not", lambda level: "it is off")
    with pytest.raises(UserError, match="--own-code"):
        choose(None, own_code=False)
    with pytest.raises(UserError, match="--own-code"):
        choose("none", own_code=False)
    assert choose(None, own_code=True) == "none"
    assert choose("none", own_code=True) == "none"
