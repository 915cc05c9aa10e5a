"""Where the values of a submission leave those of right answers."""

import contextlib
import io
import textwrap

import pytest

from autograder.diagnosis.repair.traces import (
    first_departure,
    known_values,
    values_in,
    with_value_marks,
    without_loops,
)
from autograder.diagnosis.repair.tree import Tree
from autograder.submission.source import Source
from autograder.worker.messages import Unit

RIGHT = """
    def f(x, y):
        total = (x + y).sum(axis=1)
        return total * 2.0
"""


def told(text, all_parts=False, call="f(np.arange(6.0).reshape(2, 3), np.ones((2, 3)))"):
    source = Source("f", "f.py", (Unit("f.py", "import numpy as np\n" + textwrap.dedent(text)),))
    marked = with_value_marks(source, [Tree(unit) for unit in source.units], all_parts)
    out, names = io.StringIO(), {}
    with contextlib.redirect_stdout(out):
        exec("\n".join(unit.text for unit in marked.units) + f"\nx = {call}\n", names)
    return values_in(out.getvalue())


def lines(text):
    found, fine = first_departure(told(text), known_values(told(RIGHT, all_parts=True)))
    return [line for _, line in found], sorted(line for _, line in fine)


@pytest.mark.parametrize(
    ("text", "first", "fine"),
    [
        (
            """
            def f(x, y):
                a = x + y
                a = a - 2
                return a
            """,
            [5],
            [4],
        ),
        (
            """
            def f(x, y):
                a = (x + y).T
                a *= 3
                return a
            """,
            [5],
            [4],
        ),
        (
            """
            def f(x, y):
                a = x - y
                return a
            """,
            [],  # not one value is known
            [],
        ),
        (
            """
            def f(x, y):
                n = x.shape[0] + 7
                return x + y
            """,
            [],  # one number says nothing
            [5],
        ),
        (
            """
            def f(x, y):
                total = x + y
                (a, b), c = total, y
                return a * 5
            """,
            [5],  # the rows, and not what is made of them next
            [4],
        ),
        (
            """
            def f(x, y):
                total = x + y
                column = x[:, 0] + 7
                return total * column[:, None]
            """,
            [5],  # two entries are enough to be unknown
            [4],
        ),
    ],
)
def test_the_first_value_that_no_right_answer_has(text, first, fine):
    assert lines(text) == (first, fine)


def test_no_line_is_the_first_if_an_argument_is_unknown():
    text = """
        def g(z):
            return z * 2

        def f(x, y):
            return g(7 * x)
    """
    assert lines(text)[0] == []


def test_the_first_line_may_show_its_array_in_a_later_call_only():
    text = """
        def f(x, y):
            total = x + y
            half = total.sum(axis=1) / 2
            return total + half[:, None]
    """
    call = "[f(np.arange(3.0 * n).reshape(n, 3), np.ones((n, 3))) for n in (1, 2)]"
    known = known_values(told(RIGHT, all_parts=True, call=call))
    assert first_departure(told(text, call=call), known)[0] == frozenset({(0, 5)})


def test_a_line_in_or_after_a_loop_is_not_the_first():
    text = "def f(x):\n    a = x\n    for b in x:\n        c = b\n    return 2 * c\n\ndef g(x):\n    return 2 * x\n"
    trees = [Tree(Unit("f.py", text))]
    kept = without_loops(trees, frozenset((0, line) for line in (2, 4, 5, 8)))
    assert sorted(line for _, line in kept) == [2, 8]


def test_a_line_that_only_returns_a_name_is_not_the_first():
    trees = [Tree(Unit("f.py", "def f(x):\n    x[0] = -1000\n    return x\n"))]
    assert without_loops(trees, frozenset({(0, 3)})) == frozenset()


def test_what_is_told_changes_no_result():
    text = """
        def f(x, y):
            a, b = x, y
            a = [row[-1] for row in a if row.sum() > 0] if y is not None else None
            b[..., 0] += 1
            return a, b
    """
    call = "f(np.arange(6.0).reshape(2, 3), np.ones((2, 3)))"
    names, same = {}, {}
    source = Source("f", "f.py", (Unit("f.py", "import numpy as np\n" + textwrap.dedent(text)),))
    marked = with_value_marks(source, [Tree(unit) for unit in source.units], all_parts=True)
    with contextlib.redirect_stdout(io.StringIO()):
        exec("\n".join(unit.text for unit in marked.units) + f"\nx = {call}\n", names)
    exec(source.units[0].text + f"\nx = {call}\n", same)
    assert str(names["x"]) == str(same["x"])


def test_a_line_with_several_parts_has_all_its_values():
    """Parts of a line shared a limit, so a right line was the first with an unknown value."""
    call = "[f(np.arange(12.0).reshape(4, 3) ** n, np.ones((4, 3))) for n in range(10)]"
    known = known_values(told(RIGHT, all_parts=True, call=call))
    assert first_departure(told(RIGHT, call=call), known)[0] == frozenset()
