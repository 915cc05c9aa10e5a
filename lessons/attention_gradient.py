"""The way of gradients through attention, and the error of two differences over the step size."""

import numpy as np

from lessons.style import BLUE, LARGE, ORANGE, QUIET, RED, SMALL, Card, tint

BOXES = {
    "q": (0.45, 0.85),
    "k": (0.45, 1.75),
    "S": (1.35, 1.3),
    "P": (2.2, 1.3),
    "v": (2.2, 2.35),
    "O": (3.1, 1.3),
}
FORWARD = ("qS", "kS", "SP", "PO", "vO")
STEPS = 10.0 ** np.linspace(-11, 0, 45)


def draw() -> Card:
    """A flow chart with arrows in both directions, and two curves on logarithmic axes."""
    card = Card(7.5, 3.3)
    card.text(1.75, 0.3, "forwards and backwards", fontsize=LARGE)
    for way in FORWARD:
        _both(card, BOXES[way[0]], BOXES[way[1]])
    for name, (x, y) in BOXES.items():
        color = BLUE if name in "qkv" else QUIET
        card.box(x - 0.19, y - 0.19, 0.38, 0.38, name, facecolor=tint(color, 0.25), zorder=2)
        card.text(x, y + 0.32 if name != "v" else y + 0.34, f"d{name}", color=RED, fontsize=SMALL)
    card.text(1.75, 2.95, "grey: forwards   ", ha="right", color=QUIET)
    card.text(1.75, 2.95, "red: gradients", ha="left", color=RED)
    card.text(5.75, 0.3, "derivative of x³ at x = 2", fontsize=LARGE)
    _curves(card)
    return card


def _both(card: Card, start: tuple[float, float], end: tuple[float, float]) -> None:
    """A grey arrow and, beside it, a red one back."""
    a, b = np.array(start), np.array(end)
    along = (b - a) / np.linalg.norm(b - a)
    beside = 0.06 * np.array([-along[1], along[0]])
    for one, other, side, color in ((a, b, -1, QUIET), (b, a, 1, RED)):
        unit = (other - one) / np.linalg.norm(other - one)
        first, last = one + 0.25 * unit + side * beside, other - 0.25 * unit + side * beside
        card.arrow((first[0], first[1]), (last[0], last[1]), color=color)


def _curves(card: Card) -> None:
    """The errors of forward and central differences."""
    left, right, top, base = 4.6, 7.2, 0.7, 2.5

    def across(h: np.ndarray) -> np.ndarray:
        return np.asarray(left + (right - left) * (np.log10(h) + 11) / 11)

    def up(error: np.ndarray) -> np.ndarray:
        share = (np.log10(np.maximum(error, 1e-12)) + 12) / 13
        return np.asarray(base - (base - top) * share)

    card.line([left, left, right], [top, base, base], color=QUIET, linewidth=1)
    forward = np.abs(((2 + STEPS) ** 3 - 8) / STEPS - 12)
    central = np.abs(((2 + STEPS) ** 3 - (2 - STEPS) ** 3) / (2 * STEPS) - 12)
    for errors, color, said, place in (
        (forward, ORANGE, "forward", (5.75, 0.95)),
        (central, BLUE, "central", (6.75, 1.75)),
    ):
        card.line(list(across(STEPS)), list(up(errors)), color=color, linewidth=2)
        card.text(*place, said, fontsize=SMALL)
    for power in (-10, -8, -6, -4, -2, 0):
        x = float(across(np.array(10.0**power)))
        card.line([x, x], [base, base + 0.05], color=QUIET, linewidth=1)
        card.text(x, base + 0.18, f"$10^{{{power}}}$", fontsize=SMALL)
    for power in (-12, -8, -4, 0):
        y = float(up(np.array(10.0**power)))
        card.text(left - 0.08, y, f"$10^{{{power}}}$", ha="right", fontsize=SMALL)
    card.text((left + right) / 2, base + 0.45, "step h", color=QUIET)
    card.text(left - 0.55, (top + base) / 2, "error", rotation=90, color=QUIET)


FIGURES = {"attention_gradient": draw}
