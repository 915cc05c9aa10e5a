"""Checks of `expressions`."""

import pytest

from autograder.author import expect_equal, expect_error, expect_independent_calls
from reference.expressions import parse, split_tokens

SIGNS = list("+-*/")


def ask(submission, *texts):
    for text in texts:
        expect_equal(submission.parse(text), parse(text), "the tree", any_row=True)


def drawn(rng, numbers):
    """An expression of so many numbers, with brackets here and there."""
    if numbers == 1:
        return str(rng.integers(20))
    first = int(rng.integers(1, numbers))
    text = f"{drawn(rng, first)} {rng.choice(SIGNS)} {drawn(rng, numbers - first)}"
    return f"({text})" if rng.random() < 0.4 else text


@pytest.mark.check(
    "Numbers, signs and brackets apart",
    points=2,
    grades=["tokens"],
    hints=(
        "How many tokens are there in `12 + 3`?",
        "Three: digits that stand together are one number, and blanks are no tokens.",
        r"re.findall with \d+ for a number, or one of the signs and brackets.",
    ),
)
def test_tokens(submission):
    for text in ("1", "12", "1+2", " 12 * 3", "(1-20)/3", "", "))("):
        expect_equal(submission.split_tokens(text), split_tokens(text), "the list of tokens", any_row=True)


@pytest.mark.check(
    "Other characters are refused",
    points=1,
    grades=["errors"],
    needs=["test_tokens"],
    hints=(
        "What does your function do with a letter?",
        "Whatever is no number, sign, bracket or blank is a ValueError.",
        "Look for such a character first, and raise ValueError where there is one.",
    ),
)
def test_refused(submission):
    for text in ("a", "1 + x", "2 ^ 3", "1.5"):
        expect_error(submission.split_tokens, text, type="ValueError")


@pytest.mark.check(
    "One sign, and several that bind equally",
    points=3,
    grades=["order"],
    needs=["test_tokens"],
    hints=(
        "Which two numbers does `8 - 3 - 2` take apart first?",
        "From left to right: what is done so far is the left side of the next sign.",
        "Keep the tree so far, and in a loop make it the left part of a new one.",
    ),
)
def test_chains(submission):
    ask(submission, "7", "1 + 2", "2*30", "8 - 3 - 2", "8/4/2*3", "1-2+3-4")


@pytest.mark.check(
    "Products before sums, and brackets before both",
    points=3,
    grades=["order"],
    needs=["test_chains"],
    hints=(
        "Which sign of `1 + 2 * 3` is at the top of the tree?",
        "The one that is done last: the + here, since * binds more.",
        "One function for sums, which asks one for products, which asks one for a number or a "
        "bracket.",
    ),
)
def test_strength(submission):
    ask(submission, "1 + 2 * 3", "1 * 2 + 3", "1 - 6 / 2 - 3", "(1 + 2) * 3", "2 * (3 - (4 - 5))")


@pytest.mark.check(
    "What is no expression is refused",
    points=1,
    grades=["errors"],
    needs=["test_chains"],
    hints=(
        "What is left of `1 2` when the first number is read?",
        "Each sign has something on both sides, each bracket a partner, and nothing is left over.",
        "Raise ValueError where a number is missing, and where tokens are left at the end.",
    ),
)
def test_no_expression(submission):
    for text in ("", "1 +", "1 2", "(1", "(1 2", "(1(", "1)", "()", "* 2", "1 - - 2"):
        expect_error(submission.parse, text, type="ValueError")


@pytest.mark.hidden
@pytest.mark.check("Other expressions", points=2, grades=["order", "no side effects"], needs=["test_chains"])
def test_other_expressions(submission, rng, grading):
    texts = [drawn(rng, 6) for _ in range(8)]
    calls = [("parse", lambda s, text=text: s.parse(text)) for text in texts[:2]]
    grading("no side effects")
    expect_independent_calls(submission, calls)
    grading("order")
    ask(submission, *texts)
