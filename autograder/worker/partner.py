"""The line from a submission's process to the one where the course's functions run.

The judge has no part in it. It is laid only where the submission's code can be shown to keep
nothing, so all that comes over it is what this module sends; it is read as if it were not so.
Whatever is unusual is left to the judge: an error, a value that is no number, a line that broke.
"""

import select
from collections.abc import Callable, Sequence
from typing import Any

from .codec import ProtocolError, decode, encode
from .elsewhere import has_handle, is_generator, of_numbers
from .messages import Callback, Request
from .serialise import serialised
from .wire import Wire

NOT_HERE = "the judge"


class Offered:
    """Functions of the course's that are called by number, from 1; `revive` makes arguments."""

    def __init__(
        self, functions: Sequence[Callable[..., Any]], revive: Callable[[Any], Any]
    ) -> None:
        self._functions = functions
        self._revive = revive

    def answer(self, ask: Callback) -> Request:
        """What a function returns, and the states of random generators after it."""
        given = [*ask.args, *ask.kwargs.values()]
        if not 1 <= ask.number <= len(self._functions) or any(map(has_handle, given)):
            return Request("answer", NOT_HERE)
        args = [self._revive(each) for each in ask.args]
        kwargs = {name: self._revive(each) for name, each in ask.kwargs.items()}
        try:
            value = serialised(self._functions[ask.number - 1](*args, **kwargs))
        except Exception:
            return Request("answer", NOT_HERE)
        if not of_numbers(value):
            return Request("answer", NOT_HERE)
        after = zip(given, [*args, *kwargs.values()], strict=True)
        states = [serialised(now) if is_generator(before) else None for before, now in after]
        return Request("answer", "", [value, *states])


class Partner:
    """The other process, by the line to it. A line that broke stays so."""

    def __init__(self, line: Wire) -> None:
        self._line: Wire | None = line
        self._asked = 0

    def ask(self, ask: Callback) -> Request | None:
        """What the course's function gives; None where the judge has to be asked.

        Raises:
            ValueError, TypeError: the question is too large, or holds what cannot be sent.
        """
        if self._line is None:
            return None
        message = encode(ask)
        self._asked += 1
        try:
            self._line.send(*message, self._asked)
            header, payload, answered = self._line.receive()
            answer = decode(Request, header, payload)
        except (OSError, EOFError, ProtocolError):
            self._line = None
            return None
        if answered != self._asked or answer.target == NOT_HERE:
            return None
        return answer

    def serve(self, offered: Offered, until: int) -> None:
        """Answer calls until the judge has something to say, on the descriptor `until`."""
        poll = select.poll()
        poll.register(until, select.POLLIN)
        while self._line is not None:
            poll.register(self._line.read_from, select.POLLIN)
            ready = [descriptor for descriptor, _ in poll.poll()]
            if until in ready:
                return
            try:
                header, payload, call = self._line.receive()
                answer = offered.answer(decode(Callback, header, payload))
                self._line.send(*_encoded(answer), call)
            except (OSError, EOFError, ProtocolError):
                poll.unregister(self._line.read_from)
                self._line = None


def _encoded(answer: Request) -> tuple[int, int, list[Any]]:
    try:
        return encode(answer)
    except (TypeError, ValueError):
        return encode(Request("answer", NOT_HERE))
