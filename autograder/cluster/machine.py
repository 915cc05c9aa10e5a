"""Functions that Dask runs on a machine, and the machine's judges.

Input and output of these functions are bytes. Submitted code never runs in this process. Each of
Dask's threads exchanges bytes with a judge in a separate process.
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
from autograder.cluster.messages import Admission, Chunk, ChunkReports, Instruction, decode, encode

END_SECONDS = 10.0
MAX_ANSWER = 2**30  # in bytes
DIED = (EOFError, OSError)  # errors of a pipe whose other end is closed


class CannotGrade(Exception):
    """The machine cannot start a judge."""


class JudgeProcess:
    def __init__(self, instruction: Instruction, core: int, scratch: str, probe: bool) -> None:
        """Start the judge, and wait until it is ready. If it refuses or dies, raise CannotGrade."""
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
        """Return the judge's answer. If the question killed the judge, raise one of `DIED`."""
        self._pipe.send_bytes(data)
        return self._pipe.recv_bytes(MAX_ANSWER)

    def can_take(self, instruction: Instruction) -> bool:
        return self.instruction == instruction and self._process.poll() is None

    def close(self) -> None:
        self._pipe.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class ThreadState(threading.local):
    """A thread's judge and number. A judge without tasks ends by itself."""

    def __init__(self) -> None:
        self.judge: JudgeProcess | None = None
        self.slot = next(_slots)


_slots = itertools.count()
_own = ThreadState()
_first_core = 0


def _judge(instruction: Instruction, probe: bool = False) -> JudgeProcess:
    judge, _own.judge = _own.judge, None
    if judge is not None and not judge.can_take(instruction):
        judge.close()
        judge = None
    if judge is None:
        folder = get_worker().local_directory
        judge = JudgeProcess(instruction, _first_core + _own.slot, folder, probe)
    _own.judge = judge
    return judge


def admit(data: bytes) -> bytes:
    """Return the encoded reason why this machine cannot grade. If it can, the reason is ""."""
    global _first_core  # noqa: PLW0603  shared by all threads
    asked = decode(data, Admission)
    _first_core = asked.first_core
    try:
        _judge(asked.instruction, probe=True)
    except CannotGrade as error:
        return encode(str(error))
    return encode("")


def grade_chunk(data: bytes) -> bytes:
    chunk = decode(data, Chunk)
    start = time.perf_counter()
    try:
        reports = tuple(_graded(chunk.instruction, task) for task in chunk.tasks)
    except CannotGrade as error:
        return encode(ChunkReports(trouble=str(error)))
    return encode(ChunkReports(reports, time.perf_counter() - start))


def _graded(instruction: Instruction, task: Task) -> bytes:
    for _ in range(1 + TRIES):  # something else may have killed a judge
        judge = _judge(instruction)
        try:
            return judge.ask(encode(task))
        except DIED:
            judge.close()
            task = msgspec.structs.replace(task, search_seconds=0.0)  # the search may have ended it
    return b""
