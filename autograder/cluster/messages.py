"""Messages between the grading process and the machines: msgspec records as bytes."""

import os
from typing import TypeVar

import msgspec

from autograder.classroom.judge_pool import Setup, Task
from autograder.cluster.environment import Environment

T = TypeVar("T")


class Machine(msgspec.Struct, frozen=True):
    """Machine of the cluster, and the number of its judges."""

    address: str
    host: str
    name: str
    judges: int


class Instruction(msgspec.Struct, frozen=True):
    """Everything that a judge of a run must know."""

    run: str
    setup: Setup
    environment: Environment


class Admission(msgspec.Struct, frozen=True):
    """Question to a machine: can it grade this run? Its judges use cores from `first_core` on.

    The answer of a machine or a judge is a text: the reason why not, or empty.
    """

    instruction: Instruction
    first_core: int


class Chunk(msgspec.Struct, frozen=True):
    """Tasks for one machine, to be graded one after the other."""

    instruction: Instruction
    tasks: tuple[Task, ...]


class ChunkReports(msgspec.Struct, frozen=True):
    """Encoded `TaskReports` for each task of a chunk; empty if the judges died on it.

    `seconds` is the time of grading; `trouble` is the reason if the machine could not grade at all.
    """

    reports: tuple[bytes, ...] = ()
    seconds: float = 0.0
    trouble: str = ""


def encode(message: object) -> bytes:
    """Return a message as bytes; paths become texts."""
    return msgspec.msgpack.encode(message, enc_hook=os.fspath)


def decode(data: bytes, type: type[T]) -> T:
    """Return a message of a type.

    Raises:
        msgspec.MsgspecError: the data are not such a message.
    """
    return msgspec.msgpack.decode(data, type=type, dec_hook=lambda path, text: path(text))
