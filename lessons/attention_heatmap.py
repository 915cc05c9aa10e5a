"""How a heat map of attention is read: along a row, from the query to the keys."""

import numpy as np

from lessons.style import BLUE, LARGE, QUIET, RED, SMALL, Card, tint

TOKENS = ("red", "car")
WEIGHTS = np.array([[0.9, 0.1], [0.4, 0.6]])
SIZE = 0.85
RIGHT = {"ha": "left", "color": RED}


def draw() -> Card:
    """The text's example, with a cell read aloud."""
    card = Card(7.5, 3.6)
    left, top = 1.75, 0.95
    card.cells(left, top, WEIGHTS, size=SIZE, most=1, fontsize=LARGE)
    for k, token in enumerate(TOKENS):
        card.text(left - 0.12, top + SIZE * (k + 0.5), token, ha="right", fontsize=LARGE)
        card.text(left + SIZE * (k + 0.5), top - 0.17, token, fontsize=LARGE)
    card.text(left + SIZE, 0.4, "keys: attending to", color=QUIET)
    card.text(0.75, top + SIZE, "queries:\nattending\nfrom", color=QUIET)
    card.outline(left, top + SIZE, 2 * SIZE, SIZE)
    card.text(left + 2 * SIZE + 0.2, top + 1.5 * SIZE, "one row: one query. It sums to 1.", **RIGHT)
    card.arrow((left + SIZE / 2, 3.05), (left + SIZE / 2, top + 1.7 * SIZE), QUIET)
    card.text(left + SIZE / 2, 3.22, "the query “car” gives the key “red” the weight 0.4")
    _colour_bar(card, 5.1, 0.55)
    return card


def _colour_bar(card: Card, x: float, y: float) -> None:
    shares = np.linspace(0, 1, 21)
    card.cells(
        x,
        y,
        [shares],
        digits=None,
        size=0.22,
        wide=0.09,
        fill=lambda _i, j: tint(BLUE, 0.75 * shares[j]),
    )
    card.text(x - 0.08, y + 0.11, "0", ha="right", fontsize=SMALL)
    card.text(x + 21 * 0.09 + 0.08, y + 0.11, "1", ha="left", fontsize=SMALL)
    card.text(x + 0.95, y + 0.42, "the colour bar: how much weight", fontsize=SMALL, color=QUIET)


FIGURES = {"attention_heatmap": draw}
