"""Self-attention as a module: four learnt matrices, and where dropout acts."""

from lessons.style import BLUE, GREEN, ORANGE, PURPLE, QUIET, RED, SMALL, Card, tint


def draw() -> Card:
    """The way from x to the output; what is learnt is coloured."""
    card = Card(7.5, 3.9)
    card.text(0.4, 1.5, "$x$", fontsize=14)
    rows = [(0.45, "$W_q$", BLUE), (1.25, "$W_k$", ORANGE), (2.05, "$W_v$", GREEN)]
    for y, name, color in rows:
        card.arrow((0.55, 1.5), (1.0, y + 0.25))
        card.box(1.05, y, 0.7, 0.5, name, facecolor=tint(color, 0.35))
    card.box(2.35, 0.75, 0.8, 0.6, "scores\n÷ √d_k")
    card.arrow((1.8, 0.7), (2.3, 0.95))
    card.arrow((1.8, 1.5), (2.3, 1.15))
    card.box(3.5, 0.75, 0.8, 0.6, "mask,\nsoftmax")
    card.arrow((3.2, 1.05), (3.45, 1.05))
    card.box(4.65, 0.75, 0.85, 0.6, "dropout\n(training)", edgecolor=RED)
    card.arrow((4.35, 1.05), (4.6, 1.05))
    card.arrow((4.45, 1.05), (4.45, 0.42), RED)
    card.text(4.45, 0.28, "weights: returned as they are here", color=RED, fontsize=SMALL)
    card.text(5.65, 1.05, "in part 1 only", ha="left", color=QUIET, fontsize=SMALL)
    card.box(4.65, 2.0, 0.85, 0.6, "mixture")
    card.arrow((5.07, 1.4), (5.07, 1.95))
    card.arrow((1.8, 2.3), (4.6, 2.3))
    card.box(5.9, 2.05, 0.65, 0.5, "$W_o$", facecolor=tint(PURPLE, 0.45))
    card.arrow((5.55, 2.3), (5.85, 2.3))
    card.arrow((6.6, 2.3), (6.85, 2.3))
    card.text(7.15, 2.3, "output", fontsize=SMALL)
    _dropped(card)
    return card


def _dropped(card: Card) -> None:
    """A row of weights before and after dropout with p = 0.5."""
    card.text(0.45, 3.3, "dropout,\n$p$ = 0.5", ha="left")
    card.cells(1.75, 3.1, [0.1, 0.2, 0.3, 0.4], digits=1, most=1)
    card.arrow((3.55, 3.31), (3.95, 3.31))
    card.cells(4.05, 3.1, [0, 0.4, 0.6, 0], digits=1, most=1)
    card.text(5.85, 3.31, "what is left is doubled", ha="left", color=QUIET, fontsize=SMALL)


FIGURES = {"self_attention": draw}
