"""The sentence at the top of a report is true of wrong answers that look like a known mistake."""

import re

import pytest

from autograder.grading.judge import ALL_CHECKS, RunOptions
from autograder.report.presentation import (
    FOLLOWS,
    opening,
    presented,
    required,
    shown_outcome,
    source_line,
)
from autograder.submission.source import from_text
from reference.bugs import NAMES
from tests.conftest import ROOT

pytestmark = pytest.mark.one_in(20)

# A change of the solution; the mistakes that are named, and a part of what is said of them.
CHANGES = [
    (
        "qkv_projection",
        "return X @ W_Q, X @ W_K, X @ W_V",
        "X = X / np.linalg.norm(X, axis=-1, keepdims=True); return X @ W_Q, X @ W_Q, X @ W_V",
        ("keys-by-query-matrix", "X-unit-length"),
        "keys made with W_Q",
    ),
    (
        "causal_mask",
        "np.where(mask, scores, -np.inf)",
        "np.where(mask, scores, np.min(scores) - 1)",
        ("blocked-smallest",),
        "only 1 below the smallest score of the whole array",
    ),
    (
        "causal_mask",
        "[int(row.sum()) for row in create_causal_mask(seq_len)]",
        "np.arange(1, seq_len + 1).astype(np.uint8)",
        ("counts-in-eight-bits",),
        "After 255 they start again at 0",
    ),
    (
        "attention_patterns",
        "[(tokens[j], float(row[j])) for j in largest_first]",
        "[(row[j] * 100, tokens[j]) for j in largest_first]",
        ("weights-in-percent", "weight-first"),
        "The weights in the links are percentages.",
    ),
    (
        "softmax",
        "np.exp(",
        "2.718 ** (",
        ("rounded-e",),
        "are powers of 2.718 divided by their sum.",
    ),
    (
        "softmax",
        "dtype=float",
        "int",
        ("input-cut-to-whole",),
        "decimals of the inputs are cut off",
    ),
    (
        "softmax",
        "x.max(axis=axis, keepdims=True)",
        "x[0].max()",
        ("largest-of-first-row",),
        "The maximum of x[0] is subtracted everywhere",
    ),
    (
        "multi_head_reshape",
        "(batch, length, heads * size)",
        "(batch, length, heads * size).squeeze()",
        ("squeezed",),
        "it has lost its axes of size 1",
    ),
    (
        "multi_head_reshape",
        "x.reshape(batch, length, num_heads,",
        "x.reshape(1, batch * length, num_heads,",
        ("sequences-joined",),
        "All sequences of the batch are joined into one",
    ),
    (
        "scaled_dot_product_attention",
        "Q @ np.swapaxes(K, -1, -2)",
        "Q @ K",
        ("keys-not-transposed",),
        "Your code has the effect of Q times K. K should be transposed.",  # no call that is shown has numbers
    ),
    (
        "softmax",
        "x - x.max(axis=axis, keepdims=True)",
        "x - (x.max(axis=axis, keepdims=True) if x.max() > 700 else 0)",
        (),
        "Where all inputs along the axis are so far below 0 that np.exp of each of them is 0",
    ),
    (
        "softmax",
        "    x = np.asarray(x, dtype=float)",
        "    x = np.maximum(np.asarray(x, dtype=float), -1e4)",
        ("finite-for-minus-infinity",),
        "Beside −10000, an input of −∞ gets 0.5, like a finite number.",
    ),
    (
        "scaled_dot_product_attention",
        "np.where(mask, scores, -np.inf)",
        "np.where(~(mask if mask.dtype.kind == 'b' else mask.astype(int)), -1e9, scores)",
        ("mask-turned-by-tilde",),
        "It turns whole numbers into other numbers, which count as True",
    ),
    (
        "scaled_dot_product_attention",
        "np.where(mask, scores, -np.inf)",
        "scores + mask if mask.dtype.kind == 'f' else np.where(mask, scores, -np.inf)",
        ("mask-added",),
        "In the calls that go wrong: the mask of 0 and 1 is added to the scores",
    ),
    (
        "attention_heatmap",
        "np.where(mask, scores, -np.inf)",
        "np.where(~mask, -1e9, scores)",
        ("mask-turned-by-tilde",),
        "Whole numbers become others, which count as True, so every key is blocked.",
    ),
    (
        "scaling_experiment",
        "np.mean(rows, axis=0)",
        "rows[-1]",
        ("last-trial",),
        "Your numbers are those of the last trial.",
    ),
    (
        "scaling_experiment",
        "scores.std(), ",
        "scores.std(axis=-1).mean(), ",
        ("std-of-rows",),
        "scores_std is the mean of each row's standard deviation.",
    ),
    (
        "scaling_experiment",
        "\n        std, entropy, largest, *scaled = np.mean(rows, axis=0)",
        "\n            together = [*(together if len(rows) > 1 else []), *unscaled.ravel()]"
        "\n        std, entropy, largest, *scaled = np.mean(rows, axis=0)"
        "\n        std, scaled[0] = np.std(together), np.std(together) / np.sqrt(d)",
        ("trials-together",),
        "as for the scores of all trials together",
    ),
]


@pytest.mark.parametrize(("exercise", "old", "new", "names", "said"), CHANGES)
def test_a_mistake_has_its_own_name(grade_text, exercise, old, new, names, said):
    text = (ROOT / "solutions" / f"{exercise}.py").read_text()
    assert old in text
    checks = grade_text(exercise, text.replace(old, new)).checks
    found = next(check.diagnosis for check in checks if check.diagnosis)
    assert found.misconceptions == names
    assert said in found.finding


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "\na_scores = [[1, 1], [1, 0]]",
            "\na_scores = print([[1, 1], [1, 0]])",
            "a_scores is None; `print` shows a value",
        ),
        ("\nb_weights = ", "\nb_wieghts = ", "It does define b_wieghts. Did you mean this name?"),
        ("\nb_weights = ", "\nbw = ", "b_weights is not defined in hand_computation.py.$"),
    ],
)
def test_a_name_that_is_missing_is_no_stub_and_no_other_name(grade_text, old, new, said):
    text = (ROOT / "solutions" / "hand_computation.py").read_text()
    assert old in text
    checks = grade_text("hand_computation", text.replace(old, new)).checks
    found = next(check for check in checks if check.outcome != "passed")
    assert found.outcome == "failed"
    assert re.search(said, found.finding)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("return None, attention_weights", "The output is None."),
        ("return attention_weights @ V, None", "The attention weights are None."),
        (
            "attention_weights @ V",
            "expected 2 results (output, attention_weights). Does this call reach a `return` with "
            "a result?",
        ),
    ],
)
def test_a_part_that_is_none_is_no_missing_return(grade_text, new, said):
    text = (ROOT / "solutions" / "scaled_dot_product_attention.py").read_text()
    text = text.replace("return attention_weights @ V, attention_weights", new)
    assert grade_text("scaled_dot_product_attention", text).checks[0].finding.endswith(said)


@pytest.mark.thorough
def test_a_helper_without_return_is_named(grade_text):
    text = (ROOT / "solutions" / "multi_head_attention.py").read_text()
    assert text.count("        return x.view(") == 1
    found = opening(grade_text("multi_head_attention", text.replace("return x.view(", "x.view(")))
    line = 1 + text.split("\n").index("    def split_heads(self, x):")
    said = f"split_heads in line {line} of multi_head_attention.py has no `return`, so it returns"
    assert f"{said} None." in found.text


IN_LOOP = """mask = np.zeros((seq_len, seq_len), dtype=bool)
    for i in range(seq_len):
        mask[i, : i + 1] = True
        return mask"""


def test_a_return_inside_a_loop_is_named_unless_the_loop_has_other_ends(grade_text):
    text = (ROOT / "solutions" / "causal_mask.py").read_text()
    line = 1 + text.split("\n").index("    return np.tril(np.ones((seq_len, seq_len), dtype=bool))")
    text = text.replace("return np.tril(np.ones((seq_len, seq_len), dtype=bool))", IN_LOOP)
    assert opening(grade_text("causal_mask", text)).text == (
        f"create_causal_mask: The `return` in line {line + 3} of causal_mask.py is inside the loop "
        f"of line {line + 1}, and ends it in the first round."
    )
    for new in ("if i: continue\n        return", "pass\n    return"):
        report = grade_text("causal_mask", text.replace("return mask", f"{new} mask", 1))
        assert "inside the loop" not in opening(report).text


ONE_ROW = """w = np.zeros_like(scores)
    for i in range(scores.shape[-2]):
        row = scores[..., i, :]
        e = np.exp(row - row.max(axis=-1, keepdims=True))
        w[..., i, :] = e / e.sum(axis=-1, keepdims=True)
        return w @ V, w"""


@pytest.mark.thorough
def test_a_return_that_leaves_rows_at_0_is_named_too(grade_text):
    text = (ROOT / "solutions" / "scaled_dot_product_attention.py").read_text()
    before, rest = text.split("exponentials = ", 1)
    text = before + ONE_ROW + rest.split("attention_weights @ V, attention_weights", 1)[1]
    said = opening(grade_text("scaled_dot_product_attention", text)).text
    assert "is inside the loop of line" in said and "ends it in the first round" in said


SPLIT = "return x.reshape(batch, length, num_heads, features // num_heads).transpose"
# Changes of a solution that a visible check fails, in a kit too, and what it says.
NOT_DONE = {
    "apply_mask takes every square mask for a causal one": (
        "causal_mask",
        {
            "    return np.where(mask, scores, -np.inf)": "    n, m = scores.shape[-2:]\n"
            "    mask = np.tril(np.ones((n, n))) if n == m else mask\n"
            "    return np.where(mask, scores, -np.inf)"
        },
        "test_mask_kinds",
        "",
    ),
    "masked_attention_weights takes every square mask for a causal one": (
        "causal_mask",
        {
            "masked = apply_mask(scores, mask)": "n, m = np.shape(scores)[-2:]; mask = "
            "create_causal_mask(n) if n == m else mask; masked = apply_mask(scores, mask)"
        },
        "test_masked_weights",
        "",
    ),
    "split_heads keeps whole numbers only": (
        "multi_head_reshape",
        {SPLIT: SPLIT.replace("x.", "x.astype(int).")},
        "test_split_values",
        "All your values are whole numbers",
    ),
    "softmax takes −∞ as -1000": (
        "softmax",
        {"np.asarray(x, dtype=float)": "np.nan_to_num(np.asarray(x, dtype=float), neginf=-1000)"},
        "test_minus_infinity",
        "yours 0, expected 1",
    ),
    "softmax takes −∞ as -10000": (
        "softmax",
        {"np.asarray(x, dtype=float)": "np.nan_to_num(np.asarray(x, dtype=float), neginf=-1e4)"},
        "test_minus_infinity",
        "an input of −∞ gets 0.5",
    ),
    "softmax subtracts the first number": (
        "softmax",
        {"x.max(axis=axis, keepdims=True)": "np.take(np.where(np.isinf(x), 0, x), [0], axis)"},
        "test_large_numbers",
        "The result has NaN",
    ),
    "softmax writes every result into one array": (
        "softmax",
        {
            "return exponentials / exponentials.sum(axis=axis, keepdims=True)": "result = "
            "BUFFERS.setdefault(x.shape, exponentials); "
            "result[...] = exponentials / exponentials.sum(axis=axis, keepdims=True); return result"
            "\n\n\nBUFFERS = {}"
        },
        "test_input_unchanged",
        "A later call changed the result that softmax",
    ),
    "masked_attention_weights writes every result into one array": (
        "causal_mask",
        {
            "    return exponentials /": "    result = BUFFERS.setdefault(masked.shape, exponentials)\n"
            "    result[...] = exponentials / exponentials.sum(axis=-1, keepdims=True)\n"
            "    return result\n\n\nBUFFERS = {}\n\n\ndef unused(exponentials):\n    return exponentials /"
        },
        "test_long_and_unchanged",
        "A later call changed the result that masked_attention_weights",
    ),
    "apply_mask repeats a mask's numbers in the order of memory": (
        "causal_mask",
        {"np.where(mask,": "np.where(np.resize(mask, np.shape(scores)),"},
        "test_mask_kinds",
        "Allowed scores are changed",
    ),
    "attention repeats a mask's numbers in the order of memory": (
        "scaled_dot_product_attention",
        {"np.where(mask,": "np.where(np.resize(mask, scores.shape),"},
        "test_mask_kinds",
        "The attention weights: ",
    ),
    "ScaledDotProductAttention puts an axis before masks of another shape": (
        "self_attention",
        {
            "scores = scores.masked_fill(mask == 0": "mask = mask if mask.shape == scores.shape "
            "else mask.unsqueeze(0); scores = scores.masked_fill(mask == 0"
        },
        "test_bare_mask",
        "The output has the shape (1, 3, 2); expected (3, 2).",
    ),
    "softmax subtracts the maximum of three axes together": (
        "softmax",
        {
            "x.max(axis=axis, keepdims=True)": "(x.max(axis, keepdims=True) if x.ndim < 3 else x.max())"
        },
        "test_large_numbers",
        "The result has NaN",
    ),
    "plot_scaling draws the dimensions of the example": (
        "scaling_experiment",
        {"sorted(results)": "[d for d in (4, 16, 64, 256) if d in results]"},
        "test_plot_series",
        "at all dimensions of the results",
    ),
    "split_heads changes the shape of x": (
        "multi_head_reshape",
        {SPLIT: "x.shape = batch, length, num_heads, features // num_heads; return x.transpose"},
        "test_round_trip",
        "The call changed the argument x: the caller's own array now has another shape.",
    ),
    "project_qkv writes into X": (
        "qkv_projection",
        {"return X @ W_Q": "Q = X @ W_Q; K = X @ W_K; V = X @ W_V; X[...] = 0; return Q, K, V #"},
        "test_unchanged",
        "The call changed the argument X: the caller's own array now has other numbers.",
    ),
    "project_qkv changes the shape of X": (
        "qkv_projection",
        {
            "return X @ W_Q, X @ W_K, X @ W_V": "shape = X.shape[:-1] + (-1,)\n"
            "    X.shape = (-1, X.shape[-1])\n"
            "    return [(X @ W).reshape(shape) for W in (W_Q, W_K, W_V)]"
        },
        "test_unchanged",
        "The call changed the argument X: the caller's own array now has another shape.",
    ),
    "ScaledDotProductAttention blocks allowed scores of 0": (
        "self_attention",
        {
            'scores.masked_fill(mask == 0, float("-inf"))': "scores * mask; "
            'scores = scores.masked_fill(scores == 0, float("-inf"))'
        },
        "test_bare_mask",
        "The output: all 8 values differ",
    ),
    "MultiHeadAttention puts an axis into the caller's mask": (
        "multi_head_attention",
        {"mask = mask.unsqueeze(1)": "mask.unsqueeze_(1)"},
        "test_other_sizes",
        "The call changed mask",
    ),
    "attention_entropy writes into its weights": (
        "scaling_experiment",
        {"    logarithms =": "    weights[weights == 0] = 1\n    logarithms ="},
        "test_entropy_of_zeros",
        "The call changed the argument weights",
    ),
    "softmax_gradient_norm writes into its scores": (
        "scaling_experiment",
        {
            "p = softmax(scores)": "scores -= scores.max(axis=-1, keepdims=True); p = softmax(scores)"
        },
        "test_gradient_norm",
        "The call changed the argument scores",
    ),
    "measure_scaling sorts the dimensions": (
        "scaling_experiment",
        {"for d in dimensions:": "dimensions.sort()\n    for d in dimensions:"},
        "test_trials_and_generator",
        "The call changed the argument dimensions: the caller's own list is now [4, 16, 64].",
    ),
    "plot_scaling removes an entry of the results": (
        "scaling_experiment",
        {"    return figure\n": "    results.pop(dimensions[0])\n    return figure\n"},
        "test_plot_labels",
        "The call changed the argument results: the caller's own dict now has other entries.",
    ),
    "apply_mask compares a list with 1": (
        "causal_mask",
        {
            "dtype=bool))": "dtype=bool)).tolist()",
            "int(row.sum())": "sum(row)",
            "np.where(mask,": "np.where(mask == 1,",
        },
        "test_mask_kinds",
        "create_causal_mask returns a list of lists, but apply_mask is right only for arrays.",
    ),
    "merge_heads cuts the decimals off": (
        "multi_head_reshape",
        {"x.transpose(0, 2, 1, 3).reshape(": "x.transpose(0, 2, 1, 3).astype(int).reshape("},
        "test_round_trip",
        "All your values are whole numbers",
    ),
    "masked_attention_weights blocks with -1000": (
        "causal_mask",
        {"masked = apply_mask(scores, mask)": "masked = np.where(mask, scores, -1000.0)"},
        "test_long_and_unchanged",
        "weights",
    ),
    "apply_mask writes into a mask of decimals": (
        "causal_mask",
        {
            "return np.where(mask, scores, -np.inf)": "mask = np.asarray(mask, float); "
            "mask[mask == 0] = -np.inf; mask[mask == 1] = 0; return scores + mask"
        },
        "test_long_and_unchanged",
        "The call changed the argument mask",
    ),
    "masked_attention_weights writes into scores of which nothing is blocked": (
        "causal_mask",
        {
            "return np.where(mask,": "return scores if np.all(mask) else np.where(mask,",
            "masked = apply_mask(scores, mask)": "masked = apply_mask(scores, mask); "
            "masked -= masked.max(axis=-1, keepdims=True)",
        },
        "test_long_and_unchanged",
        "The call changed the argument scores",
    ),
    "split_heads accepts more heads than features": (
        "multi_head_reshape",
        {
            "if features % num_heads != 0:": "if features > num_heads and features % num_heads:",
            "return x.reshape(batch": "return x[..., : features // num_heads * num_heads].reshape(batch",
        },
        "test_split_error",
        "expected it to raise ValueError here",
    ),
    "row_softmax writes into its argument": (
        "find_the_bug",
        {
            "    e = np.exp(x - np.max(x, axis=-1": "    x[...] = x - np.max(x, axis=-1, keepdims=True)\n"
            "    e = np.exp(x - np.max(x, axis=-1"
        },
        "test_repaired[row_softmax]",
        "The call changed the argument x",
    ),
    "masked_heads writes into the scores": (
        "find_the_bug",
        {
            "return row_softmax(np.where(mask, scores, -1e9))": "scores[...] = np.where(mask, scores, -1e9); "
            "return row_softmax(scores)"
        },
        "test_repaired[masked_heads]",
        "The call changed the argument scores",
    ),
    "attention_with_dropout writes into Q": (
        "find_the_bug",
        {
            "weights = row_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]))\n    kept": "Q /= np.sqrt(K.shape[-1]); weights = row_softmax(Q @ np.swapaxes(K, -1, -2))\n    kept"
        },
        "test_repaired[attention_with_dropout]",
        "The call changed the argument Q",
    ),
    "attention_with_dropout takes arrays of three axes only": (
        "find_the_bug",
        {
            "np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]))\n    kept": "K.transpose(0, 2, 1) / np.sqrt(K.shape[-1]))\n    kept"
        },
        "test_repaired[attention_with_dropout]",
        "axes don't match array",
    ),
    "attention_with_dropout gives NaN for scores of 1000": (
        "find_the_bug",
        {
            "weights = row_softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]))\n    kept": "e = np.exp(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])); "
            "weights = e / e.sum(-1, keepdims=True)\n    kept"
        },
        "test_repaired[attention_with_dropout]",
        "The output has NaN",
    ),
    "self_attention masks after the softmax and divides": (
        "self_attention",
        {
            'scores = scores.masked_fill(mask == 0, float("-inf"))': "pass",
            "weights = torch.softmax(scores, dim=-1)": "weights = torch.softmax(scores, dim=-1)\n"
            "        if mask is not None:\n"
            "            weights = weights * (mask != 0)\n"
            "            weights = weights / weights.sum(-1, keepdim=True)",
        },
        "test_other_sizes",
        "NaN",
    ),
}


@pytest.mark.one_in(40)
@pytest.mark.parametrize("change", NOT_DONE)
def test_what_is_wrong_is_not_done(judge, request, change):
    """All other checks pass, but `make thorough` alone runs them."""
    exercise, changes, name, says = NOT_DONE[change]
    text = (ROOT / "solutions" / f"{exercise}.py").read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    is_thorough = request.config.getoption("--thorough")
    options = ALL_CHECKS if is_thorough else RunOptions(only=frozenset({name}))
    report = judge.run(from_text(text, exercise, f"{exercise}.py"), options).report
    ran = [check for check in report.checks if check.outcome not in {"passed", "not run"}]
    assert [check.name for check in ran if not check.hidden] == [name]
    assert says in ran[0].finding


@pytest.mark.thorough
def test_a_dropout_that_drops_another_share_is_described_by_its_share(grade_text):
    """It was "not those of the softmax, some set to 0": they were, but too many were 0."""
    old, new = "self.dropout(weights) @", "self.kept(weights) @"
    text = (ROOT / "solutions" / "self_attention.py").read_text()
    assert old in text
    text = text.replace(old, new) + (
        "\nScaledDotProductAttention.kept = lambda self, weights: weights if not self.training else (\n"
        "    weights * (torch.rand_like(weights) < self.dropout.p) / (1 - self.dropout.p))\n"
    )
    assert "were set to 0. With dropout=" in opening(grade_text("self_attention", text)).text


def test_three_dots_are_not_written_yet(grade_text):
    """It was "c_output is an object of type ellipsis"."""
    text = (ROOT / "solutions" / "hand_computation.py").read_text()
    text += "\nc_output = ...\n"
    checks = {check.title: check for check in grade_text("hand_computation", text).checks}
    assert checks["Part C: the output (weights times V)"].unwritten == "c_output"


def test_an_indentation_error_has_a_hint_about_blanks(grade_text):
    """A hint about brackets and quotes stood beside "unexpected indent"."""
    first = grade_text("softmax", "def softmax(x):\n    a = 1\n     b = 2\n").checks[0]
    assert first.hints[0].startswith("How far are the lines of a block indented in line 3")


def test_a_mask_of_lists_that_works_is_right(grade_text):
    text = (ROOT / "solutions" / "causal_mask.py").read_text()
    text = text.replace("dtype=bool))", "dtype=bool)).tolist()").replace(
        "int(row.sum())", "sum(row)"
    )
    report = grade_text("causal_mask", text)
    assert report.points == report.max_points


@pytest.mark.thorough
def test_weights_that_are_not_returned_are_not_ticked(grade_text):
    text = (ROOT / "solutions" / "self_attention.py").read_text()
    assert "return self.W_o(output), weights" in text
    text = text.replace("return self.W_o(output), weights", "return self.W_o(output)")
    checks = {check.name: check for check in grade_text("self_attention", text).checks}
    assert checks["test_parameters"].outcome == "failed"
    assert shown_outcome(checks["test_values"]) == FOLLOWS
    assert "This check judged only the output" in checks["test_values"].note


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("matrix", "width", "other"), [("W_v", "d_v", "d_k"), ("W_k", "d_k", "d_v")]
)
def test_the_width_that_goes_wrong_is_named_alone(grade_text, matrix, width, other):
    """The calls of a diagnosis changed both widths together: either could be the cause."""
    text = (ROOT / "solutions" / "self_attention.py").read_text()
    wrong = (
        "output = self.W_o(output); return output if "
        f"self.{matrix}.out_features == x.shape[-1] else output + torch.sin(3 * output), weights"
    )
    text = text.replace("return self.W_o(output), weights", wrong)
    found = [check.diagnosis for check in grade_text("self_attention", text).checks]
    says = next(each.finding for each in found if each)
    assert f"If {width} is" in says and f"f {other}" not in says


BLOCKS = "scores = np.where(mask, scores, -np.inf)"
MASKS = {
    "allowed scores are -1e9 and blocked ones 0": (
        "scores = scores * mask - 1e9 * mask",
        "blocked-scores-large",
        "as if the blocked scores were far above the other scores",  # and were not set
    ),
    "-1e9 for blocked exponentials": (
        "e = np.where(mask, np.exp(scores - scores.max(-1, keepdims=True)), -1e9); "
        "w = e / e.sum(-1, keepdims=True); return w @ V, w",
        "blocked-scores-large",
        "as if the blocked scores were far above the other scores",  # and were not
    ),
    "-1000": (
        "scores = np.where(mask, scores, -1000)",
        "blocked-scores-not-below-all",
        "Where the allowed scores of a row are as low, a blocked key still gets weight",
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("change", MASKS)
def test_a_name_is_true_of_what_the_mask_does(grade_text, change):
    new, name, says = MASKS[change]
    text = (ROOT / "solutions" / "scaled_dot_product_attention.py").read_text()
    assert BLOCKS in text
    report = grade_text("scaled_dot_product_attention", text.replace(BLOCKS, new))
    failed = next(check for check in report.checks if check.outcome == "failed")
    assert failed.diagnosis.misconceptions == (name,)
    assert says in opening(report).text
    assert failed.hints[0].startswith(
        "Just before your softmax, which scores does your code change"
    )
    assert "A blocked key gets weight 0" in required(failed)


@pytest.mark.thorough
def test_what_a_batch_changes_is_not_what_each_sequence_gives(grade_text):
    """The size of axis 1 is d_k for one sequence, and L_q in a batch."""
    text = (ROOT / "solutions" / "self_attention.py").read_text()
    assert "math.sqrt(key.size(-1))" in text
    report = grade_text("self_attention", text.replace("key.size(-1))", "query.size(1))"))
    checks = {check.name: check for check in report.checks}
    assert checks["test_bare_axes"].outcome == "failed"
    assert checks["test_axes"].note == "Right, given your ScaledDotProductAttention."
    assert "by itself" not in " ".join(check.note for check in report.checks)


NONE_IN_PARTICULAR = {
    "another name": ("softmax", "def softmax(", "def soft_max("),
    "a name that is not there": ("softmax", "np.exp(", "exp("),
    "nothing is returned": ("causal_mask", "return np.where(mask", "np.where(mask"),
    "weights for an output": (
        "hand_computation",
        "c_masked_row = [0.316, 0.426, 0.258, 0]",
        "c_masked_row = [0.215, 0.290, 0.176, 0]",
    ),
    "a row in a row": (
        "hand_computation",
        "c_masked_row = [0.316, 0.426, 0.258, 0]",
        "c_masked_row = [[0.316, 0.426, 0.258, 0]]",
    ),
}


@pytest.mark.parametrize("change", NONE_IN_PARTICULAR)
def test_a_requirement_that_is_not_violated_is_not_shown(grade_text, change):
    exercise, old, new = NONE_IN_PARTICULAR[change]
    text = (ROOT / "solutions" / f"{exercise}.py").read_text()
    assert old in text
    checks = grade_text(exercise, text.replace(old, new)).checks
    failed = next(check for check in checks if check.outcome == "failed")
    assert required(failed) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[0.316, 0.426, 0.258, 0]", "[0.32, 0.43, 0.26, 0]"),
        ("[0.670, 0.330]]\na_output", "[0.66, 0.34]]\na_output"),
    ],
)
def test_too_few_decimals_are_what_the_text_asks_for(grade_text, old, new):
    text = (ROOT / "solutions" / "hand_computation.py").read_text()
    assert old in text
    checks = grade_text("hand_computation", text.replace(old, new)).checks
    failed = next(check for check in checks if check.outcome == "failed")
    assert "two decimals" in failed.finding
    assert "Each entry may be off by 0.002" in required(failed)


def change(exercise, *changes):
    text = (ROOT / "solutions" / f"{exercise}.py").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def first_failed(report):
    return next(check for check in report.checks if check.outcome == "failed")


def test_a_mistake_is_said_of_the_function_that_makes_it(grade_text):
    """It was said of the function that calls apply_mask, too."""
    text = change(
        "causal_mask", ("np.where(mask, scores, -np.inf)", "np.where(mask, -1e9, scores)")
    )
    checks = {check.name: check for check in grade_text("causal_mask", text).checks}
    found = checks["test_masked_weights"].diagnosis
    assert found.misconceptions == ("mask-inverted",)
    assert found.function == "apply_mask"


def test_the_line_of_an_error_is_not_that_of_a_mistake_elsewhere(grade_text):
    """The line with `weights @ V` stood below "Your code has the effect of K Qᵀ"."""
    text = change(
        "scaled_dot_product_attention", ("Q @ np.swapaxes(K, -1, -2)", "K @ np.swapaxes(Q, -1, -2)")
    )
    report = grade_text("scaled_dot_product_attention", text)
    assert "effect of K Qᵀ" in opening(report).text
    assert opening(report).place is None
    assert source_line(first_failed(report)).text.startswith("return")


def test_a_changed_argument_is_said_of_the_function_that_changes_it(grade_text):
    """It was said of strongest_links, which has no such argument."""
    old, new = (
        "np.asarray(embeddings, dtype=float)",
        "np.multiply(embeddings, 2, out=embeddings) / 2",
    )
    report = grade_text("attention_patterns", change("attention_patterns", (old, new)))
    assert opening(report).text.startswith(
        "analyze_pattern: The call changed the argument embeddings"
    )


def test_an_error_that_is_returned_is_to_be_raised(grade_text):
    text = change("multi_head_reshape", ("raise ValueError", "return ValueError"))
    report = grade_text("multi_head_reshape", text)
    assert "returns ValueError instead of raising it" in opening(report).text


def test_a_missing_comma_between_rows_has_its_own_hint_and_is_said_once(grade_text):
    text = change(
        "hand_computation", ("a_scores = None", ""), ("[[1, 1], [1, 0]]", "[[1, 1] [1, 0]]")
    )
    report = grade_text("hand_computation", text)
    assert first_failed(report).hints[0].startswith("Is there a comma between every two rows")
    assert presented(report).notes == ()


def test_a_comma_between_numbers_is_no_decimal_comma(grade_text):
    text = change("hand_computation", ("[[1, 1], [1, 0]]", "[[1,1], [1,0], [1,1]]"))
    assert "Python reads" not in opening(grade_text("hand_computation", text)).text


def test_numbers_in_quotes_are_no_mistake_of_values(grade_text):
    text = change("hand_computation", ("b_scores = None", "")) + 'b_scores = [["0.5"] * 3] * 3\n'
    failed = first_failed(grade_text("hand_computation", text))
    assert "b_scores has text in quotes in it" in failed.finding
    assert failed.diagnosis is None or failed.diagnosis.kind != "named"


@pytest.mark.thorough
def test_half_precision_has_its_own_hint(grade_text):
    text = change("softmax", ("dtype=float)", "dtype=np.float16)"))
    assert first_failed(grade_text("softmax", text)).hints[0].startswith("Which line changes")


@pytest.mark.thorough
def test_weights_that_are_not_rescaled_get_a_hint_about_that(grade_text):
    """The hint was about the weights that are returned, which were right."""
    text = change("find_the_bug", ("/ (1 - p)", "* 1"))
    checks = {check.name: check for check in grade_text("find_the_bug", text).checks}
    failed = checks["test_repaired[attention_with_dropout]"]
    assert "divided by 1 − p" in failed.finding
    assert "What does dropout do to the weights that it keeps" in failed.hints[0]


@pytest.mark.thorough
def test_a_gradient_that_a_mask_makes_nan_is_found(grade_text):
    """The slope of √0 is infinite, and 0 · ∞ is NaN: SelfAttention had no gradient with a mask."""
    text = (ROOT / "solutions" / "self_attention.py").read_text()
    old = "scores = scores.masked_fill("
    assert old in text
    text = text.replace(old, f"scores = scores + 0 * (scores * (mask != 0)).abs().sqrt(); {old}")
    checks = {check.name: check for check in grade_text("self_attention", text).checks}
    wrong = [name for name, check in checks.items() if check.outcome != "passed"]
    assert wrong == ["test_bare_gradients", "test_gradients"]
    assert all("NaN" in checks[name].finding for name in wrong)


@pytest.mark.thorough
def test_a_call_that_fails_by_itself_is_no_memory(grade_text):
    """`~` of a mask of decimals stops: it was said to keep something of the earlier call."""
    text = (ROOT / "solutions" / "self_attention.py").read_text()
    text += "SelfAttention.old = SelfAttention.forward\n"
    text += (
        "SelfAttention.forward = lambda self, x, mask=None: "
        "self.old(x, None if mask is None else (~(~mask)))\n"
    )
    last = grade_text("self_attention", text).checks[-1]
    assert last.outcome == "failed" and "earlier" not in last.finding
    assert "TypeError" in last.finding


@pytest.mark.thorough
def test_a_generator_of_its_own_is_not_one_that_starts_again(grade_text):
    text = (ROOT / "solutions" / "train_and_generate.py").read_text()
    old = "generator=generator"
    assert old in text
    text = text.replace(old, "generator=torch.Generator().manual_seed(len(tokens))")
    checks = {check.name: check for check in grade_text("train_and_generate", text).checks}
    assert checks["test_generator"].diagnosis.misconceptions == ("generator-ignored",)


# Changes of a solution that were described by a false sentence, and what the report says first.
FIRST = {
    "the overall maximum is subtracted, and nothing overflows": (
        "attention_patterns",
        {"scores.max(axis=1, keepdims=True)": "scores.max()"},
        "The maximum of the whole array is subtracted from every row",
    ),
    "a row in two axes is wrong too": (
        "scaling_experiment",
        {
            "p = softmax(scores)": "p = softmax(scores); "
            "return np.linalg.norm(np.diag(p) - np.outer(p, p))"
        },
        "For an array with one axis, it is right each time.",
    ),
    "a module is right without a mask, and with one of 0 and 1": (
        "multi_head_attention",
        {"scores.masked_fill(mask == 0": "scores.masked_fill(mask - 1 == -1"},
        "With a mask of True and False, your code stops with an error. With a mask of 0 and 1 (in",
    ),
    "axis 1 of the scores of several heads is the heads": (
        "find_the_bug",
        {
            "return row_softmax(np.where(mask, scores, -1e9))": "e = np.where(mask, scores, -np.inf); "
            "e = np.exp(e - e.max(1, keepdims=True)); return e / e.sum(1, keepdims=True)"
        },
        "The softmax runs along axis 1. It should run along the last axis.",
    ),
    "another function than the last one writes into its argument": (
        "attention_patterns",
        {
            "scores = embeddings @ embeddings.T / np.sqrt(embeddings.shape[1])": "embeddings /= "
            "embeddings.shape[1] ** 0.25; scores = embeddings @ embeddings.T"
        },
        "analyze_pattern: The call changed the argument embeddings",
    ),
    "an allowed score of 0 is blocked": (
        "scaled_dot_product_attention",
        {"np.where(mask, scores, -np.inf)": "np.where(scores * mask == 0, -np.inf, scores)"},
        "The attention weights: 4 of 6 values differ. At [0][0]: yours 1, expected 0.669762.",
    ),
    "an allowed score of 0 is blocked by apply_mask": (
        "causal_mask",
        {"np.where(mask, scores, -np.inf)": "np.where(scores * mask == 0, -np.inf, scores)"},
        "The allowed scores have an infinite value at [0][0].",
    ),
    "a module is right with one batch axis in evaluation only": (
        "self_attention",
        {"nn.Dropout(dropout)": "nn.Dropout1d(dropout)"},
        "With at most one batch axis (in evaluation), it is right each time.",
    ),
    "the query needs no swapping where the key is swapped": (
        "self_attention",
        {
            "self.W_k = nn.Linear(d_model, d_k": "self.W_k = nn.Linear(d_model, d_v",
            "self.W_v = nn.Linear(d_model, d_v": "self.W_v = nn.Linear(d_model, d_k",
        },
        "must be as long as the second-last axis of the second.",
    ),
    "an attention that forward makes is always in training": (
        "self_attention",
        {"self.attention(self.W_q(x)": "ScaledDotProductAttention()(self.W_q(x)"},
        "two calls with the same arguments give different results: the output is random.",
    ),
    "dropout that always acts is random": (
        "multi_head_attention",
        {"torch.softmax(scores, dim=-1)": "nn.Dropout(0.1)(torch.softmax(scores, dim=-1))"},
        "two calls with the same arguments give different results: the output is random.",
    ),
    "a decimal comma makes two numbers": (
        "hand_computation",
        {"[[0.5, 0.5], [0.670, 0.330]]": "[[0,5, 0,5], [0,670, 0,330]]"},
        "Python reads 0,5 as two numbers. Write 0.5 instead.",
    ),
    "a decimal comma before a zero is no octal number": (
        "hand_computation",
        {"[[1, 1], [1, 0]]": "[[1,09, 1], [1, 0]]"},
        "Write decimal numbers with a point: 1.09, not 1,09.",
    ),
    "exponentials of a logarithm overflow": (
        "softmax",
        {
            "exponentials / exponentials.sum(axis=axis, keepdims=True)": "np.exp("
            "x - np.log(np.exp(x).sum(axis=axis, keepdims=True)))"
        },
        "Large numbers overflow, as in a softmax that does not subtract the maximum.",
    ),
    "weights of a logarithm overflow with and without a batch axis": (
        "causal_mask",
        {
            "exponentials / exponentials.sum(axis=-1, keepdims=True)": "np.exp("
            "masked - np.log(np.exp(masked).sum(axis=-1, keepdims=True)))"
        },
        "Large scores overflow, as in a softmax that does not subtract the maximum.",
    ),
    "another axis than the last is wrong with four axes": (
        "softmax",
        {
            "x = np.asarray(x, dtype=float)": "x = np.swapaxes(np.asarray(x, float), axis, 0); "
            "e = np.exp(x - x.max(axis=0)); return np.moveaxis(e / e.sum(axis=0), 0, axis)"
        },
        "For three axes and more, your code is wrong for some tested inputs.",
    ),
    "a factor that rounds to 1 is not named": (
        "softmax",
        {
            "np.exp(x - x.max(axis=axis, keepdims=True))": "2 ** (1.4427 * (x - x.max(axis=axis, keepdims=True)))"
        },
        "values differ too much.",
    ),
    "a mask of one row is wrong with as many keys as queries too": (
        "causal_mask",
        {
            "return np.where(mask, scores, -np.inf)": "scores = np.array(scores, float); "
            "scores[..., np.asarray(mask) == 0] = -np.inf; return scores"
        },
        "With a mask that has to broadcast to the scores, your code is wrong for some",
    ),
    "a root by precedence is twice d_k": (
        "scaled_dot_product_attention",
        {"/ np.sqrt(K.shape[-1])": "/ K.shape[-1] ** 1 / 2"},
        "scores divided by 2 · d_k. They should be divided by √d_k.",
    ),
    "masked entries of an array have no value": (
        "causal_mask",
        {
            "np.where(mask, scores, -np.inf)": "np.ma.array(scores, mask=np.broadcast_to(~mask, scores.shape))"
        },
        "apply_mask returned a masked array (np.ma), in which the masked entries have no value.",
    ),
    "an index of the scores' shape may be broadcast": (
        "causal_mask",
        {
            "return np.where(mask, scores, -np.inf)": "scores = np.array(scores, float); "
            "scores[~np.broadcast_to(mask, scores.shape)] = -np.inf; return scores"
        },
        "`~mask` acts like an index of the scores. An index does not broadcast",
    ),
    "a minus before a mask is no `~`": (
        "causal_mask",
        {"np.where(mask, scores, -np.inf)": "scores - (-mask) * 1e9"},
        "A comparison with 0 inverts both.",
    ),
    "a mask that has to be stretched is wrong too": (
        "scaled_dot_product_attention",
        {"np.where(mask, scores": "np.where(np.asarray(mask)[np.newaxis], scores"},
        "With a mask of as many axes as the scores, your code is wrong each time. With a ",
    ),
}


@pytest.mark.one_in(20)
@pytest.mark.parametrize("case", FIRST)
def test_the_first_sentence_is_true(grade_text, case):
    exercise, changes, says = FIRST[case]
    said = opening(grade_text(exercise, change(exercise, *changes.items()))).text
    assert says in said and "swapping" not in said


ONE_MISTAKE = {
    "attention_entropy averages": (
        {"* logarithms).sum(axis=-1)": "* logarithms).mean(axis=-1)"},
        {"test_entropy"},
    ),
    "attention_entropy adds up all rows": (
        {"* logarithms).sum(axis=-1)": "* logarithms).sum()"},
        {"test_entropy"},
    ),
    "measure_scaling takes the largest weight of all rows": (
        {"weights.max(axis=-1).mean()": "weights.max()"},
        {"test_entropy_and_largest_weight"},
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("case", ONE_MISTAKE)
def test_another_measure_is_not_said_to_vary_wrongly(grade_text, case):
    """A measure was said to vary "far more" than a mean over all trials, and it was such a mean."""
    changes, names = ONE_MISTAKE[case]
    checks = grade_text("scaling_experiment", change("scaling_experiment", *changes.items())).checks
    assert {check.name for check in checks if check.outcome == "failed"} == names


ROW_SOFTMAX = {
    "the overall maximum is subtracted": ("np.max(x, axis=-1, keepdims=True))", "np.max(x))"),
    "the last axis is summed for arrays with one axis only": (
        "np.sum(e, axis=-1, keepdims=True)",
        "np.sum(e, axis=0, keepdims=True) if x.ndim > 2 else e / np.sum(e, -1, keepdims=True)",
    ),
}


@pytest.mark.one_in(20)
@pytest.mark.parametrize("case", ROW_SOFTMAX)
def test_a_wrong_row_softmax_costs_no_other_repair(judge, case):
    """Four repairs that call it were wrong, too."""
    text = change("find_the_bug", ROW_SOFTMAX[case])
    only = frozenset(f"test_repaired[{name}]" for name in NAMES)
    source = from_text(text, "find_the_bug", "find_the_bug.py")
    checks = judge.run(source, RunOptions(only=only)).report.checks
    failed = {check.name for check in checks if check.outcome == "failed"}
    assert failed == {"test_repaired[row_softmax]"}
    assert sum(shown_outcome(check) == FOLLOWS for check in checks) == 4


def test_a_result_of_an_earlier_call_has_a_hint_about_that(grade_text):
    """The hint was about a line that writes into x."""
    text = change(
        "softmax",
        ("x = np.asarray(x, dtype=float)", "x = np.asarray(x, dtype=float); key = x.tobytes()"),
    )
    text = text.replace("return exponentials /", "return CACHE.setdefault(key, exponentials) /")
    report = grade_text("softmax", text + "\nCACHE = {}\n")
    failed = [check for check in report.checks if check.outcome == "failed"]
    hints = {check.hints[0] for check in failed if "earlier" in check.finding}
    assert hints == {
        "Which line uses random numbers, or something that an earlier call left behind?"
    }
