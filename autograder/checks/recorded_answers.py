"""Recorded answers: results of the reference, which a student kit has instead of the reference."""

import functools
import importlib
import lzma
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TypeVar

import msgspec
import numpy as np

from autograder.checks.check_result import (
    Check,
    CheckResult,
    MayFollow,
    NotJudged,
    without_judgement,
)
from autograder.checks.projection_hash import SUMS, ProjectionHash, hash_of_pass
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.report.model import Cause
from autograder.worker.codec import decode, encode
from autograder.worker.messages import Passed, Reply
from autograder.worker.values import Record, Tuple

Unpacked = TypeVar("Unpacked")
FOLDER, SUFFIX = "records", ".bin"
MOST = 256 * 1024 * 1024  # limit on the bytes of an unpacked file
MAX_VALUE_HEADER = 1024 * 1024


class HiddenCheck(msgspec.Struct, frozen=True):
    """Data on a check that is not in the student's kit. Students may see these data."""

    name: str
    title: str
    weight: float


class RecordedAnswers(msgspec.Struct):
    """Recorded results of a function of the reference, one for each call.

    `kinds` and `sums` are the `ProjectionHash` of the arguments. `values` are indices of
    `ExerciseRecord.values`.
    """

    kinds: list[bytes] = []
    sums: bytes = b""
    values: list[int] = []


class ExerciseRecord(msgspec.Struct):
    exercise: str
    digest: str
    numpy: str
    seeds: list[int]
    canary: list[float] = []  # hash of random numbers on the machine of the record
    order: list[str] = []  # names all checks, including hidden checks
    hints: dict[str, tuple[str, ...]] = {}
    hidden: list[HiddenCheck] = []  # describes the checks that are not in the kit
    called: dict[str, tuple[str, ...]] = {}  # functions that hidden checks call
    weights: dict[str, float] = {}  # weights of the checks in the kit
    constants: dict[str, bytes] = {}  # texts and numbers of the reference
    functions: dict[str, RecordedAnswers] = {}
    values: list[bytes] = []


class Fields(Record):
    """Recorded dataclass object. Its fields are attributes, as in the original object."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None


def pack(record: object) -> bytes:
    """Return a record as compressed bytes. Equal records give equal bytes."""
    return lzma.compress(msgspec.msgpack.encode(record))  # a quarter smaller than with zlib


def unpack(data: bytes) -> bytes:
    """Return the unpacked bytes of a packed file. If there are too many bytes, raise ValueError."""
    unpacker = lzma.LZMADecompressor()
    content = unpacker.decompress(data, MOST)
    if not unpacker.eof:
        raise ValueError("too large, or cut off")
    return content


def read_packed(path: Path, kind: type[Unpacked]) -> Unpacked:
    try:
        return msgspec.msgpack.decode(unpack(path.read_bytes()), type=kind)
    except (OSError, EOFError, lzma.LZMAError, msgspec.MsgspecError, ValueError) as error:
        raise UserError(
            f"{path} cannot be read ({error}). Unpack your student kit again. Your work stays."
        ) from None


def packed_value(value: Any) -> bytes:
    """Return a plain value as bytes. For other values, raise a TypeError or a ValueError."""
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
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {key: _sendable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return (tuple if isinstance(value, tuple) else list)(map(_sendable, value))
    return value


def canary() -> ProjectionHash:
    """Return a hash of random numbers. If NumPy makes other random numbers, the hash differs."""
    rng = np.random.default_rng([7, 11])
    return ProjectionHash([rng.normal(size=200), rng.integers(1000, size=50), rng.random(50)])


class Playback:
    """Recorded answers for the checks of one exercise."""

    def __init__(self, record: ExerciseRecord) -> None:
        self.record = record
        self._places: defaultdict[tuple[str, bytes], list[int]] = defaultdict(list)
        for name, answers in record.functions.items():
            for place, kind in enumerate(answers.kinds):
                self._places[name, kind].append(place)

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the recorded answer to this call. If there is none, raise NotJudged."""
        return self._value(name, ProjectionHash((args, kwargs)))

    def passed(self, name: str, *given: Any) -> Passed:
        """Return the recorded result of a module. `given` are the arguments of `reference_pass`."""
        recorded = self._value(name, hash_of_pass(*given))
        return Passed(called=True, value=recorded["value"], gradients=recorded["gradients"])

    def constant(self, name: str) -> Any:
        """Return a constant (a text, a number, or a tuple of these).

        If it is unknown, return None.
        """
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
    return course.root / course.content.reference / FOLDER / f"{exercise}{SUFFIX}"


def released_points(course: Course, exercise: Exercise) -> dict[str, float] | None:
    """Return the points of each check of a released exercise. In an older kit, return None."""
    record = read_packed(records_file(course, exercise.name), ExerciseRecord)
    if not record.weights:
        return None
    whole = sum(record.weights.values()) + sum(check.weight for check in record.hidden)
    share = 0.0 if exercise.questions else exercise.points / whole
    return {name: round(weight * share, 2) for name, weight in record.weights.items()}


class _Current:
    """Current source of the reference's results: a `Recorder` or a `Playback`."""

    source: Playback | None = None
    recorder: Any = None


def record_with(recorder: Any) -> None:
    """Take the reference's results from `recorder`, or without a recorder from the records."""
    _Current.recorder = recorder


def _source() -> Any:
    source = _Current.recorder or _Current.source
    if source is None:
        raise NotJudged
    return source


class StandIn:
    """Stand-in for a function or class of the reference in a student kit."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.__name__ = name.rpartition(".")[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the recorded answer to this call. If there is none, raise NotJudged."""
        return _source().call(self._name, args, kwargs)

    def recorded_pass(self, *given: Any) -> Any:
        return _source().passed(self._name, *given)

    def _not_recorded(self, *_: Any) -> NoReturn:
        raise NotJudged

    __iter__ = __getitem__ = __len__ = __contains__ = __float__ = __bool__ = _not_recorded

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotJudged


class StandInPackage:
    """Stand-in for the reference package, or for one of its modules, in a student kit."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self._module}.{name}".lstrip(".")
        constant = _source().constant(full)
        return StandIn(full) if constant is None else constant


def stand_in(name: str) -> StandIn:
    """Return a student kit's stand-in for a function or class, such as `attention.softmax`."""
    return StandIn(name)


def load_reference(course: Course, module: str = "") -> ModuleType | StandInPackage:
    """Return the reference package or one of its modules. A student kit gets a stand-in."""
    if course.content.released is not None:
        return StandInPackage(module)
    return importlib.import_module(f"{course.content.reference}.{module}".rstrip("."))


def refuse_other_seeds(course: Course, seed: int | None) -> None:
    """Raise `UserError` for a seed for which a student kit has no recorded answers."""
    made = course.content.released
    if made is not None and seed is not None and seed not in made.seeds:
        known = ", ".join(map(str, made.seeds))
        raise UserError(f"The answers for seed {seed} are not recorded. Recorded: {known}.")


def begin_check(course: Course, check: Check) -> Check:
    """Choose the source of correct results, and return the check with its recorded hints."""
    if course.content.released is None or _Current.recorder is not None:
        return check
    record = _record(course, check.path)
    return msgspec.structs.replace(check, hints=record.hints.get(check.name, ()))


def _record(course: Course, checks: Path) -> ExerciseRecord:
    path = records_file(course, checks.stem.removeprefix("test_"))
    _Current.source = _playback(path, path.stat().st_mtime if path.exists() else 0.0)
    return _Current.source.record


@functools.lru_cache(maxsize=32)
def _playback(path: Path, _modified: float) -> Playback:
    return Playback(read_packed(path, ExerciseRecord))


def settle_follow_through(error: MayFollow, results: Iterable[CheckResult]) -> Exception:
    """Return the exception for a result that may follow from another wrong step.

    If all judged checks of that step pass, the step is right. Then the exception is the `Mismatch`
    of the result.
    """
    about = [each.outcome for each in results if error.own in each.about]
    judged = [outcome for outcome in about if outcome not in {"graded when handed in", "not run"}]
    right = bool(judged) and all(outcome == "passed" for outcome in judged)
    return error.wrong if right else error


def with_unreleased_checks(
    course: Course, path: Path | None, results: list[CheckResult]
) -> list[CheckResult]:
    """Return the results of all checks, including checks that are not in the kit."""
    if course.content.released is None or path is None or _Current.recorder is not None:
        return results
    record = _record(course, path)
    known = {result.name: result for result in results}
    for hidden in record.hidden:
        name = hidden.name
        check = Check(name, name, path, hidden.title, hidden.weight, hidden=True)
        result = without_judgement(check, "graded when handed in", Cause(code="hidden"))
        known[name] = msgspec.structs.replace(result, about=record.called.get(name, ()))
    return [known[name] for name in record.order if name in known]
