"""Records of a class on disk: those of the results, and those that wait to be written."""

import tempfile
from pathlib import Path
from typing import IO

import msgspec

from autograder.course.errors import UserError
from autograder.report.model import Report

FILE = "report.jsonl"


class _Name(msgspec.Struct, frozen=True):
    name: str


class _Head(msgspec.Struct, frozen=True):
    """The part of a record that is known of all students at once."""

    student: str
    exercises: tuple[_Name, ...]


class Records:
    """The records in a file, by student; `exercises` are those of all records, in order."""

    def __init__(self, path: Path) -> None:
        """Read the students' names; without a file there are none.

        Raises:
            UserError: it is there and cannot be read, or is of another version.
        """
        self.path = path
        self.exercises: dict[str, None] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self._file: IO[bytes] | None = None
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise UserError(f"{path} is not a regular file (a link is not followed). Remove it.")
        try:
            self._file = path.open("rb")
        except FileNotFoundError:
            return
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror}.") from None
        try:
            self._read(self._file)
        except msgspec.MsgspecError as error:
            self.close()
            raise UserError(
                f"{path} is damaged or of another version ({error}). Move it away, or name "
                f"another folder."
            ) from None

    def _read(self, file: IO[bytes]) -> None:
        decoder = msgspec.json.Decoder(_Head)
        start = 0
        for line in file:
            head = decoder.decode(line)
            self._places[head.student] = start, len(line)
            self.exercises |= dict.fromkeys(each.name for each in head.exercises)
            start += len(line)

    def __contains__(self, student: str) -> bool:
        return student in self._places

    @property
    def there(self) -> bool:
        """Tell whether there is a file, if only an empty one."""
        return self._file is not None

    @property
    def students(self) -> list[str]:
        return list(self._places)

    def line(self, student: str) -> bytes:
        """Return a student's record as it lies there; b"" if there is none."""
        if self._file is None or student not in self._places:
            return b""
        start, size = self._places[student]
        self._file.seek(start)
        return self._file.read(size).rstrip(b"\n")

    def get(self, student: str) -> Report | None:
        """Return a student's record; None if there is none.

        Raises:
            UserError: it is of another version.
        """
        line = self.line(student)
        try:
            return msgspec.json.decode(line, type=Report) if line else None
        except msgspec.MsgspecError as error:
            raise UserError(f"{self.path}: the record of {student} is damaged ({error}).") from None

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class ReportSpool:
    """Encoded reports by number that wait in a file: memory does not grow with the class.

    Each is put in and taken out once.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  close() closes it
        self._places: dict[int, tuple[int, int]] = {}
        self._end = 0

    def __contains__(self, number: int) -> bool:
        return number in self._places

    def put(self, number: int, data: bytes) -> None:
        self._file.seek(self._end)
        self._file.write(data)
        self._places[number] = self._end, len(data)
        self._end += len(data)

    def take(self, number: int) -> bytes:
        """Return the data of a number, and forget it."""
        start, size = self._places.pop(number)
        if not self._places:
            self._end = 0  # nothing waits: begin again
        self._file.seek(start)
        return self._file.read(size)

    def close(self) -> None:
        self._file.close()
