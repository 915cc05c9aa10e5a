"""The question of “it”: every word might be meant, and the figure does not say which."""

from lessons.style import BLUE, LARGE, ORANGE, QUIET, Card, tint

WORDS = ("The", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too")
ENDS = ("tired", "wide")


def draw() -> Card:
    """One query, all other words as keys, and two ways for the sentence to end."""
    card = Card(7.5, 2.9)
    y, left = 1.75, 0.2
    places: dict[int, float] = {}
    for word in WORDS:
        wide = 0.2 + 0.075 * len(word)
        color = tint(ORANGE, 0.5) if word == "it" else tint(BLUE, 0.2)
        card.box(left, y, wide, 0.4, word, facecolor=color, edgecolor=QUIET)
        places[len(places)] = left + wide / 2
        left += wide + 0.07
    card.box(left, y - 0.25, 0.6, 0.4, ENDS[0], facecolor="white")
    card.box(left, y + 0.25, 0.6, 0.4, ENDS[1], facecolor="white")
    asking = WORDS.index("it")
    places[len(WORDS)] = left + 0.3
    for k in set(places) - {asking}:
        bend = {"connectionstyle": f"arc3,rad={0.3 if k < asking else -0.45}", "linestyle": "--"}
        height = y - 0.28 if k == len(WORDS) else y - 0.03
        card.arrow((places[asking], y - 0.03), (places[k], height), **bend)
    card.text(3.75, 0.4, "“it” meets every word: how much weight on each?", fontsize=LARGE)
    card.text(3.75, 2.6, "And what changes with the last word?", color=QUIET)
    return card


FIGURES = {"reflection": draw}
