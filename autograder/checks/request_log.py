"""Log of what processes of one submission were asked and answered, so that none is asked twice."""

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

from autograder.sandbox.process import MAX_REQUEST
from autograder.sandbox.session import WorkerSession
from autograder.worker.codec import Handle, decode, encode
from autograder.worker.messages import Reply, Request, Unit

MOST_KEPT = 16 * 1024 * 1024  # bytes of one submission's answers


class LoggedReply(NamedTuple):
    """Reply as it was sent, so that nobody who reads it changes it for another."""

    header: int
    data: bytes


class RequestLog:
    """Requests to one process since its load, with replies from any process asked the same.

    Processes that are asked the same in the same order from their load on answer alike. So only
    the first is asked, and `replies` has its answers by a digest of all requests so far. Another
    process is started for the first request that is not there; it is then asked all before it.
    """

    def __init__(self, session: WorkerSession, replies: dict[bytes, LoggedReply]) -> None:
        self._session = session
        self._replies = replies
        self._digest = b""
        self._is_logged = True
        self._waiting: list[Callable[[], Reply]] = []
        self._defined: dict[tuple[str, str], Handle] = {}

    def ask(self, request: Request) -> Reply:
        """Return the reply to a request; raise as `WorkerSession.ask` does."""
        __tracebackhide__ = True
        return self._reply(request, lambda: self._session.ask(request))

    def make(self, target: str, *args: Any) -> Handle:
        """Make a library's object in the process."""
        __tracebackhide__ = True
        request = Request("make", target, list(args))
        return _handle(self._reply(request, lambda: Reply(self._session.make(target, *args))))

    def define(self, name: str, text: str) -> Handle:
        """Run a text of the course's in the process, once."""
        __tracebackhide__ = True
        if (name, text) not in self._defined:
            request = Request("define", name, units=[Unit(name, text)])
            reply = self._reply(request, lambda: Reply(self._session.define(name, text)))
            self._defined[name, text] = _handle(reply)
        return self._defined[name, text]

    def unlogged(self) -> WorkerSession:
        """Return the process; from here on nothing is logged."""
        __tracebackhide__ = True
        self._is_logged = False
        self._catch_up()
        return self._session

    def _reply(self, request: Request, send: Callable[[], Reply]) -> Reply:
        __tracebackhide__ = True
        try:
            if not self._is_logged:
                return send()
            digest = hashlib.blake2b(self._digest, digest_size=16)
            for part in encode(request, MAX_REQUEST)[2]:
                digest.update(part)
            self._digest = digest.digest()
            known = self._replies.get(self._digest)
            if known is not None:
                self._waiting.append(send)
                return decode(Reply, known.data[: known.header], known.data[known.header :])
            self._catch_up()
            reply = send()
        except BaseException:  # the process may have ended
            self._is_logged = False
            self._defined.clear()
            raise
        self._keep(reply)
        return reply

    def _catch_up(self) -> None:
        """Ask the process what only others were asked so far."""
        __tracebackhide__ = True
        waiting, self._waiting = self._waiting, []
        for send in waiting:
            send()

    def _keep(self, reply: Reply) -> None:
        try:
            header, payload, buffers = encode(reply)
        except (TypeError, ValueError):
            return
        left = MOST_KEPT - sum(len(each.data) for each in self._replies.values())
        if header + payload <= left:
            self._replies[self._digest] = LoggedReply(header, b"".join(buffers))


def _handle(reply: Reply) -> Handle:
    assert isinstance(reply.value, Handle)
    return reply.value
