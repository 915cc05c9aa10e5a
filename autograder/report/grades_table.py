"""Table `grades.csv` with one row per student, and a writer for all CSV tables.

No cell that it writes runs as a formula in a spreadsheet program.
"""

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
SEPARATORS = ",;\t\r\n"  # a spreadsheet's language decides which one it uses
# `_START` is the start of a cell, or of a part that a spreadsheet may read as a cell. `_FORMULA` is
# the start of a formula, which may follow quotes and blanks.
_START = rf"(^|[{SEPARATORS}])"
_FORMULA = r"(?=[\s\"']*[-=+@＝＋－＠]|'*[\t\r])"
_UNSAFE, _SAFE = re.compile(_START + _FORMULA), re.compile(f"{_START}'{_FORMULA}")
_NUMBER = re.compile(r"[-+]?[\d.,]*")  # also matches a sign without digits


def write_grades(path: Path, exercises: Sequence[str], rows: Sequence["Row"]) -> None:
    """Write the table of grades, with names if any is known. Unknown points are empty cells."""
    is_named = any(row.name for row in rows)
    first = ["student", "name"] if is_named else ["student"]

    def cells(row: "Row") -> list[str]:
        who = [row.student, row.name] if is_named else [row.student]
        points = [points_cell(row, name) for name in exercises]
        total = EXCUSED if row.status == "excused" else points_text(row.total)
        return [*map(safe_cell, who), *points, total, number(row.maximum), row.status, row.said]

    write_table(path, [*first, *exercises, *LAST_COLUMNS], map(cells, rows))


def write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file. If writing fails, the old file stays unchanged."""
    write_atomically(path, table_lines(chain([head], rows)))


def table_lines(
    rows: Iterable[Sequence[str]],
    delimiter: str = ",",
    newline: str = "\n",
    kept: Collection[int] = (),
) -> Iterator[str]:
    """Yield the rows as lines of a CSV file.

    No spreadsheet program reads a cell of these lines as a formula. Cells in the columns `kept`
    stay unchanged, because a platform uses them to find a row.
    """
    must_quote = re.compile(f'["{SEPARATORS}{re.escape(delimiter)}]')
    for row in rows:
        cells = (
            cell if at in kept or (at and _NUMBER.fullmatch(cell)) else safe_cell(plain_cell(cell))
            for at, cell in enumerate(row)
        )
        quoted = (
            '"' + cell.replace('"', '""') + '"' if must_quote.search(cell) else cell
            for cell in cells
        )
        yield delimiter.join(quoted) + newline


def points_cell(row: "Row", exercise: str) -> str:
    """Return the cell of an exercise: points, `EX` if excused, "" if points are unknown."""
    return EXCUSED if exercise in row.excused else points_text(row.points[exercise])


def points_text(points: float | None) -> str:
    return "" if points is None else number(points)


def safe_cell(text: str) -> str:
    """Return a text in a form that spreadsheets do not read as a formula.

    Different texts have different results. `table_lines` itself makes all cells safe, so call this
    function only to compare a text with a cell of a file.
    """
    return _UNSAFE.sub(r"\1'", text)


def plain_cell(cell: str) -> str:
    """Return the original text of a cell from `safe_cell`."""
    return _SAFE.sub(r"\1", cell)
