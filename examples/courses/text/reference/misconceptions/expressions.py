"""What goes wrong in a small parser."""

import re

from autograder.author import Family, Mistakes, Recipe, Trait
from reference.expressions import STRENGTH, parse, split_tokens, tree

TOKENS = (
    "How many tokens are there in `12 + 3`?",
    "Three: digits that stand together are one number, and blanks are no tokens.",
    r"\d+ takes all digits of a number; a blank fits nothing in the pattern.",
)
BINDING = (
    "Which sign of `1 + 2 * 3` is done last, and where in the tree is it?",
    "* and / bind more than + and −, so they stand lower in the tree.",
    "A sum asks for products, and a product asks for numbers and brackets.",
)
ORDER = (
    "What is 8 − 3 − 2?",
    "What binds equally goes from left to right: the tree so far is the left part of the next.",
    "Use a loop that grows the tree; a function that asks itself for the rest goes from the right.",
)

SPLIT = (
    Family(
        split_tokens,
        TOKENS,
        {
            "digit-by-digit": (
                "Numbers of several digits are taken apart into their digits.",
                lambda text: re.findall(r"\d|[+\-*/()]", text),
            ),
            "blanks-kept": (
                "Blanks are among the tokens.",
                lambda text: re.findall(r"\d+|[+\-*/()\s]", text),
            ),
            "split-at-blanks": (
                "The text is cut at blanks alone: signs without blanks around them stay with a "
                "number.",
                str.split,
            ),
            "brackets-left-out": (
                "The brackets are not among the tokens.",
                lambda text: re.findall(r"\d+|[+\-*/]", text),
            ),
        },
    ),
)
PARSE = (
    Family(
        "strength",
        BINDING,
        {
            "no-precedence": (
                "All signs bind equally: the tree goes from left to right, whatever the sign.",
                lambda s: dict.fromkeys(STRENGTH, 1),
            ),
            "sums-bind-more": (
                "+ and − bind more than * and / here; it is the other way round.",
                lambda s: {sign: 3 - value for sign, value in STRENGTH.items()},
            ),
        },
    ),
    Family(
        "leftmost_first",
        ORDER,
        {
            "from-the-right": (
                "What binds equally is read from the right: 8 − 3 − 2 as 8 − (3 − 2).",
                lambda s: False,
            ),
        },
    ),
    Family(
        "number",
        (
            "Of which type are the numbers in your tree?",
            "A token is a string; the tree has whole numbers.",
            "int(token) makes a number of it.",
        ),
        {
            "numbers-as-texts": (
                "The numbers in the tree are texts: '1' in place of 1.",
                lambda s: str,
            ),
        },
    ),
)
TEXTS = ("7", "12+3", " 8 - 3 - 2", "1 + 2 * 3", "1 * 2 + 3", "(1 + 2) * 3", "2 * (3 - (4 - 5))")


def _probes(rng):
    def one():
        numbers, signs = rng.integers(1, 30, size=4), rng.choice(list("+-*/"), size=3)
        return "{} {}{} {} ({} {} {})".format(
            numbers[0], signs[0], numbers[1], signs[1], numbers[2], signs[2], numbers[3]
        )

    return [(text,) for text in (*TEXTS, *(one() for _ in range(6)))]


MISTAKES = Mistakes(
    Recipe(
        split_tokens,
        _probes,
        SPLIT,
        traits=(Trait(lambda s: "(" in s.text, "with brackets", "without brackets"),),
    ),
    Recipe(
        parse,
        _probes,
        PARSE,
        steps={
            "tokens": lambda s: split_tokens(s.text),
            "strength": lambda s: STRENGTH,
            "leftmost_first": lambda s: True,
            "number": lambda s: int,
            "tree": lambda s: tree(s.tokens, s.strength, s.leftmost_first, s.number),
        },
        traits=(Trait(lambda s: "(" in s.text, "with brackets", "without brackets"),),
    ),
)
