"""Functions that Dask runs on a machine, bytes in and bytes out, and the judges that they ask.

No code of a submission runs in this process: each thread of Dask's has a judge in a process of its
own, and speaks with it by a pipe.
"""

import itertools
import multiprocessing
import os
import subprocess
import sys
import threading
import time

import msgspec
from distributed import get_worker

from autograder.classroom.judge_pool import TRIES, Task
from autograder.cluster.messages import (
    Admission,
    Chunk,
    ChunkReports,
    Instruction,
    JudgeStart,
    Readiness,
)

END_SECONDS = 10.0
MAX_ANSWER = 2**30  # bytes
DIED = (EOFError, OSError)  # what a pipe raises when its other end is gone


class CannotGrade(Exception):
    """The machine can start no judge; the text says why."""


class JudgeProcess:
    """A judge in a process of its own."""

    def __init__(self, instruction: Instruction, core: int, scratch: str, probe: bool) -> None:
        """Start it, and wait until it is ready to grade.

        Raises:
            CannotGrade: it refused, or died.
        """
        self.instruction = instruction
        command = [sys.executable, "-P", "-m", "autograder.cluster.judge_process"]
        self._pipe, theirs = multiprocessing.Pipe()
        try:
            with theirs:
                number = theirs.fileno()
                self._process = subprocess.Popen(
                    [*command, str(os.getpid()), str(number)],
                    stdin=subprocess.DEVNULL,
                    stdout=2,
                    cwd=scratch,
                    pass_fds=[number],
                )
        except OSError as error:
            self._pipe.close()
            raise CannotGrade(f"no judge could be started there: {error}") from None
        try:
            start = JudgeStart(instruction, core, scratch, probe)
            answer = self.ask(msgspec.msgpack.encode(start))
            refused = msgspec.msgpack.decode(answer, type=Readiness).refused
        except DIED as error:
            refused = f"no judge could be started there: {error or 'the process ended'}"
        if refused:
            self.close()
            raise CannotGrade(refused)

    def ask(self, data: bytes) -> bytes:
        """Return its answer.

        Raises:
            EOFError, OSError: it died of the question, or before.
        """
        self._pipe.send_bytes(data)
        return self._pipe.recv_bytes(MAX_ANSWER)

    def can_take(self, instruction: Instruction) -> bool:
        """Return whether it lives, and was started for the same."""
        return self.instruction == instruction and self._process.poll() is None

    def close(self) -> None:
        """Let it end, and what it started; kill it if it does not."""
        self._pipe.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


_own = threading.local()  # each thread's judge and slot; a judge ends soon after its last task
_slots = itertools.count()
_first_core = 0


def _judge(instruction: Instruction, probe: bool = False) -> JudgeProcess:
    """Return this thread's judge for an instruction, a new one where it has no such.

    Raises:
        CannotGrade: it does not start.
    """
    judge: JudgeProcess | None = getattr(_own, "judge", None)
    if judge is not None:
        if judge.can_take(instruction):
            return judge
        judge.close()
    if not hasattr(_own, "slot"):
        _own.slot = next(_slots)
    _own.judge = None
    _own.judge = judge = JudgeProcess(
        instruction, _first_core + _own.slot, get_worker().local_directory, probe
    )
    return judge


def admit(data: bytes) -> bytes:
    """Try whether this machine can grade a run: an `Admission` in, a `Readiness` out."""
    global _first_core  # noqa: PLW0603  of all threads
    asked = msgspec.msgpack.decode(data, type=Admission)
    _first_core = asked.first_core
    try:
        _judge(asked.instruction, probe=True)
    except CannotGrade as error:
        return msgspec.msgpack.encode(Readiness(str(error)))
    return msgspec.msgpack.encode(Readiness())


def grade_chunk(data: bytes) -> bytes:
    """Grade a `Chunk`, and return the encoded `ChunkReports`."""
    chunk = msgspec.msgpack.decode(data, type=Chunk)
    start = time.perf_counter()
    try:
        reports = tuple(_graded(chunk.instruction, task) for task in chunk.tasks)
    except CannotGrade as error:
        return msgspec.msgpack.encode(ChunkReports(trouble=str(error)))
    return msgspec.msgpack.encode(ChunkReports(reports, time.perf_counter() - start))


def _graded(instruction: Instruction, task: Task) -> bytes:
    """Return the bytes that a judge makes of a task; none if all that were tried died of it."""
    for _ in range(1 + TRIES):  # the end may have come from outside, more than once
        judge = _judge(instruction)
        try:
            return judge.ask(msgspec.msgpack.encode(task))
        except DIED:
            judge.close()
    return b""
