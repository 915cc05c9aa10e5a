"""The judges of one machine: processes beside the one that Dask runs, spoken to in bytes."""

import contextlib
import os
import subprocess
import sys
import threading

import msgspec

from autograder.cluster.chunks import (
    Instruction,
    JudgeStart,
    Readiness,
    read_frame,
    write_frame,
)

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
        command = [sys.executable, "-P", "-m", "autograder.cluster.judging", str(os.getpid())]
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


class JudgeHouse:
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
