"""What judge and worker say to each other."""

from typing import Any, Literal

import msgspec

Operation = Literal["load", "call", "get", "make", "define", "forward"]


class Unit(msgspec.Struct, array_like=True):
    """A piece of the student's source that runs on its own: a whole file, or one notebook cell."""

    label: str
    text: str


class Forward(msgspec.Struct, array_like=True):
    """A call of a torch module: the weights to load first, by name, and the inputs.

    With `toward`, an array for each result (or None), the gradients of Σ result·toward come back
    too: those of the inputs that are real numbers, and of all parameters. `before` are inputs of
    other calls of the same module that come first, each in training and in evaluation.
    """

    state: dict[str, Any] = {}
    inputs: list[Any] = []
    training: bool = False
    seed: int = 0
    toward: list[Any] | None = None
    before: list[list[Any]] = []


class Request(msgspec.Struct, array_like=True):
    """One thing the judge asks for.

    load: run `units` as the module `target`; `helpers` are the texts of the files beside it.
    call: call `target`, a dotted path in the student's module, or below the handle `on`.
    get:  the value at `target`.
    make: call the library function `target` ("numpy.random.default_rng") and keep the result.
    define: run `units`, a text of the course's, as a module beside the student's, and keep it.
    forward: make an object of the class `target`, a torch module, and call it.
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


class Place(msgspec.Struct, array_like=True, frozen=True):
    """A line of the student's source; `line` counts from 1 within the file or the cell."""

    label: str
    line: int
    text: str = ""
    function: str = ""


class Problem(msgspec.Struct, array_like=True, frozen=True):
    """Why there is no value.

    raised: the student's code raised `type` with `message`, at `place` if that is in their source;
        `bases` are the names of the classes that `type` is derived from.
    missing: nothing has the name asked for; `names` are those that there are.
    unsendable: the value is of a type that is not plain data; `message` describes it.
    exited: the code asked to end the program.
    keyboard: the code asked for keyboard input.
    `shapes` has the arrays that the failing line names, with their shapes.
    """

    kind: Literal["raised", "missing", "unsendable", "exited", "keyboard"]
    type: str = ""
    message: str = ""
    place: Place | None = None
    names: list[str] = []
    shapes: dict[str, list[int]] = {}
    bases: list[str] = []


class Passed(msgspec.Struct, array_like=True):
    """What came of a forward pass.

    `state` has the shapes of the module's parameters and buffers; where one that was to be loaded
    is missing or of another shape, the module was not called. `gradients` go by the parameter's
    name, and `input 0` and so on; None stands for one that no gradient reaches. `buffers` are the
    names in `state` that are no parameters, `same_as` the first name of a parameter that has two.
    """

    state: dict[str, list[int]] = {}
    called: bool = False
    value: Any = None
    gradients: dict[str, Any] = {}
    after: list[Any] = []
    buffers: list[str] = []
    same_as: dict[str, str] = {}


class Reply(msgspec.Struct, array_like=True):
    """The answer to one request.

    `problems` belongs to a load: what went wrong in which unit (the other units have run).
    `echo` holds the arguments as they are after the call, if the request asked for that.
    """

    value: Any = None
    problem: Problem | None = None
    problems: list[Problem] = []
    echo: list[Any] = []
    printed: str = ""
