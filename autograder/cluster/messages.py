"""Messages between the process that grades a class and the machines: msgspec records as bytes."""

import os
from typing import TypeVar

import msgspec

from autograder.classroom.judge_pool import Setup, Task
from autograder.cluster.environment import Environment

T = TypeVar("T")


class Machine(msgspec.Struct, frozen=True):
    """A machine of the cluster, and how many judges it can have."""

    address: str
    host: str
    name: str
    judges: int


class Instruction(msgspec.Struct, frozen=True):
    """All that a judge of a run must know; its `setup` holds where the class is graded from."""

    run: str
    setup: Setup
    environment: Environment


class Admission(msgspec.Struct, frozen=True):
    """A question to a machine: can it grade this? Its judges take cores from `first_core` on.

    The answer of a machine or a judge is a text: why it cannot grade, empty if it can.
    """

    instruction: Instruction
    first_core: int


class Chunk(msgspec.Struct, frozen=True):
    """Some students' sources, to be graded on one machine, one after the other."""

    instruction: Instruction
    tasks: tuple[Task, ...]


class ChunkReports(msgspec.Struct, frozen=True):
    """For each task of a chunk the bytes of its `TaskReports`; empty where judges died of it.

    `seconds` is the time it took; `trouble` says why the machine could not grade at all.
    """

    reports: tuple[bytes, ...] = ()
    seconds: float = 0.0
    trouble: str = ""


def encode(message: object) -> bytes:
    """Return a message as bytes, a path in it as its text."""
    return msgspec.msgpack.encode(message, enc_hook=os.fspath)


def decode(data: bytes, type: type[T]) -> T:
    """Return a message of a type.

    Raises:
        msgspec.MsgspecError: it is none.
    """
    return msgspec.msgpack.decode(data, type=type, dec_hook=lambda path, text: path(text))
