"""What goes wrong when words are counted."""

import re

from autograder.author import Family, Mistakes, Recipe, Trait
from reference.words import count_words, counted, lowered, words_of

FAMILIES = (
    Family(
        "lowered",
        (
            "Are `The` and `the` two words?",
            "One key in small letters stands for a word, however it is written.",
            "Call lower() on the text before you look for words.",
        ),
        {
            "capitals-kept": (
                "Words with a capital are counted apart from the same words without.",
                lambda s: s.text,
            ),
        },
    ),
    Family(
        "words",
        (
            "What is a word here, and what is none of it?",
            "A word is a run of letters, with apostrophes only between letters.",
            "Look at the pattern, or at what you split the text at, letter by letter.",
        ),
        {
            "split-at-blanks": (
                "The text is cut at blanks alone: commas and the like stay with their words.",
                lambda s: s.lowered.split(),
            ),
            "apostrophes-cut": (
                "Words are cut at apostrophes: `don't` is counted as `don` and `t`.",
                lambda s: re.findall(r"[A-Za-z]+", s.lowered),
            ),
            "apostrophes-around": (
                "Apostrophes before and after a word are taken for a part of it.",
                lambda s: re.findall(r"[A-Za-z']+", s.lowered),
            ),
        },
    ),
    Family(
        "words",
        (
            "What are the keys of your dict: words or letters?",
            "A string is a row of letters: a loop over it gives one letter at a time.",
            "Make a list of the words first, and loop over that list.",
        ),
        {
            "letters-counted": (
                "Letters are counted in place of words.",
                lambda s: [letter for word in words_of(s.lowered) for letter in word],
            ),
        },
    ),
    Family(
        "counts",
        (
            "What does your dict say of `a` in `a b a`?",
            "A word that comes again has to add to what is there.",
            "counts[word] = 1 forgets the count before; counts.get(word, 0) + 1 adds to it.",
        ),
        {
            "each-once": (
                "Every word is counted once, however often it comes.",
                lambda s: {word: 1 for word in s.words},
            ),
        },
    ),
)
TEXTS = ("", "a", "a b a", "The the", "stop!", "Don't stop, don't!", "'so' it's", "a,b A,b")


def _probes(rng):
    drawn = ["".join(rng.choice(list("abAB  ',"), size=12)) for _ in range(8)]
    return [(text,) for text in (*TEXTS, *drawn)]


MISTAKES = Mistakes(
    Recipe(
        count_words,
        _probes,
        FAMILIES,
        steps={
            "lowered": lambda s: lowered(s.text),
            "words": lambda s: words_of(s.lowered),
            "counts": lambda s: counted(s.words),
        },
        traits=(
            Trait(lambda s: s.text != s.text.lower(), "with capitals", "without capitals"),
            Trait(lambda s: "'" in s.text, "with an apostrophe", "without an apostrophe"),
        ),
    ),
)
