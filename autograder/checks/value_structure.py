"""Signature of a value: a text that describes the value's structure, but not its numbers."""

import datetime
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.worker.codec import Figure
from autograder.worker.values import Record, fields_of, items_of, kind_of

Vector = npt.NDArray[np.float64]
Leaves = list[npt.NDArray[Any]]
EXACT = 2**53  # float64 does not represent all larger integers exactly


def signature_of(value: Any, leaves: Leaves) -> str:
    """Return a value's structure as text, and add its numbers to `leaves` as arrays.

    Tuples, lists and arrays that contain only numbers have the same signature if their shapes are
    equal. Two values with the same signature and the same leaves are equal.
    """
    if value is None:
        return "None"
    if isinstance(value, str | bytes):
        return repr(value)
    if isinstance(value, dict):
        keys = sorted(value, key=_exactly)
        items = (f"{_exactly(key)}: {signature_of(value[key], leaves)}" for key in keys)
        return "{" + ", ".join(items) + "}"
    if isinstance(value, list | tuple | np.ndarray | np.generic | int | float | complex):
        return _of_numbers(value, leaves)
    if isinstance(value, set | frozenset):
        return f"{{{'; '.join(sorted(map(_exactly, value)))}}}"
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return f"{type(value).__name__} {value}"
    fields = value.fields if isinstance(value, Record) else fields_of(value)
    if fields is not None:
        name = value.type if isinstance(value, Record) else type(value).__name__
        inner = (f"{key!r}: {signature_of(each, leaves)}" for key, each in fields.items())
        return f"<{name!r}: {', '.join(inner)}>"
    if isinstance(value, Figure):
        return f"Figure {msgspec.json.encode(value).decode()}"
    return f"{type(value).__name__} {value!r}"


def kinds_in(value: Any) -> str:
    """Return a text with the types of a value's containers; the text marks truth values too."""
    kind = kind_of(value)
    if kind is bool:
        return "bool"
    if kind in {list, tuple}:
        return f"{kind.__name__}[{'; '.join(map(kinds_in, items_of(value)))}]"
    if kind is dict:
        return f"{{{'; '.join(kinds_in(value[key]) for key in sorted(value, key=_exactly))}}}"
    if kind is np.ndarray:
        return f"array of {'truth values' * (value.dtype.kind == 'b')}"
    fields = value.fields if isinstance(value, Record) else fields_of(value)
    return "" if fields is None else f"<{'; '.join(map(kinds_in, fields.values()))}>"


def _exactly(key: Any) -> str:
    """Return a dict key or a set item as text. Unlike a signature, the text includes numbers."""
    if isinstance(key, tuple):
        return f"({', '.join(map(_exactly, key))})"
    if isinstance(key, bool | int | float | complex):
        return repr(key)
    return signature_of(key, [])


def _of_numbers(value: Any, leaves: Leaves) -> str:
    array = _array(value)
    if array is not None:
        leaves.append(array)
        # write integers that are too large for a float64 into the signature
        is_whole = array.dtype.kind in "iu" and bool(array.size)
        beyond = is_whole and not (int(array.max()) < EXACT and int(array.min()) > -EXACT)
        return f"{array.shape} {array.tolist()}" if beyond else str(array.shape)
    if isinstance(value, list | tuple):
        return f"[{len(value)}: {'; '.join(signature_of(item, leaves) for item in value)}]"
    array = np.asarray(value)
    if array.dtype.kind == "c":
        leaves += [array.real, array.imag]
        return f"complex {array.shape}"
    return f"{type(value).__name__} {value!r}"


def _array(value: Any) -> npt.NDArray[Any] | None:
    """Return a value as an array of real numbers, or None if that is impossible."""
    if isinstance(value, list | tuple) and any(
        item is None or isinstance(item, str | dict) for item in value
    ):
        return None
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return array if array.dtype.kind in "biuf" else None
