"""What goes wrong when words are corrected."""

import numpy as np

from autograder.diagnosis import Mistakes, Recipe
from solutions.spelling import closest, corrected, edit_distance


def words(seed, count=12):
    """Drawn words, of a to c alone, so that many are near."""
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list("abc"), size=rng.integers(1, 6))) for _ in range(count)]


def far(word):
    return lambda other: edit_distance(word, other)


DISTANCE = {
    "place-by-place": (
        "Letters are compared place by place: one that is put in moves all that follow.",
        lambda a, b: sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b)),
    ),
    "lengths-alone": ("Only the lengths are compared.", lambda a, b: abs(len(a) - len(b))),
    "letters-alone": (
        "Letters are compared as sets, without order.",
        lambda a, b: len({*a} ^ {*b}),
    ),
    "same-or-not": (
        "The result is 0 or 1; how many changes is asked for.",
        lambda a, b: int(a != b),
    ),
}
NEAREST = {
    "farthest": ("The farthest word is taken.", lambda word, known: max(known, key=far(word))),
    "last": (
        "The last of the nearest is taken.",
        lambda word, known: min(known[::-1], key=far(word)),
    ),
    "a-distance": (
        "A distance is returned, no word.",
        lambda word, known: min(map(far(word), known)),
    ),
}
TEXT = {
    "left-out": (
        "Words that are not known are left out; the nearest is to stand in their place.",
        lambda text, known: " ".join(word for word in text.split() if word in known),
    ),
    "a-list": (
        "A list of words is returned.",
        lambda t, known: [closest(w, known) for w in t.split()],
    ),
    "as-one-word": ("The text is taken for one word.", lambda text, known: closest(text, known)),
}
MISTAKES = Mistakes(
    Recipe(edit_distance, lambda draw: zip(words(draw), words(draw + 9)), DISTANCE),
    Recipe(closest, lambda draw: ((word, words(draw + 9)) for word in words(draw)), NEAREST),
    Recipe(corrected, lambda draw: ((f"{w}  cab", words(draw + 9)) for w in words(draw)), TEXT),
)
