"""The probe of a level tries what is promised, and each try would work where nothing forbids it."""

import os
import subprocess
import sys

import pytest

from autograder.sandbox import levels
from autograder.sandbox.levels import attempts, why_not
from autograder.worker.confinement import LAYERS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="confinement is Linux's")

PROBE = "from autograder.sandbox.probe import ATTEMPTS"
TRIES = sorted({name for name, _ in attempts("/secret")})


@pytest.fixture
def victim():
    """A process of the same user that stands for the judge."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
    yield process.pid
    alive = process.poll() is None
    process.kill()
    process.wait()
    assert alive, "the probe did harm"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", TRIES)
def test_each_try_works_unconfined(name, victim, tmp_path, monkeypatch):
    """A try that fails for a reason of its own would hide a level that does not hold."""
    if name == "read memory":
        victim = os.getpid()  # the address is this process's
    elif name == "trace" and os.geteuid() != 0:
        pytest.skip("the kernel may allow root alone to trace")
    monkeypatch.setattr(levels.os, "getpid", lambda: victim)
    secret = tmp_path / "secret"
    for tried, args in attempts(str(secret)):
        if tried == name:
            secret.write_text("an answer")
            if name == "connect" and args[0] == 10:
                continue  # without IPv6 there is nothing to refuse
            done = subprocess.run(
                [sys.executable, "-c", f"{PROBE}\nATTEMPTS[{name!r}](*{args!r})"],
                capture_output=True,
                text=True,
                timeout=60,
            )
            if name == "request a signal by ioctl" and done.returncode:
                pytest.skip("pipes have no FIOASYNC here")
            assert done.returncode == 0, done.stderr


@pytest.fixture
def anew():
    why_not.cache_clear()
    yield
    why_not.cache_clear()


def test_a_rung_without_its_filter_is_not_used(anew, monkeypatch):
    if why_not("full"):
        pytest.skip("full does not hold here")
    why_not.cache_clear()
    without = tuple(layer for layer in LAYERS["full"] if layer != "seccomp")
    monkeypatch.setitem(LAYERS, "full", without)
    assert "could still" in why_not("full")


def test_a_process_that_is_gone_after_a_try_is_no_refusal(anew, monkeypatch):
    """A program that takes its place answers nothing, as if it had been refused."""
    if why_not("full"):
        pytest.skip("full does not hold here")
    why_not.cache_clear()
    without = tuple(x for x in LAYERS["full"] if x not in {"seccomp", "landlock"})
    monkeypatch.setitem(LAYERS, "full", without)
    monkeypatch.setattr(levels, "attempts", lambda _: [("execute", [levels.SHELL])])
    assert "gave no answer after it tried to execute" in why_not("full")
