"""Reports that wait for their turn: in a file, so that memory does not grow with the class."""

import tempfile
from typing import IO


class Spool:
    """Pieces of data by number, each to be put in and taken out once."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._places: dict[int, tuple[int, int]] = {}
        self._end = 0

    def __contains__(self, number: int) -> bool:
        return number in self._places

    def put(self, number: int, data: bytes) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  close() closes it
        self._file.seek(self._end)
        self._file.write(data)
        self._places[number] = self._end, len(data)
        self._end += len(data)

    def take(self, number: int) -> bytes:
        """The data of a number that is there; it is not there afterwards."""
        start, size = self._places.pop(number)
        if not self._places:
            self._end = 0  # nothing waits: begin again
        assert self._file is not None
        self._file.seek(start)
        return self._file.read(size)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
