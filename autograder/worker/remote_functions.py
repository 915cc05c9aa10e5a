"""Frames on a line: one read for a short one, and one write."""

import builtins
import os
import select
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .codec import FRAME, MAX_HEADER, MAX_PAYLOAD, Buffer, Handle, ProtocolError, decode, encode
from .loading import define
from .messages import Callback, Request, Unit
from .serialise import GENERATOR, Unsendable, generator_state, serialised
from .values import Record

CHUNK = 2048  # more would make the process larger, and it is asked whether it is as it was


class Wire:
    """Sends and receives frames by descriptors that block.

    What is `bounded` takes no frame that is larger than a worker may send.
    """

    def __init__(self, read_from: int, write_to: int, bounded: bool = False) -> None:
        self.read_from = read_from
        self.write_to = write_to
        self.bounded = bounded
        self._ahead = b""

    def receive(self) -> tuple[bytes, bytes, int]:
        """Header, payload and call number of the next frame.

        Raises:
            EOFError: the other side hung up.
            OSError: the line is broken.
            ProtocolError: the frame is too large.
        """
        header, payload, call = FRAME.unpack(self._read(FRAME.size))
        if self.bounded and (header > MAX_HEADER or payload > MAX_PAYLOAD):
            raise ProtocolError("a frame that is too large")
        return self._read(header), self._read(payload), call

    def _read(self, size: int) -> bytes:
        parts, left = [self._ahead[:size]], size - len(self._ahead)
        self._ahead = self._ahead[size:]
        while left > 0:
            part = os.read(self.read_from, max(CHUNK, min(left, 1 << 20)))
            if not part:
                raise EOFError
            parts.append(part[:left])
            self._ahead = part[left:]
            left -= len(part)
        return b"".join(parts)

    def send(self, header: int, payload: int, buffers: Sequence[Buffer], call: int) -> None:
        """Write a frame of what `encode` gave.

        Raises:
            OSError: the line is broken.
        """
        view = memoryview(b"".join([FRAME.pack(header, payload, call), *buffers]))
        while view:
            view = view[os.write(self.write_to, view) :]


# Functions that run elsewhere: calling one asks the judge, who asks another process.
#
# So a student's code can be handed a function without having it: there is no source to read, no
# code object to look at, and nothing of one call that the next could know.


BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
MT19937_WORDS = 624

Asking = Callable[[Callback], Request]


class RemoteFunction:
    """A function of that number. What it changes of its arguments is the state of generators."""

    __slots__ = ("__name__", "_ask", "_number")

    def __init__(self, ask: Asking, number: int) -> None:
        self._ask = ask
        self._number = number
        self.__name__ = "implementation"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = [_generator(each) for each in args]
        named = {name: _generator(each) for name, each in kwargs.items()}
        try:
            asked = Callback(self._number, [serialised(g) for g in given], _plain(named))
        except Unsendable as error:
            raise TypeError(
                f"{self.__name__} was called with {error}; it can be given numbers, arrays and "
                f"NumPy's random generators"
            ) from None
        answer = self._ask(asked)
        if answer.target:
            raise _exception(answer.target, str(answer.args[0]))
        value, *states = answer.args
        for each, state in zip([*given, *named.values()], states, strict=True):
            if isinstance(each, np.random.Generator | np.random.RandomState) and state is not None:
                put_state(each, state[GENERATOR])
        return tuple(value) if isinstance(value, list) else value


def is_generator(value: Any) -> bool:
    """Whether a value that was sent is a random generator."""
    return isinstance(value, dict) and GENERATOR in value


def has_handle(value: Any) -> bool:
    """Whether a value names an object of another process: what is kept there is the course's."""
    if isinstance(value, dict):
        return any(has_handle(each) for each in value.values())
    if isinstance(value, Record):
        return True  # it would be made of a class of the course's
    return isinstance(value, Handle) or (
        isinstance(value, list) and any(has_handle(each) for each in value)
    )


def of_numbers(given: Any) -> bool:
    """Whether plain data is numbers and arrays of them, and what the judge had made."""
    if isinstance(given, list | tuple):
        return all(map(of_numbers, given))
    if isinstance(given, np.ndarray | np.generic):
        return given.dtype.kind in "biufc"
    return given is None or isinstance(given, bool | int | float | complex | Handle)


def _plain(named: dict[str, Any]) -> dict[str, Any]:
    return {name: serialised(each) for name, each in named.items()}


def _generator(value: Any) -> Any:
    """The generator behind the module `numpy.random`, which has the same methods."""
    if isinstance(value, ModuleType) and value is np.random:
        return np.random.mtrand._rand
    return value


def _exception(kind: str, message: str) -> Exception:
    """An exception of the library's or of Python's, by the name of its class."""
    for place in (builtins, np.exceptions, np.linalg):
        found = getattr(place, kind, None)
        if isinstance(found, type) and issubclass(found, Exception):
            try:
                return found(message)
            except TypeError:
                break
    return RuntimeError(f"{kind}: {message}")


def make_generator(state: Any) -> Any:
    """The generator that `generator_state` described.

    Raises:
        ValueError: it is none. NumPy itself believes a state that would have it read beyond its
            own memory.
    """
    legacy, kind = bool(state["legacy"]), state["bit_generator"]
    if kind not in BIT_GENERATORS:
        raise ValueError("not a state of one of NumPy's generators")
    made = getattr(np.random, kind)(0)
    generator = np.random.RandomState(made) if legacy else np.random.Generator(made)
    put_state(generator, state)
    return generator


def put_state(generator: Any, state: Any) -> None:
    """Set a generator to a state of its own kind."""
    kind = state["bit_generator"]
    plain = {key: value for key, value in state.items() if key != "legacy"}
    if kind == "MT19937":
        inner = plain["state"]
        key = np.array(inner["key"], np.uint32)
        if key.shape != (MT19937_WORDS,) or not 0 <= int(inner["pos"]) <= MT19937_WORDS:
            raise ValueError("not a state of this generator")
        plain["state"] = {"key": key, "pos": int(inner["pos"])}
    if isinstance(generator, np.random.RandomState):
        generator.set_state(plain)
    else:
        if generator_state(generator)["bit_generator"] != kind:
            raise ValueError("a state of another kind of generator")
        generator.bit_generator.state = plain


# The line from a submission's process to the one where the course's functions run.
#
# The judge has no part in it. It is laid only where the submission's code can be shown to keep
# nothing, so all that comes over it is what this module sends; it is read as if it were not so.
# Whatever is unusual is left to the judge: an error, a value that is no number, a line that broke.


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
