"""Heads of queries that share kv heads; a causal mask beside the mask of a window."""

import numpy as np

from lessons.style import BLUE, INK, LARGE, ORANGE, QUIET, SMALL, Card, tint
from reference.grouped import group_of, window_mask

HEADS, KV_HEADS = 6, 2
TOKENS, WINDOW = 6, 3
SIZE = 0.28
TOP = 0.8


def draw() -> Card:
    """Lines from heads to kv heads, and two masks."""
    card = Card(7.5, 3.1)
    _groups(card)
    for x, w, said in ((3.55, TOKENS, "causal mask"), (5.6, WINDOW, "window of 3")):
        middle = x + TOKENS * SIZE / 2
        card.text(middle, 0.3, said, fontsize=LARGE)
        seen = window_mask(TOKENS, w)
        card.hatched(
            x, TOP, np.ones((TOKENS, TOKENS)), seen, size=SIZE, digits=None, fill=lambda *_: BLUE
        )
        for i in range(TOKENS):
            card.text(x + SIZE * (i + 0.5), TOP - 0.12, str(i), fontsize=SMALL, color=QUIET)
            card.text(x - 0.1, TOP + SIZE * (i + 0.5), str(i), fontsize=SMALL, color=QUIET)
        card.text(middle, 2.75, "query ↓   key →", color=QUIET)
    return card


def _groups(card: Card) -> None:
    """Boxes for heads and kv heads, with a line from each head to its kv head."""
    card.text(1.6, 0.3, "heads share kv heads", fontsize=LARGE)
    card.text(1.6, 0.62, "queries", color=QUIET)
    card.text(1.6, 2.75, "keys and values", color=QUIET)
    places = [0.3 + 0.46 * head for head in range(HEADS)]
    for head, kv_head in enumerate(group_of(HEADS, KV_HEADS)):
        color = tint((BLUE, ORANGE)[kv_head], 0.4)
        middle = places[3 * kv_head + 1] + 0.16
        card.line([places[head] + 0.16, middle], [1.15, 2.1], color=INK)
        card.box(places[head], 0.83, 0.32, 0.32, str(head), facecolor=color)
        if not head % 3:
            card.box(middle - 0.16, 2.1, 0.32, 0.32, str(kv_head), facecolor=color)


FIGURES = {"grouped_queries": draw}
