"""The hints of a check, where they stand in its docstring."""

import inspect

import pytest


def hints_in(item: pytest.Item) -> tuple[str, ...]:
    """A hint for each line of a check's docstring; a line further in goes on with the last."""
    told = inspect.cleandoc(getattr(getattr(item, "function", None), "__doc__", None) or "")
    hints: list[str] = []
    for line in told.splitlines():
        if hints and line.startswith(" "):
            hints[-1] += f" {line.strip()}"
        elif line.strip():
            hints.append(line.strip())
    return tuple(hints)
