"""The line to a worker: bytes there and back, with a deadline that holds whatever it does."""

import os
import queue
import select
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import IO

from autograder.worker.codec import Buffer


class Line(ABC):
    """Writes a request and reads what comes back. A line on which an exchange failed is dead."""

    @abstractmethod
    def send(self, buffers: Sequence[Buffer], until: float) -> None:
        """Write all of the buffers.

        Raises:
            TimeoutError: it was not taken by `until`, a time of `time.monotonic()`.
            OSError, EOFError: nobody is there to take it.
        """

    @abstractmethod
    def receive(self, size: int, until: float) -> bytes:
        """Read exactly `size` bytes; raises as `send` does."""

    @abstractmethod
    def close(self) -> None:
        """Hang up. May be called twice."""


class DescriptorLine(Line):
    """Over descriptors that can be waited for: pipes and sockets, on all systems but Windows."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._open = frozenset({reading, writing})
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(reading, select.POLLIN)
        self._writable.register(writing, select.POLLOUT)
        for descriptor in (reading, writing):
            os.set_blocking(descriptor, False)

    def send(self, buffers: Sequence[Buffer], until: float) -> None:
        left = [memoryview(buffer).cast("B") for buffer in buffers if len(buffer)]
        while left:
            try:
                written = os.writev(self._writing, left[:64])
            except BlockingIOError:
                _wait(self._writable, until)
                continue
            while left and written >= len(left[0]):
                written -= len(left.pop(0))
            if written:
                left[0] = left[0][written:]

    def receive(self, size: int, until: float) -> bytes:
        parts: list[bytes] = []
        while size:
            try:
                part = os.read(self._reading, min(size, 1 << 20))
            except BlockingIOError:
                _wait(self._readable, until)
                continue
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        open_ones, self._open = self._open, frozenset()
        for descriptor in open_ones:
            os.close(descriptor)


def _wait(poll: select.poll, until: float) -> None:
    left = until - time.monotonic()
    if left <= 0 or not poll.poll(left * 1000):
        raise TimeoutError


class ThreadLine(Line):
    """Over files that can only block, as Windows' pipes do: a thread blocks, and others wait."""

    def __init__(self, reading: IO[bytes], writing: IO[bytes]) -> None:
        self._reading, self._writing = reading, writing
        self._tasks: queue.SimpleQueue[Sequence[Buffer] | int | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def send(self, buffers: Sequence[Buffer], until: float) -> None:
        self._do(buffers, until)

    def receive(self, size: int, until: float) -> bytes:
        return self._do(size, until)

    def close(self) -> None:
        self._tasks.put(None)

    def _do(self, task: Sequence[Buffer] | int, until: float) -> bytes:
        self._tasks.put(task)
        try:
            done = self._done.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(done, Exception):
            raise done
        return done

    def _work(self) -> None:
        with self._reading, self._writing:
            while (task := self._tasks.get()) is not None:
                try:
                    self._done.put(self._one(task))
                except Exception as error:
                    self._done.put(error)
                    return

    def _one(self, task: Sequence[Buffer] | int) -> bytes:
        if isinstance(task, int):
            data = self._reading.read(task)
            if len(data) < task:
                raise EOFError
            return data
        for buffer in task:
            self._writing.write(buffer)
        self._writing.flush()
        return b""
