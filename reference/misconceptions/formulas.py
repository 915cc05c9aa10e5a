"""Families of mistakes with messages that state a wrong and a right formula."""

from collections.abc import Callable
from typing import Any

from autograder.author import Family, Hints


def formulas(
    target: Any,
    start: str,
    right: str,
    *rows: tuple[Any, ...],
    means: Callable[[Any], Any] | None = None,
    hints: Hints = (),
) -> Family:
    """Return a family of mistakes. Each row has a name, the wrong formula, and the changes.

    If `start` ends with "is" or "are", a message is "START FORMULA. It should be RIGHT." or "… They
    should be RIGHT." Otherwise it is "START FORMULA, instead of RIGHT."
    """
    ways: dict[str, list[tuple[Any, ...]]] = {}
    ends = {"is": ". It should be", "are": ". They should be"}
    joined = ends.get(start.rsplit(maxsplit=1)[-1], ", instead of")
    for name, formula, *changes in rows:
        ways.setdefault(name, []).append((f"{start} {formula}{joined} {right}.", *changes))
    return Family(target, hints, ways, means)
