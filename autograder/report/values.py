"""Values of checks as the report keeps and shows them."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.report.literal import as_text
from autograder.report.model import CellValue, Matrix
from autograder.worker.codec import Handle

SIDE = 8
_DIGITS = (3, 4, 6, 9, 12, 17)


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
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool | int):
        return plain
    number = float(plain)
    if math.isnan(number):
        return "nan"
    return number if math.isfinite(number) else ("inf" if number > 0 else "-inf")


def shown(value: CellValue, digits: int = 3) -> str:
    """A number for people: whole ones as such, others with `digits` decimals or in short form."""
    if isinstance(value, bool | str):
        return {"nan": "NaN", "inf": "∞", "-inf": "−∞"}.get(str(value), str(value))
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e6):
        return str(int(value)).replace("-", "−")
    small_or_large = not 10.0**-digits <= abs(value) < 1e6
    text = f"{value:.{digits}g}" if small_or_large else f"{value:.{digits}f}"
    return text.replace("-", "−")


def digits_for(yours: Matrix, expected: Matrix) -> int:
    """So many digits that no wrong cell looks the same on both sides."""
    pairs = [
        (mine, right)
        for marks, mine_row, right_row in zip(yours.wrong, yours.rows, expected.rows, strict=False)
        for mark, mine, right in zip(marks, mine_row, right_row, strict=False)
        if mark
    ]
    for digits in _DIGITS:
        if all(shown(mine, digits) != shown(right, digits) for mine, right in pairs):
            return digits
    return _DIGITS[-1]


def difference(yours: Matrix, expected: Matrix) -> list[list[float]]:
    """Yours less expected, cell by cell, of two excerpts of one shape that show the same part.

    Infinities of one sign differ by 0; nothing is returned where the two cannot be compared.
    """
    same = (yours.shape, yours.at, yours.top, yours.left) == (
        expected.shape,
        expected.at,
        expected.top,
        expected.left,
    )
    if not same or not yours.rows:
        return []
    mine = np.array([[float(x) for x in row] for row in yours.rows])
    right = np.array([[float(x) for x in row] for row in expected.rows])
    with np.errstate(invalid="ignore"):
        apart = np.where(mine == right, 0.0, mine - right)
    if yours.wrong:  # what is within the tolerance is no difference
        apart = np.where(np.array(yours.wrong), apart, 0.0)
    return [[float(x) for x in row] for row in apart]


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


def shape(sizes: tuple[int, ...]) -> str:
    """`(2, 3)`, `(4,)`, or `a single number` for no axes."""
    if not sizes:
        return "() (a single number)"
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def index(place: tuple[int, ...]) -> str:
    """`[1][2]`, as the student would write it."""
    return "".join(f"[{i}]" for i in place)
