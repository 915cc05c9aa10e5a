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
from tests.conftest import ROOT
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


def test_one_that_is_wrong_in_the_same_way_each_time_is_named_as_before():
    assert examine(lambda x, c: 2 * x).misconceptions == ("not-shifted",)


def test_what_is_kept_is_said_with_its_line_in_a_report(grade_source):
    text = textwrap.dedent(FIRST_AXIS).lstrip("\n")
    report = grade_source(Source("softmax", "softmax.py", (Unit("softmax.py", text),)))
    found = [check.diagnosis for check in report.checks if check.diagnosis is not None]
    assert found and all(each.misconceptions == ("remembers",) for each in found)
    assert "A call that is right alone is wrong after other calls." in found[0].finding
    assert "Line 6 changes chosen, and this change stays after the call." in found[0].finding
    assert [place.line for place in found[0].places] == [6]
    assert found[0].places[0].text == 'axis = chosen.setdefault("axis", axis)'


# For each kind of state: the exercise, what is changed in its solution, and what is said of a call.
DEPENDENT = {
    "a value of another function": (
        "multi_head_reshape",
        {
            "\ndef split_heads(": "\nstate = {}\n\ndef split_heads(",
            "    return x.reshape(batch": "    state['heads'] = num_heads\n    return x.reshape(batch",
            "    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)": (
                "    heads = state.get('heads', heads)\n"
                "    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)"
            ),
        },
        "which gives a result alone, but stops after split_heads(",
    ),
    "the first mask of that shape": (
        "causal_mask",
        {
            "\ndef apply_mask(": "\nkept = {}\n\ndef apply_mask(",
            "np.where(mask, scores": "np.where(kept.setdefault(scores.shape, mask), scores",
        },
        "which is right alone, but wrong after apply_mask(",
    ),
    "a default value": (
        "scaled_dot_product_attention",
        {
            "mask=None):": "mask=None, kept={}):",
            "    if mask is not": "    mask = kept.setdefault('mask', mask)\n    if mask is not",
        },
        "which is right alone, but wrong after scaled_dot_product_attention(",
    ),
    "the last mask": (
        "scaled_dot_product_attention",
        {
            "    if mask is not": "    global last\n    last = last if mask is None else mask\n"
            "    mask = last\n    if mask is not",
            "\ndef scaled": "\nlast = None\n\ndef scaled",
        },
        "which gives a result alone, but stops after scaled_dot_product_attention(",
    ),
    "a later call": (
        "multi_head_reshape",
        {
            "\ndef split_heads(": "\nkept = {}\n\ndef split_heads(",
            "    return x.reshape(batch": (
                "    x = np.copyto(kept.setdefault(x.shape, np.empty(x.shape)), x) or kept[x.shape]\n"
                "    return x.reshape(batch"
            ),
        },
        "split_heads(<array of shape (2, 3, 4)>, 2)",
    ),
    "a mask in the module": (
        "self_attention",
        {"self.W_v(x), mask)": "self.W_v(x), self.kept(mask))"}
        | {
            "    def __init__(self, d_model": "    mask = None\n\n    def kept(self, mask):\n"
            "        self.mask = self.mask if mask is None else mask\n        return self.mask\n\n"
            "    def __init__(self, d_model"
        },
        "after a call with (<tensor of shape (2, 6, 8)>, <tensor of shape (6, 6)>)",
    ),
    "a buffer of the module": (
        "self_attention",
        {
            "        return self.W_o(output), weights": (
                "        output = self.W_o(output)\n"
                "        if getattr(self, 'out', output).shape != output.shape:\n"
                "            del self.out\n"
                "        self.out = getattr(self, 'out', torch.empty(output.shape))\n"
                "        result = self.out.detach()\n"
                "        result[...] = output\n"
                "        return result, weights"
            )
        },
        "after a call with (<tensor of shape (2, 4, 8)>) and (<tensor of shape (2, 6, 8)>, ",
    ),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", DEPENDENT)
def test_the_shown_call_is_told_with_the_call_that_changes_its_result(grade_source, kind):
    exercise, changes, about = DEPENDENT[kind]
    text = (ROOT / "solutions" / f"{exercise}.py").read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    report = grade_source(Source(exercise, "own.py", (Unit("own.py", text),)))
    failed = [check for check in report.checks if check.diagnosis is not None and not check.hidden]
    assert about in failed[0].evidence.call
    assert failed[0].diagnosis.misconceptions == ("remembers",)
    assert failed[0].diagnosis.places


def test_a_wrong_result_without_state_has_no_such_words(grade_source):
    text = (
        (ROOT / "solutions" / "softmax.py")
        .read_text()
        .replace("keepdims=True)", "keepdims=True) + np.random.rand()", 1)
    )
    report = grade_source(
        Source(
            "softmax",
            "own.py",
            (Unit("own.py", text.replace("np.exp(x", "np.random.rand() * np.exp(x * 2", 1)),),
        )
    )
    failed = [check for check in report.checks if check.outcome == "failed" and not check.hidden]
    assert failed and not any("alone" in check.evidence.call for check in failed)


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
