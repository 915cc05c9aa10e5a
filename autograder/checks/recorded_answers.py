"""Recorded answers as a file: data alone, packed and compressed."""

import functools
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from autograder.checks.projection_hash import SUMS, ProjectionHash, hash_of_pass
from autograder.checks.signature import Vector
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.report.reasons import OTHER_MACHINE, NotToldHere
from autograder.worker.codec import decode, encode
from autograder.worker.messages import Passed, Reply
from autograder.worker.values import Record, Tuple

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


class ExerciseRecord(msgspec.Struct):
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


def canary() -> ProjectionHash:
    """Numbers that are drawn as checks draw theirs: other numbers, another NumPy."""
    rng = np.random.default_rng([7, 11])
    return ProjectionHash([rng.normal(size=200), rng.integers(1000, size=50), rng.random(50)])


def sums_of(answers: RecordedAnswers) -> Vector:
    """The sums of all calls, a row each."""
    return np.frombuffer(answers.sums, "<f8").reshape(-1, SUMS)


# RecordedAnswers of a released course: looked up in what was recorded.


def records_file(course: Course, exercise: str) -> Path:
    """Where a released course keeps the recorded answers of an exercise."""
    return course.root / course.content.reference / FOLDER / f"{exercise}{SUFFIX}"


class Playback:
    """What the reference answered, for one exercise."""

    def __init__(self, record: ExerciseRecord) -> None:
        self.record = record
        self._functions = {name: _Known(each) for name, each in record.functions.items()}

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the function gave when it was asked the same.

        Raises:
            NotToldHere: it was never asked that.
        """
        return self._value(name, ProjectionHash((args, kwargs)))

    def passed(
        self,
        name: str,
        made_with: tuple[Any, ...],
        inputs: tuple[Any, ...],
        state: Mapping[str, Any],
        toward: tuple[Any, ...] | None,
    ) -> Passed:
        """What a module of the course's gave."""
        found = self._value(name, hash_of_pass(made_with, inputs, state, toward))
        return Passed(called=True, value=found["value"], gradients=found["gradients"])

    def constant(self, name: str) -> Any:
        """A text or a number, or None."""
        data = self.record.constants.get(name)
        return None if data is None else _hashable(unpacked_value(data))

    def _value(self, name: str, asked: ProjectionHash) -> Any:
        known = self._functions.get(name)
        place = known.place(asked) if known is not None else None
        if place is None:
            raise NotToldHere(self._why())
        return unpacked_value(self.record.values[place])

    def _why(self) -> str:
        """Why an answer is not there: another machine draws other questions, perhaps."""
        if canary().is_close(np.array([self.record.canary]))[0]:
            return str(NotToldHere())
        made = self.record.numpy
        return OTHER_MACHINE.format(made, np.__version__, made)


class _Known:
    """The calls of one function, by kind."""

    def __init__(self, answers: RecordedAnswers) -> None:
        self.values = answers.values
        self.sums = sums_of(answers)
        self.places: dict[bytes, list[int]] = {}
        for place, kind in enumerate(answers.kinds):
            self.places.setdefault(kind, []).append(place)

    def place(self, asked: ProjectionHash) -> int | None:
        """Which value answers a question; None if it was never asked."""
        places = self.places.get(asked.kind, [])
        if not places:
            return None
        close = np.flatnonzero(asked.is_close(self.sums[places]))
        return self.values[places[close[0]]] if len(close) else None


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@functools.lru_cache(maxsize=32)
def playback_of(path: Path, _changed: float) -> Playback:
    """The answers in a file."""
    return Playback(read_packed(path, ExerciseRecord))


def playback(course: Course, exercise: str) -> Playback:
    """The recorded answers of an exercise of a released course.

    Raises:
        UserError: they are not there, or cannot be read.
    """
    path = records_file(course, exercise)
    return playback_of(path, path.stat().st_mtime if path.exists() else 0.0)


# What the checks are worth that a released course tells of, whether or not there is any work.


def released_points(course: Course, exercise: Exercise) -> dict[str, float] | None:
    """The points of each check of an exercise that can be told of in a released course, by name.

    None of a kit that was made before this was recorded.

    Raises:
        UserError: the records cannot be read.
    """
    record = read_packed(records_file(course, exercise.name), ExerciseRecord)
    if not record.weights:
        return None
    whole = sum(record.weights.values()) + sum(check.weight for check in record.hidden)
    share = 0.0 if exercise.questions else exercise.points / whole
    return {
        name: round(weight * share, 2)
        for name, weight in record.weights.items()
        if name not in record.untold
    }
