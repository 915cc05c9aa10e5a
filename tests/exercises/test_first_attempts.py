"""Messages about first attempts at `softmax` and `multi_head_reshape` are true of the calls shown."""

import pytest

from autograder.report.presentation import opening
from tests.conftest import ROOT

pytestmark = pytest.mark.one_in(12)
ROW = "    x = np.asarray(x, dtype=float)\n"
EXPONENTIALS = f"{ROW}    e = np.exp(x - x.max(axis=axis, keepdims=True))\n"
SHARES = "    return e / e.sum(axis=axis, keepdims=True)\n"
CUT = "    B, L, E = x.shape\n    H = num_heads\n    if E % H:\n        raise ValueError(f'{E} {H}')\n"
SIZES = "    B, H, L, d = x.shape\n"


def softmax(body):
    return f"def softmax(x, axis=-1):\n{body}"


def split(body):
    return f"def split_heads(x, num_heads):\n{CUT}{body}"


def merge(body):
    return f"def merge_heads(x):\n{SIZES}{body}"


@pytest.fixture
def report_on(grade_text):
    """Grade the solution, with a function replaced by an attempt."""

    def report_on(exercise, attempt):
        text = (ROOT / f"solutions/{exercise}.py").read_text()
        return grade_text(exercise, f"{text}\n{attempt}")

    return report_on


def failures(report):
    return [check for check in report.checks if check.outcome == "failed"]


FIRST_MAXIMUM = "    x = np.asarray(x, float)\n    e = np.exp(x - max(x))\n"
SCALED = "{}    x = x / {}\n    e = np.exp(x - x.max(axis=axis, keepdims=True))\n{}"
LARGEST = "np.abs(x).max(axis=axis, keepdims=True)"


@pytest.mark.parametrize(
    ("exercise", "attempt", "says"),
    [
        # a chain of torch's methods took one message for each method
        ("multi_head_reshape", split("    return x.view(B, L, H, E // H).permute(0, 2, 1, 3)\n"),
         "In NumPy, `view` is `reshape` and `permute` is `transpose`."),
        ("multi_head_reshape", merge("    return x.swapaxes(1, 2).contiguous().view(B, L, H * d)\n"),
         "In NumPy, `view` is `reshape` and `contiguous` is not needed."),
        ("softmax", softmax(f"{ROW}    e = (x - x.max()).exp()\n{SHARES}"), "Write `np.exp(…)`."),
        ("multi_head_reshape", "def split_heads(x, num_heads):\n    B, L, E = x.size()\n",
         "In NumPy, `size` is `shape`."),
        ("softmax", softmax(f"{EXPONENTIALS}    s = e.sum(axis=axis)\n    return e / s[:, None]\n"),
         "The value before the brackets is a single number."),
        ("softmax", softmax(f"{ROW}    x = np.moveaxis(x, axis, 0)\n    e = np.exp(x - x.max(axis=0))\n"
         "    return e / e.sum(axis=0)\n"), "another order than those of the input"),
        # "Count axes from the end: −1 is the last axis" led away from `axis`
        ("softmax", softmax(f"{EXPONENTIALS}    return e / e.sum(axis=1, keepdims=True)\n"),
         "the number of axes is 1 here. The first axis is 0, and the last is −1."),
        # the sentence about Python's own max was left out beside a statement about the calls
        ("softmax", softmax(f"{FIRST_MAXIMUM}{SHARES}"), "Python's own `max` compares"),
        ("softmax", softmax(f"{EXPONENTIALS}    return e / e.sum(axis=-1, keepdims=True)\n"),
         "divided by their sum along the last axis. They should be divided by the sum along `axis`."),
        ("softmax", softmax(SCALED.format(ROW, "np.sqrt(x.shape[axis])", SHARES)),
         "inputs divided by the root of their number"),
        ("softmax", softmax(SCALED.format(ROW, LARGEST, SHARES)),
         "inputs divided by their largest absolute value"),
        ("softmax", softmax(f"{ROW}    e = np.exp(x.max(axis=axis, keepdims=True) - x)\n{SHARES}"),
         "exp(max − x), divided by its sum"),
        ("multi_head_reshape", split("    H = 2\n    return x.reshape(B, L, H, -1).swapaxes(1, 2)\n"),
         "The number of heads is always 2."),
        ("multi_head_reshape",
         split("    return np.stack([x[..., 2 * h : 2 * h + 2] for h in range(H)], axis=1)\n"),
         "Each head always gets 2 features."),
        ("multi_head_reshape", "def split_heads(num_heads, x):\n    return x.shape[2] % num_heads\n",
         "Your parameters have the order (num_heads, x). In the given file, it is (x, num_heads)."),
        ("multi_head_reshape", split("    return x.reshape(B, H, L, E // H).swapaxes(1, 2)\n"),
         "a reshape of x to (B, H, L, E/H), with the axes then in the order (B, L, H, E/H)."),
        ("multi_head_reshape", merge("    return x.swapaxes(1, 2).reshape(B, H * d, L)\n"),
         "the axes in the order (B, L, H, d), with a reshape to (B, H·d, L) after it."),
    ],
)  # fmt: skip
def test_the_first_sentence_names_the_cause(report_on, exercise, attempt, says):
    assert says in opening(report_on(exercise, attempt)).text


LOW_IS_INFINITE = f"    x = np.array(x, float)\n    x[x < -1000] = -np.inf\n{EXPONENTIALS}{SHARES}"


def test_wrong_results_for_large_numbers_alone_name_no_mistake_in_a_kind_of_calls(report_on):
    """It was "Without −∞: the largest absolute value is subtracted instead of the maximum"."""
    said = opening(report_on("softmax", softmax(LOW_IS_INFINITE))).text
    assert said.startswith("softmax: For large numbers, your code is wrong for some tested ")


BY_AXES = "    if np.ndim(x) < 3:\n        x = np.asarray(x, float)\n        return {}\n"
CORRECT = "np.exp(x) / np.exp(x).sum(axis, keepdims=True)"


@pytest.mark.parametrize("body", [BY_AXES.format(CORRECT), "    pass\n"])
def test_a_missing_result_is_no_claim_about_a_return(report_on, body):
    """It was "Is a `return` missing?", and "What does the last line … do with the result?"."""
    none = next(c for c in failures(report_on("softmax", softmax(body))) if "None" in c.finding)
    assert none.finding == "The result is None. Does this call reach a `return` with a result?"
    assert none.hints[0].startswith("Which line ends your function in this call?")


@pytest.mark.parametrize(
    ("line", "number"), [("e = np.maximum(e, 1e-8)", "1e−08"), ("e = e + 1e-9", "1e−09")]
)
def test_a_result_that_is_not_0_is_shown(report_on, line, number):
    (failed,) = [
        check
        for check in failures(report_on("softmax", softmax(f"{EXPONENTIALS}    {line}\n{SHARES}")))
        if check.name == "test_minus_infinity"
    ]
    assert failed.finding == (
        f"For an input of −∞, the result is {number}. It has to be exactly 0."
    )


BUFFERED = "    y = x.reshape(B, L, H, E // H).swapaxes(1, 2)\n"
LARGEST_SO_FAR = f"    global M\n{ROW}    M = max(M, x.max())\n    e = np.exp(x - M)\n{SHARES}"
VISIBLE = {"test_round_trip", "test_input_unchanged"}


@pytest.mark.parametrize(
    ("exercise", "attempt"),
    [
        ("multi_head_reshape", f"KEPT = {{}}\n{split(BUFFERED)}"
         "    out = KEPT.setdefault(y.shape, np.empty(y.shape))\n    out[...] = y\n    return out\n"),
        ("multi_head_reshape",
         f"KEPT = {{}}\n{split(BUFFERED)}    return KEPT.setdefault(y.shape, y)\n"),
        ("multi_head_reshape", "H = 1\ndef split_heads(x, num_heads):\n    global H\n    H = num_heads\n"
         f"{CUT.replace('    H = num_heads', '    pass')}    return x.reshape(B, L, H, -1).swapaxes(1, 2)\n"
         "def merge_heads(x):\n    B, h, L, d = x.shape\n    return x.swapaxes(1, 2).reshape(B, L, "
         "h * d if H == h else h * d + 0 * H, order='C' if h == H else 'F')\n"),
        ("softmax", f"M = -np.inf\n{softmax(LARGEST_SO_FAR)}"),
    ],
)  # fmt: skip
def test_a_visible_check_sees_what_a_call_leaves_behind(report_on, exercise, attempt):
    """A kit has no hidden check, so such an attempt was done."""
    failed = {check.name: check for check in failures(report_on(exercise, attempt))}
    (visible,) = VISIBLE & failed.keys()
    assert "remembers" in failed[visible].diagnosis.misconceptions


@pytest.mark.parametrize("least", [1e-5, 1e-4, 1e-2])
def test_a_visible_check_sees_small_weights_that_are_cut(report_on, least):
    attempt = softmax(f"{EXPONENTIALS}    e[e < {least}] = 0\n{SHARES}")
    assert "test_last_axis_by_default" in {c.name for c in failures(report_on("softmax", attempt))}


@pytest.mark.parametrize(
    ("exercise", "attempt", "hint"),
    [
        # "To which token does each number … belong?" asked about numbers of one token
        ("multi_head_reshape", merge("    return x.transpose(0, 2, 3, 1).reshape(B, L, -1)\n"),
         "Which numbers belong in the first row of the result, and in which order?"),
        # "For [1000, 1001]" and "np.exp(-np.inf)" asked about lines that were right
        ("softmax", softmax(f"{ROW}    x = x - x.max() * (x.max() > 700)\n    e = np.exp(x)\n{SHARES}"),
         "What is the result of each line of your code in the call that the report shows?"),
        ("softmax", softmax(f"{EXPONENTIALS}    e = np.maximum(e, 1e-8)\n{SHARES}"),
         "What does each line of your code make of an input of −∞?"),
        ("softmax", softmax(f"    x = np.clip(x, 0, 700)\n    e = np.exp(x)\n{SHARES}"),
         "What are the exponentials of the inputs in the call that the report shows?"),
    ],
)  # fmt: skip
def test_a_hint_asks_about_the_call_that_is_shown(report_on, exercise, attempt, hint):
    assert hint in [hint for c in failures(report_on(exercise, attempt)) for hint in c.hints[:1]]


FIRST_ENTRY = "    e = [np.exp(part) for part in x]\n    return [part / sum(e) for part in e]\n"


def test_a_result_of_nan_has_no_hint_about_the_first_of_two_mistakes(report_on):
    """Beside NaN, the hint asked for the axis along which the results add up to 1."""
    failed = {check.name: check for check in failures(report_on("softmax", softmax(FIRST_ENTRY)))}
    axis, large = failed["test_last_axis_by_default"], failed["test_large_numbers"]
    assert axis.diagnosis.code == large.diagnosis.code == "two_mistakes"
    assert axis.hints[0] == "Along which axis do your results add up to 1?"
    assert large.hints[0].startswith("What is the result of each line of your code")


IN_FRONT = "    return np.stack(np.split(x, num_heads, axis=2))\n"


@pytest.mark.parametrize(
    "check",
    ["    pass\n", "    assert x.shape[2] % num_heads == 0\n",
     "    if x.shape[2] % num_heads:\n        raise ValueError('E and H')\n"],
)  # fmt: skip
def test_a_missing_error_has_no_hint_about_another_mistake(report_on, check):
    """The hint asked which axis of the result counts the heads."""
    attempt = f"def split_heads(x, num_heads):\n{check}{IN_FRONT}"
    failed = {check.name: check for check in failures(report_on("multi_head_reshape", attempt))}
    assert failed["test_split_shape"].hints[0] == "Which axis of your result counts the heads?"
    assert failed["test_split_error"].hints[0].startswith("When should the function raise a ValueE")


def test_no_statement_is_about_a_list_that_stops(report_on):
    """A list with a single axis stops, so nothing says that one axis is right."""
    attempt = softmax("    e = np.exp(x - max(x))\n    return e / np.sum(e)\n")
    assert "single axis" not in opening(report_on("softmax", attempt)).text


HEADS_OF_SPLIT = """H = 1
def split_heads(x, num_heads):
    global H
    H = num_heads
    if x.shape[2] % H:
        raise ValueError(f"{x.shape[2]} {H}")
    return x.reshape(*x.shape[:2], H, -1).swapaxes(1, 2)
def merge_heads(x):
    return x.swapaxes(1, 2).reshape(len(x), x.shape[2], H * x.shape[3])
"""


def test_an_error_that_an_earlier_call_causes_is_no_error_of_every_call(report_on):
    """The number of heads comes from an earlier call, so no error is one of every call."""
    said = opening(report_on("multi_head_reshape", HEADS_OF_SPLIT)).text
    assert said.startswith("merge_heads: A call gives another result alone than after other calls.")


@pytest.mark.parametrize(
    ("exercise", "old", "new", "says"),
    [
        ("multi_head_reshape", 'f"', '"', "is an f missing before the quotes?"),
        (
            "multi_head_attention",
            "weights @ value",
            "weights.detach() @ value",
            "such as `detach` in line ",
        ),
        ("attention_patterns", "(-row)[:k]", "(-row)[: min(k, (row > 0).sum())]", "the weight 0."),
        (
            "attention_heatmap",
            'plt.subplots(layout="constrained")',
            "plt.gcf(), plt.gca()",
            "come from earlier calls",
        ),
    ],
)
def test_what_the_source_or_the_result_shows_is_said(grade_text, exercise, old, new, says):
    text = (ROOT / f"solutions/{exercise}.py").read_text()
    assert old in text
    report = grade_text(exercise, text.replace(old, new))
    assert says in " ".join(check.finding for check in failures(report))
