"""A query and a key that turn together, and which features form a pair."""

import numpy as np

from lessons.style import BLUE, GREEN, LARGE, LINE, ORANGE, QUIET, Card, tint
from reference.rotations import rotate

Q, K = np.array([[3.0, 4.0]]), np.array([[1.0, 2.0]])
UNIT = 0.135  # inches for 1
COLORS = (BLUE, ORANGE, GREEN)
CELL = 0.42


def draw() -> Card:
    """Two circles with arrows, and two rows of cells."""
    card = Card(7.5, 3.1)
    card.text(2.0, 0.3, "the same angle between them", fontsize=LARGE)
    for centre, shift in ((1.05, 0), (2.95, 1)):
        _arrows(card, (centre, 1.35), shift)
        card.text(centre, 2.42, f"query at {1 + shift}, key at {shift}", color=QUIET)
    card.text(5.75, 0.3, "which features form a pair?", fontsize=LARGE)
    _pairs(card, 0.95, "here: neighbours", [0, 0, 1, 1, 2, 2])
    _pairs(card, 2.15, "elsewhere: one from each half", [0, 1, 2, 0, 1, 2])
    return card


def _arrows(card: Card, centre: tuple[float, float], shift: int) -> None:
    """The query one quarter turn ahead of the key, both turned by `shift` quarters more."""
    from matplotlib.patches import Circle

    radius = 5 * UNIT
    card.axes.add_patch(Circle(centre, radius, facecolor="white", edgecolor=LINE))
    said = []
    for vector, quarters, color, name in ((Q, 1 + shift, BLUE, "q"), (K, shift, ORANGE, "k")):
        ((a, b),) = rotate(vector, np.array([[quarters * np.pi / 2]]))
        card.arrow(centre, (centre[0] + a * UNIT, centre[1] - b * UNIT), color=color, linewidth=2)
        far = 1 + 0.9 / float(np.hypot(a, b))
        card.text(centre[0] + far * a * UNIT, centre[1] - far * b * UNIT, name)
        said.append(f"[{_shown(a)}, {_shown(b)}]")
    card.text(centre[0], 2.7, f"{said[0]} · {said[1]} = 2")


def _shown(value: float) -> str:
    return f"{round(value)}".replace("-", "−")


def _pairs(card: Card, y: float, said: str, pairs: list[int]) -> None:
    """Six cells, with the colour and the name of their pair."""
    x = 4.5
    card.text(x, y - 0.2, said, ha="left", color=QUIET)
    card.cells(
        x,
        y,
        [list(range(6))],
        size=CELL,
        fill=lambda _, j: tint(COLORS[pairs[j]], 0.55),
        names=lambda _, j: str(j),
    )
    for j, pair in enumerate(pairs):
        card.text(x + (j + 0.5) * CELL, y + CELL + 0.16, f"pair {pair}", fontsize=7)


FIGURES = {"rotary": draw}
