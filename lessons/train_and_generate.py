"""What training sees, and what a temperature does."""

import numpy as np

from lessons.style import BLUE, GREEN, LARGE, LINE, ORANGE, QUIET, RED, SMALL, Card, tint
from reference.attention import softmax

WORDS = ("the", "cats", "near", "it", "sleep")
LOGITS = np.array([2.0, 1.0, 0.0, -1.0])


def training() -> Card:
    """At each position: the words that the model sees, and the one that it should predict."""
    card = Card(7.5, 3.35)
    card.text(1.9, 0.3, "what the model sees", fontsize=LARGE)
    card.text(5.4, 0.3, "the token that comes next", fontsize=LARGE)
    wide, tall = 0.68, 0.42
    for t in range(len(WORDS)):
        y = 0.6 + t * (tall + 0.06)
        _words(card, y, t, wide, tall)
        last = t == len(WORDS) - 1
        card.arrow((3.8, y + tall / 2), (4.5, y + tall / 2))
        card.text(4.15, y + tall / 2 - 0.1, f"logits {t}", fontsize=7, color=QUIET)
        if last:
            card.text(4.6, y + tall / 2, "nothing: not part of the loss", ha="left", color=RED)
            continue
        card.box(4.6, y + 0.03, 0.85, tall - 0.06, WORDS[t + 1], facecolor=tint(GREEN, 0.35))
        card.text(5.6, y + tall / 2, f"surprise −ln p({WORDS[t + 1]})", ha="left", fontsize=SMALL)
    card.text(
        3.75, 3.13, "All rows at once: the causal mask hides what lies to the right", color=QUIET
    )
    return card


def _words(card: Card, y: float, t: int, wide: float, tall: float) -> None:
    """The sentence as position t sees it."""

    def shade(_i: int, j: int) -> str:
        if j == t:
            return tint(ORANGE, 0.5)
        return tint(BLUE, 0.25) if j < t else tint(LINE, 0.15)

    card.cells(
        0.3,
        y,
        np.ones((1, len(WORDS))),
        size=tall,
        wide=wide,
        fill=shade,
        names=lambda _i, j: WORDS[j] if j <= t else "",
    )


def temperatures() -> Card:
    """The same logits at three temperatures."""
    card = Card(7.5, 2.5)
    for k, temperature in enumerate((0.5, 1.0, 2.0)):
        x = 0.5 + 2.35 * k
        card.text(x + 0.85, 0.3, f"$T$ = {temperature:g}", fontsize=LARGE)
        card.bars(x, 1.9, list(softmax(LOGITS / temperature)), height=1.15, most=1, step=0.46)
    card.text(
        3.75, 2.25, "The same logits 2, 1, 0, −1: the probabilities of four words", color=QUIET
    )
    return card


FIGURES = {"train_and_generate": training, "temperature": temperatures}
