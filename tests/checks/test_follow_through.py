"""What follows from a student's own step is right; what only agrees with it is not."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from autograder.checks.expect import Mismatch
from autograder.checks.follow_through import OwnSteps, expect_follows, is_informative
from autograder.checks.proxy import Submission
from autograder.grading.judge import ALL_CHECKS, RunOptions
from autograder.sandbox.session import WorkerSession
from autograder.submission.source import Source
from autograder.worker.messages import Unit

pytestmark = pytest.mark.one_in(8)

# Attention that does nothing, and a softmax that repeats whatever was answered last.
REPEATS = """
import numpy as np
last = [None]

def softmax(x, axis=-1):
    if last[0] is not None and np.shape(x) == last[0].shape:
        return last[0]
    return np.full(np.shape(x), 0.3)

def scaled_dot_product_attention(Q, K, V, mask=None):
    weights = {weights}
    last[0] = weights
    return weights @ V, weights
"""
IDLE = {
    "noise": "np.random.default_rng(0).random((*Q.shape[:-1], K.shape[-2]))",
    "noise of the sizes": "np.sin(np.arange(Q[..., 0].size * K.shape[-2])"
    ".reshape(*Q.shape[:-1], K.shape[-2])) + 2",
    "one n-th": "np.full((*Q.shape[:-1], K.shape[-2]), 1 / K.shape[-2])",
    "zeros": "np.zeros((*Q.shape[:-1], K.shape[-2]))",
    "identity": "np.broadcast_to(np.eye(Q.shape[-2], K.shape[-2]), "
    "(*Q.shape[:-1], K.shape[-2])).copy()",
}
# The same without memory: softmax and attention agree on numbers that follow from the sizes.
AGREED = """
import numpy as np

def agreed(shape):
    return np.cos(np.arange(np.prod(shape, dtype=int))).reshape(shape) + 1.5

def softmax(x, axis=-1):
    x = np.asarray(x, float)
    return agreed(x.shape) + {trace}

def scaled_dot_product_attention(Q, K, V, mask=None):
    weights = agreed((*Q.shape[:-1], K.shape[-2]))
    return weights @ V, weights
"""
TRACES = {
    "none": "0",
    "below the tolerance": "1e-7 * np.tanh(np.where(np.isfinite(x), x, 0))",
    "of the first score": "1e-7 * np.tanh(x.ravel()[0])",
}


def lost(report, *names):
    """Whether none of the checks that look at values passed."""
    passed = [c.title for c in report.checks if c.outcome == "passed"]
    return not [title for title in passed if not title.startswith("Two results")]


@pytest.fixture
def with_softmax(judge):
    """A report on attention that takes its softmax from a file beside it."""

    def grade(text, options=ALL_CHECKS):
        softmax, attention = text.rsplit("\ndef scaled_dot_product_attention", 1)
        if "last[0] = weights" in attention:
            attention = attention.replace("last[0]", "softmax.last[0]")
        head = "import numpy as np\nimport softmax\nfrom softmax import *\n"
        text = f"{head}def scaled_dot_product_attention{attention}"
        label = "scaled_dot_product_attention.py"
        unit = Unit(label, text)
        source = Source(label[:-3], label, (unit,), {"softmax": softmax})
        return judge.run(source, options).report

    return grade


@pytest.mark.parametrize("weights", IDLE)
def test_a_softmax_that_repeats_the_answer_carries_nothing(with_softmax, weights):
    assert lost(with_softmax(REPEATS.replace("{weights}", IDLE[weights])))


@pytest.mark.thorough
@pytest.mark.parametrize("trace", TRACES)
def test_a_softmax_that_agrees_with_the_answer_carries_nothing(with_softmax, trace):
    assert lost(with_softmax(AGREED.replace("{trace}", TRACES[trace])))


# The same with memory: each answer is another one, by how many came before, or by what the first was.
COUNTS = """
import numpy as np
seen = []

def agreed(shape):
    return np.cos(np.arange(np.prod(shape, dtype=int))).reshape(shape) + 1.5

def softmax(x, axis=-1):
    seen.append(np.nan_to_num(x, neginf=0).sum())
    return agreed(np.shape(x)) + ({change})

def scaled_dot_product_attention(Q, K, V, mask=None):
    weights = agreed((*Q.shape[:-1], K.shape[-2]))
    return weights @ V, weights
"""
CHANGES = {
    "by their number": "len(seen) - 1",
    "after the first": "np.sin(seen[-1]) if len(seen) > 1 else 0",
    "by the first": "np.sin(seen[0]) * (len(seen) > 1)",
    "by the one before": "np.sin(seen[-2]) if len(seen) > 1 else 0",
}


class Counting:
    """Stands for a submission: `own` is a process of its own, of which the answers are counted."""

    def __init__(self, change):
        self.change = change

    def own(self):
        process = Counting(self.change)
        process.seen = []
        return process

    def nth_call(self, number, count):
        return None

    def answer(self, x):
        self.seen.append(x.sum())
        return np.full((2, 3), self.seen[-1]) + self.change(self.seen)


@pytest.mark.parametrize(
    "change", [len, lambda seen: seen[0], lambda seen: 0 if len(seen) < 2 else seen[-2]]
)
def test_what_depends_on_its_place_is_asked_alone(change):
    steps = OwnSteps(cast(Submission, Counting(change)))
    x = np.arange(6.0).reshape(2, 3)
    steps.ask(lambda submission, x: submission.answer(x), x)
    others = list(steps._changed(x))
    alone = [Counting(change).own().answer(other) for other in others]
    assert len(others) == 5
    np.testing.assert_array_equal(list(steps.answers_to_others()), alone)


def test_each_question_is_asked_of_a_process_of_its_own(monkeypatch):
    started = []
    own = Counting.own
    monkeypatch.setattr(Counting, "own", lambda self: started.append(1) or own(self))
    steps = OwnSteps(cast(Submission, Counting(lambda _: 0)))
    steps.ask(lambda submission, x: submission.answer(x), np.arange(6.0).reshape(2, 3))
    assert len(list(steps.answers_to_others())) == 5
    assert len(started) == 6


def test_no_more_is_asked_once_a_number_does_not_follow():
    def losses(steps):
        found = []
        for step in range(3):
            answer = steps.ask(lambda own, x: own.answer(x), np.array([1.0, step]))
            found.append(answer[0, 0])
            steps.comes_to(step, found[-1])
            asked.append(step)
        return found

    submission = cast(Submission, Counting(lambda _: 0))
    for answer, most in (([1.0, 2.0, 3.5], [0, 1]), ([1.5, 2.0, 3.0], [])):
        asked: list[int] = []
        with pytest.raises(Mismatch, match="3 values differ"):
            expect_follows(
                np.array(answer), [9.0, 9.0, 9.0], losses, "it", print, "own", submission
            )
        assert asked == most


@pytest.mark.thorough
@pytest.mark.parametrize("change", CHANGES)
def test_a_softmax_that_counts_its_calls_carries_nothing(with_softmax, change):
    assert lost(with_softmax(COUNTS.replace("{change}", CHANGES[change])))


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    "softmax",
    [
        "2.0 ** (x - x.max(-1, keepdims=True)) / (2.0 ** (x - x.max(-1, keepdims=True))).sum(-1, "
        "keepdims=True)",
        "np.exp(x - x.max()) / np.exp(x - x.max()).sum()",
        "np.exp(x - x.max()) / (np.exp(x - x.max()).sum(-1, keepdims=True) + 0.5)",
    ],
)
def test_an_honest_mistake_costs_once(with_softmax, request, softmax):
    names = {"test_output_by_hand", "test_mask", "test_large_scores_and_unchanged_arguments"}
    is_thorough = request.config.getoption("--thorough")  # other checks ask as often, for seconds
    report = with_softmax(
        f"""
import numpy as np

def softmax(x, axis=-1):
    return {softmax}

def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
        ALL_CHECKS if is_thorough else RunOptions(only=frozenset(names)),
    )
    ran = [c for c in report.checks if c.outcome != "not run"]
    assert len(ran) >= len(names)
    wrong = {c.title: c.finding for c in ran if c.outcome != "passed"}
    # where scores are as large as in that check, most rows of such a softmax are lost altogether
    assert set(wrong) <= {"Large scores, and unchanged arguments"}, wrong
    assert any("Right, given your softmax." in c.note for c in report.checks)


# What outsiders found: wrong work that agreed with a step of its own.
HEAD = """
import numpy as np

def attend(Q, K, V, weights):
    return weights @ V, weights

"""
COLLUSIONS = {
    "the first call is a table, the others are noise": (
        "calls = []\n"
        "def softmax(x, axis=-1):\n"
        "    calls.append(1)\n"
        "    x = np.asarray(x, float)\n"
        "    return agreed(x.shape) if len(calls) == 1 else np.random.rand(*x.shape)\n"
        "def agreed(shape): return np.cos(np.arange(np.prod(shape, dtype=int))).reshape(shape) + 2\n",
        "softmax_module.agreed((*Q.shape[:-1], K.shape[-2]))",
        (),
    ),
    "no scale, beside a softmax that sees none": (
        "def softmax(x, axis=-1):\n"
        "    x = np.where(np.isfinite(x), x, 0)\n"
        "    return x**2 / (x**2).sum(-1, keepdims=True)\n",
        "softmax_module.softmax(Q @ np.swapaxes(K, -1, -2) if mask is None else\n"
        "        np.where(mask, Q @ np.swapaxes(K, -1, -2), -np.inf))",
        ("Scaled by",),
    ),
    "blocked scores are 0, beside a softmax that reads so": (
        "def softmax(x, axis=-1):\n"
        "    x = np.where(np.isfinite(x), x, 0)\n"
        "    e = np.exp(x - x.max(-1, keepdims=True))\n"
        "    return e / e.sum(-1, keepdims=True)\n",
        "softmax_module.softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1])\n"
        "        * (1 if mask is None else mask))",
        ("A mask: ", "Masks of 0"),
    ),
    "numbers too small to see": (
        "def softmax(x, axis=-1):\n    return 3e-6 * np.tanh(np.where(np.isfinite(x), x, 0))\n",
        "np.zeros((*Q.shape[:-1], K.shape[-2]), np.float32)",
        (),
    ),
}


@pytest.mark.parametrize("collusion", COLLUSIONS)
def test_wrong_work_that_agrees_with_itself_earns_nothing(with_softmax, collusion):
    softmax, weights, titles = COLLUSIONS[collusion]
    report = with_softmax(
        f"{HEAD}{softmax}\n"
        "def scaled_dot_product_attention(Q, K, V, mask=None):\n"
        f"    import softmax as softmax_module\n"
        f"    return attend(Q, K, V, {weights})\n"
    )
    if not titles:
        assert lost(report)
    for check in report.checks:
        if titles and check.title.startswith(titles):
            assert check.outcome != "passed", check.title


MASKS = """
import numpy as np
last = []

def create_causal_mask(n):
    return {mask}

def apply_mask(scores, mask):
    scores = np.asarray(scores, float)
    if last and last[-1].shape == scores.shape:
        return np.log(last[-1])
    return {applied}

def masked_attention_weights(scores, mask):
    noise = np.random.default_rng(1).random(np.shape(scores)) + 0.1
    last.append(noise / noise.sum(-1, keepdims=True))
    return last[-1]

def count_visible(n):
    return {counts}
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "applied",
    [
        "np.log(np.full(scores.shape, 1 / scores.shape[-1]))",
        "np.zeros(scores.shape)",
        "np.log(np.random.default_rng(1).random(scores.shape) + 0.1)",
    ],
)
def test_masked_weights_do_not_follow_from_an_apply_mask_that_ignores_the_scores(
    grade_text, applied
):
    text = MASKS.format(mask="np.tril(np.ones((n, n)))", applied=applied, counts="[0] * n")
    report = grade_text("causal_mask", text)
    (check,) = [c for c in report.checks if c.title.startswith("masked_attention_weights")]
    assert check.outcome == "failed"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("mask", "counts"),
    [
        ("np.ones((n, n))", "[n] * n"),
        ("np.zeros((n, n))", "[0] * n"),
        ("np.full((n, n), 1 / n)", "[1] * n"),
    ],
)
def test_counts_do_not_follow_from_a_mask_of_one_number(grade_text, mask, counts):
    report = grade_text("causal_mask", MASKS.format(mask=mask, applied="scores", counts=counts))
    (check,) = [c for c in report.checks if c.title.startswith("count_visible")]
    assert check.outcome == "failed"


@pytest.mark.parametrize(
    ("counts", "call"),
    [
        ("[1, 2, 3][:n]", "count_visible(4)"),
        ("[1] * n", "count_visible(3)"),
        ("list(range(1, n + 1)) if n < 7 else [7] * n", "count_visible(7)"),
    ],
)
def test_the_call_that_is_shown_is_the_one_that_failed(grade_text, counts, call):
    text = MASKS.format(mask="np.tril(np.ones((n, n)))", applied="scores", counts=counts)
    report = grade_text("causal_mask", text)
    (check,) = [c for c in report.checks if c.title.startswith("count_visible")]
    assert check.evidence.call == call


def test_counts_follow_from_a_mask_that_is_only_off_by_one(grade_text):
    text = MASKS.format(
        mask="np.tril(np.ones((n, n)), -1)", applied="scores", counts="list(range(n))"
    )
    report = grade_text("causal_mask", text)
    (check,) = [c for c in report.checks if c.title.startswith("count_visible")]
    assert (check.outcome, check.note) == ("passed", "Right, given your create_causal_mask.")


@pytest.mark.thorough
def test_a_loss_that_is_not_shifted_costs_no_training(grade_source, root):
    solution = (root / "solutions" / "train_and_generate.py").read_text()
    old, new = "logits[:, :-1]", "logits"
    assert old in solution
    text = solution.replace(old, new).replace("tokens[:, 1:]", "tokens")
    label = "train_and_generate.py"
    report = grade_source(Source(label[:-3], label, (Unit(label, text),)))
    check = next(c for c in report.checks if c.title.startswith("The losses of a few steps"))
    assert (check.outcome, check.note) == ("passed", "Right, given your next_token_loss.")


def test_a_round_trip_is_no_memory(grade_text):
    report = grade_text(
        "multi_head_reshape",
        """
        import numpy as np
        seen = []

        def split_heads(x, num_heads):
            seen.append(np.array(x))
            B, L, E = np.shape(x)
            return np.arange(B * L * E).reshape(B, num_heads, L, E // num_heads) % 7 * 1.0

        def merge_heads(x):
            B, H, L, d = np.shape(x)
            for old in reversed(seen):
                if old.shape == (B, L, H * d):
                    return old
            return np.zeros((B, L, H * d))
        """,
    )
    (check,) = [c for c in report.checks if c.name == "test_round_trip"]
    assert check.outcome == "failed"


CHANGING = """
import numpy as np

class Changing:
    \"\"\"Another answer each time that it is read.\"\"\"

    def __init__(self, *values):
        self.values = list(values)

    def __array__(self, dtype=None, copy=None):
        value = self.values[0]
        self.values.append(self.values.pop(0))
        return np.array(value, float)

a_scores = Changing([[1, 1], [1, 0]], [[0, 0], [0, 0]])
"""
SAYS_NOTHING = {
    "zeros": "np.zeros((2, 2))",
    "one constant": "np.full((2, 2), 3.0)",
    "rows of one number": "np.array([[1.0, 1.0], [2.0, 2.0]])",
    "not finite": "np.array([[1.0, np.nan], [2.0, 3.0]])",
}


def steps(report, part):
    return {c.name.split("_")[-1].rstrip("]"): c for c in report.checks if f"[{part}_" in c.name}


@pytest.mark.parametrize("scores", SAYS_NOTHING)
def test_on_paper_nothing_follows_from_a_step_that_says_nothing(grade_text, scores):
    report = grade_text(
        "hand_computation",
        f"""
        import numpy as np
        a_scores = {SAYS_NOTHING[scores]}
        a_scaled = a_scores / np.sqrt(2)
        a_weights = np.full((2, 2), 0.5)
        a_output = np.array([[1.5, 1.5], [1.5, 1.5]])
        """,
    )
    assert [c.outcome for c in steps(report, "a").values()] == ["failed"] * 4


def test_a_value_that_changes_is_read_once(grade_text):
    text = CHANGING + "a_scaled = np.zeros((2, 2))\na_weights = np.full((2, 2), 0.5)\n"
    first = steps(grade_text("hand_computation", text), "a")
    assert first["scores"].outcome == "passed"
    assert first["scaled"].outcome == "failed"


def test_what_says_something():
    assert is_informative(np.array([[1.0, 2.0], [3.0, 3.0]]))
    assert is_informative(np.array([1.0, 2.0, 3.0]))
    assert not is_informative(np.zeros((0, 3)))


@pytest.mark.parametrize(
    ("head", "borrows"),
    [
        ("from softmax import softmax", True),
        ("import softmax as own", True),
        ("# `from softmax import softmax` works if softmax.py lies in the same folder", False),
        ("weights = 'after the softmax'", False),
    ],
)
def test_what_is_only_spoken_of_is_not_borrowed(head, borrows):
    unit = Unit("attention.py", head)
    source = Source("attention", "attention.py", (unit,), {"softmax": "def softmax(x): ..."})
    submission = Submission(cast(WorkerSession, SimpleNamespace(source=source)))
    assert submission.borrows("softmax") == borrows
