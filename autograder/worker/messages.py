"""Messages between judge and worker.

A hostile process may send any message. The types include the bounds, so a decoded message is small
and of its declared type.
"""

from typing import Annotated, Any, Literal

import msgspec

Operation = Literal["load", "call", "get", "make", "define", "carry", "forward", "answer"]

MAX_NAME, MAX_MESSAGE, MAX_LINE, MAX_NAMES, MAX_SHAPES, MAX_BASES = 80, 500, 200, 200, 8, 8
MAX_STATE, MAX_PARAMETER, MAX_PROBLEMS, MAX_PRINTED = 1000, 200, 1000, 16 * 1024

Name = Annotated[str, msgspec.Meta(max_length=MAX_NAME)]
Text = Annotated[str, msgspec.Meta(max_length=MAX_MESSAGE)]
LineText = Annotated[str, msgspec.Meta(max_length=MAX_LINE)]
Size = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
ShapeOnWire = Annotated[list[Size], msgspec.Meta(max_length=32)]
Parameter = Annotated[str, msgspec.Meta(max_length=MAX_PARAMETER)]


class Unit(msgspec.Struct, array_like=True):
    """Piece of the student's source that runs on its own: a whole file, or one notebook cell."""

    label: str
    text: str


class Forward(msgspec.Struct, array_like=True):
    """Call of a torch module: the weights to load first, by name, and the inputs.

    With `toward`, an array for each result (or None), the reply has the gradients of Σ
    result·toward: for the inputs that are real numbers, and for all parameters. `before` are inputs
    of other calls of the same module that come first, each once in training and once in evaluation
    mode.
    """

    state: dict[str, Any] = {}
    inputs: list[Any] = []
    training: bool = False
    seed: int = 0
    toward: list[Any] | None = None
    before: list[list[Any]] = []


class Request(msgspec.Struct, array_like=True):
    """One request of the judge.

    load: run `units` as the module `target`; `helpers` are the texts of the files beside it.
    call: call `target`, a dotted path in the student's module, or in the object `on`.
    get: return the value at `target`.
    make: call the library function `target` ("numpy.random.default_rng") and keep the result.
    define: run `units`, a text of the course, as a module next to the student's, and keep it.
    carry: call the function `target` of the defined module `on`, for a submission's code. The
            value is a list: the result, and the random generators' new states.
    answer: the outcome of a `Callback`: `args` hold the value and the random generators' new
            states or, if `target` names an exception, its message.
    forward: make an object of the class `target`, a torch module, and call it.

    With `draw`, up to so many values are taken from the generator that a call returns. The reply's
    value is [whether it was a generator, whether it ended, the values]; if it was no generator, the
    result replaces the values.
    """

    operation: Operation
    target: str
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    units: list[Unit] = []
    helpers: dict[str, str] = {}
    on: int = 0
    keep: bool = False
    echo: bool = False
    forward: Forward | None = None
    draw: int | None = None


class CodePlace(msgspec.Struct, array_like=True, frozen=True):
    """Line of the student's source; `line` counts from 1 within the file or the cell.

    The relevant part of `text` begins at `column` and ends before `end`; both are 0 if it is the
    whole line.
    """

    label: LineText
    line: Size
    text: LineText = ""
    function: Name = ""
    column: Size = 0
    end: Size = 0


class Problem(msgspec.Struct, array_like=True, frozen=True):
    """Reason why a request returned no value.

    raised: the student's code raised `type` with `message`, at `place` if that is in their source;
        `bases` are the names of its built-in classes; `names` has the module that could not be
        imported; `user` is the line in another of their files that led there; `library` is the
        package inside which a name, attribute or type was wrong.
    missing: the requested name does not exist; `names` are the existing ones.
    unsendable: the value is not plain data; `message` describes it, and `type` is the name of its
        class, if that is the reason.
    not a function: the called object is not a function; `message` says what it is.
    exited: the code asked to end the program.
    keyboard: the code asked for keyboard input.
    `shapes` has the arrays that the failing line names, with their shapes.
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

    `state` has the shapes of the module's parameters and buffers. If the weights to load do not fit
    these shapes, the module is not called, and `called` is false. The keys of `gradients` are the
    parameters' names, and `input 0`, `input 1` and so on; None means that there is no gradient.
    `after` has the inputs as they are after the call. `buffers` are the names in `state` that
    belong to buffers. If a parameter has two names, `same_as` maps the second name to the first.
    """

    state: Annotated[dict[Parameter, ShapeOnWire], msgspec.Meta(max_length=MAX_STATE)] = {}
    called: bool = False
    value: Any = None
    gradients: Annotated[dict[Parameter, Any], msgspec.Meta(max_length=MAX_STATE)] = {}
    after: list[Any] = []
    buffers: Annotated[list[Parameter], msgspec.Meta(max_length=MAX_STATE)] = []
    same_as: Annotated[dict[Parameter, Parameter], msgspec.Meta(max_length=MAX_STATE)] = {}


class Callback(msgspec.Struct, array_like=True):
    """Call by the student's code of a function that runs elsewhere.

    `number` is the function's position, from 1, among those passed to the call.
    """

    number: Size
    args: list[Any] = []
    kwargs: dict[Name, Any] = {}


class Reply(msgspec.Struct, array_like=True):
    """Reply to a request, or a question before it (`ask`); the reply then follows.

    `problems` belongs to a load: each failed unit's problem (the other units have run). `echo`
    holds the arguments after the call, if the request asked for them.
    """

    value: Any = None
    problem: Problem | None = None
    problems: Annotated[list[Problem], msgspec.Meta(max_length=MAX_PROBLEMS)] = []
    echo: list[Any] = []
    printed: Annotated[str, msgspec.Meta(max_length=MAX_PRINTED)] = ""
    ask: Callback | None = None
