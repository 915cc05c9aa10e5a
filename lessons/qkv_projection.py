"""Queries, keys and values: the same tokens, three matrices."""

import numpy as np

from lessons.style import BLUE, GREEN, LARGE, LINE, ORANGE, QUIET, RED, SMALL, Card, tint

SIZE = 0.3
LENGTH, MODEL, KEY, VALUE = 3, 4, 3, 2


def draw() -> Card:
    """Shapes to scale: one row of X makes one row of each result."""
    card = Card(7.5, 5.4)
    _grid(card, 0.75, 2.08, (LENGTH, MODEL), LINE)
    card.text(1.35, 1.82, "$X$", fontsize=LARGE)
    card.text(1.35, 3.13, "(L, d_model)", fontsize=SMALL, color=QUIET)
    for i, word in enumerate(("the", "cat", "sat")):
        card.text(0.65, 2.23 + i * SIZE, word, ha="right", fontsize=SMALL)
    card.outline(0.75, 2.08 + SIZE, MODEL * SIZE, SIZE)
    rows = [
        (0.4, "Q", KEY, BLUE, "what a token looks for"),
        (2.12, "K", KEY, ORANGE, "what it can be found by"),
        (3.84, "V", VALUE, GREEN, "what it hands over"),
    ]
    for y, name, width, color, meaning in rows:
        _product(card, y, name, width, color)
        card.text(5.55, y + 0.6, meaning, ha="left")
    return card


def _product(card: Card, y: float, name: str, width: int, color: str) -> None:
    shape = "d_v" if name == "V" else "d_k"
    card.arrow((2.05, 2.53), (2.7, y + 0.6), color)
    _grid(card, 2.8, y, (MODEL, width), color)
    card.text(2.8 + width * SIZE / 2, y - 0.13, f"$W_{name}$")
    card.text(2.8 + width * SIZE / 2, y + 1.33, f"(d_model, {shape})", fontsize=SMALL, color=QUIET)
    card.arrow((3.8, y + 0.6), (4.25, y + 0.6), color)
    _grid(card, 4.35, y + 0.15, (LENGTH, width), color)
    card.outline(4.35, y + 0.15 + SIZE, width * SIZE, SIZE, RED)
    card.text(4.35 + width * SIZE / 2, y, f"${name}$", fontsize=LARGE)
    card.text(4.35 + width * SIZE / 2, y + 1.2, f"(L, {shape})", fontsize=SMALL, color=QUIET)


def _grid(card: Card, x: float, y: float, shape: tuple[int, int], color: str) -> None:
    card.cells(x, y, np.ones(shape), digits=None, size=SIZE, fill=lambda _i, _j: tint(color, 0.3))


FIGURES = {"qkv_projection": draw}
