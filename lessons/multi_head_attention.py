"""Several heads: each has weights of its own, and what they gather is put side by side."""

import numpy as np

from lessons.style import HEADS, LARGE, PURPLE, QUIET, SMALL, Card, tint
from reference.attention import Array, softmax

WORDS = ("the", "cat", "we", "saw", "sleeps")
NEAR = softmax(2.2 * (np.eye(5, k=-1) + np.diag([1.0, 0, 0, 0, 0])))
FAR = softmax(2.4 * np.array([[1, 0, 0, 0, 0]] + [[0, 1, 0, 0, 0]] * 4))
SIZE = 0.3


def draw() -> Card:
    """Two heads on one sentence, merged and mixed by W_o."""
    card = Card(7.5, 4.25)
    card.text(0.85, 3.12, "features,\nin slices", color=QUIET)
    _slices(card, 0.35, 1.35)
    for head, (weights, said) in enumerate(((NEAR, "the token before"), (FAR, "the subject"))):
        _head(card, head, 0.6 + 1.95 * head, weights, said)
    _slices(card, 5.2, 1.35)
    card.text(5.7, 1.12, "merged", fontsize=LARGE)
    card.text(5.7, 3.08, "side by side,\nnot added up", color=QUIET, fontsize=SMALL)
    card.arrow((6.27, 2.1), (6.5, 2.1))
    card.box(6.55, 1.85, 0.6, 0.5, "$W_o$", facecolor=tint(PURPLE, 0.45))
    return card


def _head(card: Card, head: int, y: float, weights: Array, said: str) -> None:
    color = HEADS[head]
    card.arrow((1.42, 2.1), (2.35, y + 0.75), color)

    def shade(i: int, j: int) -> str:
        return tint(color, 0.85 * float(weights[i, j]))

    card.cells(2.95, y, weights, digits=None, size=SIZE, fill=shade)
    for i, word in enumerate(WORDS):
        card.text(2.9, y + SIZE * (i + 0.5), word, ha="right", fontsize=7)
    card.text(3.7, y - 0.14, f"weights of head {head}: {said}", fontsize=SMALL)
    card.arrow((4.5, y + 0.75), (5.13, 2.1), color)


def _slices(card: Card, x: float, y: float) -> None:
    """Five words with four features, in the colours of two heads."""

    def shade(_i: int, j: int) -> str:
        return tint(HEADS[j // 2], 0.35)

    card.cells(x, y, np.ones((5, 4)), digits=None, size=SIZE, wide=0.25, fill=shade)


FIGURES = {"multi_head_attention": draw}
