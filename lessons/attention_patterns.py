"""Three patterns of attention, and what a reader sees in them at a glance."""

import numpy as np

from lessons.style import LARGE, QUIET, SMALL, Card
from reference.attention import Array, softmax

SIZE = 0.4
EVEN = np.full((4, 4), 0.25)
ITSELF = softmax(3.2 * np.eye(4))
PAIRS = softmax(2.6 * np.kron(np.eye(2), np.ones((2, 2))))


def draw() -> Card:
    """Spread evenly; each at itself; two and two at each other."""
    card = Card(7.5, 3.3)
    patterns = [
        ("spread evenly", EVEN, "nobody stands out:\nentropy as large as it gets"),
        ("each at itself", ITSELF, "weight on the diagonal:\nlarge self-attention"),
        ("two and two", PAIRS, "blocks: alike ones\nlook at each other"),
    ]
    for k, (name, weights, said) in enumerate(patterns):
        _pattern(card, 0.55 + 2.4 * k, name, weights, said)
    card.text(3.75, 3.05, "rows: queries, columns: keys", fontsize=SMALL, color=QUIET)
    return card


def _pattern(card: Card, x: float, name: str, weights: Array, said: str) -> None:
    middle = x + 2 * SIZE
    card.text(middle, 0.3, name, fontsize=LARGE)
    card.cells(x, 0.6, weights, size=SIZE, most=1)
    card.text(middle, 2.62, said, color=QUIET, fontsize=SMALL + 0.5)


FIGURES = {"attention_patterns": draw}
