"""Messages of the exercises are true of code that the authors did not have in mind."""

import re

import pytest

from autograder.diagnosis.finding import worded
from autograder.report.presentation import opening
from tests.conftest import ROOT
from tests.diagnosis.test_no_false_names import CASES, CATALOGUE


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
        "become 0."
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
