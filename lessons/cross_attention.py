"""Cross-attention as a diagram, and made-up weights of a translation."""

import numpy as np

from lessons.style import BLUE, LARGE, ORANGE, QUIET, SMALL, Card, tint

SOURCE = ("ich", "habe", "den", "Hund", "gesehen")
TARGET = ("I", "saw", "the", "dog")
WEIGHTS = np.array(
    [
        [0.80, 0.10, 0.02, 0.03, 0.05],
        [0.05, 0.20, 0.02, 0.03, 0.70],
        [0.02, 0.03, 0.85, 0.08, 0.02],
        [0.02, 0.02, 0.10, 0.80, 0.06],
    ]
)
SIZE = 0.34


def draw() -> Card:
    """Queries from the target, keys and values from the memory; then a heat map."""
    card = Card(7.5, 3.2)
    card.text(1.8, 0.3, "the target asks, the memory answers", fontsize=LARGE)
    _tokens(card, 0.75, 0.85, "target x", 2, BLUE)
    _tokens(card, 0.75, 1.95, "memory", 3, ORANGE)
    for y, word, said, color in (
        (0.95, "$W_q$", "queries", BLUE),
        (1.75, "$W_k$", "keys", ORANGE),
        (2.45, "$W_v$", "values", ORANGE),
    ):
        card.box(1.3, y - 0.16, 0.45, 0.32, word, facecolor=tint(color, 0.3))
        card.arrow((0.95, y if y < 1.5 else 2.1), (1.27, y))
        card.arrow((1.78, y), (2.02, y))
        card.text(2.32, y, said, fontsize=SMALL)
    x, y = 2.75, 1.05
    allowed = np.array([[True, True, False]] * 2)
    card.hatched(x, y, [[0.27, 0.73, 0.0], [0.12, 0.88, 0.0]], allowed, size=SIZE, fontsize=7)
    card.text(x + 1.5 * SIZE, y - 0.2, "weights", fontsize=SMALL)
    card.text(x + 2.5 * SIZE, y + 2 * SIZE + 0.15, "padding", fontsize=SMALL, color=QUIET)
    card.arrow((x - 0.17, 1.0), (x - 0.03, y + 0.5 * SIZE))
    card.arrow((x - 0.26, 1.72), (x - 0.03, y + 1.5 * SIZE))
    card.text(2.0, 2.9, "output = weights · values · $W_o$")
    left, top, wide, tall = 4.45, 0.95, 0.57, 0.4
    card.text(left + 2.5 * wide, 0.3, "made-up weights", fontsize=LARGE)
    card.cells(left, top, WEIGHTS, size=tall, wide=wide, most=1.0)
    for i, token in enumerate(TARGET):
        card.text(left - 0.08, top + tall * (i + 0.5), token, ha="right")
    for j, token in enumerate(SOURCE):
        card.text(left + wide * (j + 0.5), top - 0.18, token, fontsize=SMALL)
    card.outline(left + 4 * wide, top + tall, wide, tall)
    card.text(left + 2.5 * wide, top + 4 * tall + 0.25, "target ↓   source →", color=QUIET)
    return card


def _tokens(card: Card, right: float, top: float, said: str, count: int, color: str) -> None:
    """Boxes for the tokens of a text, one below the other."""
    card.text(right - 0.25, top - 0.18, said, fontsize=SMALL)
    for k in range(count):
        last = color == ORANGE and k == count - 1
        look = {"hatch": "///", "edgecolor": QUIET} if last else {}
        card.box(right - 0.45, top + 0.22 * k, 0.5, 0.17, facecolor=tint(color, 0.3), **look)


FIGURES = {"cross_attention": draw}
