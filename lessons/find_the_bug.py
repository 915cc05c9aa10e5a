"""A test finds a fault only by an input for which right and wrong differ."""

import numpy as np

from lessons.style import LARGE, QUIET, RED, SMALL, Card

DARK_GREEN = "#00694c"
INPUTS = (
    (
        np.full((2, 2), 4.0),
        "says nothing",
        RED,
        "4, 4 and 4.0: np.allclose sees no difference, and the fault stays hidden",
    ),
    (
        np.array([[1.0, 3.0], [5.0, 9.0]]),
        "tells them apart",
        DARK_GREEN,
        "2, 7 is right; 4.5 is not",
    ),
)


def draw() -> Card:
    """The mean of each row, and a broken one that takes the mean of everything."""
    card = Card(7.5, 3.7)
    for x, name in (
        (1.0, "an input"),
        (3.05, "right:\nmean of each row"),
        (5.2, "broken:\nmean of all"),
    ):
        card.text(x, 0.4, name, fontsize=LARGE - 1)
    for k, (values, verdict, color, said) in enumerate(INPUTS):
        y = 0.85 + 1.45 * k
        card.cells(0.58, y, values, digits=0, most=9)
        card.arrow((1.6, y + 0.42), (2.5, y + 0.42))
        card.cells(2.75, y, values.mean(axis=1)[:, None], digits=0, most=9, wide=0.6)
        card.text(4.1, y + 0.42, "=" if k == 0 else "≠", fontsize=18, color=color)
        card.cells(4.9, y + 0.21, [[values.mean()]], digits=1, most=9, wide=0.6)
        card.text(6.6, y + 0.42, verdict, color=color)
        card.text(3.75, y + 1.05, said, color=QUIET, fontsize=SMALL)
    return card


FIGURES = {"find_the_bug": draw}
