"""What Dask runs on a machine: bytes in, bytes out. No code of a submission is in this process."""

import asyncio
import time

import msgspec
from distributed import Worker, get_worker

from autograder.classroom.pool import TRIES, Task
from autograder.cluster.chunks import (
    Admission,
    Chunk,
    ChunkReports,
    Instruction,
    JudgeGone,
    Readiness,
)
from autograder.cluster.house import JudgeHouse, JudgeProcess

_HOUSE = JudgeHouse()  # one for the life of this process


class _CannotGrade(Exception):
    """The machine can start no judge."""


async def admit(data: bytes, dask_worker: Worker) -> bytes:
    """Whether this machine can grade a run; the encoded `Readiness`."""
    asked = msgspec.msgpack.decode(data, type=Admission)
    _HOUSE.first_core = asked.first_core.get(dask_worker.address, 0)
    answer = await asyncio.to_thread(_admitted, asked.instruction, dask_worker.local_directory)
    return msgspec.msgpack.encode(answer)


def _admitted(told: Instruction, scratch: str) -> Readiness:
    try:
        judge = _HOUSE.take(told, scratch, probe=True)
    except (JudgeGone, OSError) as error:
        return Readiness((f"no judge could be started there: {error}",))
    _HOUSE.give_back(judge)
    return Readiness(judge.refused)


def grade_chunk(data: bytes) -> bytes:
    """Grade a chunk; the encoded `ChunkReports`."""
    chunk = msgspec.msgpack.decode(data, type=Chunk)
    scratch = get_worker().local_directory
    start = time.perf_counter()
    try:
        reports = tuple(_graded(chunk.instruction, task, scratch) for task in chunk.tasks)
    except _CannotGrade as error:
        return msgspec.msgpack.encode(ChunkReports(trouble=str(error)))
    return msgspec.msgpack.encode(ChunkReports(reports, time.perf_counter() - start))


def _graded(told: Instruction, task: Task, scratch: str) -> bytes:
    """The bytes that a judge makes of a task; none where all that were tried died of it."""
    for _ in range(1 + TRIES):  # the end may have come from outside, more than once
        judge = _judge(told, scratch)
        try:
            return judge.ask(msgspec.msgpack.encode(task))
        except JudgeGone:
            judge.close()
        finally:
            _HOUSE.give_back(judge)
    return b""


def _judge(told: Instruction, scratch: str) -> JudgeProcess:
    try:
        judge = _HOUSE.take(told, scratch)
    except (JudgeGone, OSError) as error:
        raise _CannotGrade(f"no judge could be started there: {error}") from None
    if judge.refused:
        _HOUSE.give_back(judge)
        raise _CannotGrade("; ".join(judge.refused))
    return judge


async def release(run: str) -> None:
    """End the judges that wait for more of a run."""
    await asyncio.to_thread(_HOUSE.close, run)
