"""Values in the form for reports: excerpts of arrays, and calls and all other values as texts."""

import datetime
import math
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.course.text import one_line, printable
from autograder.report.model import Matrix
from autograder.report.numbers import as_cell, shape
from autograder.worker.codec import Handle, Tensor
from autograder.worker.values import Record, Tuple, TupleArray

SIDE = 8  # rows and columns of an excerpt
MOST = 400  # characters of a value
MAX_NAME = 80
MOST_PRINTED = 16  # numbers of an array in a call
CUT = " …"


def as_text(value: Any, most: int = MOST) -> str:
    """Return a value as Python text on one line. Sets are sorted. A cut text ends in a mark."""
    text = ""
    for part in _parts(value, most):
        text += part
        if len(text) > most:
            return printable(text[:most], most) + CUT
    return printable(text, most)


def _parts(value: Any, most: int) -> Iterator[str]:
    """Yield the text of a value in pieces. Long strings and arrays are cut after `most` items."""
    if isinstance(value, str | bytes):
        yield repr(value[: most + 1])
    elif isinstance(value, dict):
        yield "{"
        pairs = (
            chain(_parts(key, most), [": "], _parts(item, most)) for key, item in value.items()
        )
        yield from _joined(pairs)
        yield "}"
    elif isinstance(value, Record):
        yield f"{one_line(value.type, MAX_NAME)}("
        yield from _joined(_field(name, item, most) for name, item in value.fields.items())
        yield ")"
    elif isinstance(value, set | frozenset):
        yield _of_set(value, most)
    elif isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim):
        yield from _of_sequence(value, most)
    elif isinstance(value, np.ndarray | np.generic):
        yield repr(value.item())
    elif isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        yield str(value)
    elif isinstance(value, int) and value.bit_length() > 3 * most:
        yield f"{hex(value)[: most + 1]}"  # converting a huge number to decimals is slow
    else:
        yield repr(value)


def _of_set(value: Any, most: int) -> str:
    items = ", ".join(sorted(as_text(item, most) for item in value))
    if isinstance(value, frozenset):
        return f"frozenset({{{items}}})" if value else "frozenset()"
    return f"{{{items}}}" if value else "set()"


def _joined(items: Iterable[Iterable[str]]) -> Iterator[str]:
    for number, parts in enumerate(items):
        if number:
            yield ", "
        yield from parts


def _field(name: str, value: Any, most: int) -> Iterator[str]:
    yield f"{one_line(name, MAX_NAME)}="
    yield from _parts(value, most)


def _of_sequence(value: Any, most: int) -> Iterator[str]:
    is_tuple = isinstance(value, tuple | Tuple | TupleArray)
    name = value.type if isinstance(value, Tuple) else ""
    yield f"{one_line(name, MAX_NAME)}(" if is_tuple else "["
    items = value[:most].tolist() if isinstance(value, np.ndarray) else value
    names = value.names if isinstance(value, Tuple) else ()
    if names:
        yield from _joined(_field(n, item, most) for n, item in zip(names, items, strict=True))
    else:
        yield from _joined(_parts(item, most) for item in items)
    yield ",)" if is_tuple and len(value) == 1 and not names else ")" if is_tuple else "]"


def excerpt(array: npt.NDArray[Any], wrong: npt.NDArray[np.bool_] | None = None) -> Matrix:
    """Return an excerpt of an array. For a large array, it begins at the first wrong cell."""
    at: tuple[int, ...] = ()
    row = column = 0
    if wrong is not None and wrong.any() and wrong.shape == array.shape and array.ndim:
        first = tuple(int(i) for i in np.argwhere(wrong)[0])
        at = first[:-2]
        row, column = (first[-2] if array.ndim > 1 else 0), first[-1]
    elif array.ndim > 2 and array.size:
        at = (0,) * (array.ndim - 2)
    plane = _plane(array, at)
    top = max(0, min(row, plane.shape[0] - SIDE))
    left = max(0, min(column, plane.shape[1] - SIDE))
    window = (slice(top, top + SIDE), slice(left, left + SIDE))
    marks: list[list[bool]] = []
    if wrong is not None and wrong.shape == array.shape:
        marks = _plane(wrong, at)[window].tolist()
    return Matrix(
        shape=array.shape,
        rows=tuple(tuple(map(as_cell, line)) for line in plane[window].tolist()),
        wrong=tuple(map(tuple, marks)),
        at=at,
        top=top,
        left=left,
    )


def _plane(array: npt.NDArray[Any], at: tuple[int, ...]) -> npt.NDArray[Any]:
    if array.ndim > 2 and not array.size:
        return array.reshape(0, 0)
    return np.atleast_2d(array[at])


def describe_call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return a call as Python text, with `<array …>` for a large array or many decimals."""
    parts = [_argument(arg) for arg in args]
    parts += [f"{key}={_argument(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(parts)})"


def _argument(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, Handle):
        return f"<{value.type}>"
    if isinstance(value, float) and not math.isfinite(value):
        return _entries(np.asarray(value), "np")
    if isinstance(value, list | tuple) and len(value) <= MOST_PRINTED:
        inside = ", ".join(map(_argument, value)) + "," * (
            isinstance(value, tuple) and len(value) == 1
        )
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    return as_text(value, 60)


def _array(array: npt.NDArray[Any]) -> str:
    """Return an array or tensor as Python text. For a large one, return its type and shape."""
    module, maker = ("torch", "tensor") if isinstance(array, Tensor) else ("np", "array")
    is_long = array.dtype.kind == "f" and not np.array_equal(array, array.round(3), equal_nan=True)
    if not 0 < array.size <= MOST_PRINTED or array.ndim > 2 or is_long:
        kind = "mask" if array.dtype == bool else maker
        return f"<{kind} of shape {shape(array.shape)}>"
    usual = {"b": bool, "i": np.int64, "f": np.float32 if module == "torch" else np.float64}
    dtype = "" if array.dtype == usual.get(array.dtype.kind) else f", dtype={module}.{array.dtype}"
    return f"{module}.{maker}({_entries(array, module)}{dtype})"


def _entries(array: npt.NDArray[Any], module: str) -> str:
    if array.ndim:
        return f"[{', '.join(_entries(np.asarray(part), module) for part in array)}]"
    value = array.item()
    if not isinstance(value, float):
        return str(value)
    if math.isfinite(value):
        return np.format_float_positional(array.ravel()[0], trim=".")
    return f"{module}.{value}" if value > 0 or math.isnan(value) else f"-{module}.inf"
