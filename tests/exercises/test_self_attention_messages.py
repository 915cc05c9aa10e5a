"""Messages about attention modules are true of each call that they speak of."""

import pytest

from autograder.report.presentation import opening
from tests.conftest import ROOT

pytestmark = pytest.mark.one_in(12)

MASKED = "if mask is not None:\n            scores ="
RETURN = "return self.dropout(weights) @ value, weights"
PROJECTED = "output, weights = self.attention(self.W_q(x), self.W_k(x), self.W_v(x), mask)"


def of_masks(condition):
    used = f"self.dropout(weights) if mask is {condition} else weights"
    return f"return ({used}) @ value, weights"


def dropped(values):
    return (
        "dropped = weights\n        if self.training:\n            "
        f"keep = torch.rand_like(weights) > self.dropout.p\n            dropped = {values}\n"
        "        return dropped @ value, weights"
    )


# The changed text, the new text, the first sentence, and the first hint of the first failure.
FIRST = {
    "dropout only with a mask": (
        RETURN,
        of_masks("not None"),
        "Without a mask, in training, no weight is set to 0.",
        "In which calls does your module apply dropout",
    ),
    "dropout only without a mask": (
        RETURN,
        of_masks("None"),
        "With a mask, in training, no weight is set to 0.",
        "In which calls does your module apply dropout",
    ),
    "no dropout": (
        RETURN,
        "return weights @ value, weights",
        "ScaledDotProductAttention: In training, no weight is set to 0.",
        "In which calls does your module apply dropout",
    ),
    "dropped weights are infinite": (
        RETURN,
        dropped("weights.masked_fill(~keep, -torch.inf)"),
        "In training, the output has infinite numbers or NaN.",
        "To which numbers does your code apply dropout",
    ),
    "divided by the sum": (
        RETURN,
        dropped("weights * keep / (weights * keep).sum(-1, keepdim=True).clamp(min=1e-9)"),
        "Instead, each weight that is kept should be divided by 1 − p.",
        "By which factor does your code multiply a weight that dropout keeps?",
    ),
    "a result only in training": (
        RETURN,
        "if self.training:\n            " + RETURN,
        "In evaluation (after eval()), ScaledDotProductAttention returns None.",
        "Which line ends your function in this call?",
    ),
    "a mask only in training": (
        MASKED,
        MASKED.replace("None:", "None and self.training:"),
        "In evaluation (after eval()), the results are wrong. In training, without dropout, they",
        "What does your code do to a score whose mask entry is False?",
    ),
    "a gradient only in training": (
        PROJECTED,
        "x = x if self.training else x.detach(); " + PROJECTED,
        "In evaluation, no gradient reaches x.",
        "Which of the four matrices gets no gradient",
    ),
    "NumPy in part 1": (
        RETURN,
        "weights = torch.from_numpy(weights.numpy())\n        " + RETURN,
        "Can't call numpy() on Tensor that requires grad in line",
        "Which operation of torch can replace NumPy in line",
    ),
    "a matrix of a wrong shape": (
        "self.W_v = nn.Linear(d_model, d_v,",
        "self.W_v = nn.Linear(d_model, d_k,",
        "The shape of W_v.weight is (d_k, d_model). It should be (d_v, d_model).",
        "Which two sizes does your code give to this parameter or to its layer?",
    ),
    "a missing d_v is d_k": (
        "d_v = d_model if d_v is None else d_v",
        "d_v = d_k if d_v is None else d_v",
        "If d_v is None, it should be d_model. W_v.weight has the shape (2, 4); expected (4, 4)",
        "Where does your code use d_model, where d_k, and where d_v?",
    ),
    "an error in a call of no check": (
        PROJECTED,
        "x = x.reshape(-1, x.size(-2), x.size(-1)); " + PROJECTED,
        "With two batch axes or none, your code is wrong each time.",
        "How does the shape of your result differ",
    ),
}


CUT = "    def __init__(self, dropout=0.1):\n        super().__init__()\n"
LAST = "output = torch.cat([0 * output[..., :1, :], output[..., 1:, :]], -2)"
# The changed text, the new text, a check, and the beginnings of the requirement and of the finding.
SAID = {
    "dropped weights returned": (
        RETURN,
        "weights = self.dropout(weights); return weights @ value, weights",
        "test_dropout",
        "The module returns the output and the weights before dropout",
        "In training, your code returns the weights after dropout",
    ),
    "dropout in evaluation": (
        "self.dropout(weights)",
        "nn.functional.dropout(weights, self.dropout.p)",
        "test_bare_axes",
        "In evaluation",
        "In evaluation (after eval())",
    ),
    "one row is 0": (
        PROJECTED,
        f"{PROJECTED}; {LAST}",
        "test_other_sizes",
        "`d_k` and `d_v` may differ",
        "The output: 16 of 96 values differ",
    ),
    "a causal mask without a mask": (
        "output, weights = self.attention(",
        "mask = torch.ones(x.size(-2), x.size(-2)).tril() if mask is None else mask\n"
        "        output, weights = self.attention(",
        "test_values",
        "Batch axes and masks are as in part 1",
        "The output: 16 of 24 values differ too much",
    ),
    "no gradients": (
        CUT,
        f"{CUT}        torch.set_grad_enabled(False)\n",
        "test_bare_gradients",
        "The gradient of the output reaches query",
        "No gradient reaches query. Either it has no effect on the result, or something cuts the "
        "chain of torch operations, such as `set_grad_enabled` in line ",
    ),
}


@pytest.mark.parametrize("change", SAID)
def test_a_sentence_and_its_requirement_are_about_the_mistake(grade_text, change):
    old, new, name, asks, says = SAID[change]
    check = next(each for each in graded(grade_text, old, new).checks if each.name == name)
    assert [line.text[: len(asks)] for line in check.required] == [asks]
    assert check.finding.startswith(says)


def test_a_call_for_all_gradients_is_found_outside_of_functions(grade_text):
    new = "from torch import nn\n\ntorch.set_grad_enabled(False)\n"
    said = opening(graded(grade_text, "from torch import nn\n", new)).text
    assert "such as `set_grad_enabled` in line " in said


def graded(grade_text, old, new):
    text = (ROOT / "solutions/self_attention.py").read_text()
    assert old in text
    return grade_text("self_attention", text.replace(old, new))


@pytest.mark.thorough
def test_dropout_without_a_mask_is_no_plain_tick(grade_text):
    checks = {c.name: c for c in graded(grade_text, "mask == 0", "mask != 0").checks}
    assert checks["test_dropout"].note.startswith("This check judged your code without a mask.")


@pytest.mark.parametrize("change", FIRST)
def test_the_first_sentence_has_its_condition_and_a_hint_that_fits(grade_text, change):
    old, new, says, hint = FIRST[change]
    report = graded(grade_text, old, new)
    assert says in opening(report).text
    failed = next(check for check in report.checks if check.outcome == "failed")
    assert failed.hints[0].startswith(hint)


@pytest.mark.parametrize(("condition", "arguments"), [("not None", 3), ("None", 4)])
def test_the_call_has_a_mask_if_the_sentence_is_about_masks(grade_text, condition, arguments):
    report = graded(grade_text, RETURN, of_masks(condition))
    (failed,) = (check for check in report.checks if check.outcome == "failed")
    assert failed.evidence.call.count("<tensor") + ("torch.tensor" in failed.evidence.call) == (
        arguments
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new", "is_named"),
    [
        (RETURN, "return weights, self.dropout(weights) @ value", False),
        ("ScaledDotProductAttention(dropout=0.0)", "ScaledDotProductAttention()", True),
    ],
)
def test_only_a_difference_between_training_and_evaluation_is_named(grade_text, old, new, is_named):
    """The check said that exchanged results differ, and that a dropout of 0.1 is none."""
    report = graded(grade_text, old, new)
    said = " ".join(c.note for c in report.checks if c.name.endswith("gradients"))
    assert ("In training, the output differs" in said) == is_named
    assert "there is no dropout in these calls" not in said


@pytest.mark.thorough
def test_matrices_that_forward_makes_in_each_call_have_no_tick(grade_text):
    made = "self.W_q = nn.Linear(d_model, d_k, bias=False)"
    text = (ROOT / "solutions/self_attention.py").read_text()
    new = "self.W_q = nn.Linear(x.size(-1), self.W_k.out_features, bias=False); " + PROJECTED
    late = text.replace(made, "pass").replace(PROJECTED, new)
    checks = {check.name: check for check in grade_text("self_attention", late).checks}
    assert checks["test_parameters"].outcome == "failed"
    assert "`forward` gives W_q new random" in checks["test_parameters"].diagnosis.finding
    both = {check.name: check for check in graded(grade_text, PROJECTED, new).checks}
    assert both["test_parameters"].outcome == "passed"
