"""Temperature as bars, top-p as a cut through sorted tokens, and a draw as a place on a line."""

import numpy as np

from lessons.style import BLUE, GREEN, INK, LARGE, ORANGE, PURPLE, QUIET, RED, SMALL, Card, tint
from reference.choosing import by_likelihood, temperature, top_p

TOKENS = ("cat", "dog", "fish", "hen")
COLORS = (ORANGE, BLUE, PURPLE, GREEN)
CHANCES = np.array([0.25, 0.5, 0.1, 0.15])
P, U = 0.7, 0.6
LEFT, WIDE = 3.75, 3.4


def draw() -> Card:
    """Three rows of bars, and two divided lines."""
    card = Card(7.5, 3.9)
    logits = np.log(CHANCES)
    card.text(1.7, 0.3, "temperature", fontsize=LARGE)
    for row, t in enumerate((0.5, 1.0, 2.0)):
        base = 1.4 + 1.05 * row
        card.text(0.5, base - 0.35, f"t = {t:g}", color=QUIET)
        card.bars(1.0, base, list(temperature(logits, t)), height=0.75, most=0.8, step=0.5)
    for place, token in enumerate(TOKENS):
        card.text(1.17 + 0.5 * place, 3.65, token, fontsize=SMALL)
    order = by_likelihood(logits)
    card.text(LEFT + WIDE / 2, 0.3, f"top-p, p = {P:g}", fontsize=LARGE)
    _divided(card, 0.95, order, np.isfinite(top_p(logits, P)))
    card.text(LEFT + WIDE / 2, 1.78, "from the likeliest on", color=QUIET)
    _marked(card, 0.95, P, "p")
    card.text(LEFT + WIDE / 2, 2.25, f"draw, u = {U:g}", fontsize=LARGE)
    _divided(card, 2.9, np.arange(4), np.ones(4, dtype=bool))
    card.text(LEFT + WIDE / 2, 3.73, "in the order of the vocabulary", color=QUIET)
    _marked(card, 2.9, U, "u")
    return card


def _divided(card: Card, y: float, order: np.ndarray, is_kept: np.ndarray) -> None:
    """A line from 0 to 1, divided among the tokens, with the sums below it."""
    before = 0.0
    for token in order:
        x, wide = LEFT + WIDE * before, WIDE * CHANCES[token]
        before += float(CHANCES[token])
        shade = tint(COLORS[token], 0.45) if is_kept[token] else tint(QUIET, 0.12)
        hatch = None if is_kept[token] else "///"
        card.box(x, y, wide, 0.45, facecolor=shade, hatch=hatch)
        if is_kept[token]:
            card.text(x + wide / 2, y + 0.225, TOKENS[token], fontsize=SMALL)
        else:
            backing = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            card.text(x + wide / 2, y + 0.225, TOKENS[token], fontsize=SMALL, bbox=backing)
        card.text(x + wide, y + 0.6, f"{before:.3g}", fontsize=SMALL)
    card.text(LEFT, y + 0.6, "0", fontsize=SMALL)


def _marked(card: Card, y: float, value: float, said: str) -> None:
    """A line across the divided line at a number."""
    x = LEFT + WIDE * value
    card.line([x, x], [y - 0.12, y + 0.5], color=RED, linewidth=2)
    card.text(x, y - 0.24, said, color=RED if said else INK)


FIGURES = {"sampling": draw}
