"""Messages between judge and worker, with limits because a worker may be hostile."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

Operation = Literal["load", "call", "get", "make", "define", "carry", "forward", "answer"]

MAX_NAME, MAX_MESSAGE, MAX_LINE, MAX_NAMES, MAX_SHAPES, MAX_BASES = 80, 500, 200, 200, 8, 8
MAX_STATE, MAX_PARAMETER, MAX_PROBLEMS, MAX_PRINTED = 1000, 200, 1000, 16 * 1024
MAX_CODE = 128 * 1024

Name = Annotated[str, msgspec.Meta(max_length=MAX_NAME)]
Text = Annotated[str, msgspec.Meta(max_length=MAX_MESSAGE)]
LineText = Annotated[str, msgspec.Meta(max_length=MAX_LINE)]
Size = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
ShapeOnWire = Annotated[list[Size], msgspec.Meta(max_length=32)]
Parameter = Annotated[str, msgspec.Meta(max_length=MAX_PARAMETER)]


class _OfAnyType(type):
    def __instancecheck__(cls, value: object) -> bool:
        return True


if TYPE_CHECKING:
    Value = Any
else:

    class Value(metaclass=_OfAnyType):
        """Type of the fields of messages that contain a value of a student's code or for it."""


class Unit(msgspec.Struct, array_like=True):
    """Piece of the student's source that runs separately: a file, or one notebook cell."""

    label: str
    text: str


class Forward(msgspec.Struct, array_like=True):
    """Call of a torch module.

    `state` has the weights to load before the call, by name. `toward` has an array or None for each
    result. If given, the reply has the gradients of Σ result·toward for all parameters and all
    inputs of real numbers. `before` has the inputs of earlier calls of the same module. Each of
    these calls is made twice: in training mode and in evaluation mode.
    """

    state: dict[str, Value] = {}
    inputs: list[Value] = []
    training: bool = False
    seed: int = 0
    toward: list[Value] | None = None
    before: list[list[Value]] = []


class Request(msgspec.Struct, array_like=True):
    """One request of the judge.

    load: run `units` as the module `target`. `helpers` are the texts of the files in its folder,
    and `code` is the code that the reply to an earlier load had.
    call: call `target`, a dotted path in the student's module, or in the object `on`. get: return
    the value at `target`. make: call the library function `target` ("numpy.random.default_rng") and
    keep the result. define: run `units`, a text of the course, as a module next to the student's,
    and keep it. carry: call the function `target` of the defined module `on`, because a
    submission's code called it. The reply's value is a list: the result, and the new states of
    random generators. answer: give the outcome of a `Callback`. `args` has the value and the new
    states of random generators. If `target` names an exception, `args` has the exception's message.
    forward: make an object of the class `target`, a torch module, and call it.
    """

    operation: Operation
    target: str
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    units: list[Unit] = []
    helpers: dict[str, str] = {}
    on: int = 0
    keep: bool = False
    echo: bool = False
    forward: Forward | None = None
    code: bytes = b""


class CodePlace(msgspec.Struct, array_like=True, frozen=True):
    """Line of the student's source. `line` is its number in the file or the cell, from 1.

    The relevant part of `text` begins at `column` and ends before `end`. For the whole text, both
    are 0.
    """

    label: LineText
    line: Size
    text: LineText = ""
    function: Name = ""
    column: Size = 0
    end: Size = 0


class Problem(msgspec.Struct, array_like=True, frozen=True):
    """Reason why a request returned no value.

    raised: the student's code raised the exception `type` with `message`. `place` is the line, if
        it is in the student's source. `bases` are the names of the exception's built-in base
        classes. `names` has the module that could not be imported. `user` is the line of another
        file of the student that led to `place`. `library` is the package that raised an error about
        a name, an attribute or a type.
    missing: the requested name does not exist. `names` are the existing names.
    unsendable: the value is not plain data. `message` describes the value, and `type` is the name
        of its class if the class is the reason.
    not a function: the called object is not a function. `message` describes the object.
    exited: the code asked to end the program.
    keyboard: the code asked for keyboard input.
    `shapes` has the shapes of the arrays that the failing line names.
    """

    kind: Literal["raised", "missing", "unsendable", "not a function", "exited", "keyboard"]
    type: Name = ""
    message: Text = ""
    place: CodePlace | None = None
    names: Annotated[list[Name], msgspec.Meta(max_length=MAX_NAMES)] = []
    shapes: Annotated[dict[Name, ShapeOnWire], msgspec.Meta(max_length=MAX_SHAPES)] = {}
    bases: Annotated[list[Name], msgspec.Meta(max_length=MAX_BASES)] = []
    user: CodePlace | None = None
    library: Name = ""


class Passed(msgspec.Struct, array_like=True):
    """Result of a forward pass.

    `state` has the shapes of the module's parameters and buffers. If the given weights do not fit
    these shapes, `called` is false. `gradients` is a dict from parameters' names, `input 0`, `input
    1` and so on to gradients. None means that there is no gradient. `after` has the inputs after
    the call. `buffers` are the names of buffers in `state`. If a parameter has two names, `same_as`
    maps the second name to the first. If the call changed results of earlier calls, `overwrites` is
    true.
    """

    state: Annotated[dict[Parameter, ShapeOnWire], msgspec.Meta(max_length=MAX_STATE)] = {}
    called: bool = False
    value: Value = None
    gradients: Annotated[dict[Parameter, Value], msgspec.Meta(max_length=MAX_STATE)] = {}
    after: list[Value] = []
    buffers: Annotated[list[Parameter], msgspec.Meta(max_length=MAX_STATE)] = []
    same_as: Annotated[dict[Parameter, Parameter], msgspec.Meta(max_length=MAX_STATE)] = {}
    overwrites: bool = False


class Callback(msgspec.Struct, array_like=True):
    """Call of a function among the arguments of the student's code. `number` begins with 1."""

    number: Size
    args: list[Value] = []
    kwargs: dict[Name, Value] = {}


class Reply(msgspec.Struct, array_like=True):
    """Reply to a request.

    If `ask` is set, it is a question to the judge, and the reply comes later.

    For the request `load`, `problems` has a problem for each failed unit, and `code` has the
    compiled units. If requested, `echo` has the arguments after the call. `passed` is the result of
    the request `forward`.
    """

    value: Value = None
    problem: Problem | None = None
    problems: Annotated[list[Problem], msgspec.Meta(max_length=MAX_PROBLEMS)] = []
    echo: list[Value] = []
    printed: Annotated[str, msgspec.Meta(max_length=MAX_PRINTED)] = ""
    ask: Callback | None = None
    code: Annotated[bytes, msgspec.Meta(max_length=MAX_CODE)] = b""
    passed: Passed | None = None
