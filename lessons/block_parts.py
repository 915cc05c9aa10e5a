"""The features of a token before and after two normalisations, and two orders of a block."""

import numpy as np

from lessons.style import BLUE, GREEN, INK, LARGE, ORANGE, PURPLE, QUIET, RED, SMALL, Card, tint
from reference.blocks import layer_norm, rms_norm

X = np.array([1.0, 7.0])
LEFT, UNIT = 0.85, 0.255  # place of 0 on the number lines, and inches for 1
FLOW = 3.45


def draw() -> Card:
    """Three number lines, and two flow charts."""
    card = Card(7.5, 3.3)
    normed = layer_norm(X, np.ones(2), np.zeros(2))
    card.text(1.65, 0.3, "the features of a token", fontsize=LARGE)
    _number_line(card, 0.95, "x", X, BLUE)
    _number_line(card, 1.8, "layer norm", normed, ORANGE)
    _number_line(card, 2.65, "RMS norm", rms_norm(X, np.ones(2)), GREEN)
    card.text(5.35, 0.3, "f doubles its argument", fontsize=LARGE)
    _chart(card, 1.15, "pre-norm", ("norm", "f"), [normed, 2 * normed, X + 2 * normed])
    _chart(card, 2.6, "post-norm", ("f", "norm"), [2 * X, 3 * X, normed])
    return card


def _number_line(card: Card, y: float, said: str, values: np.ndarray, color: str) -> None:
    """A line from −2 to 8 with a dot for each feature."""
    card.text(LEFT - 2 * UNIT, y - 0.32, said, ha="left", color=QUIET)
    card.line([LEFT - 2 * UNIT, LEFT + 8 * UNIT], [y, y], color=QUIET, linewidth=1)
    for tick in range(-2, 9):
        x = LEFT + tick * UNIT
        card.line([x, x], [y - 0.04, y + 0.04], color=QUIET, linewidth=2 if tick == 0 else 0.8)
    if np.abs(values).min() > 0.5:  # else the numbers would overlap
        card.text(LEFT, y + 0.2, "0", fontsize=SMALL, color=QUIET)
    for value in values:
        x = LEFT + float(value) * UNIT
        card.axes.plot(x, y, "o", markersize=9, color=color, markeredgecolor=INK, zorder=3)
        card.text(x, y + 0.2, _shown(value), fontsize=SMALL)


def _chart(
    card: Card, y: float, said: str, parts: tuple[str, str], values: list[np.ndarray]
) -> None:
    """The way of a token, with the residual above it."""
    card.text(FLOW, y - 0.48, said, ha="left", color=QUIET)
    card.text(FLOW, y, f"[{', '.join(_shown(v) for v in X)}]", ha="left")
    pre = parts[0] == "norm"
    plus = FLOW + (2.95 if pre else 1.75)
    start = FLOW + 0.55
    card.arrow((FLOW + 0.45, y), (FLOW + 0.75, y))
    card.line([start, start, plus, plus], [y, y - 0.33, y - 0.33, y - 0.12], color=RED)
    boxes = (0.75, 1.85) if pre else (0.75, 2.55)
    for part, place in zip(parts, boxes, strict=True):
        color = PURPLE if part == "norm" else BLUE
        card.box(FLOW + place, y - 0.2, 0.55, 0.4, part, facecolor=tint(color, 0.3))
    card.axes.plot(plus, y, "o", markersize=14, color="white", markeredgecolor=QUIET, zorder=3)
    card.text(plus, y, "+", fontsize=13, zorder=4)
    if pre:
        ways = ((1.32, 1.83), (2.42, 2.83), (3.07, 3.3))
        places = (1.57, 2.62, 3.6)
    else:
        ways = ((1.32, 1.63), (1.87, 2.53), (3.12, 3.35))
        places = (1.5, 2.2, 3.62)
    for (a, b), place, value in zip(ways, places, values, strict=True):
        card.arrow((FLOW + a, y), (FLOW + b, y))
        end = place > 3.5
        said = f"[{', '.join(_shown(v) for v in value)}]"
        card.text(FLOW + place, y if end else y + 0.34, said, fontsize=SMALL if not end else 10)


def _shown(value: float) -> str:
    """A number with one digit after the point where it needs one."""
    near = round(float(value), 1)
    return f"{near:g}".replace("-", "−")


FIGURES = {"block_parts": draw}
