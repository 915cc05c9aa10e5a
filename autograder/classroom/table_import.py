"""Tables that people edit.

Reading and writing a table loses no content. Spreadsheet programs save a table in different forms:
with a byte order mark, with semicolons or tabs, with other line ends, or with more columns. The
grader writes a table in the form in which it was read.
"""

import contextlib
import csv
import io
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from autograder.course.errors import UserError
from autograder.course.files import write_atomically
from autograder.report.grades_table import table_lines
from autograder.submission.read import UnreadableFile, read_bytes

MOST = 64 * 1024 * 1024
DELIMITERS = ",;\t"
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16"}  # byte order marks
STATED = "sep="  # Excel may name the delimiter in the first line
REMEDY = "Restore them, or move the file elsewhere: grade then writes a new one."


class Row(msgspec.Struct, frozen=True):
    """Cells of a row, as they are in the file."""

    line: int  # number of the row's last line
    cells: tuple[str, ...]


class Table:
    """Table from a file. Without a file, `data` is None."""

    def __init__(
        self, path: Path, columns: Sequence[str], needed: int, remedy: str = REMEDY
    ) -> None:
        """Read the table. It must have the first `needed` of the grader's `columns`.

        `remedy` is advice for the user if the table is not valid.
        """
        self.path = path
        self.data: bytes | None = None
        self.encoding, self.delimiter, self.newline = "utf-8", ",", "\n"
        self.states_delimiter = False
        self.header: tuple[str, ...] = tuple(columns)
        self.rows: list[Row] = []
        if path.is_symlink() or path.exists():
            self._read(columns[:needed], remedy)
        names = [_plain(name) for name in self.header]
        for name in columns:
            if names.count(_plain(name)) > 1:
                raise UserError(f"{path}: two columns have the name {name}. Rename one of them.")
        self.header += tuple(name for name in columns if _plain(name) not in names)
        names = [_plain(name) for name in self.header]  # missing columns are added at the end
        self._at = {name: names.index(_plain(name)) for name in columns}

    def _read(self, needed: Sequence[str], remedy: str) -> None:
        """Read all rows that are not empty. The heading shows the delimiter."""
        names = set(map(_plain, needed))
        try:
            self.data = read_bytes(self.path, MOST)
            for mark, encoding in MARKS.items():
                self.encoding = encoding if self.data.startswith(mark) else self.encoding
            text = self.data.decode(self.encoding)
            first, _, rest = text.partition("\n")
            self.newline = "\r\n" if first.endswith("\r") else "\n"
            stated = first.casefold().startswith(STATED) and len(first.strip()) == len(STATED) + 1
            self.states_delimiter = stated
            body, delimiters = (rest, first[len(STATED)]) if stated else (text, DELIMITERS)

            def fitting_columns(delimiter: str) -> int:
                table = csv.reader(io.StringIO(body, newline=""), delimiter=delimiter)
                head: list[str] = next(table, [])
                return len(head) if names <= set(map(_plain, head)) else 0

            self.delimiter = max(delimiters, key=fitting_columns)
            table = csv.reader(io.StringIO(body, newline=""), delimiter=self.delimiter)
            self.header = tuple(next(table, []))
            self.rows = [Row(table.line_num + stated, tuple(row)) for row in table if any(row)]
        except UnreadableFile as error:
            raise UserError(f"{self.path} cannot be used: {error}") from None
        except (UnicodeError, csv.Error) as error:
            raise UserError(
                f"{self.path} cannot be read as a table ({error}). Save it as CSV in UTF-8."
            ) from None
        absent = [name for name in needed if _plain(name) not in map(_plain, self.header)]
        if absent:
            what = f"columns {', '.join(absent)} are" if absent[1:] else f"column {absent[0]} is"
            raise UserError(f"{self.path}: the {what} missing. {remedy}")

    def get(self, row: Row, column: str) -> str:
        return cell(row, self._at[column])

    def others(self, row: Row) -> list[str]:
        ours = set(self._at.values())
        return [cell for at, cell in enumerate(row.cells) if at not in ours]

    def row(self, values: dict[str, str], old: Row | None = None) -> tuple[str, ...]:
        cells = list(old.cells) if old is not None else []
        cells += [""] * (len(self.header) - len(cells))
        for name, value in values.items():
            cells[self._at[name]] = value
        return tuple(cells)

    def write(self, rows: Iterable[Sequence[str]]) -> str:
        """Replace the table's file. Return an error message, or "" without an error."""
        data = self.encoded(rows, kept=range(sys.maxsize))  # keep all cells unchanged
        if data == self.data:
            return ""
        name = self.path.name
        if (self.path.parent / f".~lock.{name}#").exists():
            return f"{name} is open in a spreadsheet, so it was not written. Save and close it"
        now = None
        if self.path.is_symlink() or self.path.exists():
            now = b""  # the file cannot be read
            with contextlib.suppress(UnreadableFile):
                now = read_bytes(self.path, MOST)
        if now != self.data:
            return f"{name} was changed while grade ran, so it was not written. Save it"
        try:
            write_atomically(self.path, data, sync=True)
        except PermissionError:
            return f"{name} is open elsewhere, so it was not written. Save and close it"
        return ""

    def encoded(
        self,
        rows: Iterable[Sequence[str]],
        header: Sequence[str] | None = None,
        kept: Collection[int] = (),
    ) -> bytes:
        """Return the content of a file with these rows, in the form that the file had.

        Cells are changed so that spreadsheets do not run them as formulas. The columns `kept` stay
        unchanged.
        """
        head, style = self.header if header is None else header, (self.delimiter, self.newline)
        stated = f"{STATED}{self.delimiter}{self.newline}" if self.states_delimiter else ""
        lines = [*table_lines([head], *style, range(len(head))), *table_lines(rows, *style, kept)]
        return (stated + "".join(lines)).encode(self.encoding)


def cell(row: Row, at: int) -> str:
    """Return a row's text in a column. If the row has no such cell, return ""."""
    return row.cells[at] if at < len(row.cells) else ""


def as_number(text: str) -> float | None:
    """Return a number with a decimal point or comma. For any other text, return None."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


def _plain(name: str) -> str:
    return name.strip().casefold()
