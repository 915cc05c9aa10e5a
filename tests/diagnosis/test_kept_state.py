"""Answers that depend on earlier calls are found out by experiment, before anything is named."""

import textwrap

import numpy as np
import pytest

from autograder.diagnosis.examination import Answer, Examination
from autograder.diagnosis.finding import sentence
from autograder.diagnosis.kept_state import lines_keeping_state
from autograder.diagnosis.outcome import outcome_of
from autograder.diagnosis.replay import Replay
from autograder.diagnosis.steps import diagnose
from autograder.submission.source import Source
from autograder.worker.messages import Unit
from tests.diagnosis.test_examination import RECIPE, examine

FIRST_AXIS = """
    import numpy as np

    chosen = {}

    def softmax(x, axis=-1):
        axis = chosen.setdefault("axis", axis)
        x = np.asarray(x, dtype=float)
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)
"""


def keeps_its_first_number():
    first = []

    def ask(probe):
        x, c = probe.args
        first.append(c)
        return Answer(outcome_of(2 * (x + first[0])))

    return ask


def test_a_function_that_keeps_its_first_argument_gets_no_other_name():
    examination = Examination(Replay(RECIPE), keeps_its_first_number(), keeps_its_first_number)
    found = diagnose(examination)
    assert found.misconceptions == ("remembers",) and found.kind == "located"
    assert "The result of the first call was right." in found.says


def test_one_that_is_wrong_in_the_same_way_each_time_is_named_as_before():
    assert examine(lambda x, c: 2 * x).misconceptions == ("not-shifted",)


def test_what_is_kept_is_said_with_its_line_in_a_report(grade_source):
    text = textwrap.dedent(FIRST_AXIS).lstrip("\n")
    report = grade_source(Source("softmax", "softmax.py", (Unit("softmax.py", text),)))
    found = [check.diagnosis for check in report.checks if check.diagnosis is not None]
    assert found and all(each.misconceptions == ("remembers",) for each in found)
    assert "Line 6 changes chosen, and this change stays after the call." in found[0].finding
    assert [place.line for place in found[0].places] == [6]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("c = 0\ndef f(x):\n    global c\n    c += 1\n", 4, "changes the value of the global name c"),
        ("def f(x, seen=[]):\n    seen.append(x)\n", 2, "the default value of seen, which is made"),
        ("def f(x):\n    f.last = x\n", 2, "changes f, and this change stays"),
        ("class M:\n    def forward(self, x):\n        self.w = x\n", 3, "sets self.w"),
        ("import functools\n@functools.lru_cache\ndef f(x):\n    return x\n", 2, "stores the results of f"),
    ],
)  # fmt: skip
def test_lines_that_keep_something_are_facts_of_the_source(text, line, says):
    found = lines_keeping_state([Unit("f.py", text)])
    assert [statement.values["line"] for _, statement in found] == [str(line)]
    assert says in sentence(found[0][1])


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    x = x + 1\n    y = []\n    y.append(x)\n    return y\n",
        "class M:\n    def __init__(self):\n        self.w = 1\n",
        "cache = {}\ndef f(x):\n    cache = {}\n    cache[1] = x\n",
        "def f(:\n",
    ],
)
def test_a_line_that_keeps_nothing_is_not_listed(text):
    assert lines_keeping_state([Unit("f.py", text)]) == []


def test_a_name_is_confirmed_by_calls_that_did_not_find_it():
    """Right on all but the calls of one draw: what fitted there is not said."""
    asked = []

    def function(x, c):
        asked.append(1)
        return 2 * x if len(asked) <= 12 else 2 * x + np.sin(x)

    found = examine(function)
    assert found is None or found.misconceptions != ("not-shifted",)
