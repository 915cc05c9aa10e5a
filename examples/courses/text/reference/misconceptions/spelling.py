"""What goes wrong when words are corrected."""

from autograder.author import Mistakes, Recipe
from solutions.spelling import closest, corrected, edit_distance


def words(rng):
    """Words of a to c alone, so that many are near."""
    return ["".join(rng.choice(list("abc"), size=rng.integers(1, 6))) for _ in range(12)]


def far(word):
    return lambda other: edit_distance(word, other)


DISTANCE = {
    "by-place": ("Letters are compared place by place.", lambda a, b: sum(map(str.__ne__, a, b))),
    "lengths-alone": ("Only the lengths are compared.", lambda a, b: abs(len(a) - len(b))),
    "letters-alone": ("Letters are compared as sets.", lambda a, b: len({*a} ^ {*b})),
    "same-or-not": ("The result only says whether they differ.", lambda a, b: int(a != b)),
}
NEAREST = {
    "farthest": ("The farthest word is taken.", lambda word, known: max(known, key=far(word))),
    "last": ("Of several, the last is taken.", lambda word, known: min(known[::-1], key=far(word))),
    "a-distance": ("A distance is returned.", lambda word, known: min(map(far(word), known))),
}
TEXT = {
    "left-out": ("Unknown words are left out.", lambda t, k: " ".join(filter(k.count, t.split()))),
    "a-list": ("A list of words is returned.", lambda t, k: [closest(w, k) for w in t.split()]),
    "as-one-word": ("The text is taken for one word.", lambda text, known: closest(text, known)),
}
MISTAKES = Mistakes(
    Recipe(edit_distance, lambda rng: zip(words(rng), words(rng)), DISTANCE),
    Recipe(closest, lambda rng: ((word, words(rng)) for word in words(rng)), NEAREST),
    Recipe(corrected, lambda rng: ((f"{word}  cab", words(rng)) for word in words(rng)), TEXT),
)
