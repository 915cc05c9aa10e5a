"""Proxy of a student's module. Checks get this proxy as `submission`."""

import ast
from collections.abc import Collection, Sequence
from typing import Any, ClassVar

import msgspec

from autograder.report.values import describe_call
from autograder.sandbox.problems import Crashed, Raised
from autograder.sandbox.process import handle_in
from autograder.sandbox.session import CourseFunction, Note, WorkerSession
from autograder.submission.code import Definition, find_assignment, parsed, users_of
from autograder.submission.source import Source
from autograder.worker.codec import Handle, has_handle, tensor
from autograder.worker.messages import CodePlace, Forward, Passed, Reply, Request


class Call(msgspec.Struct, eq=False):
    """Call that a check made.

    For a torch module, `made_with` has the arguments of the constructor, and `before` has the
    arguments of earlier calls of the same module. `outcome` is the result or the exception.
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    made_with: tuple[Any, ...] | None = None
    evaluates: bool = False
    has_weights: bool = False
    before: tuple[tuple[Any, ...], ...] = ()
    request: Request = msgspec.field(default_factory=lambda: Request("call", ""))
    outcome: Any = None
    newest: ClassVar["Call | None"] = None  # the newest call of a check, of any submission

    def __str__(self) -> str:
        """Return the call as Python text, such as `softmax(…)` or `SelfAttention(4).eval()(…)`."""
        name = self.name
        if self.made_with is not None:
            name = describe_call(name, self.made_with, {}) + ".eval()" * self.evaluates
        weights = ", with weights of the check" * self.has_weights
        earlier = " and ".join(describe_call("", args, {}) for args in self.before)
        after = f", after a call with {earlier}" * bool(earlier)
        return describe_call(name, self.args, self.kwargs) + weights + after

    @property
    def is_repeatable(self) -> bool:
        """True if the call depends on no object in the worker."""
        return not self.request.on and not has_handle([self.request.args, self.request.kwargs])


class Function:
    """Function of the student's module, which runs in the worker.

    The arguments may be numbers, texts, arrays, tensors (`tensor`), lists, dicts, and objects that
    stay in the worker (`Remote`). The result is plain data: an array comes back as a NumPy array
    with the same dtype and shape, and a tuple as a list.
    """

    def __init__(self, submission: "Submission", name: str, on: int = 0) -> None:
        self.__name__ = self.__qualname__ = name
        self._submission = submission
        self._on = on

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the result of the student's function, as plain data.

        Raises:
            StudentProblem: the call gives no result. The exception says why.
        """
        return self._ask(args, kwargs).value

    def with_arguments(self, *args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        """Return the result of a call, and the arguments as they are after the call.

        Named arguments come last.
        """
        reply = self._ask(args, kwargs, echo=True)
        if len(reply.echo) != len(args) + len(kwargs):
            raise Crashed("foreign_answer")
        return reply.value, reply.echo

    def kept(self, *args: Any, **kwargs: Any) -> "Remote":
        """Call the student's function, keep its result in the worker, and return a proxy of it.

        Use this for results with methods, such as modules.
        """
        return Remote(self._submission, handle_in(self._ask(args, kwargs, keep=True)))

    def _ask(self, args: tuple[Any, ...], kwargs: dict[str, Any], **details: Any) -> Reply:
        name, submission = self.__name__, self._submission
        offered: list[CourseFunction] = []
        sent = [_sent(arg, offered) for arg in args]
        named = {key: _sent(value, offered) for key, value in kwargs.items()}
        call = Call(name, tuple(sent), named)
        request = Request("call", name, sent, named, on=self._on, **details)
        return submission._asked(call, request, offered)


class Remote:
    """Proxy of a student's object that stays in the worker. Methods of the object run there."""

    def __init__(self, submission: "Submission", handle: Handle) -> None:
        self._submission = submission
        self._handle = handle

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.method(name)

    def method(self, name: str) -> Function:
        """Return a method by its name. Special names such as `__len__` are allowed."""
        return Function(self._submission, name, self._handle.number)

    def value(self, name: str) -> Any:
        """Return an attribute as plain data. For the name "", return the whole object."""
        return self._submission._session.ask(Request("get", name, on=self._handle.number)).value

    def part(self, name: str) -> "Remote":
        """Return a proxy of an attribute, such as a function to pass on."""
        request = Request("get", name, on=self._handle.number, keep=True)
        return Remote(self._submission, handle_in(self._submission._session.ask(request)))


class Submission:
    """Proxy of the student's module. The call `submission.softmax(x)` runs in the worker."""

    def __init__(self, session: WorkerSession, *, is_aside: bool = False) -> None:
        self._session = session
        self._is_aside = is_aside
        self._keeps = False
        self._calls: list[Call] = []
        self._read: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        function = Function(self, name)
        return function.kept if self._keeps else function

    def value(self, name: str) -> Any:
        """Return a module-level value, such as `a_scores`. It is read only once, for all checks."""
        self._read.append(name)
        return self._session.value(name)

    @property
    def has_printed(self) -> bool:
        """True if the last call printed something."""
        return self._session.has_printed

    @property
    def returned_none(self) -> bool:
        """True if a call returned None itself, not a list or dict that contains None."""
        return any(call.outcome is None for call in self._calls)

    def where_set(self, name: str, entry: Sequence[int] = ()) -> CodePlace | None:
        """Return the line that sets a module-level value.

        If the check has not read the value, or if the line is unknown, return None. With `entry`,
        return the line that sets this entry of the value.
        """
        if name not in self._read:
            return None
        return find_assignment(self._session.source.units, name, entry)

    def definition(self, name: str) -> tuple[str, ast.FunctionDef] | None:
        """Return the file or cell and the syntax tree of a top-level function."""
        return next(
            (
                (unit.label, node)
                for unit in reversed(self._session.source.units)
                for node in reversed(parsed(unit) or [])
                if isinstance(node, ast.FunctionDef) and node.name == name
            ),
            None,
        )

    def uses(self, name: str, other: str) -> bool:
        """Return True if the function `name` uses the function `other`, or if that is unknown."""
        users = users_of(self._session.source.units, {other})
        return name in users or self.definition(name) is None

    def uses_of(self, names: Collection[str]) -> list[tuple[str, int]]:
        """Return the attributes with one of these names, with lines.

        They may be in functions and classes, or be called by a statement outside of them.
        """
        tops = [top for unit in self._session.source.units for top in parsed(unit) or ()]
        calls = (top.value for top in tops if isinstance(top, ast.Expr))
        places: list[ast.AST] = [top for top in tops if isinstance(top, Definition)]
        places += [call.func for call in calls if isinstance(call, ast.Call)]
        nodes = (node for place in places for node in ast.walk(place))
        uses = (node for node in nodes if isinstance(node, ast.Attribute) and node.attr in names)
        return sorted(((node.attr, node.lineno) for node in uses), key=lambda use: use[1])

    def answer(self, name: str) -> str:
        """Return the student's answer in words to a question. If there is none, return ""."""
        self._read.append(name)
        return self._session.source.answers.get(name, "")

    def kept_value(self, name: str) -> Remote:
        """Return a proxy of a module-level value that stays in the worker, such as a function."""
        self._read.append(name)
        return Remote(self, handle_in(self._session.ask(Request("get", name, keep=True))))

    def fresh(self) -> "Submission":
        """Return the module, loaded in a new process. The old process and its objects are lost."""
        fresh = Submission(self._session.fresh(), is_aside=self._is_aside)
        fresh._calls, fresh._read = self._calls, self._read
        return fresh

    def keeping(self) -> "Submission":
        """Return a proxy of the same process, whose calls work as `Function.kept`."""
        keeping = Submission(self._session, is_aside=self._is_aside)
        keeping._calls, keeping._keeps = self._calls, True
        return keeping

    def aside(self) -> "Submission":
        """Return a proxy of the same process for calls that are not under test."""
        return Submission(self._session, is_aside=True)

    def own(self) -> "Submission":
        """Return the module, loaded in another new process, for a call of the student's step.

        The first process and its objects stay unchanged.
        """
        return Submission(self._session.fresh("own"), is_aside=True)

    def borrows(self, name: str) -> bool:
        """Return True if the student's file imports the student's file with this name."""
        source = self._session.source
        return name in source.helpers and source.imports(name)

    def elsewhere(self, text: str, name: str, note: Note | None = None) -> CourseFunction:
        """Return a function of the course that can be passed to the student's code.

        `text` is Python source of the course, and `name` is a function in it. The function runs in
        another process, where the student's code cannot see its source. If you make several such
        functions before you pass on the first, they share one process. `note` gets the positional
        and the named arguments of each call. They can be any plain values, of any size.
        """
        return self._session.course_function(text, name, note)

    @property
    def shared(self) -> dict[Any, Any]:
        """Return a dict in the judge process. All checks of one submission share this dict."""
        return self._session.shared

    def make(self, target: str, *args: Any) -> Handle:
        """Create an object of a library in the worker.

        The returned handle can be an argument of later calls. For example,
        `submission.make("numpy.random.default_rng", 7)` makes a random generator.
        """
        return self._session.make(target, *args)

    def define(self, name: str, text: str) -> Remote:
        """Run Python source of the course in the worker, and return a proxy of the new module.

        For example, the source can define models that the check passes as arguments. The student's
        code can read the source, so put no secrets there.
        """
        return Remote(self.aside(), self._session.define(name, text))

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
        """Make a module of the student's class `name`, load `state`, and call the module once.

        The keys of `state` must be the parameters' names in the student's module. For other names,
        use `forward_pass`. Arrays become tensors of dtype float32, int64 or bool. `seed` is the
        seed of torch's random numbers. `toward` is the same as for `reference_pass`. `before` has
        the arguments of earlier calls.

        Raises:
            StudentProblem: the call gives no result. The exception says why.
        """
        sent = Forward(
            {key: tensor(value) for key, value in (state or {}).items()},
            [tensor(each) for each in inputs],
            training,
            seed,
            None if toward is None else [None if t is None else tensor(t) for t in toward],
            [[tensor(each) for each in call] for call in before],
        )
        inputs, earlier = tuple(sent.inputs), tuple(map(tuple, sent.before))
        call = Call(name, inputs, {}, made_with, not training, bool(state), earlier)
        passed = self._asked(call, Request("forward", name, list(made_with), forward=sent)).passed
        if passed is None:
            raise Crashed("foreign_answer")
        call.outcome = passed.value
        return passed

    def _asked(
        self, call: Call, request: Request, functions: Sequence[CourseFunction] = ()
    ) -> Reply:
        if not self._is_aside:
            Call.newest = call
        call.request = request
        self._calls.append(call)
        try:
            reply = self._session.ask(request, functions)
            call.outcome = reply.value
            return reply
        except BaseException as error:
            call.outcome = error
            raise
        finally:
            if self._session.place == "first":
                self._session.workers.calls.append(call)

    @property
    def variant(self) -> str:
        """Return the key of the student's own numbers, or "" if all students have the same."""
        return self._session.source.variant

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all code and data that a run of the submission uses."""
        return self._session.source.digest

    def call_of(self, error: BaseException) -> Call | None:
        """Return the call that raised `error`. If there is none, return the newest call."""
        shown = getattr(error, "call", None)
        about = [call for call in self._calls if call.outcome is error or call is shown]
        return next(iter(about + self._calls[-1:]), None)

    def nth_call(self, number: int, count: int) -> Call | None:
        """Return the call with this index among the newest `count` calls.

        If these call different functions, return None.
        """
        newest = self._calls[-count:]
        alike = len(newest) == count and len({call.name for call in newest}) == 1
        return newest[number] if alike else None

    def to_debug(self) -> tuple[Source, Request] | None:
        """Return the source and the last call. If this call cannot be repeated, return None."""
        last = [call for call in self._calls[-1:] if call.is_repeatable]
        return (self._session.source, last[0].request) if last else None

    def calls_until(self, call: Call) -> tuple[Call, ...]:
        """Return the calls of the current process up to `call`, or an empty tuple."""
        made = tuple(self._session.workers.calls)
        return made[: made.index(call) + 1] if call in made else ()

    def repeat(self, calls: Sequence[Call]) -> Any:
        """Make calls again, and return the last result, or the exception of the last call."""
        outcome: Any = None
        for call in calls:
            request = msgspec.structs.replace(call.request, keep=False)
            try:
                outcome = self._asked(msgspec.structs.replace(call), request).value
            except Raised as error:
                outcome = error
        return outcome

    def first_raised(self) -> Raised | None:
        """Return the first unexpected exception of the student's code, or None if there is none."""
        raised = (call.outcome for call in self._calls if isinstance(call.outcome, Raised))
        return next((error for error in raised if not error.was_expected), None)

    def about(self) -> tuple[str, ...]:
        """Return the names of the called functions, or else of the values that were read."""
        return tuple(dict.fromkeys([call.name for call in self._calls] or self._read))


def _sent(value: Any, offered: list[CourseFunction]) -> Any:
    if isinstance(value, CourseFunction):
        offered.append(value)
        return Handle(-len(offered), "function")
    return value._handle if isinstance(value, Remote) else value
