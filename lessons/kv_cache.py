"""The mask of a step as the last rows of the whole mask, and the tokens that a model reads."""

import numpy as np

from lessons.style import BLUE, LARGE, ORANGE, QUIET, RED, SMALL, Card
from reference.masks import causal_mask

SIZE = 0.34
TOKENS, NEW = 5, 2
PROMPT, WRITTEN = 3, 4


def draw() -> Card:
    """Three masks, and bars with and without a cache."""
    card = Card(7.5, 3.1)
    whole = causal_mask(TOKENS)
    left, middle, top = 0.35, 2.75, 0.85
    card.text(left + 2.5 * SIZE, 0.3, "all tokens at once", fontsize=LARGE)
    _mask(card, left, top, whole)
    card.outline(left, top + (TOKENS - NEW) * SIZE, TOKENS * SIZE, NEW * SIZE)
    card.text(middle + 2.5 * SIZE, 0.3, "a step", fontsize=LARGE)
    card.text(middle + 2.5 * SIZE, 0.62, "3 in the cache, 2 new", color=QUIET, fontsize=SMALL)
    _mask(card, middle, top, whole[-NEW:])
    card.outline(middle, top, TOKENS * SIZE, NEW * SIZE)
    low = top + 3 * SIZE
    _mask(card, middle, low, whole[:NEW])
    for ends in ([low, low + NEW * SIZE], [low + NEW * SIZE, low]):
        card.line([middle, middle + TOKENS * SIZE], ends, color=RED, linewidth=2.4)
    card.text(middle + 2.5 * SIZE, 2.8, "query ↓   key →", color=QUIET)
    card.text(left + 2.5 * SIZE, 2.8, "query ↓   key →", color=QUIET)
    x = 5.1
    card.text(x + 1.05, 0.3, "tokens read", fontsize=LARGE)
    without = [PROMPT + k for k in range(WRITTEN)]
    kept = [PROMPT] + [1] * (WRITTEN - 1)
    for base, said, counts, color in (
        (1.6, "without a cache", without, ORANGE),
        (2.65, "with a cache", kept, BLUE),
    ):
        card.text(x - 0.05, base - 0.9, said, ha="left", color=QUIET, fontsize=SMALL)
        card.bars(
            x, base, [float(each) for each in counts], height=0.6, most=6, digits=0, color=color
        )
    card.text(x + 1.05, 2.8, "new token 1, 2, 3, 4", color=QUIET)
    return card


def _mask(card: Card, x: float, y: float, mask: np.ndarray) -> None:
    card.hatched(x, y, np.ones(mask.shape), mask, size=SIZE, digits=0, most=2.0)


FIGURES = {"kv_cache": draw}
