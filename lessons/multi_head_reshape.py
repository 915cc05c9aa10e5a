"""How features go to heads: cut the last axis, then move the heads in front."""

import numpy as np

from lessons.style import HEADS, LARGE, QUIET, SMALL, Card, tint
from reference.heads import split_heads

TOKENS = np.arange(1, 13).reshape(3, 4)
HEAD_SIZE, SIZE = 2, 0.42


def draw() -> Card:
    """Three tokens, four features, two heads; and what a reshape alone would do."""
    card = Card(7.5, 4.35)
    card.text(1.5, 0.35, "(L, E) = (3, 4)", fontsize=LARGE)
    _coloured(card, 0.68, 0.75, TOKENS)
    for i in range(3):
        card.text(0.6, 0.96 + i * SIZE, f"token {i}", ha="right", fontsize=SMALL)
    card.arrow((2.45, 1.38), (3.3, 1.38))
    card.text(2.87, 1.2, "split", fontsize=SMALL)
    card.text(5.1, 0.35, "(H, L, E/H) = (2, 3, 2)", fontsize=LARGE)
    for head, block in enumerate(split_heads(TOKENS[None], 2)[0]):
        _coloured(card, 3.55 + 1.7 * head, 0.75, block)
        card.text(3.97 + 1.7 * head, 2.2, f"head {head}", fontsize=SMALL, color=QUIET)
    card.arrow((2.45, 3.25), (3.3, 3.25))
    card.text(2.87, 3.07, "reshape alone", fontsize=SMALL)
    card.text(1.5, 3.25, "the right shape,\nthe wrong numbers", color=QUIET)
    for head, block in enumerate(TOKENS.reshape(2, 3, HEAD_SIZE)):
        _coloured(card, 3.55 + 1.7 * head, 2.62, block)
    card.text(5.0, 4.12, "every row is half a token, and one head gets both halves", fontsize=SMALL)
    return card


def _coloured(card: Card, x: float, y: float, values: np.ndarray) -> None:
    """Numbers in the colour of the head that they belong to."""

    def head(i: int, j: int) -> int:
        return int((values[i, j] - 1) % TOKENS.shape[1]) // HEAD_SIZE

    card.cells(x, y, values, digits=0, size=SIZE, fill=lambda i, j: tint(HEADS[head(i, j)], 0.35))


FIGURES = {"multi_head_reshape": draw}
