"""What widely differing scores do to a softmax: the weights and their entropy.

The figure shows the standard deviation of the scores. The exercise measures how that depends on the
dimension.
"""

import numpy as np

from lessons.style import BLUE, LARGE, QUIET, RED, SMALL, Card
from reference.attention import Array, softmax

ROW = np.array([0.9, -0.3, 1.6, 0.2, -1.4, 0.6])
SPREADS = (0.5, 2.0, 8.0)


def _entropy(weights: Array) -> float:
    positive = weights[weights > 0]
    return float(-(positive * np.log(positive)).sum())


def draw() -> Card:
    """One row of scores, small, larger and large: its weights as bars, and their entropy."""
    card = Card(7.5, 4.7)
    unit = (ROW - ROW.mean()) / ROW.std()
    for k, spread in enumerate(SPREADS):
        x = 0.45 + 2.35 * k
        weights = softmax(spread * unit)
        card.text(x + 0.95, 0.3, f"standard deviation {spread:g}", fontsize=LARGE)
        card.bars(x, 1.75, list(weights), height=1.0, most=1, step=0.34, digits=2)
        card.text(x + 0.95, 1.98, f"entropy {_entropy(weights):.2f} nats", color=QUIET)
    _curve(card, unit)
    return card


def _curve(card: Card, unit: Array) -> None:
    """Entropy against the standard deviation of the scores, between its two bounds."""
    left, right, top, base = 1.0, 5.3, 2.6, 4.1
    most = float(np.log(len(unit)))
    spreads = np.geomspace(0.25, 16, 60)

    def across(spread: float) -> float:
        return float(left + (right - left) * np.log(spread / 0.25) / np.log(64))

    def up(entropy: float) -> float:
        return base - (base - top) * entropy / most

    card.line([left, left, right], [top - 0.1, base, base], color=QUIET, linewidth=1)
    curve = [up(_entropy(softmax(spread * unit))) for spread in spreads]
    card.line([across(spread) for spread in spreads], curve, color=BLUE, linewidth=2.2)
    card.line([left, right], [up(most), up(most)], color=RED, linewidth=1, linestyle="--")
    card.text(right + 0.1, up(most), "ln L: all weights equal", ha="left", fontsize=SMALL)
    card.text(right + 0.1, base, "0: one weight is 1", ha="left", fontsize=SMALL)
    for spread in (0.5, 1, 2, 4, 8):
        card.line([across(spread)] * 2, [base, base + 0.05], color=QUIET, linewidth=1)
        card.text(across(spread), base + 0.17, f"{spread:g}", fontsize=SMALL)
        if spread in SPREADS:
            card.axes.plot(across(spread), up(_entropy(softmax(spread * unit))), "o", color=BLUE)
    card.text(
        (left + right) / 2,
        base + 0.42,
        "standard deviation of the scores (logarithmic)",
        color=QUIET,
    )
    card.text(left - 0.3, (top + base) / 2, "entropy of the weights", rotation=90, color=QUIET)


FIGURES = {"scaling_experiment": draw}
