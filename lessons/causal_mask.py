"""The causal mask: what is blocked, where it acts, and what the softmax makes of the rest."""

import numpy as np

from lessons.style import LARGE, QUIET, SMALL, Card
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
    card.hatched(3.16, 0.85, SCORES, mask, digits=0, size=SIZE, most=3.0)
    card.text(6.35, 0.3, "weights", fontsize=LARGE)
    card.hatched(5.5, 0.85, weights, mask, size=SIZE, most=1.0)
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


FIGURES = {"causal_mask": draw}
