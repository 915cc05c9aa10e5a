"""Forbidden library functions are found in the source, through imports and aliases."""

import pytest

from autograder.grading.scoring import find_forbidden
from autograder.submission.source import Source
from autograder.worker.messages import Unit

FORBIDS = ("torch.nn.functional.softmax", "scipy.special.softmax")


def found(*texts):
    units = tuple(Unit(f"code cell {i + 1}", text) for i, text in enumerate(texts))
    return find_forbidden(Source("softmax", "softmax.ipynb", units), FORBIDS)


@pytest.mark.parametrize(
    "text",
    [
        "import torch.nn.functional as F\ny = F.softmax(x)",
        "import torch\ny = torch.nn.functional.softmax(x)",
        "from torch.nn import functional\ny = functional.softmax(x)",
        "from scipy.special import softmax as s",
        "import scipy.special\ny = scipy.special.softmax(x)",
    ],
)
def test_uses(text):
    (sentence,) = found(text)[:1]
    assert "which this exercise asks you to write yourself" in sentence


def test_an_import_in_an_earlier_cell():
    assert found("import torch.nn.functional as F", "y = F.softmax(x)") == [
        "Line 1 of code cell 2 uses torch.nn.functional.softmax, which this exercise asks you to "
        "write yourself."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "def softmax(x): return x",
        "softmax(x)",
        "import numpy as F\nF.softmax(x)",
        "x = (",
        "((" * 5000,
    ],
)
def test_what_is_allowed_or_cannot_be_read(text):
    assert found(text) == []


def test_a_use_costs_the_exercise_its_points(grade_source, judge, monkeypatch):
    import msgspec

    softmax = msgspec.structs.replace(judge.exercises["softmax"], forbids=("math.exp",))
    monkeypatch.setitem(judge.exercises, "softmax", softmax)
    text = """
import math
import numpy as np
def softmax(x, axis=-1):
    x = np.asarray(x, float)
    e = np.vectorize(math.exp)(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
"""
    report = grade_source(Source("softmax", "softmax.py", (Unit("softmax.py", text),)))
    assert report.points == 0
    assert "Line 6 of softmax.py uses math.exp" in report.reason
    assert all(check.outcome == "passed" for check in report.checks)
