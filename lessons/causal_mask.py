"""The causal mask: what is blocked, where it acts, and what the softmax makes of the rest."""

import numpy as np

from lessons.style import LARGE, LINE, QUIET, SMALL, Card, tint
from reference.attention import block, softmax
from reference.masks import causal_mask

WORDS = ("the", "cat", "sat", "down")
SCORES = np.array([[1, 2, 0, 3], [2, 1, 3, 0], [0, 1, 2, 3], [1, 0, 2, 1.0]])
SIZE = 0.42


def draw() -> Card:
    """Scores, the same with the future blocked, and their weights."""
    card = Card(7.5, 3.1)
    mask = causal_mask(len(WORDS))
    weights = softmax(block(SCORES, mask))
    card.text(1.65, 0.3, "scores", fontsize=LARGE)
    card.cells(0.8, 0.85, SCORES, digits=0, size=SIZE)
    card.text(4.0, 0.3, "the future blocked", fontsize=LARGE)
    _cells_and_gaps(card, 3.16, SCORES, mask, 0, 3.0)
    card.text(6.35, 0.3, "weights", fontsize=LARGE)
    _cells_and_gaps(card, 5.5, weights, mask, 2, 1.0)
    for start, words in ((2.6, "mask"), (4.95, "softmax")):
        card.arrow((start, 1.69), (start + 0.45, 1.69))
        card.text(start + 0.22, 1.5, words, fontsize=SMALL)
    for i, word in enumerate(WORDS):
        card.text(0.72, 1.06 + i * SIZE, word, ha="right", fontsize=SMALL)
        card.text(0.8 + SIZE * (i + 0.5), 0.72, word, fontsize=SMALL)
    card.text(6.35, 2.75, "each row still sums to 1", color=QUIET)
    card.text(4.0, 2.75, "hatched: may not be seen", color=QUIET)
    card.text(1.65, 2.75, "query ↓   key →", color=QUIET)
    return card


def _cells_and_gaps(
    card: Card, x: float, values: np.ndarray, mask: np.ndarray, digits: int, most: float
) -> None:
    """The values where the mask allows, and hatched cells elsewhere."""
    from matplotlib.patches import Rectangle

    card.cells(x, 0.85, np.where(mask, values, np.nan), digits=digits, size=SIZE, most=most)
    grey = tint(QUIET, 0.12)
    for i, j in np.argwhere(~mask):
        place = x + j * SIZE, 0.85 + i * SIZE
        card.axes.add_patch(
            Rectangle(place, SIZE, SIZE, facecolor=grey, edgecolor=LINE, hatch="///", lw=0.8)
        )


FIGURES = {"causal_mask": draw}
