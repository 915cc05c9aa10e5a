"""Positions as clock hands, and the similarity of two positions over their distance."""

import numpy as np

from lessons.style import BLUE, INK, LARGE, LINE, ORANGE, QUIET, SMALL, Card
from reference.sinusoids import sinusoid

WIDTH, BASE = 4, 100
SHOWN = 4
REACH = 24


def draw() -> Card:
    """Two hands at four positions; the similarity to the other positions as a curve."""
    card = Card(7.5, 3.2)
    pe = sinusoid(SHOWN, WIDTH, BASE)
    for pair, (color, turn) in enumerate(((BLUE, "1"), (ORANGE, "0.1"))):
        centre = 0.95 + 1.7 * pair, 1.55
        card.text(centre[0], 0.3, f"pair {pair}", fontsize=LARGE)
        card.text(centre[0], 2.75, f"{turn} radian", color=QUIET)
        card.text(centre[0], 2.95, "per position", color=QUIET)
        _hands(card, centre, pe[:, 2 * pair : 2 * pair + 2], color)
    _curve(card)
    return card


def _hands(card: Card, centre: tuple[float, float], rows: np.ndarray, color: str) -> None:
    """A clock face: a hand points up at angle 0 and turns clockwise."""
    from matplotlib.patches import Circle

    card.axes.add_patch(Circle(centre, 0.7, facecolor="white", edgecolor=LINE))
    for i, (sine, cosine) in enumerate(rows):
        end = centre[0] + 0.66 * sine, centre[1] - 0.66 * cosine
        card.arrow(centre, end, color=color)
        if color == BLUE or i in (0, SHOWN - 1):  # slow hands are too close for all labels
            x, y = centre[0] + 0.84 * sine, centre[1] - 0.84 * cosine
            card.text(x, y, str(i), fontsize=SMALL)


def _curve(card: Card) -> None:
    """Similarity of the middle position to all others, in 32 columns."""
    left, right, top, base = 4.25, 7.1, 0.75, 2.35
    pe = sinusoid(2 * REACH + 1, 32)
    similar = pe @ pe[REACH] / 32
    card.text((left + right) / 2, 0.3, "similarity, 32 columns", fontsize=LARGE)
    xs = np.linspace(left, right, 2 * REACH + 1)
    card.line([left, right], [base, base], color=QUIET, linewidth=1)
    card.line([left, left], [top, base], color=QUIET, linewidth=1)
    ys = base - (base - top) * similar / 0.5
    card.line(list(xs), list(ys), color=BLUE, linewidth=2)
    for share, said in ((0.0, "0"), (0.5, "0.25"), (1.0, "0.5")):
        y = base - (base - top) * share
        card.text(left - 0.08, y, said, ha="right", fontsize=SMALL, color=INK)
    for distance in (-20, -10, 0, 10, 20):
        x = float(xs[REACH + distance])
        card.line([x, x], [base, base + 0.05], color=QUIET, linewidth=1)
        card.text(x, base + 0.18, f"{distance}".replace("-", "−"), fontsize=SMALL)
    card.text((left + right) / 2, base + 0.5, "distance of the two positions", color=QUIET)


FIGURES = {"positions": draw}
