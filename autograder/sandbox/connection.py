"""The line to a worker: bytes there and back, with a deadline that holds whatever it does."""

import contextlib
import os
import queue
import select
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from autograder.sandbox.deadline import Deadline

if TYPE_CHECKING:
    from autograder.worker.codec import Buffer


class Connection(ABC):
    """Writes a request and reads what comes back. A line on which an exchange failed is dead."""

    @abstractmethod
    def send(self, buffers: "Sequence[Buffer]", deadline: Deadline) -> None:
        """Write all of the buffers.

        Raises:
            TimeoutError: it was not taken in time.
            OSError, EOFError: nobody is there to take it.
        """

    @abstractmethod
    def receive(self, size: int, deadline: Deadline) -> bytes:
        """Read exactly `size` bytes; raises as `send` does."""

    @abstractmethod
    def close(self) -> None:
        """Hang up. May be called twice."""


class DescriptorConnection(Connection):
    """Over descriptors that can be waited for: pipes and sockets, on all systems but Windows."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._open = frozenset({reading, writing})
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(reading, select.POLLIN)
        self._writable.register(writing, select.POLLOUT)
        for descriptor in (reading, writing):
            os.set_blocking(descriptor, False)

    def send(self, buffers: "Sequence[Buffer]", deadline: Deadline) -> None:
        left = [memoryview(buffer).cast("B") for buffer in buffers if len(buffer)]
        while left:
            try:
                written = os.writev(self._writing, left[:64])
            except BlockingIOError:
                _wait(self._writable, deadline)
                continue
            while left and written >= len(left[0]):
                written -= len(left.pop(0))
            if written:
                left[0] = left[0][written:]

    def receive(self, size: int, deadline: Deadline) -> bytes:
        parts: list[bytes] = []
        while size:
            try:
                part = os.read(self._reading, min(size, 1 << 20))
            except BlockingIOError:
                _wait(self._readable, deadline)
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


def _wait(poll: select.poll, deadline: Deadline) -> None:
    while (left := deadline.left()) > 0:
        if poll.poll(left * 1000):
            return
    raise TimeoutError


class ThreadConnection(Connection):
    """Over files that can only block, as Windows' pipes do: a thread blocks, and others wait."""

    def __init__(self, reading: IO[bytes], writing: IO[bytes]) -> None:
        self._reading, self._writing = reading, writing
        self._tasks: queue.SimpleQueue[Sequence[Buffer] | int | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def send(self, buffers: "Sequence[Buffer]", deadline: Deadline) -> None:
        self._do(buffers, deadline)

    def receive(self, size: int, deadline: Deadline) -> bytes:
        return self._do(size, deadline)

    def close(self) -> None:
        self._tasks.put(None)

    def _do(self, task: "Sequence[Buffer] | int", deadline: Deadline) -> bytes:
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
                try:
                    self._done.put(self._one(task))
                except Exception as error:
                    self._done.put(error)
                    return

    def _one(self, task: "Sequence[Buffer] | int") -> bytes:
        if isinstance(task, int):
            data = self._reading.read(task)
            if len(data) < task:
                raise EOFError
            return data
        for buffer in task:
            self._writing.write(buffer)
        self._writing.flush()
        return b""
