"""`grade.log`: what runs did and said, with the times; what a screen has no room for is here."""

import logging
import logging.handlers
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from autograder.classroom.grade_difference import Change
from autograder.classroom.proposed import GradedClass
from autograder.course.errors import UserError
from autograder.course.text import one_line

if TYPE_CHECKING:
    from autograder.classroom.grade_class import Job
    from autograder.classroom.grade_difference import Change
    from autograder.classroom.proposed import GradedClass


FILE = "grade.log"
MOST_BYTES = 4 * 2**20  # of a file; there is one older one beside it
LONGEST = 2000


class _Quiet(logging.handlers.RotatingFileHandler):
    """A log that cannot be written, on a full disk for example, stops nobody."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass


class Log:
    """The log of a run. It begins with the first thing that is to be said."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._logger: logging.Logger | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._logger is None:  # nothing had begun; the folder may be anybody's
            return
        if error is not None:
            told = isinstance(error, UserError)
            self.line(f"error: {error}" if told else f"ended: {type(error).__name__}")
        for handler in self._logger.handlers:
            handler.close()

    def line(self, text: str) -> None:
        """A line with the time in UTC; nothing, where no such file can be."""
        if self._logger is None:
            self._logger = self._opened()
            said = " ".join(sys.argv[1:])
            self._logger.info("%s", one_line(f"process {os.getpid()}: {said}", LONGEST))
        self._logger.info("%s", one_line(text, LONGEST))

    def _opened(self) -> logging.Logger:
        logger = logging.Logger("autograder.grade")
        logger.addHandler(logging.NullHandler())
        if not self._path.parent.is_dir() or self._path.is_symlink():
            return logger
        try:
            handler = _Quiet(self._path, maxBytes=MOST_BYTES, backupCount=1, encoding="utf-8")
        except OSError:
            return logger
        form = logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
        form.converter = time.gmtime
        handler.setFormatter(form)
        logger.addHandler(handler)
        return logger

    def beside(self, progress: Callable[[int, int], None]) -> Callable[[int, int], None]:
        """The same progress, with a line here now and then."""

        def told(done: int, of: int) -> None:
            if done == of or done % max(1, of // 10) == 0:
                self.line(f"graded {done} of {of}")
            progress(done, of)

        return told

    def overview(self, overview: GradedClass, code: int) -> None:
        """What came of a run, whole."""
        for note in overview.notes:
            self.line(f"note: {note}")
        verb = "changed" if overview.in_force else "would change"
        for change in overview.difference.changes if overview.difference is not None else ():
            self.line(f"{verb} {change.student}: {_cells(change)}")
        for row in overview.rows:
            if row.notes:
                self.line(f"{row.student} ({row.status}): {row.said}")
        force = f"in force as version {overview.version}" if overview.version else "no new version"
        self.line(f"{force if overview.in_force else 'not put in force'}; exit code {code}")


def _cells(change: Change) -> str:
    return "; ".join(
        f"{cell.exercise} {cell.before or 'none'} → {cell.after or 'none'} ({', '.join(cell.why)})"
        for cell in change.cells
    )


# `--json`: what a command has to say, as one JSON object a line on stdout, for scripts.


def emit(event: str, **values: Any) -> None:
    """An object with the name of what happened, at once."""
    sys.stdout.write(msgspec.json.encode({"event": event, **values}).decode() + "\n")
    sys.stdout.flush()


def emit_start(job: "Job") -> None:
    emit(
        "start",
        course=job.course.title,
        submissions=str(job.submissions),
        out=str(job.out),
        exercises=[exercise.name for exercise in job.exercises],
        workers=job.workers,
        seed=job.seed,
        confinement=job.level,
    )


def emit_progress(done: int, of: int) -> None:
    emit("progress", done=done, of=of)


def emit_changes(found: "Iterable[Change]") -> None:
    for change in found:
        emit("change", **msgspec.to_builtins(change))


def emit_end(overview: "GradedClass", out: Path, code: int) -> None:
    """What came of a run: changes, students, notes, and a last object with the counts."""
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
        statuses=dict(Counter(row.status for row in overview.rows).most_common()),
        changed=len(difference.changes) if difference is not None else 0,
        difference=difference.digest if difference is not None else "",
        out=str(out),
    )
