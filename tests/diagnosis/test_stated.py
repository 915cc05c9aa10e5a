"""The line of a number that was handed in, where the source says which it is."""

import numpy as np
import pytest

from autograder.diagnosis.stated import stated_in
from autograder.report.model import Evidence
from autograder.report.values import excerpt
from autograder.worker.messages import Unit

TABLE = """import numpy as np
other = 3
a = [
    [1, 2],
    [3, 9],
]
"""


def found(text, wrong=(1, 1), shape=(2, 2)):
    cells = np.zeros(shape, bool)
    cells[wrong] = True
    evidence = Evidence(yours=excerpt(np.ones(shape), cells), expected=excerpt(np.ones(shape)))
    place = stated_in([Unit("f.py", text)], "a", evidence)
    return place.line if place is not None else None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (TABLE, 5),
        ("b = 2\na = compute(b)\n", None),
        ("a = 1\na = [[1, 2], [3, 9]]\n", None),
        (TABLE + "a[1][1] = 8\n", None),
        (TABLE + "a.append(1)\n", None),
        (TABLE + "def f():\n    a[0] = 1\n", None),
        ("a = [\n    *rows,\n]\n", None),
        ("a = (\n", None),
    ],
)  # fmt: skip
def test_the_line_is_that_of_the_entry_or_none(text, line):
    assert found(text) == line


def test_an_array_is_looked_into():
    assert found("import numpy as np\na = np.array([\n  [1, 2],\n  [3, 9]])\n") == 4
    assert found("import numpy as np\na = np.array([\n  [1, 2],\n  [3, 9]])\n", (0, 1)) == 3


def test_without_a_marked_cell_there_is_no_line():
    assert stated_in([Unit("f.py", TABLE)], "a", None) is None
