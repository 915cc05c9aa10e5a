"""What travels between the one who grades a class and the machines: bytes of these records."""

import struct
from typing import IO

import msgspec

from autograder.classroom.judge_pool import Task
from autograder.cluster.environment import Environment
from autograder.worker.confinement import Level

_LENGTH = struct.Struct("<Q")
MOST = 2**30  # bytes of one frame


class Instruction(msgspec.Struct, frozen=True):
    """What a judge of a run must be and know; `secret` are paths, where a machine has them too."""

    run: str
    course_file: str
    exercises: tuple[str, ...]
    seed: int
    level: Level
    secret: tuple[str, ...]
    makeup: Environment
    alone: bool = False


class Admission(msgspec.Struct, frozen=True):
    """A question to machines: could you grade this? With the first core of each, by address."""

    instruction: Instruction
    first_core: dict[str, int]


class Readiness(msgspec.Struct, frozen=True):
    """The answer: in what a machine differs, in words. Without any it grades."""

    refused: tuple[str, ...] = ()


class JudgeStart(msgspec.Struct, frozen=True):
    """What a judge's process is told first; with `probe` it tries the confinement."""

    instruction: Instruction
    core: int
    scratch: str
    probe: bool


class Chunk(msgspec.Struct, frozen=True):
    """Some students' sources, to be graded on one machine, one after the other."""

    instruction: Instruction
    tasks: tuple[Task, ...]


class ChunkReports(msgspec.Struct, frozen=True):
    """For each task of a chunk the bytes of its `TaskReports`; none where judges died of it.

    `seconds` is how long it took; `trouble` says why the machine could not grade at all.
    """

    reports: tuple[bytes, ...] = ()
    seconds: float = 0.0
    trouble: str = ""


class JudgeGone(Exception):
    """The other end of a pipe is gone, or sends what is no frame."""


def write_frame(file: IO[bytes], data: bytes) -> None:
    """Send bytes with their length before them.

    Raises:
        JudgeGone: nobody reads them.
    """
    try:
        file.write(_LENGTH.pack(len(data)))
        file.write(data)
        file.flush()
    except (OSError, ValueError) as error:
        raise JudgeGone(str(error)) from None


def read_frame(file: IO[bytes]) -> bytes:
    """The next bytes that were sent.

    Raises:
        JudgeGone: there are none, or more than a frame may have.
    """
    try:
        head = file.read(_LENGTH.size)
        length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else MOST + 1
        data = file.read(length) if length <= MOST else b""
    except (OSError, ValueError) as error:
        raise JudgeGone(str(error)) from None
    if length > MOST or len(data) != length:
        raise JudgeGone("the process ended")
    return data
