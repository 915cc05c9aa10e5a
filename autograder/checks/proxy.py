"""`submission`: what a check sees in place of the student's module."""

from collections.abc import Sequence
from typing import Any

import msgspec

from autograder.checks.request_log import LoggedReply, RequestLog
from autograder.course.optimisations import is_off
from autograder.report.values import as_text
from autograder.sandbox.peer import CourseFunction
from autograder.sandbox.problems import NotPlain, foreign_answer
from autograder.sandbox.session import WorkerSession, handle_in
from autograder.submission.code import find_assignment
from autograder.worker.codec import Handle, tensor
from autograder.worker.messages import CodePlace, Forward, Passed, Reply, Request


class Call(msgspec.Struct, frozen=True):
    """A call that a check made: what it says in the report above the values."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    made_with: tuple[Any, ...] | None = None


class Drawn(msgspec.Struct, frozen=True):
    """The first values of a generator, and whether it ended with them."""

    items: list[Any]
    ended: bool


class Function:
    """A function of the student's module; calling it runs it in the worker.

    It has its `__name__`, for what a check says of it.
    """

    def __init__(self, submission: "Submission", name: str, on: Handle | None = None) -> None:
        self.__name__ = self.__qualname__ = name
        self._submission = submission
        self._name = name
        self._on = on

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The value that the student's function returns, as plain data.

        Raises:
            StudentProblem: there is no value; the exception says why.
        """
        __tracebackhide__ = True
        return self._submission._ask(self._name, self._on, args, kwargs).value

    def with_arguments(self, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """The value, and the arguments as they are after the call, those by name last."""
        __tracebackhide__ = True
        reply = self._submission._ask(self._name, self._on, args, kwargs, echo=True)
        if len(reply.echo) != len(args) + len(kwargs):
            raise foreign_answer()
        return reply.value, reply.echo

    def drawn(self, most: int, *args: Any, **kwargs: Any) -> "Drawn":
        """The first `most` values of the generator that the student's function returns.

        Raises:
            StudentProblem: it is no generator, or there are no values; the exception says why.
        """
        __tracebackhide__ = True
        reply = self._submission._ask(self._name, self._on, args, kwargs, draw=most)
        match reply.value:
            case [True, bool(ended), list(items)] if len(items) <= most:
                return Drawn(list(items), ended)
            case [False, False, value]:
                raise NotPlain("not_a_generator", self._name, as_text(value, 60))
        raise foreign_answer()

    def kept(self, *args: Any, **kwargs: Any) -> "Remote":
        """The result, left in the worker: for modules and other objects with methods."""
        __tracebackhide__ = True
        reply = self._submission._ask(self._name, self._on, args, kwargs, keep=True)
        return Remote(self._submission, handle_in(reply))


class Remote:
    """An object of the student's that stays in the worker; its methods are called there."""

    def __init__(self, submission: "Submission", handle: Handle) -> None:
        self._submission = submission
        self._handle = handle

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(name)
        return Function(self._submission, name, self._handle)

    def value(self, name: str) -> Any:
        """The value of an attribute, as plain data."""
        __tracebackhide__ = True
        request = Request("get", name, on=self._handle.number)
        return self._submission._reply(request).value

    def part(self, name: str) -> "Remote":
        """An attribute, left in the worker too: a function to pass as an argument, say."""
        __tracebackhide__ = True
        request = Request("get", name, on=self._handle.number, keep=True)
        return Remote(self._submission, handle_in(self._submission._reply(request)))


class Submission:
    """The student's module, at arm's length: `submission.softmax(x)` runs in the worker."""

    def __init__(self, client: WorkerSession, conversation: RequestLog | None = None) -> None:
        self._client = client
        self._conversation = conversation
        self._calls: list[Call] = []
        self._read: list[str] = []

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return Function(self, name)

    def value(self, name: str) -> Any:
        """The value of a module-level name such as `a_scores`; all checks see the same."""
        __tracebackhide__ = True
        self._read.append(name)
        return self._process.value(name)

    def where_set(self, name: str, entry: Sequence[int] = ()) -> CodePlace | None:
        """The line that gives a value which was read, or an entry of it, what it has."""
        return (
            find_assignment(self._client.source.units, name, entry) if name in self._read else None
        )

    def answer(self, name: str) -> str:
        """The text that answers a question; empty where there is none. Nothing is run for it."""
        self._read.append(name)
        return self._client.source.answers.get(name, "")

    def kept_value(self, name: str) -> Remote:
        """What a module-level name stands for, left in the worker: a function to hand on, say."""
        __tracebackhide__ = True
        self._read.append(name)
        return Remote(self, handle_in(self._reply(Request("get", name, keep=True))))

    def fresh(self) -> "Submission":
        """The same module in a process of its own, in which nothing has run but its loading.

        The process before is ended, and with it what was kept there.
        """
        fresh = Submission(self._client.fresh())
        fresh._calls, fresh._read = self._calls, self._read
        return fresh

    def aside(self) -> "Submission":
        """The same process, for calls that are not what a check is about."""
        return Submission(self._client, self._conversation)

    def own(self) -> "Submission":
        """The same, for a question about a step of the student's own; what is kept here stays."""
        client = self._client.fresh("own")
        if is_off("request_log"):
            return Submission(client)
        heard: dict[bytes, LoggedReply] = self.shared.setdefault(RequestLog, {})
        return Submission(client, RequestLog(client, heard))

    def borrows(self, name: str) -> bool:
        """Whether the student's file takes a function from a file of that name beside it."""
        source = self._client.source
        return name in source.helpers and source.imports(name)

    def elsewhere(self, text: str, name: str) -> CourseFunction:
        """The function `name` of a text of the course's, to pass as an argument.

        It runs in another process: the student's code can call it, and see nothing else of it.
        Several that are made before the first is handed over are taken there together.
        """
        return CourseFunction(self._process.peer, text, name)

    @property
    def shared(self) -> dict[Any, Any]:
        """What the checks of one submission keep for one another, in this process."""
        return self._client.shared

    def make(self, target: str, *args: Any) -> Handle:
        """A library's object, made in the worker, to pass as an argument."""
        return self._told.make(target, *args)

    def define(self, name: str, text: str) -> Remote:
        """Python text of the course's, run in the worker: models, say, to pass as arguments.

        The student's code can see it and change it, so nothing in it may be secret.
        """
        __tracebackhide__ = True
        return Remote(self.aside(), self._told.define(name, text))

    def forward(
        self,
        name: str,
        made_with: tuple[Any, ...],
        inputs: tuple[Any, ...],
        state: dict[str, Any] | None = None,
        *,
        training: bool = False,
        seed: int = 0,
        toward: tuple[Any, ...] | None = None,
        before: tuple[tuple[Any, ...], ...] = (),
    ) -> Passed:
        """A new module of the student's class `name`, with `state` loaded by name, called once.

        Arrays become tensors: float32, int64 or bool. See `Forward` and `Passed` for the rest.
        """
        __tracebackhide__ = True
        self._calls.append(Call(name, inputs, {}, made_with))
        sent = Forward(
            {key: tensor(value) for key, value in (state or {}).items()},
            [tensor(each) for each in inputs],
            training,
            seed,
            None if toward is None else [None if t is None else tensor(t) for t in toward],
            [[tensor(each) for each in call] for call in before],
        )
        reply = self._reply(Request("forward", name, list(made_with), forward=sent))
        return _passed(reply)

    @property
    def variant(self) -> str:
        """The key of the student's own numbers; empty where all have the same."""
        return self._client.source.variant

    @property
    def digest(self) -> str:
        """What the submission's text is known by: another text has another digest."""
        return self._client.source.digest

    def last_call(self) -> Call | None:
        """The newest call of this check."""
        return self._calls[-1] if self._calls else None

    def about(self) -> tuple[str, ...]:
        """What the check was about: the functions it called, in order, or else the values."""
        called = [call.name for call in self._calls]
        return tuple(dict.fromkeys(called or self._read))

    def _ask(
        self,
        name: str,
        on: Handle | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        keep: bool = False,
        echo: bool = False,
        draw: int | None = None,
    ) -> Any:
        __tracebackhide__ = True
        offered: list[CourseFunction] = []
        sent = [_sent(arg, offered) for arg in args]
        named = {key: _sent(value, offered) for key, value in kwargs.items()}
        self._calls.append(Call(name, tuple(sent), named))
        request = Request(
            "call",
            name,
            sent,
            named,
            on=on.number if on else 0,
            keep=keep,
            echo=echo,
            draw=draw,
        )
        return self._process.ask(request, offered) if offered else self._reply(request)

    def _reply(self, request: Request) -> Reply:
        __tracebackhide__ = True
        return self._told.ask(request)

    @property
    def _told(self) -> WorkerSession | RequestLog:
        """Who is asked: the process, or what remembers for it what others have answered."""
        return self._conversation or self._client

    @property
    def _process(self) -> WorkerSession:
        """The process itself, where what it is asked is not remembered."""
        return self._client if self._conversation is None else self._conversation.alone()


def _passed(reply: Reply) -> Passed:
    if isinstance(reply.value, Passed):
        return reply.value
    try:
        return msgspec.convert(reply.value, Passed)
    except msgspec.ValidationError:
        raise foreign_answer() from None


def _sent(value: Any, offered: list[CourseFunction]) -> Any:
    if isinstance(value, CourseFunction):
        offered.append(value)
        return Handle(-len(offered), "function")
    return value._handle if isinstance(value, Remote) else value
