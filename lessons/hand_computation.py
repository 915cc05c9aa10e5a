"""Attention by hand: one query, from its scores to its output, in four steps."""

import numpy as np

from lessons.style import CELL, LARGE, QUIET, SMALL, Card
from reference.attention import softmax

KEYS = np.array([[1.0, 0.0], [0.0, 2.0]])
VALUES = np.array([[6.0, 0.0], [0.0, 3.0]])


def draw() -> Card:
    """The example of the text, with values for its last step."""
    card = Card(7.5, 2.75)
    query = np.array([[1.0, 2.0]])
    scores = query @ KEYS.T
    scaled = scores / np.sqrt(2)
    weights = softmax(scaled)
    top = 1.0
    steps = [
        (0.3, "query $q$", query, 0),
        (1.95, "scores", scores, 0),
        (3.35, "scaled", scaled, 2),
        (4.75, "weights", weights, 2),
        (6.35, "output", weights @ VALUES, 2),
    ]
    for x, name, values, digits in steps:
        card.text(x + CELL, top - 0.25, name, fontsize=LARGE)
        card.cells(x, top, values, digits=digits, most=4)
    said = [
        (1.14, 1.95, "meets\nthe keys"),
        (2.79, 3.35, "÷ √2"),
        (4.19, 4.75, "softmax"),
        (5.59, 6.35, "times\nthe values"),
    ]
    for start, end, words in said:
        card.arrow((start + 0.08, top + CELL / 2), (end - 0.08, top + CELL / 2))
        card.text((start + end) / 2, top - 0.28, words, fontsize=SMALL, color=QUIET)
    _beside(card, 1.13, "keys", KEYS)
    _beside(card, 5.55, "values", VALUES)
    card.text(3.75, 0.3, "One query, two keys: every step is a row of numbers", color=QUIET)
    return card


def _beside(card: Card, x: float, name: str, values: np.ndarray) -> None:
    """A matrix that joins at an arrow from below."""
    card.cells(x, 1.75, values, digits=0, most=8, size=0.36)
    card.arrow((x + 0.36, 1.72), (x + 0.36, 1.3))
    card.text(x - 0.08, 2.1, name, ha="right", fontsize=SMALL)


FIGURES = {"hand_computation": draw}
