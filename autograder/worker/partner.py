"""The line from a submission's process to the one where the course's functions run.

The judge has no part in it. It is laid only where the submission's code can be shown to keep
nothing, so all that comes over it is what this module sends; it is read as if it were not so.
Whatever is unusual is left to the judge: an error, a value that is no number, a line that broke.
"""

import select
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from .codec import ProtocolError, decode, encode
from .elsewhere import has_handle, is_generator, of_numbers
from .loading import define
from .messages import Callback, Request, Unit
from .serialise import serialised
from .wire import Wire

NOT_HERE = "the judge"


class Offered:
    """Functions of the course's, each called by its ticket; `revive` makes arguments.

    A ticket is a large number drawn at random: who has one cannot guess another's.
    """

    def __init__(self, revive: Callable[[Any], Any]) -> None:
        self._revive = revive
        self._modules: list[ModuleType] = []
        self._functions: dict[int, Callable[..., Any]] = {}

    def add(self, texts: Sequence[Unit], functions: Sequence[tuple[int, str, int]]) -> None:
        """Run texts of the course's, and offer functions: a text's number, a name, a ticket.

        Raises:
            Exception: what a text raises, which is a mistake in the course.
        """
        self._modules += [define(text.label, [text]) for text in texts]
        for number, name, ticket in functions:
            self._functions[ticket] = getattr(self._modules[number], name)

    def call(self, ticket: int, given: list[Any], named: dict[str, Any]) -> list[Any]:
        """What a function returns, then for each argument its state, if it is a generator.

        Raises:
            Exception: what the function raises, or why it cannot be called.
        """
        if any(map(has_handle, [*given, *named.values()])):
            raise TypeError("an argument that is no plain value")
        args = [self._revive(each) for each in given]
        kwargs = {name: self._revive(each) for name, each in named.items()}
        value = serialised(self._functions[ticket](*args, **kwargs))
        after = zip([*given, *named.values()], [*args, *kwargs.values()], strict=True)
        return [value, *(serialised(now) if is_generator(was) else None for was, now in after)]

    def answer(self, ask: Callback) -> Request:
        """What came of a call by the line; whatever is unusual is left to the judge."""
        try:
            answered = self.call(ask.number, ask.args, ask.kwargs)
        except Exception:
            return Request("answer", NOT_HERE)
        if not of_numbers(answered[0]):
            return Request("answer", NOT_HERE)
        return Request("answer", "", answered)


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
