"""Wrong answers that are right for common inputs: each loses a check."""

import pytest

from autograder.report.presentation import opening
from tests.conftest import ROOT

FLOATS = "    x = np.asarray(x, dtype=float)\n"
WRONG = {
    "remainder 1": ("multi_head_reshape", "% num_heads != 0", "% num_heads > 1", "does not fit"),
    "size 1 along the axis": (
        "softmax",
        FLOATS,
        FLOATS + "    if x.shape[axis] == 1:\n        return x\n",
        "Any axis",
    ),
    "an array of integers changed": (
        "softmax",
        FLOATS,
        "    if getattr(x, 'dtype', None) == int:\n        x -= x.max(axis=axis, keepdims=True)\n"
        + FLOATS,
        "stay as they are",
    ),
    "a list changed": (
        "softmax",
        FLOATS,
        "    if isinstance(x, list):\n        x[:] = [np.array(row) for row in x]\n" + FLOATS,
        "stay as they are",
    ),
    "a causal mask for as many keys as queries": (
        "scaled_dot_product_attention",
        "    if mask is not None:\n",
        "    if mask is None and Q.shape[-2] == K.shape[-2] > 1:\n"
        "        mask = np.tril(np.ones((len(Q), len(Q))))\n"
        "    if mask is not None:\n",
        "one sequence",
    ),
    "a mask ignored for one query": (
        "scaled_dot_product_attention",
        "if mask is not None:",
        "if mask is not None and Q.shape[-2] > 1:",
        "blocked keys get the weight 0",
    ),
    "too few rows for one key": (
        "scaled_dot_product_attention",
        "    scores = Q",
        "    if len(K) == 1:\n        return V, np.ones((len(Q), 1))\n    scores = Q",
        "one sequence",
    ),
    "Q if it has the shape of V": (
        "scaled_dot_product_attention",
        "    return attention_weights @ V,",
        "    return Q if Q.shape == V.shape else attention_weights @ V,",
        "a batch",
    ),
    "blocked weights that are only small": (
        "scaled_dot_product_attention",
        "scores, -np.inf)",
        "scores, scores.min() - 20)",
        "blocked keys get the weight 0",
    ),
    "blocked scores that are only low": (
        "causal_mask",
        "scores, -np.inf)",
        "scores, scores.min() - 20)",
        "blocked scores get the weight 0",
    ),
    "a mask with one item in its first axis": (
        "self_attention",
        "        output, weights",
        "        if mask is not None and mask.ndim > 2 and len(mask) == 1:\n"
        "            mask = mask.mT\n        output, weights",
        "masks as in part 1",
    ),
}


def text_with(exercise, before, after):
    text = (ROOT / f"solutions/{exercise}.py").read_text()
    assert before in text
    return text.replace(before, after)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_with_rare_inputs_fails_a_visible_check(grade_text, mistake):
    exercise, before, after, title = WRONG[mistake]
    report = grade_text(exercise, text_with(exercise, before, after))
    failed = [check.title for check in report.checks if check.outcome == "failed"]
    assert any(title in check for check in failed)


def test_errors_with_integers_cost_one_check(grade_text):
    refused = FLOATS.replace("x = ", "assert np.asarray(x).dtype == float\n    x = ")
    report = grade_text("softmax", text_with("softmax", FLOATS, refused))
    failed = [check.title for check in report.checks if check.outcome == "failed"]
    assert failed == ["Lists and whole numbers are accepted"]


@pytest.mark.parametrize(
    ("split", "merge"),
    [
        ("x.reshape(batch, length, features // num_heads, num_heads).transpose(0, 3, 1, 2)", "231"),
        ("x.reshape(batch, num_heads, length, features // num_heads)", "123"),
    ],
)
def test_two_wrong_functions_that_undo_each_other_pass_only_by_follow_through(
    grade_text, split, merge
):
    right = "x.reshape(batch, length, num_heads, features // num_heads).transpose(0, 2, 1, 3)"
    text = text_with("multi_head_reshape", right, split)
    axes = ", ".join(("0", *merge))
    text = text.replace("x.transpose(0, 2, 1, 3)", f"x.transpose({axes})")
    report = grade_text("multi_head_reshape", text)
    after = next(check for check in report.checks if check.title.startswith("merge_heads after"))
    assert after.note == "The two functions undo each other, but split_heads is wrong."


@pytest.mark.parametrize(
    "line",
    [
        "np.array(np.array_split(x, num_heads, axis=2)).transpose(1, 0, 2, 3)",
        "np.array(np.split(x, num_heads, axis=2)).transpose(1, 0, 2, 3)",
    ],
)
def test_an_error_of_numpy_is_not_called_the_students(grade_text, line):
    text = f"""
        import numpy as np

        def split_heads(x, num_heads):
            return {line}
    """
    report = grade_text("multi_head_reshape", text)
    finding = next(check.finding for check in report.checks if "does not fit" in check.title)
    assert "as it should" not in finding
    assert "did not raise this ValueError itself" in finding


MANY_TRANSPOSES = ("K.T if K.ndim != 3 else K.transpose(0, 2, 1)", "np.swapaxes(K, -1, -2)")


def test_a_condition_of_calls_is_not_negated(grade_text):
    """It was "With two batch axes or none", but without batch axes the code is right."""
    code, right = MANY_TRANSPOSES
    report = grade_text(
        "scaled_dot_product_attention",
        text_with("scaled_dot_product_attention", right, f"({code})"),
    )
    assert "or none" not in opening(report).text


def test_a_lost_axis_of_size_1_is_not_called_the_last_axis(grade_text):
    text = text_with(
        "scaled_dot_product_attention",
        "return attention_weights @ V, attention_weights",
        "return np.squeeze(attention_weights @ V), np.squeeze(attention_weights)",
    )
    report = grade_text("scaled_dot_product_attention", text)
    assert "It should be (B, L_q, d_v)" not in opening(report).text
