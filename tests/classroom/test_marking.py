"""Answers with the same words are marked together."""

from autograder.classroom.marking import same_words


def test_capitals_blanks_and_punctuation_make_no_difference():
    texts = "It shrinks", "The variance grows.", "the  variance\ngrows"
    assert same_words(texts) == [[1, 2], [0]]


def test_a_sign_does():
    assert same_words(["It is −1.", "It is 1."]) == [[0], [1]]


def test_empty_answers_are_alike():
    assert same_words(["", " \n", "word"]) == [[0, 1], [2]]
