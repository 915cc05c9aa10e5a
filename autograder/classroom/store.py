"""Store of a class in `marks.sqlite`: people's marks and adjustments.

Each change is one transaction. The change is saved on the disk before success is reported. People
edit tables: new rows of these tables are imported into the store, and the tables are written from
the store. The journal is a separate database, and only a cache. See
`docs/maintainers/marks-store.md`.
"""

import contextlib
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from autograder.course.errors import UserError
from autograder.course.text import digest

STORE = "marks.sqlite"
WAIT = 60.0  # seconds to wait for another process's transaction
SEAL = 16
ADJUSTMENT = (
    *("student", "exercise", "check", "change", "points", "why", "by", "when"),
    *("work_id", "state", "graded"),
)
UNWRITABLE = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
    *(sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
}
IF_DAMAGED = (
    "Restore a backup of it, or move it elsewhere: grade then makes it again from the tables"
)
Key = tuple[str, str, str]
Origin = Literal["desk", "table", "command"]

_VERSION = 1
_CELLS = ", ".join(f'"{name}"' for name in ADJUSTMENT)
_TABLES = f"""
CREATE TABLE marks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    student TEXT NOT NULL, exercise TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL,
    points REAL, comment TEXT NOT NULL, items TEXT NOT NULL,
    by TEXT NOT NULL, at TEXT NOT NULL, origin TEXT NOT NULL, seal TEXT NOT NULL
);
CREATE TABLE exported_marks (
    student TEXT NOT NULL, exercise TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL,
    points REAL, comment TEXT NOT NULL, mark INTEGER NOT NULL,
    PRIMARY KEY (student, exercise, question)
) WITHOUT ROWID;
CREATE TABLE adjustments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    {", ".join(f'"{name}" TEXT NOT NULL' for name in ADJUSTMENT)},
    origin TEXT NOT NULL,
    exported INTEGER NOT NULL,
    taken_out TEXT NOT NULL DEFAULT ''
);
PRAGMA user_version = {_VERSION};
"""


class GivenMark(msgspec.Struct, frozen=True, omit_defaults=True):
    """A mark for an answer. `points` may be missing."""

    student: str
    exercise: str
    question: str
    answer: str  # digest of the answer's words
    points: float | None = None
    comment: str = ""
    items: tuple[str, ...] = ()  # ids of the rubric items that give the points

    @property
    def key(self) -> Key:
        return self.student, self.exercise, self.question

    @property
    def shown(self) -> tuple[float | None, str]:
        """Return the points and the comment as a spreadsheet shows them."""
        return self.points, " ".join(self.comment.split())

    @property
    def is_blank(self) -> bool:
        return self.shown == (None, "")


class StoredMark(msgspec.Struct, frozen=True):
    """A mark in the store. The newest mark of an answer has the highest `id`."""

    id: int
    mark: GivenMark
    by: str
    at: str
    origin: Origin


class ExportedMark(msgspec.Struct, frozen=True):
    """A mark in the last version of the table that was read or written."""

    mark: GivenMark
    newest: int  # id of the store's newest mark at that time


class StoredAdjustment(msgspec.Struct, frozen=True):
    id: int
    cells: Mapping[str, str]
    origin: Origin
    exported: bool  # true if the table has ever contained it


class StoredMarks(msgspec.Struct, frozen=True):
    """All marks by answer, oldest first, and the ids of damaged rows."""

    by_answer: dict[Key, list[StoredMark]]
    damaged: tuple[int, ...]


class Store:
    """Tables of the store within one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def marks(self) -> StoredMarks:
        """Read all marks. If a row's seal does not match, the row counts as damaged."""
        by_answer: dict[Key, list[StoredMark]] = {}
        undamaged = set()
        for *row, seal in self._connection.execute("SELECT * FROM marks ORDER BY id"):
            if seal == _seal(row):
                id, student, exercise, question, answer, points, comment, items, *rest = row
                ids = tuple(filter(None, items.split("\n")))
                mark = GivenMark(student, exercise, question, answer, points, comment, ids)
                by_answer.setdefault(mark.key, []).append(StoredMark(id, mark, *rest))
                undamaged.add(id)
        damaged = set(range(1, self._last_mark() + 1)) - undamaged  # some may be removed
        return StoredMarks(by_answer, tuple(sorted(damaged)))

    def _last_mark(self) -> int:
        query = "SELECT seq FROM sqlite_sequence WHERE name = 'marks'"
        row = self._connection.execute(query).fetchone()
        return int(row[0]) if row else 0

    def add_marks(self, marks: Iterable[GivenMark], by: str, at: str, origin: Origin) -> int:
        id = self._last_mark()
        for mark in marks:
            id += 1
            points = None if mark.points is None else float(mark.points)
            values = mark.answer, points, mark.comment, "\n".join(mark.items)
            row = id, *mark.key, *values, by, at, origin
            places = ", ".join("?" * 12)
            self._connection.execute(f"INSERT INTO marks VALUES ({places})", (*row, _seal(row)))
        return id

    def exported_marks(self) -> dict[Key, ExportedMark]:
        """Read the marks in the last known version of the table."""
        rows = self._connection.execute("SELECT * FROM exported_marks")
        return {row[:3]: ExportedMark(GivenMark(*row[:6]), row[6]) for row in rows}

    def set_exported_marks(self, marks: Iterable[ExportedMark]) -> None:
        rows = [
            (*each.mark.key, each.mark.answer, each.mark.points, each.mark.comment, each.newest)
            for each in marks
        ]
        query = "REPLACE INTO exported_marks VALUES (?, ?, ?, ?, ?, ?, ?)"
        self._connection.executemany(query, rows)

    def adjustments(self) -> list[StoredAdjustment]:
        query = f"SELECT id, origin, exported, {_CELLS} FROM adjustments WHERE taken_out = ''"
        return [
            StoredAdjustment(id, dict(zip(ADJUSTMENT, cells, strict=True)), origin, bool(exported))
            for id, origin, exported, *cells in self._connection.execute(f"{query} ORDER BY id")
        ]

    def add_adjustment(self, cells: Mapping[str, str], origin: Origin) -> int:
        values = [cells.get(name, "") for name in ADJUSTMENT]
        places = ", ".join("?" * len(ADJUSTMENT))
        query = f"INSERT INTO adjustments ({_CELLS}, origin, exported) VALUES ({places}, ?, 0)"
        added = self._connection.execute(query, (*values, origin)).lastrowid
        assert added is not None
        return added

    def export_adjustment(self, id: int, cells: Mapping[str, str]) -> None:
        """Record that the table now has an adjustment with these cells."""
        names = "".join(f', "{name}" = ?' for name in cells)
        query = f"UPDATE adjustments SET exported = 1{names} WHERE id = ?"
        self._connection.execute(query, (*cells.values(), id))

    def take_out_adjustments(self, ids: Iterable[int], at: str) -> None:
        """Mark adjustments as deleted at this time. The store keeps their rows."""
        query = "UPDATE adjustments SET taken_out = ? WHERE id = ?"
        self._connection.executemany(query, [(at, each) for each in ids])


def timestamp() -> str:
    """Return the current time in UTC as text."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextlib.contextmanager
def read_store(results: Path) -> Iterator[Store]:
    """Open the store for reading. The content does not change until the store is closed.

    Without a store, the content is empty. Write nothing.
    """
    path = results / STORE
    with database_errors(path, IF_DAMAGED):
        refuse_links(path)
        if path.exists():
            with contextlib.closing(_connected(path)) as connection:
                connection.execute("BEGIN")
                if _version_of(connection, path):
                    yield Store(connection)
                    return
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            yield _created(connection)


@contextlib.contextmanager
def write_store(results: Path) -> Iterator[Store]:
    """Open the store for one transaction. Meanwhile, no other process can write to the store.

    At the end, the changes are saved on the disk. After an exception, the store is unchanged.
    """
    path = results / STORE
    with database_errors(path, IF_DAMAGED):
        refuse_links(path)
        with contextlib.closing(_connected(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                known = _version_of(connection, path)
                yield Store(connection) if known else _created(connection)
            except BaseException:
                if connection.in_transaction:  # on a full disk, SQLite has ended it itself
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")


def refuse_links(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        each = path.with_name(path.name + suffix)
        with contextlib.suppress(FileNotFoundError):  # others may remove these files now
            if stat.S_ISREG(each.lstat().st_mode):
                continue
            raise UserError(f"{each} is a link or a folder, not a file. Remove it.")


def _connected(path: Path) -> sqlite3.Connection:
    """Connect with a rollback journal, because a write-ahead log fails on network drives."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=WAIT)
    connection.text_factory = lambda data: data.decode(errors="replace")  # if damaged
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = EXTRA")
    return connection


def _version_of(connection: sqlite3.Connection, path: Path) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in {0, _VERSION}:
        raise UserError(f"{path} was written by a newer version of autograder. Use that version.")
    return int(version)


def _created(connection: sqlite3.Connection) -> Store:
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    return Store(connection)


@contextlib.contextmanager
def database_errors(path: Path, if_damaged: str) -> Iterator[None]:
    """Raise a `UserError` for a database that is in use, damaged or not writable."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = error.sqlite_errorcode & 0xFF  # the primary part of an extended code
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            advice = "Another program uses it. Run the same command again when that is done"
        elif code in UNWRITABLE:
            advice = f"Nothing was saved ({error}). Make room, and do the same again"
        elif code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            advice = f"It is damaged ({error}). {if_damaged}"
        else:
            raise
        raise UserError(f"{path} cannot be used. {advice}.") from None


def _seal(row: Sequence[object]) -> str:
    return digest(msgspec.json.encode(row).decode(), SEAL)
