"""Attention is judged as its text says: masks, training, large scores, and true sentences."""

import numpy as np
import pytest

from autograder.report.presentation import FOLLOWS, opening, shown_outcome
from reference.large_scores import LOW_SCORES, with_scores_up_to
from reference.misconceptions.scaled_dot_product_attention.probes import probes
from tests.conftest import ROOT

pytestmark = pytest.mark.one_in(24)

BLOCKS = 'scores = scores.masked_fill(mask == 0, float("-inf"))'
SOFTMAX = "weights = torch.softmax(scores, dim=-1)"
AFTER = f"""{SOFTMAX}
        if mask is not None:
            weights = weights * mask
            weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-9)"""
BARE = "return self.dropout(weights) @ value, weights"
WHOLE = "output, weights = self.attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)"
# What a wrong module changes, the check that fails, the name of the mistake, and a part of what
# it says. Most of these modules once had full points.
WRONG = {
    "mask after the softmax": (
        f"{BLOCKS}\n        {SOFTMAX}",
        f"pass\n        {AFTER}",
        "test_other_sizes",
        "mask-after-softmax-renormalised",
        "Where the allowed scores are far below a blocked score",
    ),
    "lowered by 20": (
        BLOCKS,
        "scores = scores + torch.where(mask.bool(), 0.0, -20.0)",
        "test_other_sizes",
        "blocked-scores-not-below-all",
        "Where a blocked score is much higher than the allowed scores of its row",
    ),
    "blocked scores are -100": (
        BLOCKS,
        "scores = scores.masked_fill(mask == 0, -100)",
        "test_other_sizes",
        "blocked-scores-not-below-all",
        "Where the allowed scores of a row are as low",
    ),
    "a causal mask for every mask": (
        WHOLE,
        "mask = None if mask is None else torch.ones(x.size(-2), x.size(-2)).tril(); " + WHOLE,
        "test_causality",
        "own-causal-mask",
        "whatever mask is given",
    ),
    "a mask of (L, L) only": (
        WHOLE,
        "mask = mask if mask is None else mask.reshape(x.size(-2), x.size(-2)); " + WHOLE,
        "test_causality",
        None,
        "shape '[5, 5]' is invalid",
    ),
    "no dropout with a mask": (
        BARE,
        "return (self.dropout(weights) if mask is None else weights) @ value, weights",
        "test_dropout",
        "dropout-missing",
        "With a mask, in training, no weight is set to 0.",
    ),
    "no gradient in training": (
        BARE,
        "return self.dropout(weights.detach() if self.training else weights) @ value, weights",
        "test_bare_gradients",
        "gradient-cut",
        "In training, no gradient reaches query.",
    ),
    "a new layer in each call": (
        WHOLE,
        "self.W_q = nn.Linear(x.size(-1), self.W_k.out_features, bias=False); " + WHOLE,
        "test_values",
        "weights-renewed",
        "`forward` gives W_q new random weights in each call.",
    ),
    "softmax without dim": (
        "torch.softmax(scores, dim=-1)",
        "nn.Softmax()(scores)",
        "test_bare_values",
        "softmax-without-dim",
        "Your numbers match a softmax without `dim`.",
    ),
    "keeps the mask": (
        "if mask is not None:\n            scores =",
        "self.kept = mask if mask is not None else getattr(self, 'kept', None); mask = self.kept\n"
        "        if mask is not None:\n            scores =",
        "test_other_sizes",
        "remembers",
        "After a call with other arguments, the outputs of the module differ",
    ),
}


def graded(grade_text, exercise, old, new):
    """Return the checks of a solution in which `old` is replaced by `new`, by name."""
    text = (ROOT / "solutions" / f"{exercise}.py").read_text()
    assert old in text
    report = grade_text(exercise, text.replace(old, new))
    return {check.name: check for check in report.checks}


@pytest.mark.one_in(16)
@pytest.mark.parametrize("change", WRONG)
def test_a_wrong_module_loses_points_and_is_told_the_truth(grade_text, change):
    old, new, name, mistake, says = WRONG[change]
    check = graded(grade_text, "self_attention", old, new)[name]
    assert check.outcome == "failed"
    found = check.diagnosis
    assert says in (found.finding if found is not None else check.finding)
    assert list(found.misconceptions if found is not None else ()) == [mistake] * bool(mistake)


PARAMETERS = """

class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model, d_v or d_model
        sizes = {"q": (d_model, d_k), "k": (d_model, d_k), "v": (d_model, d_v), "o": (d_v, d_model)}
        for name, shape in sizes.items():
            setattr(self, f"W_{name}", nn.Parameter(torch.randn(shape)))
        self.attention = ScaledDotProductAttention(0.0)

    def forward(self, x, mask=None):
        output, weights = self.attention(x @ self.W_q, x @ self.W_k, x @ self.W_v, mask)
        return output @ self.W_o, weights
"""
# Right modules that do something else than the solution.
RIGHT = {
    "a mask that lowers by 10,000": (BLOCKS, "scores = scores - 1e4 * (1 - mask.to(scores.dtype))"),
    "nn.Parameter": ("# %% [markdown]\n# ## Try it", f"{PARAMETERS}\n# %% [markdown]\n# ## Try it"),
}


@pytest.mark.parametrize("change", RIGHT)
def test_a_right_module_has_full_points(grade_text, change):
    checks = graded(grade_text, "self_attention", *RIGHT[change])
    assert [c.finding for c in checks.values() if c.outcome != "passed"] == []


# Mistakes in the scores, and what the first failed check says. Dropout itself is right.
SCORES = {
    "times d_k": ("/ math.sqrt(key.size(-1))", "* key.size(-1)", "scores multiplied by d_k"),
    "reversed after the mask": ("torch.softmax(scores", "torch.softmax(-scores", "reversed signs"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("change", SCORES)
def test_wrong_scores_cost_no_dropout_and_are_one_mistake(grade_text, change):
    old, new, says = SCORES[change]
    checks = graded(grade_text, "self_attention", old, new)
    assert checks["test_dropout"].outcome == "passed"
    found = checks["test_bare_values"].diagnosis
    assert says in found.finding and len(found.misconceptions) == 1


@pytest.mark.thorough
def test_a_wrong_shape_has_no_error_in_its_gradient(grade_text):
    old, new = "self.dropout(weights) @ value, weights", "self.dropout(weights) @ key, weights"
    gradients = graded(grade_text, "self_attention", old, new)["test_bare_gradients"]
    assert "stopped with" not in gradients.finding and "has the shape" in gradients.finding


@pytest.mark.thorough
def test_a_gradient_of_wrong_values_has_no_tick(grade_text):
    checks = graded(grade_text, "self_attention", "dim=-1", "dim=1")
    gradients = checks["test_bare_gradients"]
    assert shown_outcome(gradients) == FOLLOWS
    assert "With a mask, your code returns infinite numbers or NaN here." in gradients.note


def test_a_module_that_stops_is_not_right_in_all_calls(grade_text):
    old = "d_k = d_model if d_k is None else d_k"
    checks = graded(grade_text, "self_attention", old, "pass")
    assert checks["test_values"].outcome == "failed"
    assert "SelfAttention is wrong in some calls of this check." in checks["test_other_sizes"].note


@pytest.mark.thorough
def test_numpy_in_a_module_of_torch_is_no_reason_for_more_numpy(grade_text):
    new = "import numpy as np; scores = np.where(mask, scores, -1e9)"
    checks = graded(grade_text, "self_attention", BLOCKS, new)
    said = " ".join(opening_of(check) for check in checks.values())
    assert "use torch: torch.where instead of np.where" in said
    assert "torch's functions have one: torch.where for np.where" in said
    assert "Use NumPy" not in said


def opening_of(check):
    """Return the finding of a check, and of its diagnosis."""
    return f"{check.finding} {check.diagnosis.finding if check.diagnosis else ''}"


NUMPY = "scaled_dot_product_attention"
SCALED = "scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])"
MASKED = "scores = np.where(mask, scores, -np.inf)"
SENTENCES = {
    "lowered by 100": (
        MASKED,
        "scores = scores - 100 * (1 - np.asarray(mask, dtype=float))",
        "Where a blocked score is much higher than the allowed scores of its row, the blocked key "
        "still gets weight.",
    ),
    "clipped": (
        SCALED,
        "scores = np.clip(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]), -700, 700)",
        "For large scores, your code is wrong each time. For scores of usual size, it is",
    ),
}


@pytest.mark.parametrize("change", SENTENCES)
def test_a_sentence_about_large_scores_is_true_with_a_mask_too(grade_text, change):
    *both, says = SENTENCES[change]
    last = graded(grade_text, NUMPY, *both)["test_large_scores_and_unchanged_arguments"]
    assert last.outcome == "failed"
    assert says in last.diagnosis.finding


WEIGHTS = "attention_weights = exponentials / exponentials.sum(axis=-1, keepdims=True)"


@pytest.mark.parametrize("small", [" + 1e-9", " + 1e-12", ""])
def test_a_mask_after_the_softmax_is_no_overflow(grade_text, small):
    text = (ROOT / "solutions" / f"{NUMPY}.py").read_text()
    assert MASKED in text and WEIGHTS in text
    after = (
        f"{WEIGHTS}\n    if mask is not None:\n        attention_weights = attention_weights * mask\n"
        f"        attention_weights /= attention_weights.sum(axis=-1, keepdims=True){small}"
    )
    report = grade_text(NUMPY, text.replace(MASKED, "pass").replace(WEIGHTS, after))
    said = opening(report).text
    assert "Where the allowed scores are far below a blocked score, the exponentials" in said
    assert "overflow" not in said


def test_scores_are_as_large_as_the_text_says():
    """The check once used 12,516, and the text promised 10,000."""
    rng = np.random.default_rng(0)
    Q, K = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4))
    Q, K = with_scores_up_to(10_000, Q, K)
    assert 9_000 < np.abs(Q @ np.swapaxes(K, -1, -2)).max() / 2 <= 10_000
    Q, K, mask = LOW_SCORES
    scaled = Q @ K.T / np.sqrt(2)
    assert np.abs(scaled).max() <= 1000
    assert (scaled[:2].min(-1, where=mask[:2], initial=0) < -800).all()
    for limit, calls in ((10_000, probes(0)), (1_000, probes(0, most=1_000))):
        sizes = [
            np.abs(Q @ np.swapaxes(K, -1, -2)).max() / Q.shape[-1] ** 0.5
            for Q, K, *_ in (probe.args for probe in calls)
        ]
        assert max(sizes) <= limit


RANDOM = "dropped = nn.functional.dropout(weights, self.dropout.p); return dropped @ value, weights"
NEW_ATTENTION = WHOLE.replace("self.attention", "ScaledDotProductAttention()")
CUT = "keep = self.dropout(weights.detach()) if self.dropout.p else weights"
PARTS = {
    "x": "x",
    "self.W_q(x)": "the queries",
    "self.W_k(x)": "the keys",
    "self.W_v(x)": "the values",
}


@pytest.mark.thorough
def test_random_results_are_no_difference_between_training_and_evaluation(grade_text):
    """It was "In training, the output is another one here.", and in training it was the same."""
    checks = graded(grade_text, "self_attention", BARE, RANDOM)
    assert checks["test_bare_results"].outcome == "failed"
    assert "n training" not in checks["test_bare_gradients"].note


def test_a_gradient_that_dropout_cuts_has_no_tick(grade_text):
    """In training with dropout, only value had a gradient, and every check passed."""
    new = f"{CUT}; return keep @ value, weights"
    checks = graded(grade_text, "self_attention", BARE, new)
    wrong = [(check.name, check.finding) for check in checks.values() if check.outcome != "passed"]
    says = "With a mask and dropout in training, no gradient reaches query."
    assert wrong == [("test_bare_gradients", says)]


@pytest.mark.thorough
def test_dropout_in_evaluation_is_not_named_new_weights(grade_text):
    """It was "`forward` gives W_q and W_k new random weights in each call."."""
    checks = graded(grade_text, "self_attention", WHOLE, NEW_ATTENTION)
    assert checks["test_values"].finding.endswith("Dropout should act only in training.")
    assert not any("new random weights" in opening_of(check) for check in checks.values())


@pytest.mark.thorough
@pytest.mark.parametrize("of", PARTS)
def test_a_result_without_attention_is_one_mistake(grade_text, of):
    """It was "There are two mistakes. 1: The values are x itself. 2: The output is x after W_v"."""
    checks = graded(grade_text, "self_attention", "self.W_o(output)", f"self.W_o({of})")
    says = f"The output is W_o applied to {PARTS[of]}: the weights do not mix the values."
    assert checks["test_values"].diagnosis.finding == says


# Weights with zeros or negative numbers in evaluation, too. Dropout itself is right.
ZEROS = {
    "causal": (
        "if mask is not None:",
        "mask = torch.ones(scores.shape[-2:]).tril() if mask is None else mask\n"
        "        if mask is not None:",
    ),
    "relu": (SOFTMAX, "weights = scores.relu() / (scores.relu().sum(-1, keepdim=True) + 1e-9)"),
    "no exponential": (SOFTMAX, "weights = scores / scores.sum(-1, keepdim=True)"),
    "half": (SOFTMAX, "weights = torch.softmax(scores.half(), dim=-1).float()"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("change", ZEROS)
def test_wrong_weights_in_evaluation_are_no_mistake_in_dropout(grade_text, change):
    """It was "In training, your code returns the weights after dropout: rows have zeros."."""
    checks = graded(grade_text, "self_attention", *ZEROS[change])
    assert checks["test_bare_values"].outcome == "failed"
    assert checks["test_dropout"].outcome == "passed"


REPEATED = "mask = mask.repeat(*scores.shape[:-2], 1, 1) if scores.ndim == 3 else mask; "


@pytest.mark.thorough
@pytest.mark.parametrize("change", [(BLOCKS, REPEATED + BLOCKS), ("dim=-1", "dim=2")])
def test_masks_that_are_not_judged_have_no_tick(grade_text, change):
    masks = graded(grade_text, "self_attention", *change)["test_causality"]
    assert shown_outcome(masks) == FOLLOWS
    assert "ScaledDotProductAttention is wrong in some calls of this check." in masks.note


def test_three_batch_axes_are_several(grade_text):
    new = "self.limit(self.dropout(weights)) @ value, weights\n\n    def limit(self, x):\n"
    new += "        assert x.ndim < 5\n        return x"
    checks = graded(grade_text, "self_attention", "self.dropout(weights) @ value, weights", new)
    assert checks["test_bare_axes"].outcome == checks["test_axes"].outcome == "failed"
