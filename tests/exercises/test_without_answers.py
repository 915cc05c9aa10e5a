"""A student kit knows the right answers to its own calls only: checks judge what needs no other."""

import pytest

from autograder.checks.check_result import NotJudged
from autograder.checks.projection_hash import hash_of_pass
from autograder.report.presentation import FOLLOWS, shown_outcome
from reference import asking
from tests.conftest import ROOT

pytestmark = pytest.mark.one_in(4)

BARE, WHOLE = "ScaledDotProductAttention", "SelfAttention"
GIVES = "{}.forward = lambda self, *args: {}\n"


@pytest.fixture
def checks_in_kit(grade_text, monkeypatch):
    """A function that grades a text with the modules' answers that its solution asks for."""
    right = asking.reference_pass
    known = {}

    def key(given):
        asked = hash_of_pass(*given)
        return asked.kind, asked.sums.tobytes()

    def record(build, made_with, inputs, state, toward=None):
        known[build.__name__, key((made_with, inputs, state, toward))] = True
        return right(build, made_with, inputs, state, toward)

    def play(build, made_with, inputs, state, toward=None):
        if (build.__name__, key((made_with, inputs, state, toward))) not in known:
            raise NotJudged
        return right(build, made_with, inputs, state, toward)

    def graded(exercise, change):
        text = (ROOT / "solutions" / f"{exercise}.py").read_text()
        monkeypatch.setattr("reference.asking.reference_pass", record)
        assert {each.outcome for each in grade_text(exercise, text).checks} == {"passed"}
        monkeypatch.setattr("reference.asking.reference_pass", play)
        return grade_text(exercise, change(text)).checks

    return graded


@pytest.mark.one_in(12)
@pytest.mark.parametrize("result", ["None", "{'output': args[0]}"])
@pytest.mark.parametrize(
    ("exercise", "name"),
    [
        ("self_attention", WHOLE),
        ("self_attention", BARE),
        ("multi_head_attention", "MultiHeadAttention"),
        ("language_model", "TransformerBlock"),
        ("language_model", "SimpleLanguageModel"),
    ],
)
def test_a_result_of_another_kind_needs_no_answer(checks_in_kit, exercise, name, result):
    checks = checks_in_kit(exercise, lambda text: text + GIVES.format(name, result))
    about = [check for check in checks if check.title.startswith(name) or exercise[0] == "m"]
    left = [check.title for check in about if check.outcome == "graded when handed in"]
    assert len(about) > 3 and not left


W_V = "self.W_v = nn.Linear(d_model, d_v, bias=False)"


@pytest.mark.thorough
def test_a_shared_matrix_is_to_be_changed_first(checks_in_kit):
    checks = checks_in_kit("self_attention", lambda text: text.replace(W_V, "self.W_v = self.W_k"))
    assert "W_v.weight and W_k.weight are the same parameter" in checks[6].finding
    left = [check.cause.code for check in checks if check.outcome == "graded when handed in"]
    assert set(left) == {"given_own_step"}


FUSED = """
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None, d_v=None):
        super().__init__()
        self.widths = [d_k or d_model, d_k or d_model, d_v or d_model]
        self.qkv = nn.Linear(d_model, sum(self.widths), bias=False)
        self.W_o = nn.Linear(self.widths[2], d_model, bias=False)
        self.attention = ScaledDotProductAttention(0.0)

    def forward(self, x, mask=None):
        output, weights = self.attention(*self.qkv(x).split(self.widths, -1), mask)
        return self.W_o(output), weights
"""


@pytest.mark.thorough
def test_all_missing_matrices_are_named_without_an_answer(checks_in_kit):
    checks = checks_in_kit("self_attention", lambda text: text + FUSED)
    wrong = [check for check in checks if check.outcome != "passed"]
    assert [check.finding for check in wrong] == [
        "SelfAttention has no parameters named W_q.weight, W_k.weight and W_v.weight. It has "
        "qkv.weight (12, 4), W_o.weight (4, 4)."
    ]


@pytest.mark.thorough
def test_a_check_that_compares_no_values_has_no_tick(grade_text):
    text = (ROOT / "solutions/self_attention.py").read_text()
    old = "math.sqrt(key.size(-1))"
    assert old in text
    last = grade_text("self_attention", text.replace(old, "key.size(-1)")).checks[-1]
    assert shown_outcome(last) == FOLLOWS
    assert f"{BARE} is wrong in some calls of this check. Other checks grade" in last.note


def test_a_mask_that_is_ignored_leaves_the_gradients_judged(checks_in_kit):
    old = "self.W_v(x), mask)"
    checks = checks_in_kit("self_attention", lambda text: text.replace(old, "self.W_v(x))"))
    assert {each.name for each in checks if each.outcome != "passed"} == {"test_causality"}


@pytest.mark.thorough
def test_a_gradient_that_lacks_a_part_is_judged(checks_in_kit):
    checks = checks_in_kit(
        "self_attention", lambda text: text.replace("self.W_k(x)", "self.W_k(x.detach())")
    )
    assert {c.name: c.outcome for c in checks if c.outcome != "passed"} == {
        "test_gradients": "failed"
    }
