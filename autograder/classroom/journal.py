"""What has been graded so far, kept as it comes, so that a run can stop at any point and go on."""

import sqlite3
from pathlib import Path

from autograder.course.cache import cache_key
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.report.model import Grader
from autograder.submission.source import Source

FILE = "journal.sqlite"
_VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS results (
    student TEXT NOT NULL,
    exercise TEXT NOT NULL,
    key TEXT NOT NULL,
    report BLOB NOT NULL,
    PRIMARY KEY (student, exercise)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pages (
    student TEXT PRIMARY KEY,
    key TEXT NOT NULL
) WITHOUT ROWID;
"""
_PREPARED = "CREATE TEMP TABLE prepared (student TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID"


class Journal:
    """Results by student and exercise; each with a key that says what it depends on."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        for suffix in ("", "-wal", "-shm", "-journal"):
            path = self.path.with_name(FILE + suffix)
            if path.is_symlink() or (path.exists() and not path.is_file()):
                raise UserError(
                    f"{path} is not a regular file (a link is not followed). Remove it."
                )
        try:
            self._database = sqlite3.connect(self.path, isolation_level=None, timeout=5)
        except sqlite3.DatabaseError as error:
            raise UserError(self._trouble(error)) from None
        try:
            self._database.text_factory = bytes  # also what is damaged
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._lock()
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            if version not in {0, _VERSION}:
                raise sqlite3.DatabaseError(f"its version is {version}")
            self._database.executescript(_TABLES)
            self._database.execute(f"PRAGMA user_version = {_VERSION}")
            self._database.execute(_PREPARED)
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise UserError(self._trouble(error)) from None

    def _lock(self) -> None:
        """One run at a time: two would write the same pages."""
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.execute("BEGIN IMMEDIATE")
        self._database.execute("COMMIT")

    def _trouble(self, error: sqlite3.Error) -> str:
        if "locked" in str(error):
            return f"Another run is writing to {self.path.parent}. Wait for it, or end it first."
        if "full" in str(error):
            return f"{self.path} cannot be written: the disk is full. Make room and run it again."
        if "I/O" in str(error):
            return (
                f"{self.path} cannot be written ({error}): the disk may be full. Make room and run "
                f"it again."
            )
        return (
            f"{self.path} cannot be used: {error}. Remove it, and run the same command again; "
            f"all is then graded anew."
        )

    def find(self, student: str, exercise: str, key: str) -> bytes | None:
        """The report on an exercise, if it was graded with this key."""
        query = "SELECT key, report FROM results WHERE student = ? AND exercise = ?"
        row = self._run(query, student, exercise).fetchone()
        if row is None or not isinstance(row[1], bytes):
            return None
        data: bytes = row[1]
        return data if row[0] == _seal(key, data).encode() else None

    def keep(self, student: str, exercise: str, key: str, report: bytes) -> None:
        """Keep a report; a row that anything changes afterwards is as if it were not there."""
        row = student, exercise, _seal(key, report), report
        self._run("REPLACE INTO results VALUES (?, ?, ?, ?)", *row)

    def prepare_page(self, student: str, key: str) -> None:
        """Note what a page was written from that is not in its place yet."""
        self._run("REPLACE INTO prepared VALUES (?, ?)", student, key)

    def forget_prepared(self) -> None:
        """Forget what the pages were that will be replaced, until they are."""
        self._run("DELETE FROM pages WHERE student IN (SELECT student FROM prepared)")

    def keep_prepared(self) -> None:
        """The prepared pages are in their places."""
        self._run("REPLACE INTO pages SELECT student, key FROM prepared")

    def page_is(self, student: str, key: str) -> bool:
        """Whether a student's page was written from this very content."""
        query = "SELECT 1 FROM pages WHERE student = ? AND key = ?"
        return self._run(query, student, key).fetchone() is not None

    def close(self) -> None:
        self._database.close()

    def _run(self, query: str, *values: str | bytes) -> sqlite3.Cursor:
        try:
            return self._database.execute(query, values)
        except sqlite3.DatabaseError as error:
            raise UserError(self._trouble(error)) from None


def _seal(key: str, report: bytes) -> str:
    """A row's key: what the report depends on, and the report itself."""
    return cache_key(key, report)


def key_of(source: Source, exercise: Exercise, course: Course, grader: Grader) -> str:
    """All that a report depends on: the submission, the exercise, its limits and what grades it."""
    return cache_key([source.digest, source.label, exercise, course.limits(exercise), grader])
