"""Checks of `spelling`."""

import pytest

from autograder.author import expect_same
from reference.spelling import closest, corrected, edit_distance

WORDS = ["", "a", "art", "cart", "cat", "card", "tract", "żar", "żal"]


@pytest.mark.check("The distance of two words", points=2, grades=["distance"])
def test_distance(submission):
    """How many letters of `cart` have to change to make it `card`?
    The fewest changes count. A letter that is put in, left out or exchanged is one change.
    For each beginning of a and of b: the least of three distances that you know, and a change.
    """
    expect_same(submission.edit_distance, edit_distance, *((a, b) for a in WORDS for b in WORDS))


@pytest.mark.check("The nearest word", points=1, grades=["nearest word"], needs=["test_distance"])
def test_closest(submission):
    """Which of `art`, `cart` and `cat` is nearest to `cat`, and which to `crt`?
    The word with the least distance is asked for; of several, the first of the list.
    min(known, key=...) gives the first of the smallest.
    """
    expect_same(submission.closest, closest, *((word, WORDS[1:]) for word in ("cat", "crt", "")))


@pytest.mark.check("A whole text", points=1, grades=["whole text"], needs=["test_closest"])
def test_text(submission):
    """Which words has a text with two blanks in a row?
    Each word is replaced by the nearest one; between two there is one blank.
    text.split() gives the words, and " ".join(...) makes one text of them.
    """
    for text in ("cat", "cad crt", "the  cart is art", ""):
        expect_same(submission.corrected, corrected, (text, WORDS[1:]), what="the text")
