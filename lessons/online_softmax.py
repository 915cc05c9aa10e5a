"""Scores in two blocks, and the three running numbers after each block."""

import numpy as np

from lessons.style import BLUE, GREEN, LARGE, ORANGE, QUIET, RED, SMALL, Card, tint
from reference.online import empty, merge

SCORES = np.log([[1.0, 2.0, 4.0]])
VALUES = np.array([[1.0], [4.0], [10.0]])
MAXIMA = ("−∞", "ln 2", "ln 4")
LEFT, STEP = 3.95, 0.95
ROWS = (0.95, 1.55, 2.15)


def draw() -> Card:
    """Three bars for the scores, and a table of the running numbers."""
    card = Card(7.5, 3.2)
    card.text(1.4, 0.3, "three keys, two blocks", fontsize=LARGE)
    card.bars(0.45, 2.3, [1, 2, 4], height=1.35, most=4, step=0.75, texts=("1", "2", "4"))
    card.line([1.81, 1.81], [0.7, 2.85], color=RED, linestyle="--")
    for k, said in enumerate(("0", "ln 2", "ln 4")):
        card.text(0.7 + 0.75 * k, 2.47, said, fontsize=SMALL)
    card.text(1.08, 2.72, "block 1", color=QUIET)
    card.text(2.2, 2.72, "block 2", color=QUIET)
    card.text(1.4, 2.98, "bar: exp(score)", color=QUIET, fontsize=SMALL)
    _table(card)
    return card


def _states() -> list[list[float]]:
    """The sum and the output at the start and after each block."""
    m, total, output = empty((1,), 1)
    states = [[total.item(), output.item()]]
    for part in (slice(0, 2), slice(2, 3)):
        m, total, output = merge(m, total, output, SCORES[:, part], VALUES[part])
        states.append([total.item(), output.item()])
    return states


def _table(card: Card) -> None:
    """One row for the start and one for each block, and the output below."""
    card.text(5.2, 0.3, "running numbers", fontsize=LARGE)
    for k, said in enumerate(("m", "l", "o")):
        card.text(LEFT + STEP * (k + 0.5), 0.68, said, color=QUIET)
    states = _states()
    for row, maximum, numbers, said in zip(
        ROWS, MAXIMA, states, ("start", "block 1", "block 2"), strict=True
    ):
        card.text(LEFT - 0.15, row, said, ha="right", color=QUIET)
        for k, shown in enumerate((maximum, *(f"{number:g}" for number in numbers))):
            color = tint((BLUE, ORANGE, GREEN)[k], 0.3)
            card.box(LEFT + STEP * k + 0.06, row - 0.19, STEP - 0.12, 0.38, shown, facecolor=color)
    x = LEFT + 3 * STEP + 0.12
    card.line([x - 0.1, x, x, x - 0.1], [ROWS[1], ROWS[1], ROWS[2], ROWS[2]], color=RED)
    card.arrow((x, ROWS[2]), (x - 0.16, ROWS[2]), color=RED)
    card.text(LEFT + 2 * STEP, 1.85, "times 1/2, plus the new block", fontsize=SMALL, color=RED)
    total, output = states[-1]
    said = f"output: {output:g} / {total:g} = {output / total:g}"
    card.text(LEFT + 1.5 * STEP, 2.75, said, fontsize=LARGE)


FIGURES = {"online_softmax": draw}
