"""`grades.csv`: one row per student, safe to open in a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.files import write_atomically
from autograder.course.text import number

if TYPE_CHECKING:
    from autograder.report.model import Status
    from autograder.report.overview import Row

EXCUSED = "EX"
_FORMULA = re.compile(r"'*[=+\-@\t\r]")  # with the marks that are put before it


def write_grades(path: Path, exercises: Sequence[str], rows: Sequence["Row"]) -> None:
    """Write the table. An exercise that was not handed in has an empty cell, never a bare 0.

    There is a column of names where some are known.
    """
    named = any(row.name for row in rows)
    head = [
        "student",
        *(["name"] if named else []),
        *exercises,
        "total",
        "maximum",
        "status",
        "notes",
    ]
    write_table(
        path,
        head,
        (
            [
                safe_cell(row.student),
                *([safe_cell(row.name)] if named else []),
                *(points_cell(row, name) for name in exercises),
                number(row.total),
                number(row.maximum),
                row.status,
                safe_cell(row.said),
            ]
            for row in rows
        ),
    )


def write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file that is either the old one or the whole new one."""
    write_atomically(path, _lines(chain([head], rows)))


def _lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the rows as lines of CSV."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    for row in rows:
        table.writerow(row)
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def points_cell(row: "Row", exercise: str) -> str:
    """Return the cell of an exercise."""
    excused = exercise in row.excused
    return points_text(row.statuses[exercise], row.points[exercise], excused)


def points_text(status: "Status", points: float, excused: bool) -> str:
    """Return the points, `EX`, or nothing for what was not handed in or could not be graded."""
    if excused:
        return EXCUSED
    unseen = {"missing", "not loaded", "needs a person", "by hand"}
    return "" if status in unseen and not points else number(points)


def safe_cell(text: str) -> str:
    """Return text that a spreadsheet does not take for a formula; two texts never become one."""
    return f"'{text}" if _FORMULA.match(text) else text


def plain_cell(cell: str) -> str:
    """Return the text that `safe_cell` made a cell of."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
