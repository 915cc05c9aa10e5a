"""Softmax: from scores to weights, and what an axis means."""

from collections.abc import Sequence

import numpy as np

from lessons.style import BLUE, LARGE, ORANGE, QUIET, RED, SMALL, Card
from reference.attention import softmax

SCORES = [1.0, 2.0, 3.0]
MATRIX = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0]])


def weights() -> Card:
    """Scores, exponentials and weights of the text's example, as bars."""
    card = Card(7.5, 2.9)
    exponentials = np.exp(SCORES)
    rows: list[tuple[float, str, Sequence[float], float, int, str, str]] = [
        (0.55, "scores $x$", SCORES, 3.0, 0, ORANGE, "any numbers"),
        (3.0, "exponentials $e^x$", list(exponentials), 20.09, 2, ORANGE, "sum: 30.19"),
        (5.45, "weights", list(softmax(SCORES)), 1.0, 3, BLUE, "sum: 1"),
    ]
    for x, name, values, most, digits, color, below in rows:
        card.text(x + 0.75, 0.35, name, fontsize=LARGE)
        card.bars(x, 2.25, values, height=1.4, most=most, digits=digits, color=color)
        card.text(x + 0.75, 2.52, below, color=QUIET)
    for x, words in ((2.3, "exp"), (4.75, "÷ sum")):
        card.arrow((x, 1.5), (x + 0.5, 1.5))
        card.text(x + 0.22, 1.3, words, fontsize=SMALL)
    return card


def axis() -> Card:
    """The same scores, with a softmax of each row and with one of each column."""
    card = Card(7.5, 2.5)
    card.text(1.15, 0.35, "scores", fontsize=LARGE)
    card.cells(0.4, 0.75, MATRIX, digits=0, size=0.5)
    card.text(3.7, 0.35, "axis = −1", fontsize=LARGE)
    card.cells(2.95, 0.75, softmax(MATRIX), size=0.5, most=1)
    card.outline(2.95, 0.75, 1.5, 0.5)
    card.arrow((2.95, 1.9), (4.45, 1.9), RED)
    card.text(4.55, 1.0, "= 1", ha="left")
    card.text(4.55, 1.5, "= 1", ha="left")
    card.text(3.7, 2.15, "every row sums to 1", color=QUIET)
    card.text(6.35, 0.35, "axis = 0", fontsize=LARGE)
    card.cells(5.6, 0.75, softmax(MATRIX, axis=0), size=0.5, most=1)
    card.outline(5.6, 0.75, 0.5, 1.0)
    card.arrow((5.4, 0.75), (5.4, 1.75), RED)
    for j in range(3):
        card.text(5.85 + 0.5 * j, 1.9, "= 1")
    card.text(6.35, 2.15, "every column sums to 1", color=QUIET)
    return card


FIGURES = {"softmax": weights, "softmax_axis": axis}
