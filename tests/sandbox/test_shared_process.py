"""Code that keeps nothing has one process, and cannot be told from code that has many."""

import pytest

from autograder.sandbox.child import NearItsMemory
from autograder.sandbox.process import WorkerProcess
from autograder.sandbox.workers import Workers
from autograder.submission.purity import PurityProof, pure_functions
from autograder.submission.source import Source
from autograder.worker.messages import Unit

PLAIN = "import numpy as np\ndef f(x): return x + 1\ndef draw(): return np.random.rand()\n"


@pytest.fixture
def started(monkeypatch):
    """The processes that are started for submissions."""
    made = []
    start = Workers.start

    def counted(*args):
        made.append(start(*args))
        return made[-1]

    monkeypatch.setattr(Workers, "start", counted)
    return made


def test_code_that_keeps_nothing_has_one_process(submit, started):
    work = submit(PLAIN)
    assert [work.f(1), work.fresh().f(x=2), work.fresh().f(3), work.f(4)] == [2, 3, 4, 5]
    assert len(started) == 1


def test_a_call_makes_the_process_as_it_was(submit, monkeypatch):
    """To be renewed costs no message of its own."""
    sent = []
    exchange = WorkerProcess.exchange

    def noting(process, request, *rest):
        sent.append((request.operation, request.renewed))
        return exchange(process, request, *rest)

    monkeypatch.setattr(WorkerProcess, "exchange", noting)
    work = submit(PLAIN)
    work.f(1)
    again = work.fresh()
    again.f(2), again.f(3)
    assert sent == [("load", False), ("call", False), ("call", True), ("call", False)]


def test_a_process_that_was_ended_meanwhile_costs_nothing_but_another(submit, started):
    work = submit(PLAIN)
    work.f(1)
    started[-1].child.kill()
    assert work.fresh().f(2) == 3
    assert len(started) == 2


def test_code_that_may_keep_something_has_one_each_time(submit, started):
    work = submit("seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)\n")
    assert [work.f(1), work.f(2), work.fresh().f(3), work.fresh().f(4)] == [1, 2, 1, 1]
    assert len(started) == 3


def test_random_numbers_begin_anew(submit, started):
    work = submit(PLAIN)
    drawn = [work.draw(), work.draw()]
    assert [work.fresh().draw(), work.fresh().draw()] == [drawn[0], drawn[0]] != drawn
    assert len(started) == 1


def test_what_was_kept_for_the_judge_is_gone(submit, started):
    work = submit(PLAIN)
    rng = work.make("numpy.random.default_rng", 0)
    work.fresh().f(1)
    with pytest.raises(Exception, match="start again"):
        work.f(rng)
    assert len(started) == 1


def test_a_process_with_more_memory_than_after_its_load_is_not_used_again(
    submit, started, monkeypatch
):
    monkeypatch.setattr(PurityProof, "is_pure", lambda *_: True)
    work = submit("seen = []\ndef f(n):\n    seen.append(bytes(n))\n    return len(seen)\n")
    assert [work.f(10), work.fresh().f(2**27), work.fresh().f(10)] == [1, 2, 1]
    assert len(started) == 2


def test_what_is_no_function_of_the_file_ends_the_belief(submit, started):
    work = submit(
        "def make():\n    seen = []\n    def f(x):\n        seen.append(x)\n"
        "        return len(seen)\n    return f\ng = make()\n"
    )
    assert [work.g(1), work.g(2), work.fresh().g(3), work.fresh().g(4)] == [1, 2, 1, 1]
    assert len(started) == 3


def test_a_module_that_is_not_as_it_was_is_not_used_again(submit, started, monkeypatch):
    """Also if the proof were wrong."""
    monkeypatch.setattr(PurityProof, "is_pure", lambda *_: True)
    texts = [
        "def f(x):\n    f.n = getattr(f, 'n', 0) + 1\n    return f.n\n",
        "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n\n",
        "import numpy as np\ndef f(x):\n    np.n = getattr(np, 'n', 0) + 1\n    np.pi = np.n\n"
        "    return np.n\n",
    ]
    for text in texts:
        work = submit(text)
        assert [work.f(0), work.f(0), work.fresh().f(0)] == [1, 2, 1]
    assert len(started) == 2 * len(texts)


def test_a_process_that_ran_out_of_time_is_not_used_again(submit, started):
    from autograder.sandbox.problems import TimedOut

    work = submit("def f(x):\n    while x:\n        x = x + 1\n    return x\n")
    with pytest.raises(TimedOut):
        work.f(1)
    assert work.fresh().f(0) == 0
    assert len(started) == 2


def test_a_call_that_takes_most_of_the_memory_is_not_believed_there(submit):
    """What is left of it depends on what was done before."""
    work = submit("import numpy as np\ndef f(n): return float(np.ones(n).sum())\n")
    assert work.f(40 * 2**20) == 40 * 2**20  # the first call is like any other
    assert work.fresh().f(1) == 1
    with pytest.raises(NearItsMemory):
        work.fresh().f(40 * 2**20)


GREEDY = """
import numpy as np
def softmax(x, axis=-1):
    np.ones(80 * 2**20)
    x = np.asarray(x, dtype=float)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
"""


def test_a_submission_that_takes_most_of_the_memory_is_graded_all_the_same(grade_source):
    source = Source("softmax", "softmax.py", (Unit("softmax.py", GREEDY),))
    assert pure_functions(source)
    report = grade_source(source)
    assert report.points == report.max_points > 0
