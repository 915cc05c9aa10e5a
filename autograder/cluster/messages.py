"""Messages between the process that grades a class and the machines: msgspec records as bytes."""

import msgspec

from autograder.classroom.judge_pool import Task
from autograder.cluster.environment import Environment
from autograder.worker.confinement import Level


class Machine(msgspec.Struct, frozen=True):
    """A machine of the cluster, and how many judges it can have."""

    address: str
    host: str
    name: str
    judges: int


class Instruction(msgspec.Struct, frozen=True):
    """All that a judge of a run must know; `secret` are paths to hide from submissions."""

    run: str
    course_file: str
    exercises: tuple[str, ...]
    seed: int
    level: Level
    secret: tuple[str, ...]
    environment: Environment
    alone: bool = False


class Admission(msgspec.Struct, frozen=True):
    """A question to a machine: can it grade this? Its judges take cores from `first_core` on."""

    instruction: Instruction
    first_core: int


class Readiness(msgspec.Struct, frozen=True):
    """The answer of a machine or a judge: why it cannot grade; empty if it can."""

    refused: str = ""


class JudgeStart(msgspec.Struct, frozen=True):
    """The first message to a judge's process; with `probe` it tries the confinement."""

    instruction: Instruction
    core: int
    scratch: str
    probe: bool


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
