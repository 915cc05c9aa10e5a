"""`autograder diff`, and the table of changed grades, which a run also shows before they count."""

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
from autograder.cli.log import cell_text, emit_changes
from autograder.cli.options import PATH, json_lines_option
from autograder.course.errors import UserError

MOST = 10  # changes that a run shows
MOST_CELLS = 3
MOST_CHECKS = 2
MOST_OF_DIFF = 12


@click.command()
@click.argument("before", type=PATH)
@click.argument("after", type=PATH)
@click.option("--all", "everything", is_flag=True, help="Everybody, not the first few.")
@json_lines_option
def diff(before: Path, after: Path, everything: bool, as_json: bool) -> None:
    """Say whose grades differ between two folders of results, BEFORE and AFTER, and why.

    RESULTS/history/0001 is a folder of results too, and so is RESULTS/proposed. The exit code is 0
    if all grades are the same, 1 if not, 2 if it could not be carried out.
    """
    with closing(_records(before)) as earlier, closing(_records(after)) as later:
        difference = _compared(earlier, later)
    if as_json:
        emit_changes(difference.changes)
    else:
        most = None if everything else MOST_OF_DIFF
        console = Console(highlight=False)
        print_difference(console, difference, Path("the output of diff --all"), most)
    raise SystemExit(1 if difference.changes else 0)


def _records(place: Path) -> Records:
    """Open the records of a folder, or of a file of them.

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


def _compared(before: Records, after: Records) -> GradeDifference:
    """Return all that differs, in the order of the later table; then who is no longer in it."""
    difference = GradeDifference()
    gone = [student for student in before.students if student not in after]
    for student in [*after.students, *gone]:
        if before.line(student) == after.line(student):
            continue
        change = compare(before.get(student), after.get(student), None)
        if change is None:
            difference.texts += 1
        else:
            difference.changes.append(change)
    return difference


def in_a_terminal() -> bool:
    """Return whether there is somebody who can be asked."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def confirm() -> bool:
    """Ask the person at the terminal; return whether they say yes."""
    try:
        question = "Put this in force? The table that counts now is kept."
        return click.confirm(question, default=False, err=True)
    except click.Abort:  # the end of the input
        return False


def print_difference(
    console: Console, difference: GradeDifference, rest: Path, most: int | None = MOST
) -> None:
    """Print whose grades change from what to what, and why; of many, the first `most`.

    Many have a line each; of few, the checks are named. `rest` is where all of them are.
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
    cells = [cell for cell in change.cells if cell.exercise != TOTAL] or change.cells
    texts = [_cell(cell, checks) for cell in cells[:most]]
    if len(cells) > most:
        texts.append(f"… {len(cells) - most} more")
    return Text(("\n" if checks else ", ").join(texts))


def _cell(cell: GradeCell, most: int) -> str:
    checks = [*cell.checks[:most], *(["…"] if len(cell.checks) > most else [])]
    where = f" ({'; '.join(checks)})" if checks and most else ""
    return f"{cell_text(cell)}{where}"
