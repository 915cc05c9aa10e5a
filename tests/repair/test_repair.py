"""Verified repair: the right line, nothing that is not true, and nothing that counts."""

import textwrap

import msgspec
import pytest

from autograder.grading.scoring import exercise_report
from autograder.repair.look import is_worth_looking, look_for_repair, with_repair
from autograder.submission.source import Source
from autograder.worker.messages import Unit

SOFTMAX = """
    import numpy as np

    def softmax(x, axis=-1):
        x = np.asarray(x, dtype=float)
        top = x.max(axis=axis, keepdims=True)
        # the largest becomes 0
        e = np.exp(x - top)
        total = e.sum(axis=axis, keepdims=True)
        return e / total
"""
ATTENTION = """
    import numpy as np

    def scaled_dot_product_attention(Q, K, V, mask=None):
        d = Q.shape[-1]
        s = np.einsum("...qd,...kd->...qk", Q, K)
        s = s * d ** -0.5
        if mask is not None:
            s = np.where(np.asarray(mask) > 0, s, -np.inf)
        s = s - s.max(axis=-1, keepdims=True)
        w = np.exp(s)
        w = w / w.sum(axis=-1, keepdims=True)
        return w @ V, w
"""


def written(exercise, text, before="", after=""):
    text = textwrap.dedent(text).lstrip("\n")
    assert before in text
    text = text.replace(before, after, 1) if before else text
    return Source(exercise, f"{exercise}.py", (Unit(f"{exercise}.py", text),))


@pytest.fixture
def search(course, judge):
    def search(source):
        exercise = course.exercise(source.name)
        return look_for_repair(judge, exercise, source, judge.grade(source))

    return search


@pytest.mark.parametrize(
    ("text", "before", "after", "line"),
    [
        (SOFTMAX, "x - top", "x + top", 7),
        (SOFTMAX, "e / total", "total / e", 9),
        (SOFTMAX, "np.exp(x - top)", "np.exp2(x - top)", 7),
        (SOFTMAX, "e.sum(axis=axis,", "e.sum(axis=-1,", 8),
        (SOFTMAX, "e = np.exp(x - top)", "e = np.exp(x); e /= top", 7),
        (ATTENTION, "d ** -0.5", "d ** 0.5", 6),
        (ATTENTION, "d = Q.shape[-1]", "d = Q.shape[-2]", 4),
        (ATTENTION, "> 0, s,", ">= 0, s,", 8),
        (ATTENTION, "return w @ V, w", "return w @ V, s", 12),
        (ATTENTION, "s.max(axis=-1", "s.max(axis=-2", 9),
    ],
)
def test_the_line_of_a_mistake_is_found(search, text, before, after, line):
    name = "softmax" if text is SOFTMAX else "scaled_dot_product_attention"
    found = search(written(name, text, before, after))
    if before == "e = np.exp(x - top)":
        assert found is None  # two things are wrong there
    else:
        assert [place.line for place in found.places] == [line]
        assert after not in found.said and before not in found.said
        assert f"line {line}" in found.said
