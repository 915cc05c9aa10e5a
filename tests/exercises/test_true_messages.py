"""Messages of the exercises are true of code that the authors did not have in mind."""

import re

import pytest

from autograder.checks.check_result import NotJudged
from autograder.diagnosis.finding import worded
from autograder.diagnosis.general import families
from autograder.diagnosis.repair.edits import NO_LINES, edits, templates
from autograder.diagnosis.repair.traces import TracedValue, first_departure, known_values
from autograder.diagnosis.repair.tree import read_tree
from autograder.report.presentation import opening
from autograder.worker.messages import Unit
from tests.conftest import ROOT
from tests.diagnosis.test_no_false_names import CASES, CATALOGUE

pytestmark = pytest.mark.one_in(12)


def said_of(report):
    """The first sentence, and the findings and hints of all checks."""
    texts = [text for check in report.checks for text in (check.finding, *check.hints)]
    return " ".join([opening(report).text, *texts])


WITH = "apply_mask(scores, mask)"
MASKED_FIRST = f"""def masked_attention_weights(scores, mask):
    e = np.exp({WITH} - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""
MASKED_LAST = """def masked_attention_weights(scores, mask):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    return e / e.sum(axis=-1, keepdims=True)
"""


@pytest.mark.parametrize("code", [MASKED_FIRST, MASKED_LAST])
def test_a_blocked_maximum_is_no_claim_about_the_order(grade_text, code):
    """To both, it was "removes these exponentials only afterwards" and "First apply the mask"."""
    text = (ROOT / "solutions/causal_mask.py").read_text()
    report = grade_text("causal_mask", text + code)
    assert opening(report).text.startswith(
        "masked_attention_weights: The weights are right, with one exception. In a row whose "
        "allowed scores lie far below a blocked score, the exponentials of all allowed scores "
        "become 0 or nearly 0."
    )
    said = said_of(report)
    assert "largest score" in said and "First apply" not in said and "afterwards" not in said


TABLE = """def create_causal_mask(seq_len):
    mask = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]])
    return mask{}
"""


@pytest.mark.parametrize(
    ("cut", "says"),
    [
        ("[:seq_len, :seq_len]", "The mask never has more than 4 rows and columns."),
        ("", "The mask has 4 rows and columns, whatever seq_len is."),
    ],
)
def test_a_table_that_is_cut_is_not_as_large_for_every_length(grade_text, cut, says):
    text = (ROOT / "solutions/causal_mask.py").read_text()
    report = grade_text("causal_mask", text + TABLE.format(cut))
    assert opening(report).text == f"create_causal_mask: {says}"
    assert "of 3 tokens" not in said_of(report)  # there, the first is right


def test_no_sentence_says_whatever_of_some_calls_only():
    """ "For long sequences: the mask has 4 rows and columns, whatever seq_len is." """
    finds = {
        m.finding for each in CASES for m in CATALOGUE.recipes(each[0])[each[1]].misconceptions
    }
    universal = re.compile(r"whatever \w+ (is|are)\b")
    assert [f for f in finds if universal.search(worded("named", f))]
    assert [f for f in finds if universal.search(worded("in_some_calls", f))] == []


ROUNDED = "def apply_mask(scores, mask):\n    return np.where(mask, scores, -1e9).round(2)\n"
HALF = (
    "def apply_mask(scores, mask):\n    return np.where(mask, scores.astype(np.float16), -np.inf)\n"
)
CLIPPED = (
    "def apply_mask(scores, mask):\n    return np.where(mask, scores.clip(-500, 500), -np.inf)\n"
)
NOT_LOW = "def apply_mask(scores, mask):\n    return np.where(mask, scores, -1002)\n"
HIGH = "a blocked score is not low enough"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("code", "is_high"), [(ROUNDED, False), (HALF, False), (CLIPPED, False), (NOT_LOW, True)]
)
def test_only_a_blocked_score_that_gets_weight_is_not_low_enough(grade_text, code, is_high):
    """It was said of rounded scores, whose blocked ones are −1e9."""
    text = (ROOT / "solutions/causal_mask.py").read_text()
    last = grade_text("causal_mask", text + code).checks[-1]
    assert last.outcome == "failed"
    assert (HIGH in last.finding) == is_high
    if is_high:
        assert last.hints[0].startswith("How low is a blocked score")


SQUEEZED = "    return (exponentials / exponentials.sum(axis=axis, keepdims=True)).squeeze()"
ROWS_ONLY = """def softmax(x, axis=-1):
    x = np.array(x)
    if axis == 0:
        e = np.exp(x - x.max(axis=0))
        return e / e.sum(axis=0)
    e = np.exp(x - x.max(axis=axis).reshape(-1, 1))
    return np.squeeze(e / e.sum(axis=axis).reshape(-1, 1))
"""


def test_a_property_of_the_wrong_calls_is_no_coincidence(grade_text):
    """It was "wrong for large numbers, but only for three axes and more", of one kind of call."""
    text = (ROOT / "solutions/softmax.py").read_text()
    old = "    return exponentials / exponentials.sum(axis=axis, keepdims=True)"
    assert old in text
    said = opening(grade_text("softmax", text.replace(old, SQUEEZED))).text
    assert (
        said
        == "softmax: The result is right, but it has lost its axes of size 1, as after `squeeze`."
    )
    said = said_of(grade_text("softmax", text + ROWS_ONLY))
    assert "three axes" not in said  # a matrix along axis −2 is wrong too


def attention(steps):
    return (
        "\ndef scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])\n"
        "    m = 1 if mask is None else np.asarray(mask, dtype=float)\n"
        f"    {steps}\n    return weights @ V, weights\n"
    )


STABLE = "e = np.exp(scores - scores.max(-1, keepdims=True)); "
BOTH = "weights = e / e.sum(-1, keepdims=True)"


@pytest.mark.parametrize(
    ("steps", "says", "never"),
    [
        (
            f"{STABLE}{BOTH} * m; weights = weights / (weights.sum(-1, keepdims=True) + 1e-9)",
            "the exponentials of all allowed scores become 0 or nearly 0",
            "after the softmax",
        ),
        (
            "e = np.exp(np.where(m, scores, -np.inf) - scores.max(-1, keepdims=True)); " + BOTH,
            "the exponentials of all allowed scores become 0",
            "after the softmax",
        ),
        (
            f"scores = scores - 100 * (1 - m); {STABLE}{BOTH}",
            "Where a blocked score is much higher than the allowed scores",
            "as low",
        ),
        (
            f"scores = np.where(m, scores.clip(-700, 700), -np.inf); {STABLE}{BOTH}",
            "or large scores, your code is wrong each time.",
            "without a mask",
        ),
    ],
)
def test_what_large_scores_do_beside_a_mask(grade_text, steps, says, never):
    text = (ROOT / "solutions/scaled_dot_product_attention.py").read_text()
    said = opening(grade_text("scaled_dot_product_attention", text + attention(steps))).text
    assert says in said and never not in said


def test_a_change_with_the_same_numbers_is_no_claim_about_the_first_line():
    """Of squared exponentials, a kit asked "What does your code do with x first?"."""
    recipe = CATALOGUE.recipes("softmax")["softmax"]
    (doubled,) = (each for each in families(recipe) if each.id == "x-doubled")
    assert "x multiplied by 2" in doubled.finding
    assert doubled.hints[0] == "Which line of your code changes x before any other step?"


def test_what_python_calls_a_power_or_an_axis_is_said(grade_text):
    text = (ROOT / "solutions/softmax.py").read_text()
    report = grade_text("softmax", text + "def softmax(x):\n    return np.max(x, keepdim=True)\n")
    assert "In NumPy, the names are `axis` and `keepdims`." in opening(report).text
    text = (ROOT / "solutions/hand_computation.py").read_text()
    text = re.sub(r"\na_scaled = .*", "\na_scaled = [[1 / 2 ^ 0.5, 1], [1, 0]]", text)
    report = grade_text("hand_computation", text)
    failed = next(check for check in report.checks if check.outcome == "failed")
    assert failed.hints[0].endswith("In Python, it is `**`.")


def test_a_product_that_fails_is_not_assumed_to_be_needed(grade_text):
    code = f"def masked_attention_weights(scores, mask):\n    w = softmax({WITH})\n    return w @ scores\n"
    text = "from softmax import softmax\n" + (ROOT / "solutions/causal_mask.py").read_text()
    text = text.replace(
        "from softmax import softmax", (ROOT / "solutions/softmax.py").read_text(), 1
    )
    said = opening(grade_text("causal_mask", text + code)).text
    assert "In a product, the last axis of the first array" in said and "swap" not in said


SPLIT_LOOP = """def split_heads(x, num_heads):
    B, L, E = x.shape
    if E % num_heads != 0:
        raise ValueError(f"{E} is not a multiple of {num_heads}")
    d = E // num_heads
    heads = np.zeros((B, num_heads, L, d))
    for h in range(num_heads - 1):
        heads[:, h] = x[:, :, h * d : (h + 1) * d]
    return heads
"""


def test_an_empty_head_is_named_and_its_zeros_are_no_features(grade_text):
    """Its zeros were "0A", the first feature of head A."""
    text = (ROOT / "solutions/multi_head_reshape.py").read_text()
    report = grade_text("multi_head_reshape", text + SPLIT_LOOP)
    assert opening(report).text == "split_heads: In your result, the last head has only zeros."
    (wrong,) = (c for c in report.checks if c.evidence is not None and c.evidence.groups)
    groups = dict(zip(wrong.evidence.yours.names, wrong.evidence.yours.groups, strict=True))
    assert groups["head 1, position 0"] == (1, 1) and groups["head 2, position 0"] == (-1, -1)


@pytest.mark.parametrize("condition", ["num_heads % E", "x.shape[1] % num_heads"])
def test_a_condition_that_refuses_right_sizes_has_no_tick(grade_text, condition):
    text = (ROOT / "solutions/multi_head_reshape.py").read_text()
    code = SPLIT_LOOP.replace("E % num_heads", condition).replace("num_heads - 1", "num_heads")
    report = grade_text("multi_head_reshape", text + code)
    (check,) = (c for c in report.checks if "does not fit" in c.title)
    assert check.finding == "split_heads raises its ValueError also for 6 features and 2 heads."


TILDE = """        if mask is not None:
            scores = scores + (~mask) * -1e9
        weights = torch.softmax(scores, dim=-1)
        return self.dropout(weights) @ value, weights
"""
NAN_GRADIENT = """        if mask is not None:
            scores = scores.masked_fill(mask == 0, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return torch.softmax(self.dropout(scores), dim=-1) @ value, weights
"""
MIXES_KEYS = """        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = torch.softmax(scores, dim=-1)
        return self.dropout(weights) @ key, weights
"""


def module(steps):
    return (
        "\nclass ScaledDotProductAttention(nn.Module):\n"
        "    def __init__(self, dropout=0.1):\n"
        "        super().__init__()\n"
        "        self.dropout = nn.Dropout(dropout)\n\n"
        "    def forward(self, query, key, value, mask=None):\n"
        "        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))\n" + steps
    )


@pytest.fixture
def grade_part_1(grade_text):
    """Grade a part 1, beside the solution's part 2."""
    text = (ROOT / "solutions/self_attention.py").read_text()
    return lambda steps: grade_text("self_attention", text + module(steps))


@pytest.mark.thorough
def test_tilde_of_numbers_is_named_in_torch_too(grade_part_1):
    said = opening(grade_part_1(TILDE)).text
    assert "turns whole numbers into other numbers" in said and "broadcast" not in said


def test_a_gradient_of_nan_beside_dropout_has_no_tick(grade_part_1):
    report = grade_part_1(NAN_GRADIENT)
    (check,) = (c for c in report.checks if "the gradient reaches query" in c.title)
    assert check.finding == "With a mask and dropout in training, the gradient contains NaN."


@pytest.mark.thorough
def test_a_mistake_in_part_1_is_not_named_of_part_2(grade_part_1):
    """It was "SelfAttention: The values are made with W_k."."""
    report = grade_part_1(MIXES_KEYS)
    assert "the output is the weights times K" in opening(report).text
    assert "W_k" not in said_of(report)
    assert not any("made with W_k" in c.diagnosis.finding for c in report.checks if c.diagnosis)


def split_by(lines):
    body = "".join(f"    {line}\n" for line in lines)
    return f"def split_heads(x, num_heads):\n    B, L, E = x.shape\n    d = E // num_heads\n{body}"


RAISE = ["if E % num_heads:", "    raise ValueError(f'{E}, {num_heads}')"]
RETURN_INSIDE = [
    *RAISE,
    "heads = np.zeros((B, num_heads, L, d))",
    "for h in range(num_heads):",
    "    heads[:, h] = x[:, :, h * d : (h + 1) * d]",
    "    return heads",
]
WRONG_PARTS = [
    *RAISE,
    "parts = []",
    "for h in range(num_heads):",
    "    parts.append(x[:, :, h * num_heads : (h + 1) * num_heads])",
    "return np.array(parts).transpose(1, 0, 2, 3)",
]


def test_a_return_in_a_loop_is_named_beside_a_right_error(grade_text):
    """It was "Line 10 is the first …", of np.zeros, which is right."""
    text = (ROOT / "solutions/multi_head_reshape.py").read_text()
    said = opening(grade_text("multi_head_reshape", text + split_by(RETURN_INSIDE))).text
    assert "is inside the loop of line" in said


def test_zeros_that_a_loop_fills_are_no_departure():
    filled = [TracedValue((0, 1), (6, 0, 0, 0)), TracedValue((0, 3), (6, 0, 21, 91))]
    right = [TracedValue((0, 2), (3, 0, 6, 14))]
    assert first_departure([*right, *filled], known_values(right))[0] == {(0, 3)}


def test_no_repair_leaves_out_what_a_loop_has_filled():
    """It was "A change in line 12 makes every check pass.", of the line after the wrong loop."""
    text = "import numpy as np\n" + split_by(WRONG_PARTS)
    tree = read_tree(Unit("multi_head_reshape.py", text))
    right = templates([ROOT / "solutions/multi_head_reshape.py"])
    whole = [edit for edit in edits([tree], NO_LINES, right) if edit.kind == "expression"]
    last = text.count("\n")
    assert not any("x" in span.new for e in whole if last in e.lines for span in e.spans)


TRANSPOSED = "num_heads).transpose(0, 2, 1, 3)"
SUMMED = "exponentials.sum(axis=axis, keepdims=True)"


@pytest.mark.parametrize(
    ("exercise", "old", "new", "says"),
    [  # it was "reduced to their minimum", and "the division is right. The mistake is in the …"
        ("multi_head_reshape", TRANSPOSED, f"{TRANSPOSED}[0]", "first entry"),
        (
            "softmax",
            f"exponentials / {SUMMED}",
            f"(exponentials / {SUMMED}).round(5)",
            "5 decimals",
        ),
    ],
)
def test_what_follows_the_last_right_step_is_named(grade_text, exercise, old, new, says):
    text = (ROOT / f"solutions/{exercise}.py").read_text()
    assert old in text
    assert says in opening(grade_text(exercise, text.replace(old, new))).text


FILL_WHERE_TRUE = """        if mask is not None:
            scores = scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scores, dim=-1)
        return self.dropout(weights) @ value, weights
"""


@pytest.mark.thorough
def test_other_calls_that_stop_are_not_all_other_calls(grade_part_1):
    said = opening(grade_part_1(FILL_WHERE_TRUE)).text
    assert "blocks a key where the mask is True" in said
    assert said.endswith("Some other calls stop with an error.")


def test_sizes_that_fit_are_no_condition(grade_text):
    """It was "wrong if E is a multiple of num_heads, but only for more than one head"."""
    text = (ROOT / "solutions/multi_head_reshape.py").read_text()
    old = "x.reshape(batch, length, num_heads, features // num_heads).transpose(0, 2, 1, 3)"
    assert old in text
    new = "x.reshape(num_heads, batch, length, features // num_heads).swapaxes(0, 1)"
    assert "multiple" not in opening(grade_text("multi_head_reshape", text.replace(old, new))).text


def test_numbers_that_are_nearly_right_are_not_in_the_wrong_places(grade_text):
    steps = f"{STABLE}weights = e / (e.sum(-1, keepdims=True) + 1e-6)"
    text = (ROOT / "solutions/scaled_dot_product_attention.py").read_text()
    steps = f"scores = np.where(m, scores, -1e9); {steps}"
    said = opening(grade_text("scaled_dot_product_attention", text + attention(steps))).text
    assert "wrong places" not in said


BLOCKED_BY_0 = """        if mask is not None:
            scores = scores.masked_fill(mask == 0, 0)
        weights = {}
        return self.dropout(weights) @ value, weights
"""


@pytest.mark.thorough
@pytest.mark.parametrize("weights", ["scores", "scores / scores.sum(-1, keepdim=True)"])
def test_without_an_exponential_a_blocked_0_has_no_weight(grade_part_1, weights):
    report = grade_part_1(BLOCKED_BY_0.format(weights))
    said = " ".join(c.diagnosis.finding for c in report.checks if c.diagnosis)
    assert "Blocked scores are 0" in said and "get weight" not in said and "exp(0)" not in said
    assert "softmax" in said or "no exponential" in said


@pytest.mark.thorough
def test_no_zeros_for_negative_scores_are_named_beside_absolute_values(grade_part_1):
    report = grade_part_1(BLOCKED_BY_0.format("scores.abs() / scores.abs().sum(-1, keepdim=True)"))
    assert "absolute values" in opening(report).text
    assert "0 for negative" not in opening(report).text


LARGEST_OF_ALL = """        if mask is not None:
            scores = scores.masked_fill(mask == 0, -torch.inf)
        e = torch.exp(scores - scores.max())
        weights = e / (e.sum(-1, keepdim=True) + 1e-9)
        return self.dropout(weights) @ value, weights
"""


@pytest.mark.thorough
def test_one_maximum_for_all_rows_is_not_one_softmax(grade_part_1):
    """It was "For large scores: one softmax runs over the whole array."."""
    said = opening(grade_part_1(LARGEST_OF_ALL)).text
    assert "The maximum of the whole array is subtracted from every row" in said
    assert "one softmax" not in said


WEIGHTS = """def masked_attention_weights(scores, mask):
    masked = %s
    e = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""
APPLIED, OWN = WEIGHTS % "apply_mask(scores, mask)", WEIGHTS % "scores + mask"
BLOCKS = "def apply_mask(scores, mask):\n    return %s\n"
FROM_APPLY_MASK = {
    "inverted": (BLOCKS % "np.where(mask, -np.inf, scores)" + APPLIED, True),
    "NaN": (BLOCKS % "scores + (1 - mask) * -np.inf" + APPLIED, True),
    "another shape": (BLOCKS % "np.where(mask, scores, -np.inf)[None]" + APPLIED, True),
    "the weights' own mistake": (BLOCKS % "scores + mask" + OWN, False),
    "a wrong sum too": (
        BLOCKS % "np.where(mask, -np.inf, scores)"
        + APPLIED.replace("e.sum(axis=-1", "e.sum(axis=0"),
        False,
    ),
}


@pytest.mark.parametrize("in_kit", [True, False])
@pytest.mark.parametrize("case", FROM_APPLY_MASK)
def test_weights_that_follow_from_a_wrong_apply_mask_say_so(grade_text, monkeypatch, case, in_kit):
    """They were wrong without a word, and own mistakes were said to depend on apply_mask."""

    def unknown(*_):
        raise NotJudged

    if in_kit:
        monkeypatch.setattr("reference.softmax", unknown)
        monkeypatch.setattr("reference.following.softmax", unknown)
    code, follows = FROM_APPLY_MASK[case]
    text = (ROOT / "solutions/causal_mask.py").read_text()
    checks = grade_text("causal_mask", text + code).checks
    check = next(each for each in checks if each.title.startswith("masked_attention_weights:"))
    assert (check.outcome == "graded when handed in") == (in_kit and follows)
    assert ("from your apply_mask" in check.finding) == (follows and not in_kit)


def test_a_list_that_stops_the_next_function_is_named_where_it_is_made(grade_text):
    """An error was explained by an argument, which was an array."""
    text = (ROOT / "solutions/causal_mask.py").read_text()
    code = BLOCKS % "np.where(mask, scores, -np.inf).tolist()" + APPLIED
    checks = grade_text("causal_mask", text + code).checks
    check = next(each for each in checks if each.title.startswith("masked_attention_weights:"))
    assert check.finding.startswith("apply_mask returns a list or a tuple")


SDPA = "scaled_dot_product_attention"
SOFTMAX = """    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    attention_weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
"""
FIRST_ATTEMPTS = {  # the exercise, a change, and parts of the sentence and of the hint
    "rounding": (
        SDPA,
        ("V, attention_weights", "V, np.round(attention_weights, 2)"),
        "rounded to 2 decimals",
        "Which line of your code makes the numbers",
    ),
    "a small constant": (
        SDPA,
        ("axis=-1, keepdims=True)\n    return", "axis=-1, keepdims=True) + 3e-4\n    return"),
        "The output follows from your weights",
        "Which line changes numbers only a little",
    ),
    "clipped": (
        SDPA,
        ("np.exp(scores - ", "np.exp(scores.clip(-500, 500) - "),
        "For large scores",
        "For the scores in the call shown",
    ),
    "np.dot": (
        SDPA,
        ("Q @ np.swapaxes(K, -1, -2)", "np.dot(Q, np.swapaxes(K, -1, -2))"),
        "np.dot",
        "Q",
    ),
    "axis 1, not stable": (
        SDPA,
        (
            SOFTMAX,
            "    e = np.exp(scores)\n    attention_weights = e / e.sum(axis=1, keepdims=True)\n",
        ),
        "The softmax runs over axis 1",
        "Along which axes",
    ),
    "NaN": (
        "causal_mask",
        ("np.where(mask, scores, -np.inf)", "scores + (1 - mask) * -np.inf"),
        "Allowed scores become NaN",
        "After the mask has acted, what is each blocked score",
    ),
    "mask after a softmax that is not stable": (
        "causal_mask",
        (
            "    masked = apply_mask(scores, mask)",
            "    e = np.exp(scores)\n    return apply_mask(e / e.sum(-1, keepdims=True), mask)",
        ),
        "The mask acts after the softmax",
        "Which steps lead in your code",
    ),
    "width": (
        "self_attention",
        ("d_v = d_model if d_v is None else d_v", "d_v = d_v or d_k"),
        "W_v.weight has the shape",
        "Where does your code use d_model, where d_k",
    ),
    "dropout that is a number": (
        "self_attention",
        ("nn.Dropout(dropout)", "dropout"),
        "Did an earlier line store it instead of a function or layer",
        "names",
    ),
}


@pytest.mark.parametrize("case", FIRST_ATTEMPTS)
def test_a_first_attempt_gets_the_sentence_and_the_hint_of_its_mistake(grade_text, case):
    exercise, (old, new), says, hint = FIRST_ATTEMPTS[case]
    text = (ROOT / "solutions" / f"{exercise}.py").read_text()
    assert old in text
    report = grade_text(exercise, text.replace(old, new))
    failed = next(check for check in report.checks if check.outcome == "failed")
    assert says in opening(report).text
    assert hint in failed.hints[0]


REST_DROPPED = """def split_heads(x, num_heads):
    B, L, E = x.shape
    d = E // num_heads
    return x[..., : num_heads * d].reshape(B, L, num_heads, d).transpose(0, 2, 1, 3)
"""
HEADS_IN_A_ROW = """def merge_heads(x):
    B, H, L, d = x.shape
    return x.reshape(B, H * L, d)
"""


def test_a_mistake_in_one_function_explains_no_call_of_another(grade_text):
    text = (ROOT / "solutions/multi_head_reshape.py").read_text()
    report = grade_text("multi_head_reshape", text + REST_DROPPED + HEADS_IN_A_ROW)
    said = {c.diagnosis.function: c.diagnosis.finding for c in report.checks if c.diagnosis}
    assert "drops the last features" in said["split_heads"]
    assert "joined one below the other" in said["merge_heads"]
    shown = [check for check in report.checks if check.diagnosis and check.evidence]
    assert {c.diagnosis.function for c in shown if "merge" in c.evidence.call} == {"merge_heads"}


def test_a_rate_that_falls_is_no_use_of_old_gradients(grade_text):
    text = (ROOT / "solutions/train_and_generate.py").read_text()
    step = "optimizer.step()"
    rate = f"for group in optimizer.param_groups: group['lr'] = lr * (1 - step / steps)\n        {step}"
    assert text.count(step) == 1
    said = said_of(grade_text("train_and_generate", text.replace(step, rate)))
    assert "losses of train are others" not in said


@pytest.mark.parametrize(
    ("old", "new", "says", "never"),
    [
        ("AdamW(model.parameters()", "AdamW([*model.parameters()][-1:]", "does not change all weights",
         "or it changed none"),
        ("        optimizer.step()\n", "        if step < steps - 1: optimizer.step()\n",
         "the number of steps is another one",
         "learning rate or the weight decay is not the same"),
        ("    return losses\n", "    return [losses[-2], *losses[1:]]\n", "IndexError",
         "generate has changed the model"),
        ("if temperature == 0", "if temperature < 1", "With temperature=0.6, the likeliest token",
         "at every temperature"),
        ("logits / temperature, dim", "logits / max(temperature, 1), dim", "softmax(logits), as at temperature 1",
         "no effect"),
    ],
)  # fmt: skip
def test_training_and_sampling_are_not_blamed_for_more_than_was_seen(
    grade_text, old, new, says, never
):
    text = (ROOT / "solutions/train_and_generate.py").read_text()
    assert text.count(old) == 1
    said = said_of(grade_text("train_and_generate", text.replace(old, new)))
    assert says in said and never not in said


def test_losses_that_are_no_numbers_do_not_depend_on_earlier_calls(grade_text):
    """With targets shifted twice, a batch of two tokens has no targets."""
    text = (ROOT / "solutions/train_and_generate.py").read_text()
    loss = "loss = next_token_loss(model(tokens), tokens)"
    shifted = (
        "nn.functional.cross_entropy(model(tokens)[:, :-2].flatten(0, 1), tokens[:, 2:].flatten())"
    )
    assert text.count(loss) == 1
    report = grade_text("train_and_generate", text.replace(loss, f"loss = {shifted}"))
    names = {name for c in report.checks if c.diagnosis for name in c.diagnosis.misconceptions}
    assert names == {"targets-shifted-twice"}


SHARED = "W_o.weight and W_v.weight are the same parameter"
OUTPUT = "self.W_o = nn.Linear(d_model, d_model, bias=False)"


@pytest.mark.parametrize("mask", ["mask", "None if mask is None else mask[:1]"])
def test_a_shared_matrix_is_named_and_no_result_called_constant(grade_text, mask):
    text = (ROOT / "solutions/multi_head_attention.py").read_text()
    assert text.count(OUTPUT) == 1
    text = text.replace(OUTPUT, "self.W_o = self.W_v")
    wrong = "class MultiHeadAttention(MultiHeadAttention):\n    def forward(self, x, mask=None):\n"
    text += f"\n\n{wrong}        return super().forward(x, {mask})\n"
    said = said_of(grade_text("multi_head_attention", text))
    assert SHARED in said and "whatever the arguments are" not in said


NO_ERROR = ("raise ValueError(f", "print(f")
TURNED = ("axes.imshow(weights,", "axes.imshow(weights.T,")
TITLE = ("if title is not None:\n        axes.set_title(title)", "axes.set_title(str(title))")
AFTER_DROPOUT = (
    "return self.dropout(weights) @ value, weights",
    "weights = self.dropout(weights)\n        return weights @ value, weights",
)
MEETS_BATCH = (
    "== 0, float(",
    "[:, None] == 0 if mask.dim() == 3 < scores.dim() else mask == 0, float(",
)
NO_OUTPUT_MATRIX = ("return self.W_o(output), weights", "return output, weights")


@pytest.mark.parametrize(
    ("exercise", "changes", "check", "names"),
    [
        ("multi_head_attention", [NO_ERROR, (" / math.sqrt(key.size(-1))", "")], "test_refuses",
         ("not-refused",)),
        ("attention_heatmap", [TURNED, TITLE], "test_title", ("title-none",)),
        ("self_attention", [MEETS_BATCH, AFTER_DROPOUT], "test_dropout",
         ("dropped-weights-returned",)),
        ("self_attention", [MEETS_BATCH, NO_OUTPUT_MATRIX], "test_other_sizes", ()),
    ],
)  # fmt: skip
def test_no_mistake_explains_what_another_check_has_found(
    grade_text, exercise, changes, check, names
):
    text = (ROOT / f"solutions/{exercise}.py").read_text()
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    report = grade_text(exercise, text)
    diagnosis = next(each.diagnosis for each in report.checks if each.name == check)
    assert (diagnosis.misconceptions if diagnosis else ()) == names
    assert any(c.diagnosis and c.diagnosis.misconceptions not in (names, ()) for c in report.checks)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('key (attending to)")\n    axes.set_ylabel("query (attending from)"',
         'query position")\n    axes.set_ylabel("token"',
         "The label of the x axis names the queries"),
        (
            "axes.set_title(title)",
            "axes.set_title(title.upper())",
            "The title is “LAYER 3, HEAD 1”",
        ),
        ("axes.set_title(title)", "figure.text(0, 0, title)", "The figure has no title."),
        ("weights, cmap", "np.stack([weights] * 3, -1), cmap", "is not a matrix of values"),
    ],
)  # fmt: skip
def test_a_picture_is_not_blamed_for_more_than_it_shows(grade_text, old, new, says):
    text = (ROOT / "solutions/attention_heatmap.py").read_text()
    assert text.count(old) == 1
    said = said_of(grade_text("attention_heatmap", text.replace(old, new)))
    assert says in said and "are exchanged" not in said
    assert "not at the cells" not in said and "outside of all cells" not in said


MEASURES = """
def analyze_pattern(embeddings, right=analyze_pattern):
    return right(embeddings) | {}
"""
AS_DICT = """
def project_qkv(X, W_Q, W_K, W_V, right=project_qkv):
    return dict(zip("QKV", right(X, W_Q, W_K, W_V)))
"""
DOUBLED = """
def split_heads(x, num_heads, right=split_heads):
    return right(x, num_heads) * (1 + (num_heads == 3))
"""


@pytest.mark.parametrize(
    ("exercise", "code", "never"),
    [
        ("attention_patterns", MEASURES.format("{'entropy': 0.0}"), "without decimals"),
        ("attention_patterns", MEASURES.format("{'self_attention': np.nan}"), "times 1"),
        ("multi_head_reshape", DOUBLED, "several tokens"),
        ("qkv_projection", AS_DICT, "exchanged"),
    ],
)
def test_a_constant_nan_and_a_dict_are_explained_by_no_other_number(
    grade_text, exercise, code, never
):
    text = (ROOT / f"solutions/{exercise}.py").read_text()
    report = grade_text(exercise, text + code)
    assert report.points < report.max_points
    assert never not in said_of(report)
