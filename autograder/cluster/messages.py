"""Messages between the grading process and the machines: msgspec records, sent as bytes."""

import os
from typing import TypeVar

import msgspec

from autograder.classroom.judge_pool import Setup, Task
from autograder.cluster.environment import Environment

T = TypeVar("T")


class Instruction(msgspec.Struct, frozen=True):
    """Settings of a run for its judges."""

    run: str
    setup: Setup
    environment: Environment


class Chunk(msgspec.Struct, frozen=True):
    """Tasks that one machine grades in this order, and the encoded instruction."""

    instruction: bytes
    tasks: tuple[Task, ...]


class ChunkReports(msgspec.Struct, frozen=True):
    """Encoded `TaskReports` for each task. For a task that killed judges, they are empty."""

    reports: tuple[bytes, ...] = ()
    seconds: float = 0.0  # time of grading
    trouble: str = ""  # reason why the machine could not grade, or an empty text


def encode(message: object) -> bytes:
    """Return a message as bytes. Paths become texts."""
    return msgspec.msgpack.encode(message, enc_hook=os.fspath)


def decode(data: bytes, type: type[T]) -> T:
    """Return a message of this type from bytes, or raise `MsgspecError` if they are invalid."""
    return msgspec.msgpack.decode(data, type=type, dec_hook=lambda path, text: path(text))
