"""Records of a class on the disk: the reports of a results folder, and the journal."""

import contextlib
import sqlite3
from pathlib import Path

import msgspec

from autograder.classroom.store import database_errors, refuse_links
from autograder.course.cache import cache_key
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.report.model import ExerciseReport, Grader, Repair, Report
from autograder.report.redaction import hides_repair
from autograder.submission.source import Source

REPORTS = "report.jsonl"
JOURNAL = "journal.sqlite"
_JOURNAL_TABLE = """
CREATE TABLE IF NOT EXISTS results (
    student TEXT NOT NULL,
    exercise TEXT NOT NULL,
    key TEXT NOT NULL,
    report BLOB NOT NULL,
    PRIMARY KEY (student, exercise)
) WITHOUT ROWID
"""


class _Name(msgspec.Struct, frozen=True):
    name: str


class _Head(msgspec.Struct, frozen=True):
    """Part of a record that is decoded when the file is read."""

    student: str
    exercises: tuple[_Name, ...]


class Records:
    """Reports in a file. `there` is true if the file exists."""

    def __init__(self, path: Path) -> None:
        """Read the file, and decode its names. Without a file, there are no students."""
        self.path = path
        self.exercises: dict[str, None] = {}
        self._lines: dict[str, bytes] = {}
        self.there = path.exists() or path.is_symlink()
        if not self.there:
            return
        if path.is_symlink() or not path.is_file():
            raise UserError(f"{path} is a link or a folder, not a file. Remove it.")
        decoder = msgspec.json.Decoder(_Head)
        try:
            for line in filter(None, path.read_bytes().split(b"\n")):
                head = decoder.decode(line)
                self._lines[head.student] = line
                self.exercises |= dict.fromkeys(each.name for each in head.exercises)
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror}.") from None
        except msgspec.MsgspecError as error:
            raise UserError(
                f"{path} is damaged or from another version ({error}). Move it elsewhere, or name "
                f"another folder."
            ) from None

    @property
    def students(self) -> list[str]:
        return list(self._lines)

    def line(self, student: str) -> bytes:
        """Return a student's report as bytes. If there is none, return b""."""
        return self._lines.get(student, b"")

    def get(self, student: str) -> Report | None:
        return self.report(student) if student in self._lines else None

    def report(self, student: str) -> Report:
        try:
            return msgspec.json.decode(self._lines[student], type=Report)
        except msgspec.MsgspecError as error:
            raise UserError(
                f"{self.path}: the record of {student} is damaged or from another version "
                f"({error}). Run the same grade command again."
            ) from None


class Journal:
    """Cache of reports, each on one student and one exercise.

    A report's key depends on all inputs of the grading. If an input changes, the work is graded
    again. Only one run at a time uses the journal.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / JOURNAL
        refuse_links(self.path)
        with self._errors():
            self._database = sqlite3.connect(self.path, isolation_level=None, timeout=5)
            try:
                self._database.text_factory = bytes  # so that damaged text can be read, too
                # First, as a locked write-ahead log shares no memory and works on network drives.
                self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
                self._database.execute("PRAGMA journal_mode = WAL")
                self._database.execute("PRAGMA synchronous = NORMAL")
                self._database.execute("BEGIN IMMEDIATE")  # locks out other runs
                self._database.execute("COMMIT")
                self._database.execute(_JOURNAL_TABLE)
            except sqlite3.DatabaseError:
                self._database.close()
                raise

    def _errors(self) -> contextlib.AbstractContextManager[None]:
        advice = "Remove it, and run the same command again. It then grades everything again"
        return database_errors(self.path, advice)

    def find(self, student: str, exercise: str, key: str) -> bytes | None:
        query = "SELECT key, report FROM results WHERE student = ? AND exercise = ?"
        with self._errors():
            row = self._database.execute(query, (student, exercise)).fetchone()
        if row is None or not isinstance(row[1], bytes):
            return None
        data: bytes = row[1]
        return data if row[0] == cache_key(key, data).encode() else None

    def keep(self, student: str, exercise: str, key: str, report: bytes) -> None:
        """Store a report with a seal, which shows later damage."""
        values = student, exercise, cache_key(key, report), report
        with self._errors():
            self._database.execute("REPLACE INTO results VALUES (?, ?, ?, ?)", values)

    def close(self) -> None:
        self._database.close()


def key_of(source: Source, exercise: Exercise, course: Course, grader: Grader) -> str:
    """Return a digest of a report's inputs: submission, exercise, limits and grader."""
    return cache_key([source.digest, source.label, exercise, course.limits(exercise), grader])


def may_have_repair(report: ExerciseReport, course: Course) -> bool:
    """Return True if a failed check has neither a named mistake nor a line."""
    return (
        report.status == "graded"
        and course.exercise(report.name).repair
        and any(check.lacks_name_and_line for check in report.checks)
        and not hides_repair(report, course.content.hints, course.hidden_checks(report.name))
    )


class KnownRepairs:
    """Finished searches for repairs, by keys that depend on everything that sets the grade."""

    def __init__(self, journal: Journal, course: Course) -> None:
        self._journal, self._course = journal, course

    def is_due(self, student: str, report: ExerciseReport) -> bool:
        return may_have_repair(report, self._course) and not self._found(student, report)

    def added_to(self, student: str, report: ExerciseReport) -> ExerciseReport:
        found = self._found(student, report) if may_have_repair(report, self._course) else ()
        return msgspec.structs.replace(report, repair=found[0] if found else None)

    def keep(self, student: str, report: ExerciseReport, repair: Repair | None) -> None:
        self._journal.keep(student, *_row(report), msgspec.json.encode([repair]))

    def _found(self, student: str, report: ExerciseReport) -> tuple[Repair | None, ...]:
        data = self._journal.find(student, *_row(report)) or b"[]"
        with contextlib.suppress(msgspec.MsgspecError):  # stored in another form: search again
            return msgspec.json.decode(data, type=tuple[Repair | None, ...])
        return ()


def _row(report: ExerciseReport) -> tuple[str, str]:
    return f"{report.name} repair", cache_key([report.digest, report.file, report.basis])
