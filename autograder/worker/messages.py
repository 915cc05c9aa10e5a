"""What judge and worker say to each other."""

from typing import Any, Literal

import msgspec

Operation = Literal["load", "call", "get", "make"]


class Unit(msgspec.Struct, array_like=True):
    """A piece of the student's source that runs on its own: a whole file, or one notebook cell."""

    label: str
    text: str


class Request(msgspec.Struct, array_like=True):
    """One thing the judge asks for.

    load: run `units` as the module `target`; `helpers` are the texts of the files beside it.
    call: call `target`, a dotted path in the student's module, or below the handle `on`.
    get:  the value at `target`.
    make: call the library function `target` ("numpy.random.default_rng") and keep the result.
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


class Place(msgspec.Struct, array_like=True, frozen=True):
    """A line of the student's source; `line` counts from 1 within the file or the cell."""

    label: str
    line: int
    text: str = ""
    function: str = ""


class Problem(msgspec.Struct, array_like=True, frozen=True):
    """Why there is no value.

    raised: the student's code raised `type` with `message`, at `place` if that is in their source.
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
