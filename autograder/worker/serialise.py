"""Conversion of a student's return values to plain data: numbers, text, containers, arrays."""

import decimal
import math
import numbers
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .codec import Tensor
from .figures import describe_figure
from .values import (
    MAX_KEYS,
    MAX_TYPE,
    PLAIN_KEYS,
    ListArray,
    Record,
    Tuple,
    TupleArray,
    is_composite,
    record_of,
)

MAX_ITEMS = 20_000
MAX_DEPTH = 32
GENERATOR = "\0generator"  # marks a random generator's state; no student's dict has this key
_LARGE_LIST = 500
_SEVERAL = 8  # the most results that a function returns
_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes})
_NUMBER = (numbers.Complex, decimal.Decimal)


class Unsendable(Exception):
    """The value is not plain data. The message describes the value, and `type` names its class."""

    def __init__(self, message: str, type: str = "") -> None:
        super().__init__(message)
        self.type = type


def serialised(value: object) -> Any:
    """Return `value` in the codec's types. If it is not plain data, raise Unsendable."""
    return _Walk().convert(value, 0)


def generator_state(generator: Any) -> dict[str, Any]:
    if isinstance(generator, np.random.RandomState):
        state: dict[str, Any] = generator.get_state(legacy=False)
        return {"legacy": True, **state}
    return {"legacy": False, **generator.bit_generator.state}


class _Walk:
    def __init__(self) -> None:
        self.left = MAX_ITEMS
        self.composite = MAX_KEYS

    def convert(self, value: object, depth: int) -> Any:
        self.left -= 1
        if self.left < 0 or depth > MAX_DEPTH:
            raise Unsendable("a value with too many parts")
        if type(value) in _PLAIN:
            return value
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, bytes):
            return bytes(value)
        if isinstance(value, np.ndarray | np.generic):
            return _array(value)
        if isinstance(value, numbers.Integral):
            return int(value)
        if isinstance(value, numbers.Real | decimal.Decimal):
            return float(value)
        if isinstance(value, numbers.Complex):
            return complex(value)
        return self._container(value, depth)

    def _container(self, value: object, depth: int) -> Any:
        if isinstance(value, Mapping):
            return {self.key(k, depth): self.convert(v, depth + 1) for k, v in value.items()}
        if isinstance(value, set | frozenset):
            made = set if isinstance(value, set) else frozenset
            self.left -= len(value)
            if self.left < 0:
                raise Unsendable("a value with too many parts")
            return made(self.key(item, depth, "a set with an item") for item in value)
        record = record_of(value)
        if record is not None:
            fields = record.fields.items()
            return Record(
                record.type, {name: self.convert(part, depth + 1) for name, part in fields}
            )
        return self._other(value, depth)

    def key(self, key: object, depth: int, where: str = "a dict with a key") -> Any:
        """Return a dict key or an item of a set in the codec's types."""
        if type(key) is str:
            return key
        if isinstance(key, np.generic):
            key = key.item()
        if is_composite(key):
            self.composite -= 1
            if self.composite < 0 or depth > MAX_DEPTH:
                raise Unsendable(f"{where} of type {type(key).__name__}, over {MAX_KEYS:,} times")
        if isinstance(key, tuple | frozenset):
            made = tuple if isinstance(key, tuple) else frozenset
            return made(self.key(item, depth + 1, where) for item in key)
        record = None if isinstance(key, PLAIN_KEYS) else record_of(key)
        if record is not None:
            fields = record.fields.items()
            return Record(record.type, {n: self.key(each, depth + 1, where) for n, each in fields})
        return _plain_key(key, where)

    def _other(self, value: object, depth: int) -> Any:
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return _array(value.detach().to("cpu").resolve_conj().numpy()).view(Tensor)
        figure = sys.modules.get("matplotlib.figure")
        if figure is not None and isinstance(value, figure.Figure):
            return describe_figure(value)
        if isinstance(value, np.random.Generator | np.random.RandomState):
            return {GENERATOR: self.convert(generator_state(value), depth + 1)}
        if isinstance(value, memoryview):  # also a sequence, but its items need not be rows
            return _array(np.asarray(value))
        if isinstance(value, Sequence):
            return self._sequence(value, depth)
        if hasattr(type(value), "__array__"):
            return _array(np.asarray(value))
        raise Unsendable(_kind(value), type(value).__name__)

    def _sequence(self, value: Sequence[object], depth: int) -> Any:
        # several results stay separate, and arrays in a list stay separate: they are not stacked
        several = depth == 0 and len(value) <= _SEVERAL
        if not several and len(value) * _width(value) > _LARGE_LIST:
            try:
                array = np.array(value)
            except Exception:
                array = np.empty(0, object)
            if array.dtype.kind in "biuf":
                return _array(array).view(TupleArray if isinstance(value, tuple) else ListArray)
        items = [self.convert(item, depth + 1) for item in value]
        if not isinstance(value, tuple):
            return items
        names = tuple(map(str, getattr(type(value), "_fields", ())))
        if len(names) != len(items) or any(len(name) > MAX_TYPE for name in names):
            return Tuple(items)
        return Tuple(items, type(value).__name__[:MAX_TYPE], names)


def _width(value: Sequence[object], depth: int = 0) -> int:
    first = value[0] if len(value) else None
    if getattr(first, "ndim", 0):
        return 0
    if isinstance(first, list | tuple) and first and depth < MAX_DEPTH:
        return len(first) * _width(first, depth + 1)
    return 1


def _array(value: Any) -> Any:
    if np.any(getattr(value, "mask", False)):
        raise Unsendable("a masked array (np.ma), in which the masked entries have no value")
    array = np.asarray(value)
    if array.dtype.kind in "US" and array.ndim == 0:
        return array.item()
    if array.dtype.kind == "O":
        return _of_objects(array)
    if array.dtype.kind not in "biufc":
        what = "with text" if array.dtype.kind in "US" else f"of dtype {array.dtype}"
        raise Unsendable(f"an array {what}")
    if array.dtype.itemsize > 8 and array.dtype.kind == "f":
        return array.astype(np.float64)
    if array.dtype.itemsize > 16:
        return array.astype(np.complex128)
    return array


def _of_objects(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Convert an array of fractions, decimals, integers or rows to an array of numbers."""
    items: list[Any] = array.ravel().tolist()
    for kind, dtype in (((numbers.Real, decimal.Decimal), np.float64), (_NUMBER, np.complex128)):
        if all(isinstance(item, kind) for item in items):
            return np.array([dtype(item) for item in items], dtype).reshape(array.shape)
    if not all(isinstance(item, np.ndarray | list | tuple) for item in items):
        other = next(item for item in items if not isinstance(item, _NUMBER))
        raise Unsendable(f"an array of Python objects ({_kind(other)} is among them)")
    try:
        rows = np.array(array.tolist())
    except ValueError:
        rows = array
    if rows.dtype.kind in "biufc":
        return rows
    sizes = {np.shape(item)[:1] if isinstance(item, np.ndarray) else (len(item),) for item in items}
    if len(sizes) > 1:
        raise Unsendable("an array of Python objects (rows of different lengths)")
    raise Unsendable("an array of Python objects (rows that do not form an array of numbers)")


def _plain_key(key: object, where: str) -> Any:
    if key is None or isinstance(key, bool):
        return key
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, numbers.Integral):
        return int(key)
    if isinstance(key, numbers.Real) and not math.isnan(key):
        return float(key)
    if isinstance(key, bytes | complex):
        return bytes(key) if isinstance(key, bytes) else complex(key)
    raise Unsendable(f"{where} of type {type(key).__name__}")


def _kind(value: object) -> str:
    if callable(value) and hasattr(value, "__name__") and not isinstance(value, type):
        return "a function"
    name = type(value).__name__
    if name in {"generator", "map", "zip", "filter", "enumerate"}:
        return f"a {name}; put list(...) around it" if name != "enumerate" else "an enumerate"
    if name in {"set", "frozenset"}:
        return f"a {name}, which has no order"
    return f"an object of type {name}"
