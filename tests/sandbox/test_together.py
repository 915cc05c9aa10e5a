"""Where a submission keeps nothing, the course's functions answer it without the judge between."""

import socket
import textwrap
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from autograder.checks.proxy import Submission
from autograder.course.course_file import Limits
from autograder.sandbox import peer
from autograder.sandbox.fork_server import ForkServers
from autograder.sandbox.problems import Raised
from autograder.sandbox.process import WorkerProcess
from autograder.sandbox.session import WorkerSession, open_session
from autograder.submission.source import Source
from autograder.worker.codec import decode, encode
from autograder.worker.messages import Callback, Reply, Request, Unit
from autograder.worker.remote_functions import Offered, Partner, Wire

DOUBLE = "def implementation(x):\n    return x * 2, x.sum()\n"
DRAWN = "def implementation(rng):\n    return rng.random(3)\n"
PROVEN = """
import numpy as np
def use(f, x):
    double, total = f(x)
    return double + 1, total
def draws(f, seed):
    rng = np.random.default_rng(seed)
    return f(rng), rng.random(2)
def with_kept(f, rng):
    return f(rng)
def gives(f, x):
    return f(x)
def many(f, count):
    total = 0.0
    for i in range(count):
        total = total + f(np.ones(2) * i)[1]
    return total
"""
SHORT = Limits(load_seconds=20, call_seconds=0.5, total_seconds=60, memory_mb=1024)
TICKET = 2**61 + 7


@pytest.fixture(scope="module")
def servers() -> Iterator[ForkServers]:
    servers = ForkServers("reference", "none")
    yield servers
    servers.close()


@pytest.fixture
def submitted(servers: ForkServers) -> Iterator[Callable[[str], Submission]]:
    clients: list[WorkerSession] = []

    def make(text: str) -> Submission:
        source = Source("work", "work.py", (Unit("work.py", textwrap.dedent(text)),))
        clients.append(open_session(source, "numpy", SHORT, servers))
        return Submission(clients[-1])

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def carried(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the functions that the judge was asked for."""
    asked: list[int] = []
    answer = peer.CourseFunction.answer

    def counted(self: peer.CourseFunction, ask: Callback) -> Request:
        asked.append(ask.number)
        return answer(self, ask)

    monkeypatch.setattr(peer.CourseFunction, "answer", counted)
    return asked


def test_the_judge_is_not_asked(submitted, carried):
    work = submitted(PROVEN)
    double, total = work.use(work.elsewhere(DOUBLE, "implementation"), np.arange(3.0))
    np.testing.assert_array_equal(double, [1, 3, 5])
    assert total == 3
    assert carried == []


def test_one_process_after_another_has_the_line(submitted, carried):
    work = submitted(PROVEN)
    for count in (3, 5):
        again = work.fresh()
        assert again.many(again.elsewhere(DOUBLE, "implementation"), count) == count * (count - 1)
    assert carried == []


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """What goes to the processes."""
    sent: list[Request] = []
    exchange = WorkerProcess.exchange

    def noting(process: WorkerProcess, request: Request, *rest: Any) -> Reply:
        sent.append(request)
        return exchange(process, request, *rest)

    monkeypatch.setattr(WorkerProcess, "exchange", noting)
    return sent


def test_a_run_of_a_test_is_one_message(submitted, sent):
    work = submitted(PROVEN)
    work.many(work.elsewhere(DOUBLE, "implementation"), 1)
    texts = [DOUBLE.replace("2", str(factor)) for factor in (3, 4, 5)]
    tried = [work.elsewhere(text, "implementation") for text in texts]
    sent.clear()
    found = [work.fresh().use(each, np.ones(1))[0][0] for each in tried]
    assert found == [4, 5, 6]
    assert [each.operation for each in sent] == ["offer", "call", "call", "call"]
    assert len(sent[0].units) == 3


def test_the_first_process_has_the_line(submitted, sent):
    work = submitted(PROVEN)
    work.draws(work.elsewhere(DRAWN, "implementation"), 5)
    assert [each.target for each in sent if each.operation == "load"] == ["work", "course"]


def test_a_text_that_fails_costs_no_other(submitted, carried):
    work = submitted(PROVEN)
    broken = work.elsewhere("raise ValueError", "implementation")
    double = work.elsewhere(DOUBLE, "implementation")
    assert work.many(double, 2) == 2
    with pytest.raises(Raised, match="did not come to an end|ValueError"):
        work.gives(broken, 1)
    assert carried == [1]


def test_a_ticket_is_for_one_process(submitted, sent):
    work = submitted(PROVEN)
    double = work.elsewhere(DOUBLE, "implementation")
    work.many(double, 1)
    double.peer.close()
    work.fresh().many(double, 1)
    (first,), (then,) = [each.together for each in sent if each.operation == "call"]
    assert min(first, then) > 2**32 and first != then


def test_a_random_generator_goes_on_where_the_function_left_it(submitted, carried):
    work = submitted(PROVEN)
    first, then = work.draws(work.elsewhere(DRAWN, "implementation"), 5)
    np.testing.assert_array_equal([*first, *then], np.random.default_rng(5).random(5))
    assert carried == []


def test_what_is_kept_in_a_process_is_handed_on(submitted, carried):
    work = submitted(PROVEN)
    rng = work.make("numpy.random.default_rng", 5)
    first = work.with_kept(work.elsewhere(DRAWN, "implementation"), rng)
    np.testing.assert_array_equal(first, np.random.default_rng(5).random(3))
    assert carried == []


def test_what_is_kept_in_a_process_stays_there_when_its_line_is_gone(submitted, carried):
    work = submitted(PROVEN)
    rng = work.make("numpy.random.default_rng", 5)
    drawn = work.elsewhere(DRAWN, "implementation")
    first = work.with_kept(drawn, rng)
    drawn.peer.close()
    then = work.with_kept(drawn, rng)
    np.testing.assert_array_equal([*first, *then], np.random.default_rng(5).random(6))
    assert carried == [1]


def test_what_may_keep_something_asks_the_judge(submitted, carried):
    work = submitted("kept = []\n" + PROVEN + "\ndef keep(x):\n    kept.append(x)\n")
    work.use(work.elsewhere(DOUBLE, "implementation"), np.arange(3.0))
    assert carried == [1]


def test_what_is_given_a_text_asks_the_judge(submitted, carried):
    work = submitted(PROVEN + "\ndef told(f, text):\n    return f(np.ones(2))\n")
    assert work.told(work.elsewhere(DOUBLE, "implementation"), "a text")[1] == 2
    assert carried == [1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def implementation(x):\n    return x.transpose(0, 2, 1)\n", "axes don't match array"),
        ("def implementation(x):\n    return open\n", "did not come to an end"),
        ("import os\ndef implementation(x):\n    os._exit(3)\n", "did not come to an end"),
        ("def implementation(x):\n    while True: pass\n", "did not come to an end"),
    ],
)
def test_what_goes_wrong_there_is_the_judge_s_to_say(submitted, carried, text, message):
    work = submitted(PROVEN)
    with pytest.raises(Raised, match=message):
        work.gives(work.elsewhere(text, "implementation"), np.ones(2))
    assert carried == [1]
    double, _ = work.use(work.elsewhere(DOUBLE, "implementation"), np.arange(3.0))
    np.testing.assert_array_equal(double, [1, 3, 5])


def test_what_is_no_number_is_the_judge_s_to_carry(submitted, carried):
    work = submitted(PROVEN)
    words = "def implementation(x):\n    return 'words'\n"
    assert work.gives(work.elsewhere(words, "implementation"), np.ones(2)) == "words"
    assert carried == [1]


class Line:
    """Both ends of a line, with a function that answers at one, in a thread."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.mine, theirs = socket.socketpair()
        self.judge, until = socket.socketpair()
        self._open = theirs, until
        partner = Partner(Wire(theirs.fileno(), theirs.fileno(), bounded=True))
        offered = Offered(lambda value: value)
        offered._functions[TICKET] = function
        self.thread = threading.Thread(
            target=partner.serve, args=(offered, until.fileno()), daemon=True
        )
        self.thread.start()

    def asked(self, frame: bytes) -> Request:
        self.mine.sendall(frame)
        header, payload, _ = Wire(self.mine.fileno(), self.mine.fileno()).receive()
        return decode(Request, header, payload)

    def end(self) -> bool:
        """Whether it goes back to the judge when the judge has something to say."""
        self.judge.sendall(b".")
        self.thread.join(10)
        for each in (*self._open, self.mine, self.judge):
            each.close()
        return not self.thread.is_alive()


def frame(message: object) -> bytes:
    header, payload, buffers = encode(message)
    start = header.to_bytes(4, "little") + payload.to_bytes(4, "little") + bytes(8)
    return start + b"".join(bytes(each) for each in buffers)


def test_numbers_come_back_and_all_else_is_refused():
    line = Line(lambda x: x + 1)
    assert line.asked(frame(Callback(TICKET, [2]))).args[0] == 3
    refused = [Callback(1, [2]), Callback(0, [2]), Callback(TICKET, ["text"]), Callback(TICKET, [])]
    for each in refused:
        assert line.asked(frame(each)).target == "the judge"
    assert line.end()


@pytest.mark.parametrize("rubbish", [bytes(16), b"\xff" * 16, b"\x05\0\0\0" + bytes(12) + b"hello"])
def test_rubbish_ends_the_line_and_nothing_else(rubbish):
    line = Line(lambda x: x + 1)
    line.mine.sendall(rubbish)
    assert line.end()
