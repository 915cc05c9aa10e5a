"""Answers that are alike stand together, and what differs in them is shown."""

import random

from autograder.classroom.marking import (
    are_near,
    differing_pieces,
    normalized_words,
    similar_groups,
    word_pairs,
)

LONG = [
    "a",
    "score",
    "is",
    "a",
    "sum",
    "of",
    "many",
    "products",
    "so",
    "its",
    "variance",
    "grows",
    "with",
    "the",
    "number",
    "of",
    "them",
]


def groups(*texts):
    return similar_groups(texts)


def test_capitals_blanks_and_punctuation_make_no_difference():
    assert groups("The variance grows.", "the  variance\ngrows", "It shrinks") == [[(0, 1)], [(2,)]]


def test_a_sign_does():
    assert groups("It is −1.", "It is 1.") == [[(0,)], [(1,)]]


def test_one_word_more_is_near_and_not_the_same():
    text = " ".join(LONG)
    assert groups(text, text.replace("grows", "never grows")) == [[(0,), (1,)]]


def test_large_groups_come_first_whatever_the_order():
    text = " ".join(LONG)
    assert groups("Something else", text, "x y z", text)[0] == [(1, 3)]


def test_empty_answers_are_alike_and_near_nothing():
    assert groups("", " \n", "word") == [[(0, 1)], [(2,)]]


def test_the_same_texts_give_the_same_groups():
    drawn = random.Random(3)
    texts = [" ".join(drawn.choices(LONG, k=20)) for _ in range(60)] + [" ".join(LONG)] * 3
    assert groups(*texts) == groups(*texts)
    assert sorted(p for g in similar_groups(texts) for places in g for p in places) == list(
        range(63)
    )


def test_what_differs_is_marked():
    assert differing_pieces("It never grows, with d_k", "it grows with d_k") == [
        ("It", False),
        ("never", True),
        ("grows, with d_k", False),
    ]
    assert ("", True) in differing_pieces("it grows", "it never grows")


def test_a_million_characters_take_no_time_to_speak_of():
    long = "word " * 200_000
    assert groups(long, long + "more")[0] == [(0,), (1,)]
    assert len(differing_pieces(long, long + "more")) == 2


def test_nothing_that_is_near_is_overlooked():
    """Against a comparison of all with all."""
    drawn = random.Random(7)
    texts = []
    for _ in range(12):
        words = drawn.choices(LONG, k=drawn.randint(8, 40))
        for _ in range(6):
            mine = list(words)
            for _ in range(drawn.randint(0, 4)):
                mine[drawn.randrange(len(mine))] = drawn.choice(["so", "never", "grows"])
            texts.append(" ".join(mine + drawn.choices(LONG, k=drawn.randint(0, 6))))
    pairs = {text: word_pairs(normalized_words(text)) for text in texts}
    for group in similar_groups(texts):
        head, *near = (texts[places[0]] for places in group)
        assert all(are_near(pairs[head], pairs[each]) for each in near)
    heads = [texts[group[0][0]] for group in similar_groups(texts)]
    order = sorted(heads, key=lambda head: (-texts.count(head), texts.index(head)))
    for number, head in enumerate(order):
        assert not any(are_near(pairs[head], pairs[other]) for other in order[number + 1 :])
    assert any(len(group) > 2 for group in similar_groups(texts))
