"""Marks come by two ways, the desk and a table: which of an answer's counts.

What was entered last counts. A table's cells have no time: all that is known is whether they are
still those that were last read off or written. So a cell that somebody changed is newer than what
was known then; and where the desk has given another mark since, nobody can tell which of the two is
meant, and a person has to say so.
"""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from autograder.course.errors import UserError
from autograder.course.files import synced
from autograder.course.text import digest
from autograder.submission.read import UnreadableFile, read_bytes

# `marks.jsonl`: the marks that people give on the desk, in a file that only ever grows.
#
# A line is what one person did at once: one mark, or the same for several answers that are
# alike. It is written whole, under the kernel's lock, and on the disk before anybody is told so.
# Nothing in it is changed or taken out, so that several people, and a spreadsheet beside them,
# lose nothing to each other. A line that a dying machine left half written is known by its seal
# and counts for nothing.
#
# A file of lines rather than a database: folders of results lie on network drives and in archives,
# where SQLite's write-ahead log does not work and three files would have to be kept together.


FILE = "marks.jsonl"
MOST = 256 * 1024 * 1024
SEAL = 16
Key = tuple[str, str, str]
MarkWay = Literal["desk", "table"]


class GivenMark(msgspec.Struct, frozen=True, omit_defaults=True):
    """A mark for one answer, whose words `answer` stands for; no points yet is None.

    `items` are the rubric's items that it was made of, by their own letters.
    """

    student: str
    exercise: str
    question: str
    answer: str
    points: float | None = None
    comment: str = ""
    items: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        return self.student, self.exercise, self.question

    @property
    def said(self) -> tuple[float | None, str]:
        """What a spreadsheet shows of it."""
        return self.points, " ".join(self.comment.split())


class Act(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was done at once: by whom, when (UTC), where, and the marks as they were from then on.

    `seen` is how many lines were known when a table's marks were read off or written.
    """

    by: str
    at: str
    marks: tuple[GivenMark, ...]
    way: MarkWay = "desk"
    seen: int = 0


class MarkEntry(msgspec.Struct, frozen=True):
    """One mark of the file: in which `line`, and its `place` in time among an answer's others."""

    mark: GivenMark
    by: str
    at: str
    way: MarkWay
    line: int
    place: float


class MarksLog:
    """The marks in a folder of results; without a file there are none."""

    def __init__(self, results: Path) -> None:
        self.path = results / FILE
        self._known: tuple[int, int, int] | None = None
        self._entries: dict[Key, list[MarkEntry]] = {}
        self.lines = 0
        self.damaged: list[int] = []

    @property
    def there(self) -> bool:
        return self.path.is_symlink() or self.path.exists()

    def read(self) -> dict[Key, list[MarkEntry]]:
        """All marks of each answer, in the order in which they were given.

        Raises:
            UserError: it is no regular file, or cannot be read.
        """
        if not self.there:
            return {}
        try:
            about = self.path.lstat()
            state = about.st_ino, about.st_size, about.st_mtime_ns
            if state != self._known:
                self._parse(read_bytes(self.path, MOST))
                self._known = state
        except (UnreadableFile, OSError) as error:
            raise UserError(f"{self.path}, the marks, cannot be read: {error}") from None
        return self._entries

    def _parse(self, data: bytes) -> None:
        found: dict[Key, list[MarkEntry]] = {}
        damaged: list[int] = []
        lines = data.split(b"\n")
        for number, line in enumerate(lines[:-1], start=1):
            act = _unsealed(line)
            if act is None:
                damaged += [number] if line else []
                continue
            place = number if act.way == "desk" else act.seen + 0.5
            for mark in act.marks:
                entry = MarkEntry(mark, act.by, act.at, act.way, number, place)
                found.setdefault(mark.key, []).append(entry)
        for entries in found.values():
            entries.sort(key=lambda entry: entry.place)
        self._entries, self.damaged, self.lines = found, damaged, len(lines) - 1

    @contextlib.contextmanager
    def held(self) -> Iterator["Pen"]:
        """Have the file to oneself: what is read in here is still so when it is written.

        Raises:
            UserError: it cannot be opened; it is no regular file.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
            flags |= getattr(os, name, 0)
        try:
            descriptor = os.open(self.path, flags, 0o666)
        except OSError as error:
            raise UserError(
                f"{self.path}, the marks, cannot be opened: {error.strerror}. See that it is a "
                f"file, and that the folder can be written to."
            ) from None
        try:
            with _locked(descriptor):
                yield Pen(self.path, descriptor)
        finally:
            os.close(descriptor)


class Pen:
    """The file while nobody else writes to it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def add(self, acts: Sequence[Act]) -> None:
        """Add lines, all or none; they are on the disk when this returns.

        Raises:
            UserError: they cannot be written; nothing was.
        """
        before = os.fstat(self._descriptor).st_size
        ends = not before or os.pread(self._descriptor, 1, before - 1) == b"\n"
        data = (b"" if ends else b"\n") + b"".join(_sealed(act) + b"\n" for act in acts)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._descriptor, view) :]
            os.fsync(self._descriptor)
            if not before:
                synced(self._path.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, before)
            raise UserError(
                f"{self._path} cannot be written: {error.strerror}. The marks were not kept: make "
                f"room, and give them again."
            ) from None


def _sealed(act: Act) -> bytes:
    body = msgspec.json.encode(act)
    return msgspec.json.encode([digest(body.decode(), SEAL), msgspec.Raw(body)])


def _unsealed(line: bytes) -> Act | None:
    """What a line says; None where it is not as it was written."""
    try:
        seal, body = msgspec.json.decode(line, type=tuple[str, msgspec.Raw])
        raw = bytes(body)
        return msgspec.json.decode(raw, type=Act) if seal == digest(raw.decode(), SEAL) else None
    except (msgspec.MsgspecError, UnicodeError):
        return None


@contextlib.contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """The kernel's lock, which ends with the process; where a drive has none, as well as it goes.

    What is added then still lies behind what was there, since the file is open for that alone.
    """
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
        try:
            yield
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        return
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield


class InTable(msgspec.Struct, frozen=True):
    """What a table's row says; `bound` is the answer that it is for, nothing for whichever."""

    points: float | None = None
    comment: str = ""
    bound: str = ""

    @property
    def said(self) -> tuple[float | None, str]:
        return self.points, " ".join(self.comment.split())

    @property
    def is_blank(self) -> bool:
        return self.said == (None, "")


class Settled(NamedTuple):
    """`two`: the desk's mark, where the table has another. `last`: what counts, if the file's."""

    two: GivenMark | None = None
    last: GivenMark | None = None


def settled(entries: Sequence[MarkEntry], row: InTable | None) -> Settled:
    """What counts of the marks of one answer.

    Args:
        entries: those of the file, in order; at least one.
        row: the table's; None where it has no row for the answer.
    """
    last = entries[-1]
    if row is None or not is_changed(entries, row):
        return Settled(last=last.mark)
    if last.way == "table":  # and the table was changed since
        return Settled()
    if row.is_blank or row.said == last.mark.said:
        return Settled(last=last.mark)
    return Settled(two=last.mark)


def is_changed(entries: Sequence[MarkEntry], row: InTable) -> bool:
    """Whether a table says something else than when it was last read off or written."""
    known = of_the_table(entries)
    if known is None:
        return not row.is_blank
    confirmed = not row.bound and bool(known.answer)
    return row.said != known.said or (confirmed and not row.is_blank)


def of_the_table(entries: Sequence[MarkEntry]) -> GivenMark | None:
    """What the table said when it was last read off or written."""
    lines = [(entry.line, entry.mark) for entry in entries if entry.way == "table"]
    return max(lines, key=lambda each: each[0])[1] if lines else None
