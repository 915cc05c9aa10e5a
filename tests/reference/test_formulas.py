"""Messages of `formulas` are sentences, whatever their beginning is."""

import pytest

from reference.misconceptions.formulas import formulas


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("The divisor is", "The divisor is 1. It should be √d."),
        ("The divisors are", "The divisors are 1. They should be √d."),
        ("The scores are divided by", "The scores are divided by 1, instead of √d."),
    ],
)
def test_a_message_fits_its_beginning(start, message):
    (mistake,) = formulas("scaled", start, "√d", ("no-divisor", "1", abs)).misconceptions
    assert mistake.finding == message
