"""Families of mistakes whose messages state a wrong formula and the right one."""

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
    """Return a family; a row has the name of a mistake, its formula, and its change.

    A message consists of `start`, the formula, and `right`.
    """
    ways: dict[str, list[tuple[Any, ...]]] = {}
    for name, formula, change in rows:
        ways.setdefault(name, []).append((f"{start} {formula}; it should be {right}.", change))
    return Family(target, (), ways, means)
