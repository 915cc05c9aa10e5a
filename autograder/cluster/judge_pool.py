"""What Dask runs on a machine: bytes in, bytes out. No code of a submission is in this process."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time

import msgspec
from distributed import Worker, get_worker

from autograder.classroom.judge_pool import TRIES, Task
from autograder.cluster.messages import (
    Admission,
    Chunk,
    ChunkReports,
    Instruction,
    JudgeGone,
    JudgeStart,
    Readiness,
    read_frame,
    write_frame,
)

# The judges of one machine: processes beside the one that Dask runs, spoken to in bytes.


END_SECONDS = 10.0


class JudgeProcess:
    """A judge in a process of its own."""

    def __init__(
        self, told: Instruction, core: int, scratch: str, probe: bool = False, slot: int = 0
    ) -> None:
        """Start it, and wait until it says whether it can grade; `refused` says why it cannot.

        Raises:
            JudgeGone: it ended without a word.
        """
        self.told, self.slot = told, slot
        command = [sys.executable, "-P", "-m", "autograder.cluster.judge_process", str(os.getpid())]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=scratch
        )
        start = JudgeStart(told, core, scratch, probe)
        try:
            answer = self.ask(msgspec.msgpack.encode(start))
            self.refused = msgspec.msgpack.decode(answer, type=Readiness).refused
        except BaseException:
            self.close()
            raise

    def ask(self, data: bytes) -> bytes:
        """What it answers.

        Raises:
            JudgeGone: it died of the question, or before.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        write_frame(self._process.stdin, data)
        return read_frame(self._process.stdout)

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """Let it end, and what it started; kill it where it does not."""
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class JudgePool:
    """Judges that wait for work, kept from chunk to chunk; one is used by one thread at a time."""

    def __init__(self) -> None:
        self.first_core = 0
        self._lock = threading.Lock()
        self._free: list[JudgeProcess] = []
        self._slots: set[int] = set()

    def take(self, told: Instruction, scratch: str, probe: bool = False) -> JudgeProcess:
        """A judge for this instruction: one that waits, or a new one.

        Raises:
            JudgeGone: it did not start.
        """
        others = []
        with self._lock:
            for judge in list(self._free):
                if judge.told == told and judge.lives:
                    self._free.remove(judge)
                    return judge
                if judge.told.run == told.run or not judge.lives:  # of another phase of the run
                    self._free.remove(judge)
                    self._slots.discard(judge.slot)
                    others.append(judge)
            slot = next(n for n in range(len(self._slots) + 1) if n not in self._slots)
            self._slots.add(slot)
        for judge in others:
            judge.close()
        try:
            return JudgeProcess(told, self.first_core + slot, scratch, probe, slot)
        except BaseException:
            with self._lock:
                self._slots.discard(slot)
            raise

    def give_back(self, judge: JudgeProcess) -> None:
        """Keep a judge for the next chunk; one that has ended goes."""
        with self._lock:
            if judge.lives and not judge.refused:
                self._free.append(judge)
                return
            self._slots.discard(judge.slot)
        judge.close()

    def close(self, run: str) -> None:
        """End the judges that wait for more of a run."""
        with self._lock:
            ended = [judge for judge in self._free if judge.told.run == run]
            self._free = [judge for judge in self._free if judge.told.run != run]
            self._slots -= {judge.slot for judge in ended}
        for judge in ended:
            judge.close()


_HOUSE = JudgePool()  # one for the life of this process


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
