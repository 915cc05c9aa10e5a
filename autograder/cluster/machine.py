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

from distributed import get_worker

from autograder.classroom.judge_pool import TRIES, Task
from autograder.cluster.messages import (
    Admission,
    Chunk,
    ChunkReports,
    Instruction,
    decode,
    encode,
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
                    [*command, *map(str, (os.getpid(), number, core, int(probe)))],
                    stdin=subprocess.DEVNULL,
                    stdout=2,
                    cwd=scratch,
                    pass_fds=[number],
                )
        except OSError as error:
            self._pipe.close()
            raise CannotGrade(f"no judge could be started there: {error}") from None
        try:
            refused = decode(self.ask(encode(instruction)), str)
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


class ThreadState(threading.local):
    """The judge and the number of each thread; a judge ends soon after its last task."""

    def __init__(self) -> None:
        self.judge: JudgeProcess | None = None
        self.slot = next(_slots)


_slots = itertools.count()
_own = ThreadState()
_first_core = 0


def _judge(instruction: Instruction, probe: bool = False) -> JudgeProcess:
    """Return this thread's judge for an instruction, a new one where it has no such.

    Raises:
        CannotGrade: it does not start.
    """
    judge, _own.judge = _own.judge, None
    if judge is None or not judge.can_take(instruction):
        if judge is not None:
            judge.close()
        folder = get_worker().local_directory
        judge = JudgeProcess(instruction, _first_core + _own.slot, folder, probe)
    _own.judge = judge
    return judge


def admit(data: bytes) -> bytes:
    """Try whether this machine can grade a run: an `Admission` in, why it cannot out."""
    global _first_core  # noqa: PLW0603  of all threads
    asked = decode(data, Admission)
    _first_core = asked.first_core
    try:
        _judge(asked.instruction, probe=True)
    except CannotGrade as error:
        return encode(str(error))
    return encode("")


def grade_chunk(data: bytes) -> bytes:
    """Grade a `Chunk`, and return the encoded `ChunkReports`."""
    chunk = decode(data, Chunk)
    start = time.perf_counter()
    try:
        reports = tuple(_graded(chunk.instruction, task) for task in chunk.tasks)
    except CannotGrade as error:
        return encode(ChunkReports(trouble=str(error)))
    return encode(ChunkReports(reports, time.perf_counter() - start))


def _graded(instruction: Instruction, task: Task) -> bytes:
    """Return the bytes that a judge makes of a task; none if all that were tried died of it."""
    for _ in range(1 + TRIES):  # the end may have come from outside, more than once
        judge = _judge(instruction)
        try:
            return judge.ask(encode(task))
        except DIED:
            judge.close()
    return b""
