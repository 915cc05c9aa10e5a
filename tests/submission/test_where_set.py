"""The line that gives a name its value."""

import pytest

from autograder.submission.where_set import where_set
from autograder.worker.messages import Unit

TEXT = """\
scores = None
scores = [
    [1, 2],
    [3, 4],
]
if scores:
    weights, other = half(scores), 1
weights[0] = 7


def f():
    hidden = 1
"""


@pytest.mark.parametrize(
    ("name", "entry", "line", "text"),
    [
        ("scores", (), 2, "scores = ["),
        ("scores", (1, 0), 4, "[3, 4],"),
        ("scores", (0,), 3, "[1, 2],"),
        ("scores", (9, 9), 2, "scores = ["),
        ("weights", (0, 1), 7, "weights, other = half(scores), 1"),
    ],
)
def test_the_line(name, entry, line, text):
    found = where_set([Unit("a.py", TEXT)], name, entry)
    assert (found.label, found.line, found.text) == ("a.py", line, text)


def test_the_last_unit_that_gives_it_one():
    units = [Unit("cell 1", "a = 1"), Unit("cell 2", "\na = 2"), Unit("cell 3", "b = a")]
    found = where_set(units, "a")
    assert (found.label, found.line) == ("cell 2", 2)


@pytest.mark.parametrize("text", ["", "def f(): a = 1", "a = (", "print(a)"])
def test_no_line(text):
    assert where_set([Unit("a.py", text)], "a") is None
