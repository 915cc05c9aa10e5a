"""Text for sentences."""

from autograder.course.text import are, capital


def test_a_name_keeps_its_letters_and_is_one_thing():
    assert capital("a_scores") == "a_scores" and are("a_scores") == "is"
    assert capital("the scores") == "The scores" and are("the scores") == "are"
