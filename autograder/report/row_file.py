"""The rows of a class in a file, so that memory does not grow with them."""

import tempfile
import weakref
from array import array
from collections.abc import Iterator, Sequence
from typing import IO, overload

import msgspec

from autograder.report.row import Row

IN_MEMORY = 4 * 2**20  # bytes; what is more goes into a file


class RowFile(Sequence[Row]):
    """Rows, one after the other, read from where they lie; the file goes when nobody has this."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._ends = array("Q", [0])
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(Row)

    def append(self, row: Row) -> None:
        data = self._encoder.encode(row)
        self._file.seek(self._ends[-1])
        self._file.write(data)
        self._ends.append(self._ends[-1] + len(data))

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        numbers = range(len(self))[at]
        if isinstance(numbers, range):
            return [self._read(number) for number in numbers]
        return self._read(numbers)

    def __iter__(self) -> Iterator[Row]:
        for number in range(len(self)):
            yield self._read(number)

    def _read(self, number: int) -> Row:
        start = self._ends[number]
        self._file.seek(start)
        return self._decoder.decode(self._file.read(self._ends[number + 1] - start))
