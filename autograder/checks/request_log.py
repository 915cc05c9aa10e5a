"""What processes of one submission answered, by all that each had been asked before."""

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

from autograder.sandbox.process import MAX_REQUEST
from autograder.sandbox.session import WorkerSession
from autograder.worker.codec import Handle, decode, encode
from autograder.worker.messages import Reply, Request, Unit

MOST_KEPT = 16 * 1024 * 1024  # bytes of one submission's answers


class LoggedReply(NamedTuple):
    """An answer as it was sent: nobody who reads it changes it for another."""

    header: int
    data: bytes

    def reply(self) -> Reply:
        return decode(Reply, self.data[: self.header], self.data[self.header :])


class RequestLog:
    """All that a process was asked since its load, in a submission's question to its own steps.

    What processes are asked in the same order from their load on, they answer alike. So that is
    asked of one of them, and `heard` has the answers of them all. A process is started for the
    first question that no other was asked at this place, and hears what came before it then.
    """

    def __init__(self, client: WorkerSession, heard: dict[bytes, LoggedReply]) -> None:
        self._client = client
        self._heard = heard
        self._asked = b""  # a digest of all questions so far
        self._goes_on = True
        self._not_put: list[Callable[[], Reply]] = []
        self._defined: dict[tuple[str, str], Handle] = {}

    def ask(self, request: Request) -> Reply:
        """The reply to a request; raises as `Client.ask` does."""
        __tracebackhide__ = True
        return self._answer(request, lambda: self._client.ask(request))

    def make(self, target: str, *args: Any) -> Handle:
        """An object of a library's, made in the process."""
        __tracebackhide__ = True
        request = Request("make", target, list(args))
        return _handle(self._answer(request, lambda: Reply(self._client.make(target, *args))))

    def define(self, name: str, text: str) -> Handle:
        """A text of the course's, run in the process once."""
        __tracebackhide__ = True
        if (name, text) not in self._defined:
            request = Request("define", name, units=[Unit(name, text)])
            found = self._answer(request, lambda: Reply(self._client.define(name, text)))
            self._defined[name, text] = _handle(found)
        return self._defined[name, text]

    def alone(self) -> WorkerSession:
        """The process, for what is not remembered, from here on."""
        __tracebackhide__ = True
        self._goes_on = False
        self._put()
        return self._client

    def _answer(self, request: Request, really: Callable[[], Reply]) -> Reply:
        __tracebackhide__ = True
        try:
            if not self._goes_on:
                return really()
            self._asked = _digest(self._asked, request)
            heard = self._heard.get(self._asked)
            if heard is not None:
                self._not_put.append(really)
                return heard.reply()
            self._put()
            reply = really()
        except BaseException:  # the process may have ended
            self._goes_on = False
            self._defined.clear()
            raise
        self._keep(reply)
        return reply

    def _put(self) -> None:
        """Ask the process what another was asked in its place."""
        __tracebackhide__ = True
        late, self._not_put = self._not_put, []
        for each in late:
            each()

    def _keep(self, reply: Reply) -> None:
        try:
            header, payload, buffers = encode(reply)
        except (TypeError, ValueError):
            return
        left = MOST_KEPT - sum(len(each.data) for each in self._heard.values())
        if header + payload <= left:
            self._heard[self._asked] = LoggedReply(header, b"".join(buffers))


def _handle(reply: Reply) -> Handle:
    assert isinstance(reply.value, Handle)
    return reply.value


def _digest(before: bytes, request: Request) -> bytes:
    digest = hashlib.blake2b(before, digest_size=16)
    for each in encode(request, MAX_REQUEST)[2]:
        digest.update(each)
    return digest.digest()
