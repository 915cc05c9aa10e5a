"""Recorded answers of a released course: a packed file without code, and the search for answers."""

import functools
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from autograder.checks.check_result import NotJudged
from autograder.checks.projection_hash import SUMS, ProjectionHash, hash_of_pass
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.report.model import Cause
from autograder.worker.codec import decode, encode
from autograder.worker.messages import Passed, Reply
from autograder.worker.values import Record, Tuple

Unpacked = TypeVar("Unpacked")
FOLDER, SUFFIX = "records", ".bin"
LEVEL = 9
MOST = 256 * 1024 * 1024  # limit on the bytes of an unpacked file
MAX_VALUE_HEADER = 1024 * 1024


class HiddenCheck(msgspec.Struct, frozen=True):
    """Check that is not in student kits. The fields are the data that students may see."""

    name: str
    title: str
    weight: float


class RecordedAnswers(msgspec.Struct):
    """Recorded answers of one function of the reference.

    Each recorded call has an entry in `kinds` and in `values`, and three float64 numbers in `sums`.
    The kind and the sums are the `ProjectionHash` of the arguments. `values` holds indices into the
    `values` of the `ExerciseRecord`.
    """

    kinds: list[bytes] = []
    sums: bytes = b""
    values: list[int] = []


class ExerciseRecord(msgspec.Struct):
    """Record of one exercise's checks.

    `order` names all checks, including hidden ones. `canary` holds the sums of random numbers that
    were drawn on the machine that made the record. `constants` are texts and numbers of the
    reference. `weights` are the weights of the checks in the kit. `hidden` describes the checks
    that are not in the kit.
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
    constants: dict[str, bytes] = {}
    functions: dict[str, RecordedAnswers] = {}
    values: list[bytes] = []


class Fields(Record):
    """Record whose fields can be read as attributes, like the fields of the original object."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None


def pack(record: object) -> bytes:
    """Return a record as compressed bytes. Equal records give equal bytes."""
    return zlib.compress(msgspec.msgpack.encode(record), LEVEL)


def read_packed(path: Path, kind: type[Unpacked]) -> Unpacked:
    """Read a file written by `pack`.

    Raises:
        UserError: the file cannot be read, or its contents are not a record of this type.
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
    """Return a plain value as bytes.

    Raises:
        TypeError, ValueError: the value is not plain data.
    """
    size, _, buffers = encode(Reply(_sendable(value)), MAX_VALUE_HEADER)
    return size.to_bytes(4, "little") + b"".join(bytes(each) for each in buffers)


def unpacked_value(data: bytes) -> Any:
    """Return a value that `packed_value` packed. An object of a dataclass becomes `Fields`."""
    end = 4 + int.from_bytes(data[:4], "little")
    return _restored(decode(Reply, data[4:end], bytearray(data[end:])).value)


def _restored(value: Any) -> Any:
    if isinstance(value, Record):
        return Fields(value.type, _restored(value.fields))
    if isinstance(value, dict):
        return {key: _restored(each) for key, each in value.items()}
    if isinstance(value, list):
        return (tuple if isinstance(value, Tuple) else list)(map(_restored, value))
    return value


def _sendable(value: Any) -> Any:
    """Return a value with NumPy's scalars replaced by Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {key: _sendable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return (tuple if isinstance(value, tuple) else list)(map(_sendable, value))
    return value


def canary() -> ProjectionHash:
    """Return the hash of random numbers. Another hash means that NumPy draws other numbers."""
    rng = np.random.default_rng([7, 11])
    return ProjectionHash([rng.normal(size=200), rng.integers(1000, size=50), rng.random(50)])


class Playback:
    """Lookup of the reference's recorded answers for the checks of one exercise."""

    def __init__(self, record: ExerciseRecord) -> None:
        self.record = record
        self._places: defaultdict[tuple[str, bytes], list[int]] = defaultdict(list)
        for name, answers in record.functions.items():
            for place, kind in enumerate(answers.kinds):
                self._places[name, kind].append(place)

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the recorded answer to this call; raise NotJudged if no answer is recorded."""
        return self._value(name, ProjectionHash((args, kwargs)))

    def passed(self, name: str, *given: Any) -> Passed:
        """Return the recorded result of a module; `given` are the arguments of `reference_pass`."""
        recorded = self._value(name, hash_of_pass(*given))
        return Passed(called=True, value=recorded["value"], gradients=recorded["gradients"])

    def constant(self, name: str) -> Any:
        """Return a constant (a text, a number, or a tuple of these), or None if it is unknown."""
        data = self.record.constants.get(name)
        value = None if data is None else unpacked_value(data)
        return tuple(value) if isinstance(value, list) else value

    def _value(self, name: str, asked: ProjectionHash) -> Any:
        places = self._places.get((name, asked.kind))
        if places:
            answers = self.record.functions[name]
            sums = np.frombuffer(answers.sums, "<f8").reshape(-1, SUMS)
            close = np.flatnonzero(asked.is_close(sums[places]))
            if len(close):
                return unpacked_value(self.record.values[answers.values[places[close[0]]]])
        if canary().is_close(np.array([self.record.canary]))[0]:
            raise NotJudged
        # this NumPy draws other numbers, so the check's arguments may differ from the recorded ones
        names = (self.record.numpy,)
        raise NotJudged(Cause(code="other_numpy", subject=np.__version__, names=names))


def records_file(course: Course, exercise: str) -> Path:
    """Return the file of a released course that has the recorded answers of an exercise."""
    return course.root / course.content.reference / FOLDER / f"{exercise}{SUFFIX}"


def playback(course: Course, exercise: str) -> Playback:
    """Return the recorded answers of an exercise of a released course.

    Raises:
        UserError: the recorded answers are missing, or cannot be read.
    """
    path = records_file(course, exercise)
    return _playback(path, path.stat().st_mtime if path.exists() else 0.0)


@functools.lru_cache(maxsize=32)
def _playback(path: Path, _modified: float) -> Playback:
    return Playback(read_packed(path, ExerciseRecord))


def released_points(course: Course, exercise: Exercise) -> dict[str, float] | None:
    """Return the points of each check of a released exercise, or None in an older kit."""
    record = read_packed(records_file(course, exercise.name), ExerciseRecord)
    if not record.weights:
        return None
    whole = sum(record.weights.values()) + sum(check.weight for check in record.hidden)
    share = 0.0 if exercise.questions else exercise.points / whole
    return {name: round(weight * share, 2) for name, weight in record.weights.items()}
