"""A submission may have 64 threads of its own, whatever else runs on the machine."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from autograder.checks.proxy import Submission
from autograder.course.course_file import Limits
from autograder.sandbox.fork_server import ForkServers
from autograder.sandbox.levels import LEVELS, why_not
from autograder.sandbox.problems import Crashed, Raised
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.confinement.private_root import NOBODY
from autograder.worker.messages import Unit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="confinement is Linux's")

LIMITS = Limits(load_seconds=30, call_seconds=30, total_seconds=90)
THREADS = """
import threading, time

def run(count, seconds):
    over = threading.Event()
    threading.stack_size(2**17)
    threads = [threading.Thread(target=over.wait, daemon=True) for _ in range(count)]
    try:
        for thread in threads:
            thread.start()
        time.sleep(seconds)
    finally:
        over.set()
        for thread in filter(threading.Thread.is_alive, threads):
            thread.join()
    return count
"""
# As the user whose tasks the kernel counts for submissions: nobody, where the judge is root.
MANY_OF_THE_USER = f"""
import os, threading
if os.geteuid() == 0:
    os.setgroups([])
    os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
over = threading.Event()
threading.stack_size(2**17)
for _ in range(300):
    threading.Thread(target=over.wait, daemon=True).start()
print("ready", flush=True)
input()
os._exit(0)
"""


@pytest.fixture(params=LEVELS)
def level(request):
    if why_not(request.param):
        pytest.skip(f"{request.param} does not hold here: {why_not(request.param)}")
    return request.param


@contextmanager
def submission_on(level):
    children = ForkServers("reference", level)
    source = Source("work", "work.py", (Unit("work.py", THREADS),))
    session = WorkerSession(Workers(source, "numpy", LIMITS, children))
    try:
        yield Submission(session)
    finally:
        session.close()
        children.close()


@contextmanager
def many_tasks_of_the_same_user():
    process = subprocess.Popen(
        [sys.executable, "-c", MANY_OF_THE_USER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"ready\n"
    with process.stdin, process.stdout:
        yield
        process.kill()
        process.wait()


def test_other_tasks_of_the_user_do_not_count(level):
    """On a busy machine, or beside a submission that has as many threads as it may."""
    with many_tasks_of_the_same_user(), submission_on(level) as work:
        assert work.run(40, 0.1) == 40


def test_a_submission_with_too_many_threads_gets_no_answer(level):
    refused = "can't start new thread" if level == "full" else "more than 64 threads at once"
    with submission_on(level) as work:
        with pytest.raises(Raised if level == "full" else Crashed, match=refused):
            work.run(200, 10)
        assert work.run(40, 0.1) == 40  # the same process can go on


@pytest.mark.one_in(3)
def test_it_takes_nothing_from_a_neighbour(level):
    with submission_on(level) as greedy, submission_on(level) as neighbour:
        for _ in range(3):
            with pytest.raises((Raised, Crashed)):
                greedy.run(200, 10)
            assert neighbour.run(40, 0.1) == 40


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes nobody")
def test_a_kill_for_threads_is_not_taken_for_one_from_outside(level):
    if level == "full":
        pytest.skip("the kernel refuses the thread there")
    children = ForkServers("reference", level)
    source = Source("work", "work.py", (Unit("work.py", THREADS),))
    session = WorkerSession(Workers(source, "numpy", LIMITS, children, last_try=False))
    try:
        with pytest.raises(Crashed):
            Submission(session).run(200, 10)
    finally:
        session.close()
        children.close()
