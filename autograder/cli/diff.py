"""`autograder diff`: whose grades differ between two folders of results, and why."""

import sys
from contextlib import closing
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
    compare,
    headline,
)
from autograder.classroom.history import HISTORY, ensure_settled
from autograder.classroom.records import FILE, Records
from autograder.cli import log
from autograder.course.errors import UserError

# What a run would change in the grades that are there, shown before it counts.


MOST = 10
MOST_CELLS = 3
MOST_CHECKS = 2


def in_a_terminal() -> bool:
    """Whether there is somebody who can be asked."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def confirm() -> bool:
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


def run(before: Path, after: Path, everything: bool, as_json: bool) -> int:
    """Say it; the exit code is 1 if a grade differs."""
    with closing(_records(before)) as earlier, closing(_records(after)) as later:
        difference = differ(earlier, later)
    if as_json:
        log.emit_changes(difference.changes)
    else:
        most = None if everything else 12
        console = Console(highlight=False)
        print_difference(console, difference, Path("the output of diff --all"), most)
    return 1 if difference.changes else 0


def differ(before: Records, after: Records) -> GradeDifference:
    """All that differs, in the order of the later table; then who is no longer in it."""
    found = GradeDifference()
    gone = [student for student in before.students if student not in after]
    for student in [*after.students, *gone]:
        if before.line(student) == after.line(student):
            continue
        change = compare(before.get(student), after.get(student), None)
        if change is None:
            found.texts += 1
        else:
            found.changes.append(change)
    return found


def _records(place: Path) -> Records:
    """The records of a folder, or of a file of them.

    Raises:
        UserError: there are none.
    """
    folder = place if place.is_dir() else place.parent
    ensure_settled(folder)
    records = Records(place / FILE if place.is_dir() else place)
    if not records.there and folder.parent.name == HISTORY:
        raise UserError(
            f"{place} has no records of its own: it is the version that counts. Name "
            f"{folder.parent.parent} itself."
        )
    if not records.there:
        raise UserError(f"{place} holds no {FILE}. Name a folder that grade wrote with --out.")
    return records
