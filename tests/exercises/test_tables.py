"""Code for the sizes of a table, or of some kinds of input alone, does not get full marks."""

import pytest

from tests.conftest import ROOT

ONLY = {  # right at the sizes that checks once had, and wrong at all others
    "masks from a table": (
        "causal_mask",
        "right = create_causal_mask\n"
        "def create_causal_mask(n):\n"
        "    return right(n) if n in (1, 2, 3, 4, 5, 6, 7, 256) else np.ones((n, n))\n",
    ),
    "counts from a table": (
        "causal_mask",
        "def count_visible(n):\n    return [1, 2, 3, 4, 5, 6, 7][:n]\n",
    ),
    "a fill that is not low enough": (
        "causal_mask",
        "def apply_mask(scores, mask):\n"
        "    return np.where(np.asarray(mask) != 0, scores, -1000.0)\n"
        "def masked_attention_weights(scores, mask):\n"
        "    s = np.where(np.asarray(mask) != 0, scores, -np.inf)\n"
        "    e = np.exp(s - s.max(-1, keepdims=True))\n"
        "    return e / e.sum(-1, keepdims=True)\n",
    ),
    "short sequences": (
        "qkv_projection",
        "right = project_qkv\n"
        "def project_qkv(X, *W):\n"
        "    return right(X if np.shape(X)[-2] <= 5 else 0 * X, *W)\n",
    ),
    "few tokens": (
        "attention_patterns",
        "right = strongest_links\n"
        "def strongest_links(weights, tokens, k=2):\n"
        "    return right(weights, tokens, k) if len(tokens) <= 6 else []\n",
    ),
    "some remainders": (
        "multi_head_reshape",
        "right = split_heads\n"
        "def split_heads(x, heads):\n"
        "    if x.shape[-1] % heads not in (0, 2, 3, 6):\n"
        "        x = x[..., : x.shape[-1] // heads * heads]\n"
        "    return right(x, heads)\n",
    ),
    "in place where there are three axes": (
        "softmax",
        "right = softmax\n"
        "def softmax(x, axis=-1):\n"
        "    p = right(x, axis)\n"
        "    if np.ndim(x) > 2:\n        x[...] = p\n"
        "    return p\n",
    ),
}
FILL = "def apply_mask(scores, mask):\n    return np.where(np.asarray(mask) != 0, scores, {})\n"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("which", ONLY)
def test_code_for_some_sizes_loses_points(grade_text, which):
    exercise, more = ONLY[which]
    text = (ROOT / "solutions" / f"{exercise}.py").read_text()
    report = grade_text(exercise, f"{text}\nimport numpy as np\n{more}")
    assert 0 < len([check for check in report.checks if check.outcome == "failed"]) <= 2


@pytest.mark.parametrize("fill", ["-np.inf", "np.finfo(float).min", "-1e9", "-1e4"])
def test_every_fill_of_the_contract_is_right(grade_text, fill):
    text = (ROOT / "solutions" / "causal_mask.py").read_text()
    report = grade_text("causal_mask", f"{text}\nimport numpy as np\n{FILL.format(fill)}")
    assert [check.finding for check in report.checks if check.outcome != "passed"] == []


def test_what_is_wrong_at_small_sizes_costs_its_own_check_alone(grade_text):
    for exercise, more, check in (
        ("causal_mask", "def count_visible(n):\n    return [n] * n\n", "test_count_visible"),
        (
            "multi_head_reshape",
            "right = split_heads\n"
            "def split_heads(x, h):\n    return right(x[..., : x.shape[-1] // h * h], h)\n",
            "test_split_error",
        ),
    ):
        text = (ROOT / "solutions" / f"{exercise}.py").read_text()
        report = grade_text(exercise, f"{text}\n{more}")
        assert {each.name for each in report.checks if each.outcome != "passed"} == {check}
