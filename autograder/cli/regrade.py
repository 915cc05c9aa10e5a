"""What a run would change in the grades that are there, shown before it counts."""

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.classroom.grade_difference import (
    TOTAL,
    Change,
    GradeCell,
    GradeDifference,
    headline,
)

MOST = 10
MOST_CELLS = 3
MOST_CHECKS = 2


def in_a_terminal() -> bool:
    """Whether there is somebody who can be asked."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def ask() -> bool:
    """Whether the person at the terminal says yes."""
    try:
        question = "Put this in force? The table that counts now is kept."
        return click.confirm(question, default=False, err=True)
    except click.Abort:  # the end of the input
        return False


def print_difference(
    console: Console, difference: GradeDifference, rest: Path, most: int | None = MOST
) -> None:
    """Whose grades change from what to what, and why; of many, the first, and where the rest is.

    Many have a line each; of few, the checks are named.
    """
    changes = difference.changes
    for line in headline(difference):
        console.print(Text(line))
    if not changes:
        return
    few = most is None or len(changes) <= most
    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for name in ("student", "total", "what changes", "why"):
        table.add_column(name, overflow="fold" if few else "ellipsis", no_wrap=not few)
    first = sorted(changes, key=lambda change: change.fills)[:most]  # what takes away comes first
    for change in first:
        cells = _cells(change, MOST_CELLS, MOST_CHECKS) if few else _cells(change, 1, 0)
        table.add_row(Text(change.student), _total(change), cells, Text(", ".join(change.why)))
    console.print(table)
    if len(changes) > len(first):
        console.print(Text(f"… and {len(changes) - len(first)} more, in {rest}."), soft_wrap=True)


def _total(change: Change) -> Text:
    if change.before and change.after:
        return Text(f"{change.before} → {change.after}")
    return Text(change.after or f"{change.before} → none")


def _cells(change: Change, most: int, checks: int) -> Text:
    if change.kind != "changed":
        return Text("new" if change.kind == "new" else "gone")
    told = [_cell(cell, checks) for cell in change.cells if cell.exercise != TOTAL]
    told = told or [_cell(cell, checks) for cell in change.cells]
    more = f"… {len(told) - most} more" if len(told) > most else ""
    return Text(("\n" if checks else ", ").join(filter(None, [*told[:most], more])))


def _cell(cell: GradeCell, most: int) -> str:
    checks = [*cell.checks[:most], *(["…"] if len(cell.checks) > most else [])]
    where = f" ({'; '.join(checks)})" if checks and most else ""
    return f"{cell.exercise} {cell.before or 'none'} → {cell.after or 'none'}{where}"
