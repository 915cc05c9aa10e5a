"""Logs of runs: `grade.log` with times for people, JSON events for scripts (`--json`)."""

import logging
import logging.handlers
import os
import re
import sys
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Self

import msgspec

from autograder.classroom.grade_difference import Change, GradeCell
from autograder.classroom.pending_results import GradedClass
from autograder.course.errors import UserError
from autograder.course.text import one_line

LOG = "grade.log"
MOST_BYTES = 4 * 2**20  # size of the log file; one older file is kept
LONGEST = 2000


class _LogFile(logging.handlers.RotatingFileHandler):
    """Log file that is created with its first line. If it is unwritable, nothing is logged."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass


class Log:
    """Log of a run, without the `hidden` names. The first line creates the file."""

    def __init__(self, folder: Path, hidden: Collection[str] = ()) -> None:
        self._path = folder / LOG
        self._file: _LogFile | None = None
        longest_first = sorted(map(re.escape, filter(None, hidden)), key=len, reverse=True)
        names = "|".join(longest_first) or "(?!)"  # matches nothing
        self._hidden = re.compile(rf"(?<!\w)(?:{names})(?!\w)")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._file is None:  # the run never began, so the folder may not be ours
            return
        if error is not None:
            is_known = isinstance(error, UserError)
            self.line(f"error: {error}" if is_known else f"ended: {type(error).__name__}")
        self._file.close()

    def line(self, text: str) -> None:
        """Write a line with the time in UTC. If writing fails, do nothing."""
        if self._file is None:
            self._file = _LogFile(
                self._path, maxBytes=MOST_BYTES, backupCount=1, encoding="utf-8", delay=True
            )
            formatter = logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
            formatter.converter = time.gmtime
            self._file.setFormatter(formatter)
            self.line(f"process {os.getpid()}: {' '.join(sys.argv[1:])}")
        if not self._path.is_symlink():
            message = one_line(self._hidden.sub("…", text), LONGEST)
            self._file.handle(logging.makeLogRecord({"msg": message}))

    def overview(self, overview: GradedClass, code: int) -> None:
        for note in overview.notes:
            self.line(f"note: {note}")
        verb = "changed" if overview.in_force else "would change"
        for change in overview.difference.changes if overview.difference is not None else ():
            cells = [f"{cell_text(cell)} ({', '.join(cell.why)})" for cell in change.cells]
            self.line(f"{verb} {change.student}: {'; '.join(cells)}")
        for row in overview.rows:
            if row.notes:
                self.line(f"{row.student} ({row.status}): {row.said}")
        force = f"applied as version {overview.version}" if overview.version else "no new version"
        self.line(f"{force if overview.in_force else 'not applied'}; exit code {code}")


def cell_text(cell: GradeCell) -> str:
    """Return the change of a grade as text, such as `softmax 12/12 → 9/12`."""
    return f"{cell.exercise} {cell.before or 'none'} → {cell.after or 'none'}"


def emit(event: str, **values: Any) -> None:
    """Print an event now, as a JSON object on its own line."""
    sys.stdout.write(msgspec.json.encode({"event": event, **values}).decode() + "\n")
    sys.stdout.flush()


def emit_changes(changes: Iterable[Change]) -> None:
    for change in changes:
        emit("change", **msgspec.to_builtins(change))


def emit_end(overview: GradedClass, out: Path, code: int) -> None:
    """Print the results of a run: changes, students, notes, then counts."""
    difference = overview.difference
    emit_changes(difference.changes if difference is not None else ())
    for row in overview.rows:
        emit(
            "student",
            student=row.student,
            status=row.status,
            points=row.total,
            max_points=row.maximum,
        )
    for note in overview.notes:
        emit("note", said=note)
    emit(
        "end",
        exit_code=code,
        in_force=overview.in_force,
        version=overview.version or None,
        students=len(overview.rows),
        statuses=dict(overview.statuses),
        changed=len(difference.changes) if difference is not None else 0,
        pages=difference.texts if difference is not None else 0,
        difference=difference.digest if difference is not None else "",
        out=str(out),
    )
