"""The course's functions answer a submission from a process of their own."""

import textwrap

import numpy as np
import pytest

from autograder.checks.proxy import Submission
from autograder.course.course_file import Limits
from autograder.sandbox.fork_server import ForkServers
from autograder.sandbox.problems import Raised
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.source import Source
from autograder.worker.codec import Handle
from autograder.worker.messages import Request, Unit
from autograder.worker.serve import Answers
from autograder.worker.values import Record

DOUBLE = "def implementation(x):\n    return x * 2, x.sum()\n"
DRAWN = "def implementation(rng):\n    return rng.random(3)\n"
USES = """
import numpy as np
def use(f, x):
    double, total = f(x)
    return double + 1, total
def draws(f, seed):
    rng = np.random.default_rng(seed)
    return f(rng), rng.random(2)
def gives(f, x):
    return f(x)
"""
SHORT = Limits(load_seconds=20, call_seconds=0.5, total_seconds=60, memory_mb=1024)


@pytest.fixture(scope="module")
def servers():
    servers = ForkServers("reference", "none")
    yield servers
    servers.close()


@pytest.fixture
def submitted(servers):
    sessions = []

    def make(text):
        source = Source("work", "work.py", (Unit("work.py", textwrap.dedent(text)),))
        sessions.append(WorkerSession(Workers(source, "numpy", SHORT, servers)))
        return Submission(sessions[-1])

    yield make
    for session in sessions:
        session.close()


def test_each_process_of_a_submission_is_answered(submitted):
    work = submitted(USES)
    for factor in (2, 3):
        again = work.fresh()
        text = DOUBLE.replace("2", str(factor))
        double, total = again.use(again.elsewhere(text, "implementation"), np.arange(3.0))
        np.testing.assert_array_equal(double, factor * np.arange(3.0) + 1)
        assert total == 3


def test_a_text_that_fails_costs_no_other(submitted):
    work = submitted(USES)
    broken = work.elsewhere("raise ValueError", "implementation")
    double = work.elsewhere(DOUBLE, "implementation")
    assert work.use(double, np.ones(2))[1] == 2
    with pytest.raises(Raised, match="ValueError"):
        work.gives(broken, 1)
    assert work.use(double, np.ones(2))[1] == 2


def test_a_process_that_was_ended_is_started_again(submitted):
    work = submitted(USES)
    double = work.elsewhere(DOUBLE, "implementation")
    for _ in range(2):
        assert work.use(double, np.ones(2))[1] == 2
        double.peer.close()


def test_a_random_generator_goes_on_where_the_function_left_it(submitted):
    work = submitted(USES)
    first, then = work.draws(work.elsewhere(DRAWN, "implementation"), 5)
    np.testing.assert_array_equal([*first, *then], np.random.default_rng(5).random(5))


def test_what_is_kept_in_a_process_can_be_handed_on(submitted):
    work = submitted(USES)
    rng = work.make("numpy.random.default_rng", 5)
    drawn = work.elsewhere(DRAWN, "implementation")
    first, then = work.gives(drawn, rng), work.gives(drawn, rng)
    np.testing.assert_array_equal([*first, *then], np.random.default_rng(5).random(6))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def implementation(x):\n    return x.transpose(0, 2, 1)\n", "axes don't match array"),
        ("def implementation(x):\n    return open\n", "did not come to an end"),
        ("import os\ndef implementation(x):\n    os._exit(3)\n", "did not come to an end"),
        ("def implementation(x):\n    while True: pass\n", "did not come to an end"),
    ],
)
def test_what_goes_wrong_there_is_an_exception_here(submitted, text, message):
    work = submitted(USES)
    with pytest.raises(Raised, match=message):
        work.gives(work.elsewhere(text, "implementation"), np.ones(2))
    double, _ = work.use(work.elsewhere(DOUBLE, "implementation"), np.arange(3.0))
    np.testing.assert_array_equal(double, [1, 3, 5])


def test_texts_come_back_too(submitted):
    words = "def implementation(x):\n    return 'words'\n"
    work = submitted(USES)
    assert work.gives(work.elsewhere(words, "implementation"), np.ones(2)) == "words"


@pytest.mark.parametrize(
    "given", [Handle(1, "module"), [Handle(1, "module")], {"a": Record("K", {})}]
)
def test_no_argument_names_what_the_course_keeps(given):
    """A hostile submission writes its questions as it likes."""
    answers = Answers([], lambda _: Request("answer", ""))
    kept = answers.answer(Request("define", "course", units=[Unit("course", "def f(x): return 1")]))
    refused = answers.answer(Request("carry", "f", [given], on=kept.value.number))
    assert refused.problem is not None and "no plain value" in refused.problem.message
