"""Tables of values: the first rows that differ, the entries that are wrong, and −∞ as itself."""

import numpy as np
import pytest

NUMPY = "import numpy as np\n"
HEADS = """import numpy as np
def split_heads(x, num_heads):
    B, L, E = x.shape
    heads = np.zeros((B, num_heads, L, E // num_heads))
    heads[0] = x[0].reshape(L, num_heads, -1).transpose(1, 0, 2)
    return heads
def merge_heads(x):
    B, H, L, d = x.shape
    merged = np.zeros((B, L, H * d))
    merged[0] = x[0].transpose(1, 0, 2).reshape(L, -1)
    return merged
"""


def tables(report):
    """Yours and expected of each failed check that shows both, in one shape."""
    shown = [check.evidence.matrices for check in report.checks if check.evidence is not None]
    return [(y, e) for y, e in shown if y is not None and e is not None and y.shape == e.shape]


def has_marks_that_are_true(yours, expected):
    """Whether an entry is marked, and each that is marked differs."""
    rows = zip(yours.wrong, yours.rows, expected.rows, strict=True)
    marked = [
        value != right
        for marks, *sides in rows
        for wrong, value, right in zip(marks, *sides, strict=True)
        if wrong
    ]
    return bool(marked) and all(marked)


def test_the_first_sequence_that_differs_is_shown(grade_text):
    shown = [each for each in tables(grade_text("multi_head_reshape", HEADS)) if each[0].names]
    marked = [
        next(n for n, row in zip(y.names, y.wrong, strict=True) if any(row)) for y, _ in shown
    ]
    assert marked == ["sequence 1, head 0, position 0", "sequence 1, position 0"]
    for yours, expected in shown:
        assert has_marks_that_are_true(yours, expected)
        assert yours.groups and len(yours.groups) == len(yours.rows)


def test_a_blocked_score_is_shown_as_it_is(grade_text):
    text = f"{NUMPY}def apply_mask(scores, mask):\n    return np.where(mask, 2 * scores, -np.inf)\n"
    yours, expected = tables(grade_text("causal_mask", text))[0]
    assert yours.rows[0][1] == expected.rows[0][1] == "-inf"
    assert yours.wrong[0] == (True, False, False)
    assert has_marks_that_are_true(yours, expected)


def unmarked(yours, expected):
    """Entries without a mark, each with the right one."""
    rows = zip(yours.wrong, yours.rows, expected.rows, strict=True)
    for marks, values, rights in rows:
        cells = zip(marks, values, rights, strict=True)
        yield from ((float(value), float(right)) for wrong, value, right in cells if not wrong)


@pytest.mark.parametrize(
    "text",
    [
        "def apply_mask(scores, mask):\n    return np.where(mask, -np.inf, scores)\n",
        "def apply_mask(scores, mask):\n    return np.broadcast_to(mask, scores.shape) * 1.0\n",
        "def masked_attention_weights(scores, mask):\n"
        "    e = np.exp(scores)\n"
        "    return np.where(mask, e / e.sum(-1, keepdims=True), -np.inf)\n",
        "def masked_attention_weights(scores, mask):\n"
        "    e = np.exp(np.where(mask, scores, np.nan))\n"
        "    return e / e.sum(0)\n",
    ],
)
def test_what_differs_is_marked_beside_infinite_numbers_too(grade_text, text):
    shown = tables(grade_text("causal_mask", NUMPY + text))
    assert shown
    for yours, expected in shown:
        for value, right in unmarked(yours, expected):
            assert value == pytest.approx(right, abs=1e-3) or (right, value < -20) == (
                -np.inf,
                True,
            ), (value, right)
