"""Values of checks as the report keeps them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.report.digits import as_cell, index, shape, shown
from autograder.report.literal import as_text
from autograder.report.model import CellValue, Matrix
from autograder.worker.codec import Handle

__all__ = ["cell", "describe_call", "excerpt", "index"]  # `index` for checks of courses

SIDE = 8


def excerpt(array: npt.NDArray[Any], wrong: npt.NDArray[np.bool_] | None = None) -> Matrix:
    """The part of an array that shows what is wrong: around the first wrong cell, if one is."""
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
    """A number as JSON can hold it."""
    return as_cell(value.item() if isinstance(value, np.generic) else value)


def describe_call(
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    made_with: tuple[Any, ...] | None = None,
) -> str:
    """`softmax([1, 2], axis=0)`, or `SelfAttention(4)([[1, 2]])` for an object made first.

    Arrays that are too large to print are named by their shape.
    """
    if made_with is not None:
        name = describe_call(name, made_with, {})
    parts = [_argument(arg) for arg in args]
    parts += [f"{key}={_argument(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(parts)})"


def _argument(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size > 16 or value.ndim > 2:
            kind = "mask" if value.dtype == bool else "array"
            return f"<{kind} of shape {shape(value.shape)}>"
        return _nested(value.tolist())
    if isinstance(value, Handle):
        return f"<{value.type}>"
    if isinstance(value, float | int | bool):
        return (
            shown(cell(value), 4).replace("−", "-") if not isinstance(value, bool) else str(value)
        )
    if isinstance(value, list) and len(value) <= 16:
        return _nested(value)
    return as_text(value, 60)


def _nested(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_nested(item) for item in value)}]"
    return _argument(value)
