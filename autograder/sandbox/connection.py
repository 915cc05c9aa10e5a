"""Connection to a worker: bytes in both directions, with a deadline.

A deadline counts the processor time of all threads of the process, and the time that it sleeps. The
time when the processor is busy with other work does not count, so a busy machine costs students no
time. If the system does not report these times, the deadline counts wall-clock time, with a limit
that is `PATIENCE` times as long.
"""

import contextlib
import os
import queue
import select
import threading
import time
from collections.abc import Sequence
from typing import IO, NamedTuple

Buffer = bytes | bytearray | memoryview

PATIENCE = 3.0  # a process may sleep this many times its limit, to wait for files or threads
LONGEST = 20.0  # the wall-clock limit is this many times the limit, plus GRACE
GRACE = 60.0
LAST_WORDS = 1.0  # seconds in which a late process reports its stack


class Had(NamedTuple):
    """Seconds that a process has used since its start."""

    processor: float
    asleep: float


class Clock:
    """Clock of a process's used time. `process` is its id. An unknown process has the id 0."""

    def __init__(self, process: int) -> None:
        self._id = (~process << 3) | 2 if process > 0 else 0  # see clock_getcpuclockid(3)
        self._schedule = f"/proc/{process}/schedstat"

    def read(self) -> Had | None:
        """Return the used time. If the process has ended or the time is unknown, return None."""
        if not self._id:
            return None
        try:
            processor = time.clock_gettime(self._id)
            with open(self._schedule, "rb", buffering=0) as file:
                ran, waited, _ = file.read(100).split()
        except (OSError, ValueError, AttributeError):
            return None
        return Had(processor, time.monotonic() - (int(ran) + int(waited)) / 1e9)


class Deadline:
    """Time limit for one reply: `seconds` of processor time, and a longer limit for sleep."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self.seconds = seconds
        self._clock = clock
        self._start = time.monotonic()
        self._had = clock.read()
        self._excused = 0.0

    def left(self) -> float:
        """Return the seconds to wait before the next call. If no time is left, return 0 or less."""
        wall, had = self._so_far()
        if had is None:
            return self.seconds * PATIENCE - wall
        awake, asleep = self.seconds - had.processor, self.seconds * PATIENCE - had.asleep
        left = min(awake, asleep, self.seconds * LONGEST + GRACE - wall)
        return left if left <= 0 else max(left, 0.005)

    def used(self) -> float:
        """Return the seconds that count so far."""
        wall, had = self._so_far()
        if had is None:
            return min(max(wall, 0.0), self.seconds)
        return had.processor + max(had.asleep, 0.0)

    def _so_far(self) -> tuple[float, Had | None]:
        wall = time.monotonic() - self._start - self._excused
        now = self._clock.read()
        if now is None or self._had is None:
            return wall, None
        slept = now.asleep - self._had.asleep - self._excused
        return wall, Had(now.processor - self._had.processor, slept)

    def excuse(self, seconds: float) -> None:
        """Do not count `seconds` in which the process waited for the judge."""
        self._excused += seconds


class DescriptorConnection:
    """Connection over descriptors, not for Windows. A failed exchange makes it unusable."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._open = {reading, writing}
        for descriptor in self._open:
            os.set_blocking(descriptor, False)

    def send(self, buffers: Sequence[Buffer], deadline: Deadline) -> None:
        """Write all bytes, or raise TimeoutError, or OSError or EOFError if it is closed."""
        left = [memoryview(buffer).cast("B") for buffer in buffers if len(buffer)]
        while left:
            try:
                written = os.writev(self._writing, left[:64])
            except BlockingIOError:
                _wait(self._writing, select.POLLOUT, deadline)
                continue
            while left and written >= len(left[0]):
                written -= len(left.pop(0))
            if written:
                left[0] = left[0][written:]

    def receive(self, size: int, deadline: Deadline) -> bytes:
        """Read exactly `size` bytes. The exceptions are those of `send`."""
        parts: list[bytes] = []
        while size:
            try:
                part = os.read(self._reading, min(size, 1 << 20))
            except BlockingIOError:
                _wait(self._reading, select.POLLIN, deadline)
                continue
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_last_words(self, most: int, end: bytes) -> bytes:
        """Return the bytes that arrive within `LAST_WORDS` seconds, up to `end`."""
        poll, words, last = select.poll(), b"", time.monotonic() + LAST_WORDS
        poll.register(self._reading, select.POLLIN)
        with contextlib.suppress(OSError):
            while len(words) < most and end not in words and (left := last - time.monotonic()) > 0:
                part = os.read(self._reading, most - len(words)) if poll.poll(left * 1000) else b""
                if not part:
                    break
                words += part
        return words

    def close(self) -> None:
        """Close the connection. A second call does nothing."""
        while self._open:
            os.close(self._open.pop())


def _wait(descriptor: int, event: int, deadline: Deadline) -> None:
    poll = select.poll()
    poll.register(descriptor, event)
    while (left := deadline.left()) > 0:
        if poll.poll(left * 1000):
            return
    raise TimeoutError


class ThreadConnection:
    """Connection over files, such as pipes on Windows. A thread reads and writes."""

    def __init__(self, reading: IO[bytes], writing: IO[bytes]) -> None:
        self._reading, self._writing = reading, writing
        self._tasks: queue.SimpleQueue[Sequence[Buffer] | int | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def send(self, buffers: Sequence[Buffer], deadline: Deadline) -> None:
        self._do(buffers, deadline)

    def receive(self, size: int, deadline: Deadline) -> bytes:
        return self._do(size, deadline)

    def read_last_words(self, most: int, end: bytes) -> bytes:  # noqa: ARG002
        """Return no bytes, because nothing can stop a blocking read."""
        return b""

    def close(self) -> None:
        self._tasks.put(None)

    def _do(self, task: Sequence[Buffer] | int, deadline: Deadline) -> bytes:
        self._tasks.put(task)
        done: bytes | Exception | None = None
        while done is None:
            if (left := deadline.left()) <= 0:
                raise TimeoutError
            with contextlib.suppress(queue.Empty):
                done = self._done.get(timeout=left)
        if isinstance(done, Exception):
            raise done
        return done

    def _work(self) -> None:
        with self._reading, self._writing:
            while (task := self._tasks.get()) is not None:
                data = b""
                try:
                    if isinstance(task, int):
                        data = self._reading.read(task)
                        if len(data) < task:
                            raise EOFError
                    else:
                        self._writing.writelines(task)
                        self._writing.flush()
                except Exception as error:
                    self._done.put(error)
                    return
                self._done.put(data)


Connection = DescriptorConnection | ThreadConnection
