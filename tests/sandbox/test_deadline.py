"""Deadlines count what a process has had, not what the machine did meanwhile."""

import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from autograder.sandbox import connection as deadline_module
from autograder.sandbox.connection import Clock, Deadline, Had
from autograder.sandbox.problems import TimedOut

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")


@contextmanager
def running(code):
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    process.stdout.readline()
    try:
        yield Clock(process.pid)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_clock_tells_work_from_sleep():
    with running("print(flush=True)\nwhile True: pass") as busy:
        first = busy.read()
        time.sleep(0.5)
        second = busy.read()
    assert second.processor > first.processor
    assert second.asleep - first.asleep < 0.2
    with running("import time\nprint(flush=True)\ntime.sleep(99)") as sleeper:
        first = sleeper.read()
        time.sleep(0.5)
        second = sleeper.read()
    assert second.processor - first.processor < 0.2
    assert second.asleep - first.asleep > 0.2


def test_a_process_that_is_gone_has_no_time():
    assert Clock(0).read() is None
    assert Clock(2**22 - 1).read() is None


class Fake(Clock):
    """A process whose time is told by a test; the wall moves with `wall`."""

    def __init__(self):
        self.had = Had(0.0, 0.0)

    def read(self):
        return self.had


@pytest.fixture
def wall(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(deadline_module.time, "monotonic", lambda: now[0])
    return now


def test_waiting_for_a_processor_is_nobody_s_time(wall):
    clock = Fake()
    deadline = Deadline(5.0, clock)
    assert deadline.left() > 0
    wall[0] += 60  # a minute on the wall, in which the process ran for 2 s
    clock.had = Had(2.0, 0.0)
    assert 0 < deadline.left() <= 3.0
    assert deadline.used() == 2.0
    clock.had = Had(5.1, 0.0)
    assert deadline.left() <= 0


def test_a_sleeper_has_some_patience_and_no_more(wall):
    clock = Fake()
    deadline = Deadline(5.0, clock)
    deadline.left()
    clock.had = Had(0.0, 14.0)
    assert deadline.left() > 0
    clock.had = Had(0.0, 15.1)
    assert deadline.left() <= 0


def test_what_waits_for_the_judge_is_excused(wall):
    clock = Fake()
    deadline = Deadline(5.0, clock)
    deadline.left()
    clock.had = Had(1.0, 30.0)
    deadline.excuse(30.0)
    wall[0] += 31
    assert deadline.left() > 0
    assert deadline.used() == 1.0


def test_the_wall_has_the_last_word(wall):
    clock = Fake()
    deadline = Deadline(5.0, clock)
    deadline.left()
    wall[0] += 1000
    assert deadline.left() <= 0


def test_where_nothing_is_told_the_wall_has_to_do(wall):
    deadline = Deadline(5.0, Clock(0))
    assert deadline.left() > 0
    wall[0] += 14
    assert deadline.left() > 0
    wall[0] += 2
    assert deadline.left() <= 0


def test_sleeping_is_cut_short_as_working_is(submit):
    work = submit("import time\ndef f(): time.sleep(100)\ndef g():\n    while True: pass\n")
    for function in (work.f, work.g):
        with pytest.raises(TimedOut, match="did not finish within 1 seconds"):
            function()


def test_threads_use_up_the_time_together(submit):
    work = submit(
        """
        import hashlib, threading
        def burn():
            while True: hashlib.sha256(bytes(10**6)).digest()
        def f():
            threading.stack_size(2**18)
            for _ in range(8):
                threading.Thread(target=burn, daemon=True).start()
            burn()
        """
    )
    with pytest.raises(TimedOut):
        work.f()
