"""The residual stream: a way through the model to which every part adds something."""

from lessons.style import BLUE, GREEN, ORANGE, PURPLE, QUIET, RED, SMALL, Card, tint

WAY = 2.3


def draw() -> Card:
    """From tokens to logits, from left to right."""
    card = Card(7.5, 3.7)
    card.text(0.55, WAY, "tokens", fontsize=SMALL)
    card.box(1.0, WAY - 0.75, 0.85, 0.5, "token\nembed.", facecolor=tint(BLUE, 0.35))
    card.box(1.0, WAY + 0.25, 0.85, 0.5, "position\nembed.", facecolor=tint(BLUE, 0.35))
    card.arrow((0.82, WAY - 0.08), (1.0, WAY - 0.4))
    card.text(0.55, WAY + 0.5, "0, 1, 2 …", fontsize=SMALL)
    _sum(card, 2.15, WAY)
    card.arrow((1.87, WAY - 0.5), (2.07, WAY - 0.13))
    card.arrow((1.87, WAY + 0.5), (2.07, WAY + 0.13))
    _branch(card, 2.45, "attention\n(causal mask)", ORANGE, 1)
    _branch(card, 4.35, "feed-\nforward", GREEN, 2)
    card.arrow((6.15, WAY), (6.4, WAY))
    card.box(6.42, WAY - 0.25, 0.8, 0.5, "output\nproject.", facecolor=tint(PURPLE, 0.45))
    card.arrow((6.82, WAY + 0.27), (6.82, WAY + 0.6))
    card.text(6.82, WAY + 0.74, "logits", fontsize=SMALL)
    card.text(
        4.3, 3.35, "in the frame: one transformer block; red: the residual connections", color=QUIET
    )
    card.axes.add_patch(_frame())
    return card


def _branch(card: Card, x: float, name: str, color: str, number: int) -> None:
    """A part beside the stream: what it makes of its input is added to that input."""
    card.line([2.27 if number == 1 else 4.25, x + 1.02], [WAY, WAY], color=RED, linewidth=2.6)
    card.line([x + 0.08, x + 0.08], [WAY, 1.1], color=QUIET)
    card.arrow((x + 0.08, 1.1), (x + 0.2, 1.1))
    card.box(x + 0.2, 0.75, 1.1, 0.7, name, facecolor=tint(color, 0.35))
    card.arrow((x + 1.14, 1.47), (x + 1.14, WAY - 0.12))
    _sum(card, x + 1.14, WAY)
    card.box(x + 1.35, WAY - 0.45, 0.35, 0.9, facecolor="white")
    card.text(x + 1.525, WAY, f"norm{number}", rotation=90, fontsize=SMALL)


def _sum(card: Card, x: float, y: float) -> None:
    card.axes.plot(x, y, "o", markersize=15, color="white", markeredgecolor=QUIET, zorder=3)
    card.text(x, y, "+", fontsize=13, zorder=4)


def _frame() -> object:
    from matplotlib.patches import Rectangle

    return Rectangle((2.36, 0.55), 3.77, 2.5, fill=False, edgecolor=QUIET, linestyle="--")


FIGURES = {"language_model": draw}
