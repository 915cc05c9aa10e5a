"""Checks of `relative_bias`: ALiBi's slopes, and its biases. A constant in each row is allowed."""

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    expect_all_follow,
    expect_close,
    expect_independent_calls,
    expect_shape,
)
from reference.biases import alibi, alibi_of, alibi_slopes
from reference.checks.earlier import is_right

BIASES = "the biases, each minus the bias of the query's own key"
LOWEST = 0.99e9  # for a bias of −1e9 below biases that are a little below 0


def expect_slopes(submission, *numbers):
    for h in numbers:
        expect_close(submission.alibi_slopes(h), alibi_slopes(h), f"the slopes for h = {h}")


@pytest.mark.check(
    "alibi_slopes: a power of two",
    points=3,
    grades=["powers of two"],
    hints=(
        "What are the two slopes for h = 2?",
        "The first slope is 2^(−8/h). Each next slope is the slope before times 2^(−8/h).",
        "Print your exponents for h = 4: −2, −4, −6, −8.",
    ),
)
def test_powers_of_two(submission):
    expect_slopes(submission, 2, 4, 1, 8, 16)


@pytest.mark.check(
    "alibi_slopes: other numbers of heads",
    points=2,
    grades=["other numbers of heads"],
    needs=["test_powers_of_two"],
    hints=(
        "For h = 3, which slopes come from the power of two below 3?",
        "Let n be the largest power of two below h. First come all slopes for n heads. Then come "
        "the first, third, fifth … slope for 2n heads, until there are h slopes.",
        "For h = 6, print the list for 4 and the list for 8 before you join them.",
    ),
)
def test_other_numbers(submission):
    expect_slopes(submission, 3, 6, 5, 7, 12, 20)


def relative(bias, is_allowed):
    """Return each allowed bias minus the row's last allowed bias. Blocked biases become 0."""
    last = is_allowed.shape[-1] - 1 - np.argmax(is_allowed[..., ::-1], axis=-1)
    own = np.take_along_axis(bias, last[..., np.newaxis], axis=-1)
    with np.errstate(invalid="ignore"):
        return np.where(is_allowed, bias - own, 0.0)


def expect_biases(submission, note, *sizes):
    """Pass if the biases of allowed keys are right, or follow from the student's slopes."""
    cases = []
    for h, q_len, k_len in sizes:
        expected = alibi(h, q_len, k_len)
        answer = expect_shape(submission.alibi(h, q_len, k_len), expected.shape, "the biases")
        is_allowed = np.isfinite(expected)
        lost = is_allowed & ~np.isfinite(answer)
        if lost.any():
            said = "A key that is not after its query has a bias of ±∞ or NaN."
            raise Mismatch(said, "the biases", answer, expected, lost)

        def from_own(steps, h=h, q_len=q_len, k_len=k_len, is_allowed=is_allowed):
            slopes = steps.ask(lambda own, h: own.alibi_slopes(h), h)
            return relative(alibi_of(slopes, q_len, k_len), is_allowed)

        cases.append((relative(answer, is_allowed), relative(expected, is_allowed), from_own))
    expect_all_follow(cases, BIASES, note, "alibi_slopes", submission)


def expect_blocked(submission, *sizes):
    for h, q_len, k_len in sizes:
        expected = alibi(h, q_len, k_len)
        answer = expect_shape(submission.alibi(h, q_len, k_len), expected.shape, "the biases")
        is_allowed = np.isfinite(expected)
        with np.errstate(invalid="ignore"):
            largest = np.where(is_allowed, answer, -np.inf).max(axis=-1, keepdims=True)
            high = ~is_allowed & ~(answer <= largest - LOWEST)
        if high.any():
            said = "A key after its query is not blocked: its bias is neither −∞ nor −10⁹ or lower."
            raise Mismatch(said, "the biases", answer, expected, high)


@pytest.mark.check(
    "alibi: slope times distance, with one slope per head",
    points=2,
    grades=["distances"],
    hints=(
        "Which number does head 0 add to the score of the token before the query?",
        "The bias is −slope · distance. All biases of one head have the same slope. The slope "
        "does not depend on the query or the key.",
        "Compute the distances as (q_len, k_len), and give the slopes the shape (h, 1, 1).",
    ),
)
def test_distances(submission, note):
    expect_biases(submission, note, (2, 3, 3), (8, 4, 4), (4, 6, 6), (3, 3, 3), (5, 2, 2))


@pytest.mark.check(
    "alibi: −∞ for later keys",
    points=2,
    grades=["later keys"],
    hints=(
        "Which keys may the query at position 0 see?",
        "A key after its query should have the bias −∞, in every head. All other biases should "
        "be finite.",
        "np.where(distance >= 0, bias, -np.inf) keeps the biases of the keys that are not later.",
    ),
)
def test_later_keys(submission):
    expect_blocked(submission, (2, 3, 3), (4, 5, 5), (3, 2, 2))


@pytest.mark.check(
    "alibi: fewer queries than keys",
    points=2,
    grades=["fewer queries"],
    needs=["test_later_keys"],
    hints=(
        "With one query and four keys, at which position is the query?",
        "The queries are the last tokens: query i is at position k_len − q_len + i.",
        "Make an array of the positions of the queries. Its last entry should be k_len − 1.",
    ),
)
def test_fewer_queries(submission, note):
    sizes = (2, 1, 3), (4, 2, 5), (8, 3, 7), (3, 4, 6)
    expect_blocked(submission, *sizes)
    expect_biases(submission, note, *sizes)


@pytest.mark.check(
    "Other sizes, and calls that do not depend on each other",
    points=1,
    grades=["sizes", "no side effects"],
    needs=["test_later_keys"],
    hints=(
        "Which lines use a fixed size or a result of an earlier call?",
        "All sizes from 1 on are possible, and h, q_len and k_len have nothing to do with each "
        "other.",
        "Compute everything from the arguments, in each call.",
    ),
)
def test_others(submission, rng, note, grading):
    grading("sizes")
    heads = [int(h) for h in rng.choice(np.arange(9, 64), size=4, replace=False)]
    if is_right(submission, lambda s: expect_slopes(s, 4, 6)):  # one mistake costs once
        expect_slopes(submission, 64, *heads)
    grading("no side effects")
    calls = [
        ("alibi_slopes", lambda s: s.alibi_slopes(heads[0])),
        ("alibi", lambda s: s.alibi(4, 2, 6)),
    ]
    between = [lambda s: s.alibi_slopes(2), lambda s: s.alibi(4, 3, 9), lambda s: s.alibi(3, 2, 6)]
    expect_independent_calls(submission.fresh(), calls, between)
    grading("sizes")
    long = int(rng.integers(40, 90))
    sizes = (1, 1, 1), (heads[1], 7, 20), (heads[2], 12, 12), (6, 3, long), (2, long, 300)
    expect_blocked(submission, *sizes)
    expect_biases(submission, note, *sizes)
