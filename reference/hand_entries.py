"""Wrong entries in a step of attention by hand, if all other entries are right."""

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np

from autograder.author import index, join_names
from reference.attention import Array
from reference.hand_relations import WITHIN, as_written

MOST = 3  # wrong entries
CHANCE = 0.05  # the largest probability that an entry has one of the tried numbers by chance
Place = tuple[int, ...]
Tried = tuple[str, str, float]  # a mistake, words for it, and the number that it gives


def by_entries(step: str, mine: Array, g: SimpleNamespace) -> list[tuple[str, str]]:
    """Return the mistake in a few wrong entries: its name, and the end of "your numbers are …".

    `g` is as in `hand_operations.made`.
    """
    right = g.right
    if mine.shape != right.shape or not np.isfinite(mine).all():
        return []
    wrong = [tuple(map(int, place)) for place in np.argwhere(np.abs(mine - right) > WITHIN)]
    if exchanged := _exchanged(mine, right, wrong):
        return [("entries-exchanged", f"right, but {exchanged}")]
    if step in {"weights", "masked_row"} and (misread := _misread(mine, g.x, wrong)):
        return [("exponential-misread", f"right, but {misread}")]
    if not 1 <= len(wrong) <= MOST:
        return []
    found = [_explained(mine, place, [*_tried(step, g, place)], right) for place in wrong]
    names = {name for name, _ in found}
    if "" in names or len(names) > 1:
        return []
    words = (f"entry {index(place)} {word}" for place, (_, word) in zip(wrong, found, strict=True))
    return [(names.pop(), f"right, but {join_names([*words])}")]


def in_another_shape(mine: Array, right: Array) -> list[tuple[str, str]]:
    """Return the mistake in right numbers of a wrong shape: its name, and words for it."""
    made = [
        ("brackets", "right, but in one list. Each row needs its own list", right.ravel()),
        ("brackets", "right, but there is one pair of brackets too many", right[np.newaxis]),
        ("transposed", "the right ones transposed", right.T),
    ]
    for axis, kind in enumerate(("row", "column") if right.ndim > 1 else ("number",)):
        for place, which in ((0, "first"), (-1, "last")):
            words = f"right, but the {which} {kind} is missing"
            if right.ndim == 1 and not right[place]:
                words = "right, but the 0 of the blocked position is missing"
            made.append((f"{kind}-missing", words, np.delete(right, place, axis)))
    return [
        (name, words)
        for name, words, numbers in made
        if mine.shape == numbers.shape != right.shape
        and np.allclose(mine, numbers, rtol=0, atol=WITHIN)
    ][:1]


def _exchanged(mine: Array, right: Array, wrong: list[Place]) -> str:
    """Return words for right numbers in other places: two entries, or the entries of rows."""
    if len(wrong) == 2:
        one, other = wrong
        if max(abs(mine[one] - right[other]), abs(mine[other] - right[one])) <= WITHIN:
            return f"the entries {index(one)} and {index(other)} are exchanged"
    rows = sorted({place[0] for place in wrong}) if mine.ndim > 1 else []
    moved = [np.abs(np.sort(mine[row]) - np.sort(right[row])).max() <= WITHIN for row in rows]
    if not rows or not all(moved) or len(rows) == len(mine) > 2:
        return ""
    numbers = join_names([*map(str, rows)])
    return f"the entries of row{'s' * (len(rows) > 1)} {numbers} are in another order"


def _misread(mine: Array, x: Array, wrong: list[Place]) -> str:
    """Return words for one wrong exponential in each wrong row of weights, or an empty text."""
    if mine.ndim == 1:
        return _misread_in(mine[:-1], x[:-1], "they match") if abs(mine[-1]) <= WITHIN else ""
    rows = sorted({place[0] for place in wrong})
    words = [_misread_in(mine[row], x[row], f"row {row} matches") for row in rows]
    return join_names(words) if all(words) and len(words) <= 2 else ""


def _misread_in(mine: Array, x: Array, matches: str) -> str:
    """Return words for the only wrong exponential that gives a row of weights.

    The proportions of the other weights are evidence. A row of two has no others. There, the wrong
    exponential must be the right one with two digits exchanged, or without one digit.
    """
    e, found = np.exp(x), list[str]()
    if abs(mine.sum() - 1) > WITHIN or not (mine > WITHIN).all() or not (mine < 1 - WITHIN).all():
        return ""
    for place, entry in enumerate(x):
        others = np.delete(e, place)
        shares = (1 - mine[place]) * others / others.sum()
        if (np.abs(np.delete(mine, place) - shares) > WITHIN / 2).any():
            continue
        read = mine[place] / (1 - mine[place]) * others.sum()
        fitting = [f"about {read:.3g}"]
        if len(x) == 2:
            fitting = [
                text
                for text in _misread_digits(f"{e[place]:.3f}")
                if abs(mine[place] - float(text) / (float(text) + others[0])) <= WITHIN / 2
            ]
        ends = f"in place of e^{entry:.4g}, which is {e[place]:.4g}".replace("^-", "^−")
        found += [f"{matches} {text} {ends}" for text in fitting[:1]]
    return found[0] if len(found) == 1 else ""


def _misread_digits(text: str) -> Iterator[str]:
    point = text.index(".")
    for n in range(point + 1, len(text) - 1):
        yield text[:n] + text[n + 1] + text[n] + text[n + 2 :]
    for n in range(point + 1, len(text)):
        yield text[:n] + text[n + 1 :]


def _explained(mine: Array, place: Place, tried: list[Tried], right: Array) -> tuple[str, str]:
    """Return the only mistake that gives the number at this place, or two empty texts."""
    fitting = [each for each in tried if abs(mine[place] - each[2]) <= as_written(mine) + 1e-9]
    size = max(1.0, float(np.ptp(right)))
    is_whole = bool((right == np.round(right)).all())
    chance = len(tried) * (1 / (size + 1) if is_whole else 2 * as_written(mine) / size)
    if len({name for name, *_ in fitting}) != 1 or chance > CHANCE:
        return "", ""
    return fitting[0][:2]


def _tried(step: str, g: SimpleNamespace, place: Place) -> Iterator[Tried]:
    number = g.right[place]
    yield "sign-of-an-entry", "has the wrong sign", -number
    yield "decimal-point-moved", "has its decimal point one place too far right", 10 * number
    yield "decimal-point-moved", "has its decimal point one place too far left", number / 10
    if step not in {"scores", "output"}:
        return
    i, j = place
    factors = (g.Q[i], g.K[j]) if step == "scores" else (g.x[i], g.V[:, j])
    for a, b in ((a, b) for a, b in zip(*factors, strict=True) if a * b):
        product = f"{a:.4g} · {b:.4g}".replace("-", "−")
        yield "product-left-out", f"lacks the product {product}", number - a * b
        yield "product-twice", f"has the product {product} twice", number + a * b
        yield "product-subtracted", f"has the product {product} with a minus", number - 2 * a * b
