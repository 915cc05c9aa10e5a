"""The sentence at the top of a report is true of wrong answers that look like a known mistake."""

import re

import pytest

from tests.conftest import ROOT

# A change of the solution; the mistakes that are named, and a part of what is said of them.
CHANGES = [
    ("softmax", "np.exp(", "2.718 ** (", ("rounded-e",), "those of e taken as 2.718, the same"),
    (
        "multi_head_reshape",
        "(batch, length, heads * size)",
        "(batch, length, heads * size).squeeze()",
        ("squeezed",),
        "it has lost its axes of size 1",
    ),
    (
        "scaled_dot_product_attention",
        "Q @ np.swapaxes(K, -1, -2)",
        "Q @ K",
        ("keys-not-transposed",),
        "Your code takes Q times K without K transposed.",  # no call that is shown has numbers
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
        ("\nb_weights = ", "\nb_wieghts = ", "It does define b_wieghts: is that the one?"),
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
