"""Scaled dot-product attention: three queries, five keys, and the shapes of all that is made."""

import numpy as np

from lessons.style import BLUE, GREEN, LARGE, ORANGE, QUIET, RED, SMALL, Card, tint
from reference.attention import attention, scale, scores

SIZE = 0.34
RNG = np.random.default_rng(4)
Q, K, V = RNG.normal(size=(3, 4)), RNG.normal(size=(5, 4)), RNG.normal(size=(5, 2))


def draw() -> Card:
    """The way of one query, in a frame, from its scores to its output."""
    card = Card(7.5, 4.5)
    output, weights = attention(2.2 * Q, K, V)
    scaled = scale(scores(2.2 * Q, K), K.shape[-1])
    _coloured(card, 0.35, 2.5, Q.shape, BLUE, "$Q$", "(L_q, d_k)")
    _coloured(card, 2.05, 0.72, K.T.shape, ORANGE, "$K^\\top$", "(d_k, L_k)")
    card.cells(2.05, 2.5, scaled - scaled.min(), digits=None, size=SIZE)
    card.text(2.9, 3.7, "scores ÷ √d_k", fontsize=SMALL, color=QUIET)
    card.cells(4.25, 2.5, weights, digits=2, size=SIZE, most=1, fontsize=7)
    card.text(5.1, 3.7, "weights (L_q, L_k): each row = 1", fontsize=SMALL, color=QUIET)
    _values(card)
    _coloured(card, 6.6, 2.5, output.shape, GREEN, "output", "(L_q, d_v)")
    card.arrow((3.83, 3.01), (4.19, 3.01))
    card.text(4.0, 2.85, "softmax", fontsize=7)
    card.arrow((1.75, 3.01), (2.0, 3.01))
    card.arrow((6.0, 3.01), (6.55, 3.01))
    card.text(6.27, 2.85, "times V", fontsize=SMALL)
    for x, width in ((0.35, 4), (2.05, 5), (4.25, 5), (6.6, 2)):
        card.outline(x, 2.5 + SIZE, width * SIZE, SIZE, RED)
    card.text(3.75, 4.15, "In the frame: one query, the second, on its whole way", color=QUIET)
    return card


def _values(card: Card) -> None:
    _coloured(card, 6.6, 0.35, V.shape, GREEN, "$V$", "")
    card.text(6.5, 1.2, "(L_k, d_v)", ha="right", fontsize=SMALL, color=QUIET)


def _coloured(
    card: Card, x: float, y: float, shape: tuple[int, ...], color: str, name: str, below: str
) -> None:
    """A matrix of which only the shape matters."""
    rows, columns = shape
    card.cells(x, y, np.ones(shape), digits=None, size=SIZE, fill=lambda _i, _j: tint(color, 0.3))
    middle = x + columns * SIZE / 2
    card.text(middle, y - 0.17, name, fontsize=LARGE)
    if below:
        side = y + rows * SIZE + 0.18
        card.text(middle, side, below, fontsize=SMALL, color=QUIET)


FIGURES = {"scaled_dot_product_attention": draw}
