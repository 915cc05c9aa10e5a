"""Families of mistakes with messages that state a wrong and a right formula."""

from collections.abc import Callable
from typing import Any

from autograder.author import Family


def formulas(
    target: Any,
    start: str,
    right: str,
    *rows: tuple[str, str, Any],
    means: Callable[[Any], Any] | None = None,
) -> Family:
    """Return a family of mistakes. Each row has a name, the wrong formula, and the change.

    If `start` ends with "is" or "are", a message is "START FORMULA. It should be RIGHT." or "… They
    should be RIGHT." Otherwise it is "START FORMULA, instead of RIGHT."
    """
    ways: dict[str, list[tuple[Any, ...]]] = {}
    ends = {"is": ". It should be", "are": ". They should be"}
    joined = ends.get(start.rsplit(maxsplit=1)[-1], ", instead of")
    for name, formula, change in rows:
        ways.setdefault(name, []).append((f"{start} {formula}{joined} {right}.", change))
    return Family(target, (), ways, means)
