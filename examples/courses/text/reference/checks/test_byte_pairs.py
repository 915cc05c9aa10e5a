"""Checks of `byte_pairs`."""

import pytest

from autograder.author import expect_equal, expect_independent_calls
from reference.pairs import learn_merges, merge, most_frequent_pair


def drawn(rng, length):
    return "".join(rng.choice(list("aab"), size=length))


@pytest.mark.check(
    "The pair that comes most often",
    points=3,
    grades=["most frequent pair"],
    hints=(
        "Which pairs of neighbours are there in `abab`?",
        "Three: a b, b a and a b. Each token but the last begins one.",
        "zip(tokens, tokens[1:]) gives the pairs; max with key= finds the first of the largest.",
    ),
)
def test_pair(submission, rng):
    for tokens in ("ab", "abab", "abcbc", "bab", "aaab", "abcd", drawn(rng, 12), drawn(rng, 30)):
        answer = submission.most_frequent_pair(list(tokens))
        expect_equal(answer, most_frequent_pair(list(tokens)), "the pair", any_row=True)
    longer = ["lo", "w", " ", "lo", "w", "er"]
    expect_equal(submission.most_frequent_pair(longer), ["lo", "w"], "the pair", any_row=True)


@pytest.mark.check(
    "One token in place of two",
    points=3,
    grades=["merging", "no side effects"],
    hints=(
        "How many tokens does `aaa` have once `a a` is merged?",
        "Two: `aa` and `a`. What is merged is used up, and cannot be merged again.",
        "Go from left to right, and skip the second token of each pair that you merge.",
    ),
)
def test_merge(submission, rng, grading):
    cases = [("ab", "ab"), ("abab", "ab"), ("aaa", "aa"), ("abba", "ab"), ("b", "ab"), ("", "ab")]
    cases += [(drawn(rng, 20), pair) for pair in ("ab", "aa", "ba")]
    for tokens, pair in cases:
        given = list(tokens)
        answer, (after, _) = submission.merge.with_arguments(given, tuple(pair))
        grading("merging")
        expect_equal(answer, merge(given, tuple(pair)), "the list of tokens", any_row=True)
        grading("no side effects")
        expect_equal(after, given, "the argument tokens after the call", any_row=True)


@pytest.mark.check(
    "Pair after pair",
    points=4,
    grades=["learning"],
    needs=["test_pair", "test_merge"],
    hints=(
        "Which pairs are there after the first merge?",
        "Each round counts anew, in the tokens that the round before has left.",
        "Loop: find the pair, note it, merge it; stop after `count` rounds or at one token.",
    ),
)
def test_learn(submission, rng):
    cases = [("ab", 1), ("abab", 2), ("abab", 9), ("aaaa", 3), ("a", 2), ("", 1), ("abc", 0)]
    for text, count in [*cases, ("low lower lowest", 3), (drawn(rng, 25), 5)]:
        answer = submission.learn_merges(text, count)
        expect_equal(answer, learn_merges(text, count), "the list of pairs", any_row=True)


@pytest.mark.hidden
@pytest.mark.check("Other texts", points=2, grades=["learning", "no side effects"], needs=["test_learn"])
def test_other_texts(submission, rng, grading):
    one, other = drawn(rng, 15), drawn(rng, 15)
    calls = [
        ("learn_merges", lambda s: s.learn_merges(one, 3)),
        ("merge", lambda s: s.merge(list(other), ("a", "b"))),
    ]
    grading("no side effects")
    expect_independent_calls(submission, calls)
    grading("learning")
    for _ in range(4):
        text, count = drawn(rng, 30), int(rng.integers(2, 8))
        expect_equal(submission.learn_merges(text, count), learn_merges(text, count), "the list", any_row=True)
