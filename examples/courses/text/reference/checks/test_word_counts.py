"""Checks of `word_counts`."""

import pytest

from autograder.author import expect_equal, expect_independent_calls
from reference.words import count_words

LETTERS = list("abcde")


def ask(submission, *texts):
    for text in texts:
        expect_equal(submission.count_words(text), count_words(text), "the dict of counts")


@pytest.mark.check(
    "Words between blanks",
    points=2,
    grades=["words"],
    hints=(
        "How often does `a` come in `a b a`?",
        "Each word is a key, and its value says how often the word comes.",
        "Begin with an empty dict, and add 1 to counts.get(word, 0) for each word.",
    ),
)
def test_blanks(submission):
    ask(submission, "a", "a b a", "one two  two\nthree three three", "")


@pytest.mark.check(
    "Capitals make no difference",
    points=1,
    grades=["capitals"],
    needs=["test_blanks"],
    hints=(
        "Are `The` and `the` two words?",
        "The keys are in small letters, and one key stands for both.",
        "Turn the whole text to small letters first, with text.lower().",
    ),
)
def test_capitals(submission):
    ask(submission, "The the", "A B a", "UP Up up down")


@pytest.mark.check(
    "What stands between words",
    points=2,
    grades=["words"],
    needs=["test_blanks"],
    hints=(
        "Which key does your dict have for the last word of `Stop!`?",
        "Words are letters, with apostrophes between letters; nothing else belongs to them.",
        "re.findall with a pattern for one word finds them all; str.split keeps their commas.",
    ),
)
def test_marks(submission):
    ask(submission, "stop!", "a,b;a", "3 words, 2 words", "two-part", "a_b", "'a' 'b'")
    ask(submission, "don't", "'tis the dogs' don't", "a''b it's its")


@pytest.mark.hidden
@pytest.mark.check("Other texts", points=1, grades=["words", "no side effects"], needs=["test_blanks"])
def test_other_texts(submission, rng, grading):
    texts = [
        "".join(rng.choice([*LETTERS, *LETTERS, "A", "B", " ", " ", "'", ",", "7"], size=40))
        for _ in range(6)
    ]
    calls = [("count_words", lambda s, text=text: s.count_words(text)) for text in texts[:2]]
    grading("no side effects")
    expect_independent_calls(submission, calls)
    grading("words")
    ask(submission, *texts)
