"""Causes of wrong masked weights and masks: each has its own sentence, or costs points."""

import pytest

from autograder.report.presentation import opening
from tests.conftest import ROOT

WEIGHTS = "def masked_attention_weights(scores, mask):\n    m = apply_mask(scores, mask)\n    {}\n"
APPLY = "def apply_mask(scores, mask):\n    return {}\n"
SHARES = "return e / e.sum(-1, keepdims=True)"
OVERFLOWS = "its exponential overflows to ∞"
BECOMES_0 = "the exponentials of all allowed scores become 0"
COUNTS_AS_0 = "each blocked score counts as 0"
NO_MAXIMUM = "does not subtract the maximum"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("subtracted", "says"),
    [
        ("e = np.exp(scores - m.max(-1, keepdims=True)) * mask", OVERFLOWS),
        ("e = np.exp(scores - scores.max(-1, keepdims=True)) * mask", BECOMES_0),
        ("e = np.exp(m - np.where(mask, scores, 0).max(-1, keepdims=True))", COUNTS_AS_0),
        ("e = np.exp(m.astype(np.float32))", NO_MAXIMUM),
        ("e = np.exp(m + m.max(-1, keepdims=True))", "adds the maximum"),
        ("e = np.exp(m - scores[..., :1])", "subtracts the first score"),
        ("e = np.exp(m - np.where(mask, scores, 1e3).min(-1, keepdims=True))", "the smallest"),
    ],
)
@pytest.mark.parametrize("repair", ["", "np.nan_to_num"])
def test_the_cause_of_nan_is_true_of_the_call(grade_text, subtracted, says, repair):
    if repair and says not in (OVERFLOWS, BECOMES_0, COUNTS_AS_0):
        pytest.skip("the repaired code has other numbers")
    text = (ROOT / "solutions/causal_mask.py").read_text()
    shares = SHARES.replace(
        "e / e.sum(-1, keepdims=True)", f"{repair}(e / e.sum(-1, keepdims=True))"
    )
    report = grade_text("causal_mask", text + WEIGHTS.format(f"{subtracted}; {shares}"))
    assert says in opening(report).text


UINT8 = (
    "def create_causal_mask(seq_len):\n    return np.tri(seq_len, dtype=np.uint8)\n"
    + APPLY.format("scores + (mask - 1) * 1e9")
)
FOR_TWO_AXES = """def apply_mask(scores, mask):
    out = scores.copy()
    for *batch, i, j in np.ndindex(scores.shape):
        if mask[i][j] == 0:
            out[*batch, i, j] = -1e9
    return out
"""  # no call gives a wrong value: each is right, or raises an error


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("code", "check", "says"),
    [
        (APPLY.format("np.where(mask, scores, -100 * np.abs(scores).max())"), "weight 0", ""),
        (APPLY.format("scores + (mask - 1) * 1e9"), "masks of 0 and 1", "uint8"),
        (UINT8, "masks of 0 and 1", "create_causal_mask returns an array with the dtype uint8"),
        (APPLY.format("scores + (1 - mask) * -np.inf"), "allowed", "Allowed scores become NaN"),
        (FOR_TWO_AXES, "weight 0", "apply_mask stopped with ValueError: The truth value"),
    ],
)
def test_masks_and_scores_that_once_had_all_points(grade_text, code, check, says):
    text = (ROOT / "solutions/causal_mask.py").read_text()
    report = grade_text("causal_mask", text + code)
    failed = next(one for one in report.checks if one.outcome == "failed")
    assert check in failed.title and says in opening(report).text
