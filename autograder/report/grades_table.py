"""`grades.csv` with one row per student, and the writer of all tables: safe for spreadsheets."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.files import write_atomically
from autograder.course.text import number

if TYPE_CHECKING:
    from autograder.report.overview import Row

EXCUSED = "EX"
LAST_COLUMNS = ("total", "maximum", "status", "notes")
SEPARATORS = ",;\t\r\n"  # which of them splits cells depends on a spreadsheet's language
_QUOTED = re.compile(rf'["{SEPARATORS}]')
# The start of a cell, or of a part that a spreadsheet may read as a cell, followed by the start of
# a formula after quotes and blanks.
_START = rf"(^|[{SEPARATORS}])"
_FORMULA = r"(?=[\s\"']*[-=+@＝＋－＠]|'*[\t\r])"
_UNSAFE, _SAFE = re.compile(_START + _FORMULA), re.compile(f"{_START}'{_FORMULA}")
_NUMBER = re.compile(r"[-+]?[\d.,]*")  # or a sign alone


def write_grades(path: Path, exercises: Sequence[str], rows: Sequence["Row"]) -> None:
    """Write the table. Unknown points are an empty cell, never a 0.

    There is a column of names if any name is known.
    """
    is_named = any(row.name for row in rows)
    first = ["student", "name"] if is_named else ["student"]

    def cells(row: "Row") -> list[str]:
        who = [row.student, row.name] if is_named else [row.student]
        points = [points_cell(row, name) for name in exercises]
        total = EXCUSED if row.status == "excused" else points_text(row.total)
        return [*map(safe_cell, who), *points, total, number(row.maximum), row.status, row.said]

    write_table(path, [*first, *exercises, *LAST_COLUMNS], map(cells, rows))


def write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file; if that fails, the old file stays complete."""
    write_atomically(path, table_lines(chain([head], rows)))


def table_lines(
    rows: Iterable[Sequence[str]],
    delimiter: str = ",",
    newline: str = "\n",
    kept: Collection[int] = (),
) -> Iterator[str]:
    """Yield the rows as lines of CSV in which no spreadsheet finds a formula, with any delimiter.

    Cells in the columns `kept` are not changed: a platform finds a row by them.
    """
    for row in rows:
        cells = (
            cell if at in kept or (at and _NUMBER.fullmatch(cell)) else safe_cell(plain_cell(cell))
            for at, cell in enumerate(row)
        )
        yield delimiter.join(_quoted(cell, delimiter) for cell in cells) + newline


def _quoted(cell: str, delimiter: str) -> str:
    if delimiter in cell or _QUOTED.search(cell):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def points_cell(row: "Row", exercise: str) -> str:
    """Return the cell of an exercise: its points, `EX` if excused, or "" if they are not known."""
    return EXCUSED if exercise in row.excused else points_text(row.points[exercise])


def points_text(points: float | None) -> str:
    return "" if points is None else number(points)


def safe_cell(text: str) -> str:
    """Return text that a spreadsheet does not read as a formula; different texts stay different.

    The writer makes every cell safe. Call this for keys that are compared with cells read back.
    """
    return _UNSAFE.sub(r"\1'", text)


def plain_cell(cell: str) -> str:
    """Return the original text of a cell that `safe_cell` made."""
    return _SAFE.sub(r"\1", cell)
