"""The line that gives a name its value."""

import pytest

from autograder.submission.code import find_assignment
from autograder.worker.messages import Unit

TEXT = """\
scores = None
scores = [
    [1, 2],
    [3, 4],
]
if scores:
    weights, other = half(scores), 1
total = np.array([
    [1.0],
])
weights[0] = total.mean()
scores[0][1] += 1
scores = [
    [5, 6],
]
total.sort()


def f():
    hidden = 1
"""


@pytest.mark.parametrize(
    ("name", "entry", "line", "text"),
    [
        ("scores", (), 13, "scores = ["),
        ("scores", (0, 1), 14, "[5, 6],"),
        ("scores", (9, 9), 13, "scores = ["),
        ("other", (0, 1), 7, "weights, other = half(scores), 1"),
    ],
)
def test_the_line(name, entry, line, text):
    found = find_assignment([Unit("a.py", TEXT)], name, entry)
    assert (found.label, found.line, found.text) == ("a.py", line, text)


def test_the_last_unit_that_gives_it_one():
    units = [Unit("cell 1", "a = 1"), Unit("cell 2", "\na = 2"), Unit("cell 3", "b = a")]
    found = find_assignment(units, "a")
    assert (found.label, found.line) == ("cell 2", 2)


def test_a_row_of_an_array():
    text = "a = np.array([\n    [1.0],\n    [2.0],\n])"
    assert find_assignment([Unit("a.py", text)], "a", (1, 0)).line == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def f(): a = 1",
        "a = (",
        "print(a)",
        "a = [1]\na[0] = 2",
        "a = [1]\na.append(2)",
        "a = [[1]]\nif True:\n    a[0][0] *= 3",
    ],
)
def test_no_line(text):
    assert find_assignment([Unit("a.py", text)], "a") is None
