"""Connection to a worker: bytes in both directions, with a deadline.

A deadline counts the processor time of all threads of the process, and the time that it sleeps. The
time when the processor is busy with other work does not count, so a busy machine costs students no
time. If the system does not report these times, the deadline counts wall-clock time, with a limit
that is `PATIENCE` times as long.
"""

import contextlib
import socket
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

Buffer = bytes | bytearray | memoryview
A = TypeVar("A")
R = TypeVar("R")

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


class Connection:
    """Connection over a socket. A failed exchange makes it unusable."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    def send(self, buffers: Sequence[Buffer], deadline: Deadline) -> None:
        """Write all bytes, or raise TimeoutError, or OSError or EOFError if it is closed."""
        left = memoryview(b"".join(buffers))
        while left:
            left = left[self._within(deadline, self._line.send, left) :]

    def receive(self, size: int, deadline: Deadline) -> bytes:
        """Read exactly `size` bytes. The exceptions are those of `send`."""
        parts: list[bytes] = []
        while size:
            parts.append(self._within(deadline, self._line.recv, min(size, 1 << 20)))
            if not parts[-1]:
                raise EOFError
            size -= len(parts[-1])
        return b"".join(parts)

    def read_last_words(self, most: int, end: bytes) -> bytes:
        """Return the bytes that arrive within `LAST_WORDS` seconds, up to `end`."""
        words, last = b"", time.monotonic() + LAST_WORDS
        with contextlib.suppress(OSError):
            while len(words) < most and end not in words and (left := last - time.monotonic()) > 0:
                self._line.settimeout(left)
                part = self._line.recv(most - len(words))
                if not part:
                    break
                words += part
        return words

    def close(self) -> None:
        """Close the connection. A second call does nothing."""
        self._line.close()

    def _within(self, deadline: Deadline, action: Callable[[A], R], argument: A) -> R:
        while (left := deadline.left()) > 0:
            self._line.settimeout(left)
            with contextlib.suppress(TimeoutError):
                return action(argument)
        raise TimeoutError
