"""Recorded answers as a file: data alone, packed and compressed."""

import zlib
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from autograder.diagnosis.outcome import Vector
from autograder.errors import UserError
from autograder.recorded.sketch import SUMS, Sketch
from autograder.worker.codec import decode, encode
from autograder.worker.kinds import Record, Tuple
from autograder.worker.messages import Reply

Unpacked = TypeVar("Unpacked")
FOLDER, SUFFIX = "records", ".bin"
LEVEL = 9
MOST = 256 * 1024 * 1024  # bytes that a file may unpack to
MAX_VALUE_HEADER = 1024 * 1024


class HiddenCheck(msgspec.Struct, frozen=True):
    """A check that is not handed out: what students may know of it."""

    name: str
    title: str
    weight: float


class RecordedAnswers(msgspec.Struct):
    """What one function of the reference gave: for each call a kind, three sums, and a value.

    `sums` are float64, three a call; `values` are places in the file's list of values.
    """

    kinds: list[bytes] = []
    sums: bytes = b""
    values: list[int] = []


class Recorded(msgspec.Struct):
    """All that is recorded of one exercise's checks.

    `order` are all checks, hidden ones too, in their order; `canary` are the sums of numbers that
    were drawn where the records were made; `constants` are texts and numbers of the reference.
    `weights` are those of the checks that are not hidden, and `untold` those of them that cannot
    be told here, whatever the work.
    """

    exercise: str
    digest: str
    numpy: str
    seeds: list[int]
    canary: list[float] = []
    order: list[str] = []
    hints: dict[str, tuple[str, ...]] = {}
    hidden: list[HiddenCheck] = []
    weights: dict[str, float] = {}
    untold: list[str] = []
    constants: dict[str, bytes] = {}
    functions: dict[str, RecordedAnswers] = {}
    values: list[bytes] = []


class Fields(Record):
    """A record whose fields are read as attributes, as those of the object were that it was."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None


def pack(record: object) -> bytes:
    """A record as it is written; the same record gives the same bytes."""
    return zlib.compress(msgspec.msgpack.encode(record), LEVEL)


def read_packed(path: Path, kind: type[Unpacked]) -> Unpacked:
    """What `pack` wrote to a file.

    Raises:
        UserError: it cannot be read, or holds something else.
    """
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(path.read_bytes(), MOST)
        if unpacker.unconsumed_tail:
            raise ValueError("too large")
        return msgspec.msgpack.decode(data, type=kind)
    except (OSError, zlib.error, msgspec.MsgspecError, ValueError) as error:
        raise UserError(
            f"{path}, recorded answers, cannot be read ({error}). Unpack what your course handed "
            f"out again; your own files stay."
        ) from None


def packed_value(value: Any) -> bytes:
    """A plain value as bytes.

    Raises:
        TypeError, ValueError: it cannot be sent to another process either.
    """
    size, _, buffers = encode(Reply(_sendable(value)), MAX_VALUE_HEADER)
    return size.to_bytes(4, "little") + b"".join(bytes(each) for each in buffers)


def unpacked_value(data: bytes) -> Any:
    """The value; what was an object of a dataclass has its fields as attributes.

    Raises:
        ProtocolError: the bytes are none of ours.
    """
    end = 4 + int.from_bytes(data[:4], "little")
    return _restored(decode(Reply, data[4:end], bytearray(data[end:])).value)


def _restored(value: Any) -> Any:
    if isinstance(value, Record):
        return Fields(value.type, {name: _restored(each) for name, each in value.fields.items()})
    if isinstance(value, dict):
        return {key: _restored(each) for key, each in value.items()}
    if isinstance(value, Tuple):
        return tuple(_restored(each) for each in value)
    if isinstance(value, list):
        return [_restored(each) for each in value]
    return value


def _sendable(value: Any) -> Any:
    """A value whose numbers are Python's own, or in arrays."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {key: _sendable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_sendable(each) for each in value]
    return tuple(_sendable(each) for each in value) if isinstance(value, tuple) else value


def canary() -> Sketch:
    """Numbers that are drawn as checks draw theirs: other numbers, another NumPy."""
    rng = np.random.default_rng([7, 11])
    return Sketch([rng.normal(size=200), rng.integers(1000, size=50), rng.random(50)])


def sums_of(answers: RecordedAnswers) -> Vector:
    """The sums of all calls, a row each."""
    return np.frombuffer(answers.sums, "<f8").reshape(-1, SUMS)
