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
    """Return a family. A row has the name of a mistake, the wrong formula, and the change.

    A message consists of `start`, the formula, and `right`.
    """
    ways: dict[str, list[tuple[Any, ...]]] = {}
    should = "They should be" if start.endswith(" are") else "It should be"
    for name, formula, change in rows:
        ways.setdefault(name, []).append((f"{start} {formula}. {should} {right}.", change))
    return Family(target, (), ways, means)
