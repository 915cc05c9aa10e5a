"""What one process of a student's own steps answered is not asked of another in its place."""

from typing import cast

import numpy as np
import pytest

from autograder.checks import request_log
from autograder.checks.proxy import Submission
from autograder.sandbox.problems import Crashed
from autograder.sandbox.session import WorkerSession
from autograder.worker.codec import Handle
from autograder.worker.messages import Reply, Request


class Process:
    """Stands for a client: `put` has what each of its processes was asked, of those started."""

    def __init__(self, put=None, shared=None):
        self.shared = {} if shared is None else shared
        self.put = [] if put is None else put
        self.own = None

    def fresh(self, place):
        return Process(self.put, self.shared)

    def _hear(self, what):
        if self.own is None:
            self.own = []
            self.put.append(self.own)
        self.own.append(what)

    def ask(self, request):
        (x,) = request.args
        self._hear(x)
        if x == "crashes":
            raise Crashed("crashed", "f", "it ended")
        return Reply([x, np.arange(len(self.own))])

    def define(self, name, text):
        self._hear(name)
        return Handle(len(self.own), "module")


@pytest.fixture
def process():
    return Process()


def ask(process, *questions):
    own = Submission(cast(WorkerSession, process)).own()
    return [own.step(x) for x in questions]


def test_the_same_questions_in_the_same_order_need_no_other_process(process):
    first, again = ask(process, 1, 2), ask(process, 1, 2)
    assert process.put == [[1, 2]]
    for one, other in zip(first, again, strict=True):
        assert one[0] == other[0]
        np.testing.assert_array_equal(one[1], other[1])


def test_what_comes_after_them_is_asked_of_a_process_that_has_heard_them(process):
    ask(process, 1, 2)
    x, places = ask(process, 1, 3)[-1]
    assert process.put == [[1, 2], [1, 3]]
    assert (x, len(places)) == (3, 2)


def test_another_order_is_another_conversation(process):
    ask(process, 1, 2)
    ask(process, 2, 1)
    assert process.put == [[1, 2], [2, 1]]


def test_what_crashed_is_asked_again_and_all_that_follows(process):
    for _ in range(2):
        own = Submission(cast(WorkerSession, process)).own()
        with pytest.raises(Crashed):
            own.step("crashes")
        own.step(1)
    assert process.put == [["crashes", 1]] * 2


def test_who_changes_an_answer_changes_it_for_nobody_else(process):
    ask(process, 1)[0].clear()
    assert ask(process, 1)[0][0] == 1


def test_answers_are_kept_as_long_as_there_is_room(process, monkeypatch):
    monkeypatch.setattr(request_log, "MOST_KEPT", 10)
    assert len(ask(process, 1)[0]) == len(ask(process, 1)[0]) == 2
    assert process.put == [[1]] * 2


def test_a_text_of_the_course_is_run_once_in_a_process(process):
    own = Submission(cast(WorkerSession, process)).own()
    for _ in range(2):
        own.define("models", "a = 1")
    assert process.put == [["models"]]


def test_what_is_not_remembered_follows_what_was(process):
    ask(process, 1)
    told = Submission(cast(WorkerSession, process)).own()
    told.step(1)
    told._process.ask(Request("call", "step", [5]))
    assert process.put == [[1], [1, 5]]


def test_a_process_that_counts_is_counted_from_its_load(submit):
    work = submit("seen = []\ndef count(x):\n    seen.append(x)\n    return len(seen)\n")
    assert [work.own().count(1), work.own().count(1)] == [1, 1]
    own = work.own()
    assert [own.count(1), own.count(1), own.count(2)] == [1, 2, 3]
