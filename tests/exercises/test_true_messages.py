"""Messages of the exercises are true of code that the authors did not have in mind."""

import pytest

from autograder.report.presentation import opening
from tests.conftest import ROOT


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
