"""A report names each of two mistakes in a file, and blocked scores that are not low enough."""

import pytest

from tests.conftest import ROOT

SPLIT = ("x.view(batch, length, self.num_heads, features // self.num_heads).transpose(1, 2)",
         "x.view(batch, length, features // self.num_heads, self.num_heads).permute(0, 3, 1, 2)")  # fmt: skip
MERGED = ("x.transpose(1, 2).flatten(2)", "x.permute(0, 2, 3, 1).flatten(2)")
INVERTED = ("mask == 0", "mask != 0")
MINUS_100 = ('float("-inf")', "-100")
PRODUCTS = "X @ W_Q, X @ W_K, X @ W_V"
MASKED, BLOCKED = "apply_mask(scores, mask)\n", "np.where(mask, scores, -np.inf)"
TOO_LONG = "if length > self.max_seq_length:"
FIRST_SUM = ("self.norm1(x + attended)", "self.norm1(attended)")
CASES = [
    ("multi_head_attention", [SPLIT, MERGED, INVERTED], {"interleaved", "mask-inverted"}),
    ("multi_head_attention", [MINUS_100], {"blocked-scores-not-below-all"}),
    ("multi_head_attention", [MINUS_100, ("math.sqrt(key.size(-1))", "math.sqrt(x.size(-1))")],
     {"root-of-d-model", "blocked-scores-not-below-all"}),
    ("qkv_projection", [(PRODUCTS, "X[..., -1:, :] @ W_Q, X @ W_V, X @ W_K")],
     {"queries-of-last-position", "keys-and-values-swapped"}),
    ("qkv_projection", [("X @ W", "X[..., -1:, :] @ W"), ("@ W_V", "@ W_Q")],
     {"last-position-only", "values-by-query-matrix"}),
    ("causal_mask", [(MASKED, "apply_mask(scores, mask) / 2\n"), (BLOCKED, "np.where(mask, scores, -1)")],
     {"scores-divided", "blocked-not-low"}),
    ("causal_mask", [(MASKED, "apply_mask(scores / scores.shape[-1] ** 0.5, mask)\n"),
                     (BLOCKED, "np.where(mask, -1e9, scores)")],
     {"scores-divided", "mask-inverted"}),
    ("causal_mask", [("sum(axis=-1, keepdims=True)", "sum(axis=-1, keepdims=True) / 2"),
                     (BLOCKED, "np.where(mask, -1e9, scores)")],
     {"weights-divided", "mask-inverted"}),
    ("language_model", [(TOO_LONG, "if False:"), FIRST_SUM], {"another-error", "no-first-residual"}),
    ("language_model", [(TOO_LONG, "tokens = tokens[:, : self.max_seq_length]\n        "
                         "length = tokens.size(1)\n        if False:"), FIRST_SUM],
     {"not-refused", "no-first-residual"}),
]  # fmt: skip


@pytest.mark.one_in(10)
@pytest.mark.parametrize(("exercise", "changes", "names"), CASES)
def test_each_mistake_has_a_name(grade_text, exercise, changes, names):
    text = (ROOT / f"solutions/{exercise}.py").read_text()
    for right, wrong in changes:
        assert right in text
        text = text.replace(right, wrong)
    found = [check.diagnosis for check in grade_text(exercise, text).checks if check.diagnosis]
    assert {name for diagnosis in found for name in diagnosis.misconceptions} == names
