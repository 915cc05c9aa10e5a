"""Values of checks as a report keeps them: excerpts of arrays, calls, and any value as text."""

import datetime
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.course.text import one_line, printable
from autograder.report.model import CellValue, Matrix
from autograder.report.numbers import as_cell, index, shape, shown
from autograder.worker.codec import Handle
from autograder.worker.values import Record, Tuple, TupleArray

__all__ = ["cell", "describe_call", "excerpt", "index"]  # `index` for checks of courses

SIDE = 8  # rows and columns of an excerpt
MOST = 400  # characters of a value
MAX_NAME = 80
CUT = " …"


def as_text(value: Any, most: int = MOST) -> str:
    """Write a value as Python does, on one line of at most `most` characters; a mark shows a cut.

    Items of sets are in order, so that the same value always gives the same text.
    """
    text = ""
    for part in _parts(value, most):
        text += part
        if len(text) > most:
            return printable(text[:most], most) + CUT
    return printable(text, most)


def _parts(value: Any, most: int) -> Iterator[str]:
    """Yield the text in pieces; nobody needs more of it than `most` characters."""
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
        yield f"{hex(value)[: most + 1]}"  # decimals of a huge number take long to work out
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
    """Return the part of an array that shows what is wrong, around the first wrong cell."""
    at: tuple[int, ...] = ()
    row = column = 0
    if wrong is not None and wrong.any() and wrong.shape == array.shape and array.ndim:
        first = tuple(int(i) for i in np.argwhere(wrong)[0])
        at = first[:-2]
        row, column = (first[-2] if array.ndim > 1 else 0), first[-1]
    elif array.ndim > 2 and array.size:
        at = (0,) * (array.ndim - 2)
    plane = _plane(array, at)
    top, left = _start(row, plane.shape[0]), _start(column, plane.shape[1])
    window = (slice(top, top + SIDE), slice(left, left + SIDE))
    marks: tuple[tuple[bool, ...], ...] = ()
    if wrong is not None and wrong.shape == array.shape:
        marks = tuple(tuple(bool(x) for x in line) for line in _plane(wrong, at)[window])
    return Matrix(
        shape=array.shape,
        rows=tuple(tuple(cell(x) for x in line) for line in plane[window]),
        wrong=marks,
        at=at,
        top=top,
        left=left,
    )


def _plane(array: npt.NDArray[Any], at: tuple[int, ...]) -> npt.NDArray[Any]:
    if array.ndim > 2 and not array.size:
        return array.reshape(0, 0)
    return np.atleast_2d(array[at])


def _start(index: int, size: int) -> int:
    return 0 if size <= SIDE else min(index, size - SIDE)


def cell(value: Any) -> CellValue:
    """Return a number as JSON can hold it."""
    return as_cell(value.item() if isinstance(value, np.generic) else value)


def describe_call(
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    made_with: tuple[Any, ...] | None = None,
) -> str:
    """Return `softmax([1, 2], axis=0)`, or `SelfAttention(4)([[1, 2]])` for an object made first.

    Arrays that are too large to print, or whose numbers would be rounded, are named by their shape.
    """
    if made_with is not None:
        name = describe_call(name, made_with, {})
    parts = [_argument(arg) for arg in args]
    parts += [f"{key}={_argument(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(parts)})"


def _argument(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size > 16 or value.ndim > 2 or (value.size > 4 and _would_be_rounded(value)):
            kind = "mask" if value.dtype == bool else "array"
            return f"<{kind} of shape {shape(value.shape)}>"
        return _nested(value.tolist())
    if isinstance(value, Handle):
        return f"<{value.type}>"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float | int):
        return shown(cell(value), 4).replace("−", "-")
    if isinstance(value, list) and len(value) <= 16:
        return _nested(value)
    return as_text(value, 60)


def _would_be_rounded(array: npt.NDArray[Any]) -> bool:
    if array.dtype.kind != "f":
        return False
    return not np.array_equal(array, np.round(array, 3), equal_nan=True)


def _nested(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_nested(item) for item in value)}]"
    return _argument(value)
