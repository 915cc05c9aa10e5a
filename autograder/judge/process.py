"""A worker's conversation: one message there, one back, each with a deadline."""

import secrets
import signal
import time

from autograder.judge.child import Child
from autograder.worker.codec import (
    FRAME,
    MAX_HEADER,
    MAX_PAYLOAD,
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
        self.line = child.open()

    def exchange(self, request: Request, seconds: float) -> Reply:
        """Send `request` and wait for its answer.

        Raises:
            DeadlinePassed: no answer within `seconds`; the worker is ended.
            WorkerGone: the worker ended by itself, or sent what is not an answer.
        """
        __tracebackhide__ = True
        until = time.monotonic() + seconds
        header, payload, buffers = encode(request, MAX_REQUEST)
        call = secrets.randbits(64)
        try:
            self.line.send([FRAME.pack(header, payload, call), *buffers], until)
            return self._receive(call, until)
        except TimeoutError:
            self.end()
            raise DeadlinePassed("it did not answer in time") from None
        except (OSError, EOFError, ProtocolError) as error:
            code = self.child.wait(0.5)  # it hung up: let it end by itself, as it wants to
            self.end()
            raise WorkerGone(_how_it_ended(error, code), code) from None

    def _receive(self, call: int, until: float) -> Reply:
        header, payload, answered = FRAME.unpack(self.line.receive(FRAME.size, until))
        if answered != call or header > MAX_HEADER or payload > MAX_PAYLOAD:
            raise ProtocolError("not the reply to this request")
        head = self.line.receive(header, until) if header else b""
        return decode(Reply, head, self.line.receive(payload, until) if payload else b"")

    def end(self) -> None:
        self.child.end()
        self.line.close()


def _how_it_ended(error: Exception, code: int | None) -> str:
    if isinstance(error, ProtocolError):
        return "it wrote into the grader's own channel"
    if code is not None and code < 0:
        try:
            return f"it was ended by the signal {signal.Signals(-code).name}"
        except ValueError:
            return f"it was ended by signal {-code}"
    return f"the program ended itself with exit code {code}"
