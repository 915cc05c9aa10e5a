"""Main loop of the worker: loads the student's source, and replies to requests in order."""

import builtins
import enum
import gc
import importlib
import os
import random
import socket
import sys
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import IO, Any

import msgspec
import numpy as np

from .codec import FRAME, Buffer, Handle, Tensor, decode, encode, has_handle
from .failures import explain
from .limits import limit_self
from .loading import NotImported, compiled_units, define, load
from .messages import MAX_NAME, MAX_NAMES, Callback, Forward, Problem, Reply, Request
from .preparation import redirect, show_stack_to, warm_up
from .serialise import GENERATOR, Unsendable, generator_state, serialised
from .torch_modules import run_module
from .values import Record, Tuple

BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
MT19937_WORDS = 624


class Answers:
    """Handler of requests about one module. It keeps objects between requests."""

    def __init__(self, hidden: list[str], ask_judge: Callable[[Callback], Request]) -> None:
        self.hidden = hidden
        self.ask_judge = ask_judge
        self.module: ModuleType | None = None
        self.labels: set[str] = set()
        self.kept: dict[int, object] = {}

    def answer(self, request: Request) -> Reply:
        try:
            match request.operation:
                case "load":
                    return self._load(request)
                case "define":
                    return Reply(self._keep(define(request.target, request.units)))
                case "carry":
                    return Reply(self._carry(request))
                case _:
                    return self.call(request)
        except BaseException as error:
            return Reply(problem=explain(error, self.labels))

    def _load(self, request: Request) -> Reply:
        random.seed(0)
        np.random.seed(0)
        if "torch" in sys.modules:  # otherwise each fork server would have a different seed
            sys.modules["torch"].default_generator.manual_seed(0)
        self.labels = {unit.label for unit in request.units}
        self.labels |= {f"{helper}.py" for helper in request.helpers}
        code = request.code or compiled_units(request.units)
        self.module, problems = load(
            request.target, request.units, request.helpers, self.hidden, code
        )
        return Reply(self._names(), problems=problems, code=code)

    def _carry(self, request: Request) -> list[Any]:
        given = [*request.args, *request.kwargs.values()]
        if any(map(has_handle, given)):
            raise TypeError("an argument that is no plain value")
        function = getattr(self._kept(request.on), request.target)
        args, kwargs = self.revive(request.args), self.revive(request.kwargs)
        value = serialised(function(*args, **kwargs))
        states = [
            serialised(now) if isinstance(was, dict) and GENERATOR in was else None
            for was, now in zip(given, [*args, *kwargs.values()], strict=True)
        ]
        return [value, *states]

    def call(self, request: Request) -> Reply:
        """Return the reply to a call. Exceptions of the student's code are not caught."""
        value = self._find(request)
        if isinstance(value, Problem):
            return Reply(problem=value)
        args, kwargs = self.revive(request.args), self.revive(request.kwargs)
        if request.operation != "get":
            if not callable(value):
                kind = "None" if value is None else f"of type {type(value).__name__}"
                message = f"{request.target} is {kind}; a function was expected"
                return Reply(problem=Problem("not a function", message=message))
            if request.forward is not None:
                forward = Forward(*map(self.revive, msgspec.structs.astuple(request.forward)))
                passed = run_module(value, args, kwargs, forward)
                passed.value, passed.after = serialised(passed.value), serialised(passed.after)
                passed.gradients = serialised(passed.gradients)
                return Reply(passed=passed)
            value = value(*args, **kwargs)
        # only kept objects are sent as handles; a handle in a student's result is not plain data
        reply = Reply(self._keep(value) if request.keep else serialised(value))
        for arg in (*args, *kwargs.values()) if request.echo else ():
            try:
                reply.echo.append(serialised(arg))
            except Unsendable:  # a model or another object
                reply.echo.append(None)
        return reply

    def _find(self, request: Request) -> Any:
        if request.operation == "make":
            module, _, last = request.target.rpartition(".")
            return getattr(importlib.import_module(module), last)
        names = request.target.split(".") if request.target else []
        if request.on:
            found = self._kept(request.on)
        elif self.module is not None and names and names[0] in vars(self.module):
            found = vars(self.module)[names.pop(0)]
        else:
            return self._missing(request)
        for name in names:
            if not hasattr(found, name):
                return self._missing(request)
            found = getattr(found, name)
        return found

    def _missing(self, request: Request) -> Problem:
        return Problem("missing", message=request.target, names=self._names())

    def _names(self) -> list[str]:
        names = [
            name[:MAX_NAME]
            for name, value in (vars(self.module).items() if self.module else ())
            if not name.startswith("_") and not isinstance(value, ModuleType | NotImported)
        ]
        return sorted(names[:MAX_NAMES])

    def _keep(self, value: object) -> Handle:
        number = len(self.kept) + 1
        self.kept[number] = value
        return Handle(number, type(value).__name__[:MAX_NAME])

    def _kept(self, number: int) -> object:
        if number not in self.kept:
            raise LookupError("an object that was made before the process had to start again")
        return self.kept[number]

    def revive(self, value: Any) -> Any:
        """Convert an argument for a call, for example to a tensor or a writable array."""
        if isinstance(value, Handle):
            if value.number < 0:
                return RemoteFunction(self, -value.number)
            return self._kept(value.number)
        if isinstance(value, Tensor):
            import torch

            return torch.from_numpy(np.array(value))
        if isinstance(value, np.ndarray):
            value = value.view(np.ndarray)
            return value if value.flags.writeable and value.flags.owndata else value.copy()
        if isinstance(value, list | tuple):
            items = [self.revive(item) for item in value]
            return tuple(items) if isinstance(value, Tuple | tuple) else items
        if isinstance(value, Record):
            return self._object(value)
        if isinstance(value, dict):
            if GENERATOR in value:
                return make_generator(value[GENERATOR])
            return {key: self.revive(item) for key, item in value.items()}
        return value

    def _object(self, record: Record) -> Any:
        kind = vars(self.module).get(record.type) if self.module is not None else None
        if not isinstance(kind, type):
            raise LookupError(f"there is no class {record.type} to make an argument of")
        if issubclass(kind, enum.Enum):
            return kind[str(record.fields["name"])]
        return kind(**{name: self.revive(value) for name, value in record.fields.items()})


class RemoteFunction:
    """Function in another process, called through the judge.

    A student's code can call the function, but cannot read its source. No call can use anything
    from an earlier call. The states of random generators are sent with the call, and sent back with
    the result.
    """

    __slots__ = ("__name__", "_answers", "_number")

    def __init__(self, answers: Answers, number: int) -> None:
        self._answers = answers
        self._number = number
        self.__name__ = "implementation"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # the module `numpy.random` stands for the generator that it uses
        given = [*args, *kwargs.values()]
        given = [np.random.mtrand._rand if arg is np.random else arg for arg in given]
        try:
            sent = [serialised(arg) for arg in given]
        except Unsendable as error:
            raise TypeError(
                f"{self.__name__} was called with {error}; it can be given numbers, arrays and "
                f"NumPy's random generators"
            ) from None
        named = dict(zip(kwargs, sent[len(args) :], strict=True))
        answer = self._answers.ask_judge(Callback(self._number, sent[: len(args)], named))
        if answer.target:
            raise _exception(answer.target, str(answer.args[0]))
        value, *states = answer.args
        for arg, state in zip(given, states, strict=True):
            if isinstance(arg, np.random.Generator | np.random.RandomState) and state is not None:
                put_state(arg, state[GENERATOR])
        value = self._answers.revive(value)
        return tuple(value) if isinstance(value, list) else value


def _exception(kind: str, message: str) -> Exception:
    for place in (builtins, np.exceptions, np.linalg):
        found = getattr(place, kind, None)
        if isinstance(found, type) and issubclass(found, Exception):
            try:
                return found(message)
            except TypeError:
                break
    return RuntimeError(f"{kind}: {message}")


def make_generator(state: Any) -> Any:
    """Return a random generator with a state from `generator_state`.

    For an invalid state, raise a ValueError. NumPy would accept the state and read foreign memory.
    """
    legacy, kind = bool(state["legacy"]), state["bit_generator"]
    if kind not in BIT_GENERATORS:
        raise ValueError("not a state of one of NumPy's generators")
    made = getattr(np.random, kind)(0)
    generator = np.random.RandomState(made) if legacy else np.random.Generator(made)
    put_state(generator, state)
    return generator


def put_state(generator: Any, state: Any) -> None:
    """Set a generator to a state. If the state does not fit, raise ValueError."""
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
    elif generator_state(generator)["bit_generator"] != kind:
        raise ValueError("a state of another kind of generator")
    else:
        generator.bit_generator.state = plain


class Server:
    """Server that reads requests from one file and writes replies to another."""

    def __init__(self, reading: IO[bytes], writing: IO[bytes], hidden: list[str]) -> None:
        self.reading, self.writing = reading, writing
        self.answers = Answers(hidden, self.ask_judge)
        self.printed = redirect()
        show_stack_to(writing.fileno())
        self.call = 0
        warnings.simplefilter("ignore")

    def serve(self) -> None:
        """Reply to requests until the judge closes the connection."""
        while True:
            request = self._receive()
            self.printed.kept.clear()
            reply = self.answers.answer(request)
            reply.printed = self.printed.kept.decode("utf-8", "replace")
            try:
                message = encode(reply)
            except Exception as error:
                said = f"a value that is too large ({error})"[:300]
                message = encode(Reply(problem=Problem("unsendable", message=said)))
            self._send(*message)

    def ask_judge(self, ask: Callback) -> Request:
        """Send the judge a question during a request, and return the judge's answer."""
        self._send(*encode(Reply(ask=ask)))
        return self._receive()

    def _receive(self) -> Request:
        header, payload, self.call = FRAME.unpack(self._read(FRAME.size))
        return decode(Request, self._read(header), self._read(payload))

    def _read(self, size: int) -> bytes:
        data = self.reading.read(size)
        if len(data) < size:
            os._exit(0)  # the judge closed the connection
        return data

    def _send(self, header: int, payload: int, buffers: Sequence[Buffer]) -> None:
        self.writing.write(b"".join([FRAME.pack(header, payload, self.call), *buffers]))
        self.writing.flush()


def main(config: dict[str, Any]) -> None:
    """Serve on standard input, a socket, until the judge closes the connection."""
    if sys.platform == "win32":
        line = socket.fromshare(sys.stdin.buffer.read())
    else:
        line = socket.socket(fileno=os.dup(0))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    warm_up(config["warm"])
    gc.enable()
    sys.argv[:] = sys.orig_argv[:] = ["submission.py"]
    limit_self(config["memory_mb"], config["cpu_seconds"])
    Server(line.makefile("rb"), line.makefile("wb"), config["hidden"]).serve()
