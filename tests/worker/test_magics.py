"""Notebook cells with magics and shell lines."""

import pytest

from autograder.worker.statements import without_magics


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("x = 1\ny = 5 % 3", "x = 1\ny = 5 % 3"),
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!pip install numpy\nx = 1", "pass\nx = 1"),
        ("files = !ls\nx = 1", "files = get_ipython()\nx = 1"),
        ("if True:\n    !ls\nx = 1", "if True:\n    pass\nx = 1"),
        ("%%time\nx = 1", "\nx = 1"),
        ("%%bash\nrm -rf /", ""),
        ("np.exp?\nx = 1", "pass\nx = 1"),
        ("text = '''\n%s\n''' % 1", "text = '''\n%s\n''' % 1"),
    ],
)
def test_cells(cell, expected):
    assert without_magics(cell, "code cell 1") == expected


def test_a_python_file_is_left_as_it_is():
    assert without_magics("%matplotlib inline", "softmax.py") == "%matplotlib inline"
