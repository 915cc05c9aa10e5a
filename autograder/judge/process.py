"""The line to a worker: one message there, one back, each with a deadline."""

import queue
import secrets
import signal
import threading
from typing import IO

from autograder.judge.child import Child
from autograder.worker.codec import (
    FRAME,
    MAX_HEADER,
    MAX_PAYLOAD,
    Buffer,
    ProtocolError,
    decode,
    encode,
)
from autograder.worker.messages import Reply, Request

MAX_REQUEST = 16 * 1024 * 1024


class WorkerGone(Exception):
    """The worker is not there any more; the message says how it ended, for the student."""

    def __init__(self, how: str, code: int | None = None) -> None:
        super().__init__(how)
        self.code = code


class DeadlinePassed(WorkerGone):
    """The worker was ended because an answer did not come in time."""


class WorkerProcess:
    """A child that has loaded nothing yet, or one student's file."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self._requests: queue.SimpleQueue[list[Buffer] | None] = queue.SimpleQueue()
        self._replies: queue.SimpleQueue[Reply | Exception] = queue.SimpleQueue()
        self._call = 0
        threading.Thread(target=self._talk, daemon=True).start()

    def exchange(self, request: Request, seconds: float) -> Reply:
        """Send `request` and wait for its answer.

        Raises:
            DeadlinePassed: no answer within `seconds`; the worker is ended.
            WorkerGone: the worker ended by itself, or sent what is not an answer.
        """
        header, payload, buffers = encode(request, MAX_REQUEST)
        self._call = secrets.randbits(64)
        self._requests.put([FRAME.pack(header, payload, self._call), *buffers])
        try:
            reply = self._replies.get(timeout=seconds)
        except queue.Empty:
            self.end()
            raise DeadlinePassed("it did not answer in time") from None
        if isinstance(reply, Reply):
            return reply
        code = self.child.wait(0.5)  # its line is closed: let it end by itself, as it wants to
        self.end()
        raise WorkerGone(_how_it_ended(reply, code), code)

    def end(self) -> None:
        self.child.end()
        self._requests.put(None)

    def _talk(self) -> None:
        """Write requests and read replies; in a thread, so that a deadline holds for both."""
        source, target = self.child.open()
        with source, target:
            while (buffers := self._requests.get()) is not None:
                try:
                    for buffer in buffers:
                        target.write(buffer)
                    target.flush()
                    self._replies.put(self._read_reply(source))
                except Exception as error:
                    self._replies.put(error)
                    break

    def _read_reply(self, source: IO[bytes]) -> Reply:
        header, payload, call = FRAME.unpack(_exactly(source, FRAME.size))
        if call != self._call or header > MAX_HEADER or payload > MAX_PAYLOAD:
            raise ProtocolError("not the reply to this request")
        return decode(Reply, _exactly(source, header), _exactly(source, payload))


def _how_it_ended(error: Exception, code: int | None) -> str:
    if isinstance(error, ProtocolError):
        return "it wrote into the grader's own channel"
    if code is not None and code < 0:
        try:
            return f"it was ended by the signal {signal.Signals(-code).name}"
        except ValueError:
            return f"it was ended by signal {-code}"
    return f"the program ended itself with exit code {code}"


def _exactly(source: IO[bytes], size: int) -> bytes:
    data = source.read(size)
    if len(data) < size:
        raise EOFError
    return data
