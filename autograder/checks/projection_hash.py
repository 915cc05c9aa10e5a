"""Signature and projection hash of a value.

A signature is a text that describes the value's structure, without its numbers. A projection hash
has a digest of the signature, and three weighted sums of the numbers. The last digit of a number
may differ between two machines, so the comparison of hashes tolerates rounding errors.
"""

import contextlib
import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.checks.check_result import NotJudged
from autograder.worker.codec import Figure
from autograder.worker.values import items_of, kind_of, record_of

Vector = npt.NDArray[np.float64]
Leaves = list[npt.NDArray[Any]]
EXACT = 2**53  # float64 does not represent all larger integers exactly
SUMS = 3
CLOSE = 1e-9  # relative to the size of the numbers
LEAST = 1e-12
_MULTIPLIERS = np.array([2654435761, 2246822519, 3266489917], np.uint64)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.ndarray, np.generic)


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
    record = record_of(value)
    if record is not None:
        inner = (f"{key!r}: {signature_of(each, leaves)}" for key, each in record.fields.items())
        return f"<{record.type!r}: {', '.join(inner)}>"
    if isinstance(value, Figure):
        return f"Figure {msgspec.json.encode(value).decode()}"
    return f"{type(value).__name__} {value!r}"


def kinds_in(value: Any) -> str:
    """Return the types of a value's containers and truth values as text."""
    kind = kind_of(value)
    if kind is bool:
        return "bool"
    if kind in {list, tuple}:
        return f"{kind.__name__}[{'; '.join(map(kinds_in, items_of(value)))}]"
    if kind is dict:
        return f"{{{'; '.join(kinds_in(value[key]) for key in sorted(value, key=_exactly))}}}"
    if kind is np.ndarray:
        return f"array of {'truth values' * (value.dtype.kind == 'b')}"
    record = record_of(value)
    return "" if record is None else f"<{'; '.join(map(kinds_in, record.fields.values()))}>"


def _exactly(key: Any) -> str:
    if isinstance(key, tuple):
        return f"({', '.join(map(_exactly, key))})"
    if isinstance(key, bool | int | float | complex):
        return repr(key)
    return signature_of(key, [])


def _of_numbers(value: Any, leaves: Leaves) -> str:
    array: Any = None
    sequence = value if isinstance(value, list | tuple) else ()
    shapes = {each.shape for each in sequence if isinstance(each, np.ndarray)}
    if len(shapes) < 2:  # for speed: other arrays make no array
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            array = np.asarray(value)
    kind = "" if array is None else array.dtype.kind
    if kind and kind in "biuf":
        leaves.append(array)
        # write integers that are too large for a float64 into the signature
        is_whole = kind in "iu" and bool(array.size)
        beyond = is_whole and not (int(array.max()) < EXACT and int(array.min()) > -EXACT)
        return f"{array.shape} {array.tolist()}" if beyond else str(array.shape)
    if isinstance(value, list | tuple):
        return f"[{len(value)}: {'; '.join(signature_of(item, leaves) for item in value)}]"
    if kind == "c":
        leaves += [array.real, array.imag]
        return f"complex {array.shape}"
    return f"{type(value).__name__} {value!r}"


class ProjectionHash:
    """Hash of arguments, or of any other plain value.

    `kind` is a digest of the value's structure. `sums` are three weighted sums of the value's
    numbers. `size` is the sum of the absolute values of these numbers.
    """

    def __init__(self, value: Any) -> None:
        """Compute the hash of a value. If the value is not plain data, raise `NotJudged`."""
        require_plain_data(value)
        leaves: Leaves = []
        signature = signature_of(value, leaves)
        rows = [leaf.astype(np.float64).ravel() for leaf in leaves]
        self.kind, numbers = kind_and_numbers(signature, np.concatenate([np.zeros(0), *rows]))
        self.sums: Vector = projection_weights(len(numbers)) @ numbers
        self.size = float(np.abs(numbers).sum())

    def is_close(self, sums: Vector) -> npt.NDArray[np.bool_]:
        return np.asarray((np.abs(sums - self.sums) <= LEAST + CLOSE * self.size).all(axis=-1))


def hash_of_pass(made_with: Any, inputs: Any, state: Any, toward: Any) -> ProjectionHash:
    return ProjectionHash((list(made_with), list(inputs), dict(state), toward and list(toward)))


def require_plain_data(value: Any) -> None:
    """Raise `NotJudged` if a value contains a function or an object with methods."""
    if isinstance(value, _PLAIN):
        return
    if isinstance(value, dict):
        parts: Iterable[Any] = [*value, *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        parts = value
    else:
        record = record_of(value)
        own = {name for name in vars(type(value)) if not name.startswith("__")}
        if record is None or (value is not record and not own <= set(record.fields)):
            raise NotJudged  # an object with methods
        parts = record.fields.values()
    for part in parts:
        require_plain_data(part)


def kind_and_numbers(signature: str, numbers: Vector) -> tuple[bytes, Vector]:
    """Return a digest of structure and infinite numbers, and asinh of each finite number.

    The function asinh hardly changes small numbers, and makes large numbers small. Otherwise, a
    −1e9 in a mask would hide the other numbers of a sum.
    """
    odd = ~np.isfinite(numbers)
    if odd.any():
        signature += f" {np.flatnonzero(odd).tolist()} {numbers[odd].tolist()}"
        numbers = np.where(odd, 0.0, numbers)
    kind = hashlib.blake2b(signature.encode("utf-8", "replace"), digest_size=8).digest()
    return kind, np.arcsinh(numbers)


def projection_weights(count: int) -> Vector:
    """Return three rows of weights between −½ and ½. They are the same on every machine."""
    places = np.arange(1, count + 1, dtype=np.uint64)
    mixed = (places[np.newaxis, :] * _MULTIPLIERS[:, np.newaxis]) & np.uint64(0xFFFFFFFF)
    mixed = (mixed ^ (mixed >> np.uint64(15))) * np.uint64(2246822519) & np.uint64(0xFFFFFFFF)
    return np.asarray(mixed.astype(np.float64) / 2.0**32 - 0.5)
