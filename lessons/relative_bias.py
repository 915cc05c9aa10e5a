"""Biases by distance: for all queries, for new queries only, and the weights that follow."""

import numpy as np

from lessons.style import LARGE, QUIET, SMALL, Card
from reference.attention import softmax
from reference.biases import alibi

HEADS, KEYS = 4, 8
SIZE = 0.44
TOP = 0.85


def draw() -> Card:
    """Biases of the first head, twice, and the last token's weights in each head."""
    card = Card(7.5, 3.1)
    for x, queries, said in ((0.35, 4, "4 queries, 4 keys"), (2.45, 2, "2 new queries")):
        card.text(x + 2 * SIZE, 0.3, said, fontsize=LARGE)
        bias = alibi(HEADS, queries, 4)[0]
        top = TOP + SIZE * (4 - queries)
        card.hatched(x, top, bias, np.isfinite(bias), size=SIZE, most=1.0)
        card.text(x + 2 * SIZE, 2.8, "query ↓   key →", color=QUIET)
    card.text(1.23, 0.6, "slope 1/4", color=QUIET)
    card.text(3.33, 0.6, "slope 1/4", color=QUIET)
    weights = softmax(alibi(HEADS, 1, KEYS))[:, 0]
    x, wide = 4.95, 0.3
    card.text(x + KEYS * wide / 2, 0.3, "weights of the last token", fontsize=LARGE)
    card.text(x + KEYS * wide / 2, 0.6, "8 keys, equal scores", color=QUIET)
    card.cells(x, TOP, weights, size=SIZE, wide=wide, fontsize=6.5, most=0.3)
    for head, slope in enumerate(("1/4", "1/16", "1/64", "1/256")):
        card.text(x - 0.06, TOP + SIZE * (head + 0.5), slope, ha="right", fontsize=SMALL)
    card.text(x + KEYS * wide / 2, 2.8, "slope ↓   key →", color=QUIET)
    return card


FIGURES = {"relative_bias": draw}
