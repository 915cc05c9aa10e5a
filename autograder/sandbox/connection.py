"""The line to a worker: bytes there and back, with a deadline that holds whatever it does.

A deadline goes by the time that the process has had, not by the clock on the wall: on a busy
machine a process waits for a processor, and that is not its doing. So the processor time of all its
threads counts, and the time in which it slept; not the time in which it was ready to run and could
not. Where the system does not tell, the clock on the wall has to do, with patience.
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

PATIENCE = 3.0  # so many times its limit a process may sleep: for a file, or for its own threads
LONGEST = 20.0  # so many times its limit, on the wall, whatever the process says it does
GRACE = 60.0
LAST_WORDS = 1.0  # seconds in which a process that is late says where it is
AT_ONCE = 0.05  # an answer that comes within this time is not measured


class Had(NamedTuple):
    """The time that a process has had since it started, in seconds."""

    processor: float
    asleep: float


class Clock:
    """Reads what a process has had; `process` is its id, or 0 where it cannot be asked."""

    def __init__(self, process: int) -> None:
        self._id = (~process << 3) | 2 if process > 0 else 0  # see clock_getcpuclockid(3)
        self._schedule = f"/proc/{process}/schedstat"

    def read(self) -> Had | None:
        """Return what the process has had; None if it is gone, or the system does not say."""
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
    """The time for one answer: `seconds` of the processor, and some more asleep."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self.seconds = seconds
        self._clock = clock
        self._start = time.monotonic()
        self._had: Had | None = None
        self._asked = False
        self._excused = 0.0

    def left(self) -> float:
        """Return how long to wait before asking again; no time is left when it is 0 or less."""
        if not self._asked:
            self._asked = True
            self._had = self._clock.read()
            return min(AT_ONCE, self.seconds)
        wall, had = self._so_far()
        if had is None:
            return self.seconds * PATIENCE - wall
        left = (
            self.seconds - had.processor,
            self.seconds * PATIENCE - had.asleep,
            self.seconds * LONGEST + GRACE - wall,
        )
        return min(left) if min(left) <= 0 else max(min(left), 0.005)

    def used(self) -> float:
        """Return the seconds that count, so far."""
        wall, had = self._so_far()
        if had is None:
            return min(max(wall, 0.0), self.seconds)
        return had.processor + max(had.asleep, 0.0)

    def _so_far(self) -> tuple[float, Had | None]:
        """Return the seconds on the wall, and what the process has had in them, if it is known."""
        wall = time.monotonic() - self._start - self._excused
        now = self._clock.read() if self._had is not None else None
        if now is None or self._had is None:
            return wall, None
        slept = now.asleep - self._had.asleep - self._excused
        return wall, Had(now.processor - self._had.processor, slept)

    def excuse(self, seconds: float) -> None:
        """Do not count this time, in which the process waited for the judge."""
        self._excused += seconds


class DescriptorConnection:
    """Line over descriptors that can be waited for: on all systems but Windows.

    A line on which an exchange failed is dead.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._open = {reading, writing}
        for descriptor in self._open:
            os.set_blocking(descriptor, False)

    def send(self, buffers: Sequence[Buffer], deadline: Deadline) -> None:
        """Write all of the buffers.

        Raises:
            TimeoutError: it was not taken in time.
            OSError, EOFError: nobody is there to take it.
        """
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
        """Read exactly `size` bytes; raises as `send` does."""
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
        """Read what still comes within a moment, until `end` is in it."""
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
    """Line over files that can only block, as Windows' pipes do: a thread blocks, others wait."""

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
        """Return nothing: who blocks cannot stop waiting."""
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
