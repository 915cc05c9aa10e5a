"""The worker's loop: load the student's source, then answer one request after the other."""

import enum
import gc
import importlib
import itertools
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from . import preparation
from .codec import Handle, Tensor, decode, encode
from .failures import explain
from .limits import limit_self
from .loading import Loaded, NotImported, compiled, define, load
from .messages import MAX_NAME, MAX_NAMES, Callback, Forward, Problem, Reply, Request
from .preparation import fill_unwritten
from .remote_functions import Asking, Offered, Partner, RemoteFunction, Wire, make_generator
from .serialise import GENERATOR, Unsendable, serialised
from .torch_modules import run_module
from .values import Record, Tuple


class Answers:
    """Answers requests about one module; what is kept of its objects stays here.

    `asking` puts a question to the judge, and waits for the answer.
    """

    def __init__(self, hidden: list[str], asking: Asking) -> None:
        self.hidden = hidden
        self.asking = asking
        self.module: ModuleType | None = None
        self.labels: set[str] = set()
        self.kept: dict[int, object] = {}
        self.loaded: Loaded | None = None
        self.offered: Offered | None = None
        self.together: list[int] = []
        self.others: dict[str, Callable[[Request], Reply]] = {
            "load": self._load,
            "compile": lambda request: Reply(compiled(request.units)),
            "renew": lambda _: Reply(self._renewed()),
            "define": lambda request: Reply(self._keep(define(request.target, request.units))),
            "offer": self._offer,
            "carry": self._carry,
        }

    def answer(self, request: Request) -> Reply:
        """The reply to any request; what the student's code raises is a problem in it."""
        try:
            if request.renewed and not self._renewed():
                return Reply(stale=True)
            if request.operation in self.others:
                return self.others[request.operation](request)
            self.together = request.together
            found = self._find(request)
            if isinstance(found, Problem):
                return Reply(problem=found)
            args, kwargs = self._revive(request.args), self._revive(request.kwargs)
            value = found
            if request.operation != "get":
                if not callable(value):
                    return Reply(problem=_not_a_function(request.target, value))
                if request.forward is not None:
                    return self._forward(value, args, kwargs, request.forward)
                value = value(*args, **kwargs)
                if request.draw is not None:
                    value = _drawn(value, request.draw)
            # only what is kept here is sent as a handle: one in a student's result is no plain data
            sent = self._keep(value) if request.keep else serialised(value)
            echo = [_echo(arg) for arg in (*args, *kwargs.values())] if request.echo else []
            return Reply(sent, echo=echo)
        except BaseException as error:
            return Reply(problem=explain(error, self.labels))

    def _renewed(self) -> bool:
        """Whether the module is as it was after the load, of which nothing else is left now."""
        self.kept.clear()
        return self.loaded is not None and self.loaded.put_back()

    def _offer(self, request: Request) -> Reply:
        self.offered = self.offered or Offered(self._revive)
        self.offered.add(request.units, request.args)
        return Reply()

    def _carry(self, request: Request) -> Reply:
        if self.offered is None:
            raise LookupError("no function of the course's")
        return Reply(self.offered.call(request.on, request.args, request.kwargs))

    def _load(self, request: Request) -> Reply:
        _seed_common_generators()
        self.labels = {unit.label for unit in request.units}
        self.labels |= {f"{helper}.py" for helper in request.helpers}
        self.module, problems = load(request.target, request.units, request.helpers, self.hidden)
        self.loaded = Loaded(self.module)
        return Reply(sorted(self._names()), problems=problems)

    def _forward(
        self, build: Any, args: list[Any], kwargs: dict[str, Any], asked: Forward
    ) -> Reply:
        revived = Forward(
            self._revive(asked.state),
            self._revive(asked.inputs),
            asked.training,
            asked.seed,
            None if asked.toward is None else self._revive(asked.toward),
            self._revive(asked.before),
        )
        passed = run_module(build, args, kwargs, revived)
        passed.value, passed.after = serialised(passed.value), serialised(passed.after)
        passed.gradients = serialised(passed.gradients)
        return Reply(passed)

    def _find(self, request: Request) -> Any:
        """What the request's target names, or the problem that nothing has that name."""
        first, *rest = request.target.split(".")
        if request.operation == "make":
            *modules, last = request.target.split(".")
            return getattr(importlib.import_module(".".join(modules)), last)
        if request.on:
            found: Any = self._kept(request.on)
            rest = [first, *rest] if first else rest
        elif self.module is not None and first in vars(self.module):
            found = vars(self.module)[first]
        else:
            return Problem("missing", message=request.target, names=sorted(self._names()))
        for name in rest:
            if not hasattr(found, name):
                return Problem("missing", message=request.target, names=sorted(self._names()))
            found = getattr(found, name)
        return found

    def _names(self) -> list[str]:
        """What the student's own source defines: no imports, no private names."""
        names = []
        for name, value in vars(self.module).items() if self.module else ():
            if not name.startswith("_") and not isinstance(value, ModuleType | NotImported):
                names.append(name[:MAX_NAME])
        return names[:MAX_NAMES]

    def _keep(self, value: object) -> Handle:
        number = len(self.kept) + 1
        self.kept[number] = value
        return Handle(number, type(value).__name__[:MAX_NAME])

    def _kept(self, number: int) -> object:
        if number not in self.kept:
            raise LookupError("an object that was made before the process had to start again")
        return self.kept[number]

    def _revive(self, value: Any) -> Any:
        """Arguments as the student's code expects them: tensors, objects kept here, own arrays."""
        if isinstance(value, Handle):
            if value.number < 0:
                return RemoteFunction(self._asked, -value.number)
            return self._kept(value.number)
        if isinstance(value, Tensor):
            import torch

            return torch.from_numpy(np.array(value))
        if isinstance(value, np.ndarray):
            value = value.view(np.ndarray)
            return value if value.flags.writeable and value.flags.owndata else value.copy()
        if isinstance(value, list | tuple):
            items = [self._revive(item) for item in value]
            return tuple(items) if isinstance(value, Tuple | tuple) else items
        if isinstance(value, Record):
            return self._made(value)
        if isinstance(value, dict):
            if GENERATOR in value:
                return make_generator(value[GENERATOR])
            return {key: self._revive(item) for key, item in value.items()}
        return value

    def _made(self, record: Record) -> Any:
        """An object of the student's own class of that name."""
        kind = vars(self.module).get(record.type) if self.module is not None else None
        if not isinstance(kind, type):
            raise LookupError(f"there is no class {record.type} to make an argument of")
        if issubclass(kind, enum.Enum):
            return kind[str(record.fields["name"])]
        return kind(**{name: self._revive(value) for name, value in record.fields.items()})

    def _asked(self, ask: Callback) -> Request:
        answer = self.asking(ask)
        if not answer.target:
            answer.args[:1] = [self._revive(answer.args[0])]
        return answer


class Server:
    """Answers requests that come in on one descriptor, on another.

    By `side`, where there is one, a submission reaches the course's functions, or they answer it.
    """

    def __init__(self, read_from: int, write_to: int, hidden: list[str], side: int = -1) -> None:
        self.line = Wire(read_from, write_to)
        self.answers = Answers(hidden, self._ask)
        self.printed = preparation.redirect()
        self.call = 0
        self.partner = None if side < 0 else Partner(Wire(side, side, bounded=True))
        warnings.simplefilter("ignore")

    def serve(self) -> None:
        while True:
            if self.partner is not None and self.answers.offered is not None:
                self.partner.serve(self.answers.offered, self.line.read_from)
            request = self._request()
            self.printed.kept.clear()
            reply = self.answers.answer(request)
            reply.printed = self.printed.kept.decode("utf-8", "replace")
            self._send(reply)

    def _request(self) -> Request:
        try:
            header, payload, self.call = self.line.receive()
        except EOFError:
            os._exit(0)  # the judge hung up
        return decode(Request, header, payload)

    def _ask(self, ask: Callback) -> Request:
        """In the middle of a request: put a question to the course's process, or to the judge.

        Raises:
            ValueError, TypeError: the question is too large, or holds what cannot be sent.
        """
        if self.partner is not None and 1 <= ask.number <= len(self.answers.together):
            ticket = self.answers.together[ask.number - 1]
            answer = self.partner.ask(Callback(ticket, ask.args, ask.kwargs))
            if answer is not None:
                return answer
        self.line.send(*encode(Reply(ask=ask)), self.call)
        return self._request()

    def _send(self, reply: Reply) -> None:
        try:
            header, payload, buffers = encode(reply)
        except Exception as error:
            problem = Problem("unsendable", message=f"a value that is too large ({error})"[:300])
            header, payload, buffers = encode(Reply(problem=problem))
        self.line.send(header, payload, buffers, self.call)


def _echo(arg: object) -> Any:
    """An argument after the call; nothing of one that is no plain data, such as a model."""
    try:
        return serialised(arg)
    except Unsendable:
        return None


def _drawn(value: Any, most: int) -> list[Any]:
    """The first values of a generator, as `Request` says; one more is asked for, to see its end."""
    if not isinstance(value, Iterator):
        return [False, False, value]
    items = list(itertools.islice(value, most + 1))
    return [True, len(items) <= most, items[:most]]


def _not_a_function(name: str, value: object) -> Problem:
    if value is None:
        return Problem("not a function", message=f"{name} is None; a function was expected")
    kind = type(value).__name__
    return Problem("not a function", message=f"{name} is of type {kind}; a function was expected")


def _seed_common_generators() -> None:
    """PyTorch's is seeded by the system otherwise: no two fork servers would draw the same."""
    random.seed(0)
    np.random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.manual_seed(0)


def warm_up(names: list[str]) -> None:
    """Import what submissions need, and take the first steps that are slow or read the system."""
    fill_unwritten()
    for name in names:
        importlib.import_module(name)
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(1)
        torch.backends.cpu.get_cpu_capability()  # reads /proc once; without it, slower kernels
        weight = torch.nn.Parameter(torch.ones(2))
        (weight.sum() ** 2).backward()
        if "torch.optim" in names:
            torch.optim.AdamW([weight]).step()  # a first step imports hundreds of modules
    if "matplotlib.pyplot" in sys.modules:
        from matplotlib import pyplot

        figure, (left, axes) = pyplot.subplots(1, 2)  # finds the fonts, and reads them
        figure.colorbar(left.imshow([[1, 2], [3, 4]], cmap="viridis"))
        left.text(0, 0, "1.00")
        axes.semilogx([1, 10], [1, 2], label="$x_1$")
        axes.set(title="title", xlabel="x", ylabel="y")
        axes.legend()
        figure.suptitle("all")
        figure.canvas.draw()
        pyplot.close(figure)
        _close_fonts()


def _close_fonts() -> None:
    """Let go of the fonts that are open: a fork closes their files, and would not know it."""
    from matplotlib import font_manager, mathtext

    for cached in (
        getattr(font_manager, "_get_font", None),
        getattr(mathtext.MathTextParser, "_parse_cached", None),
    ):
        clear = getattr(cached, "cache_clear", None)
        if clear is not None:
            clear()
    gc.collect()


def main(config: dict[str, Any]) -> None:
    """Take over standard input and output as the line to the judge, and serve until it hangs up."""
    read_from, write_to = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    warm_up(config["warm"])
    gc.enable()
    sys.argv[:] = sys.orig_argv[:] = ["submission.py"]
    limit_self(config["memory_mb"], config["cpu_seconds"])
    Server(read_from, write_to, config["hidden"]).serve()
