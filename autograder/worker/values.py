"""Values beyond arrays and JSON's types: tuples, records, and lists that are packed as arrays."""

import dataclasses
import enum
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

MAX_KEYS = 4096  # for tuples and other keys of which many may have the same hash
MAX_TYPE = 80
INT_BITS = 63

PLAIN_KEYS = (type(None), bool, int, float, str)


class ProtocolError(Exception):
    """The other process sent an invalid message."""


class Tuple(list[Any]):
    """Tuple in the form of a list, for code that expects lists. A named tuple has `names`."""

    def __init__(
        self, items: Iterable[Any] = (), type: str = "", names: tuple[str, ...] = ()
    ) -> None:
        super().__init__(items)
        self.type = type
        self.names = names


@dataclasses.dataclass(slots=True, repr=False)
class Record:
    """Object of a dataclass, or member of an Enum (with the fields `name` and `value`)."""

    type: str
    fields: dict[str, Any]

    def __hash__(self) -> int:
        return hash((self.type, *self.fields))

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        return f"{self.type}({inner})"


class ListArray(np.ndarray):
    """Long list of numbers, packed as an array."""


class TupleArray(np.ndarray):
    """Long tuple of numbers, packed as an array."""


def kind_of(value: object) -> type:
    if isinstance(value, Tuple | TupleArray | tuple):
        return tuple
    if isinstance(value, ListArray | list):
        return list
    if isinstance(value, np.ndarray | np.generic) and np.ndim(value) == 0:
        return type(value.item())
    return np.ndarray if isinstance(value, np.ndarray) else type(value)


def items_of(value: Any) -> Sequence[Any]:
    """Return the items of a list or a tuple. They may be packed as an array."""
    items: Sequence[Any] = value.tolist() if isinstance(value, np.ndarray) else value
    return items


def record_of(value: object) -> Record | None:
    """Return a record, a dataclass object or an Enum member as a record. Otherwise return None."""
    if isinstance(value, Record):
        return value
    if isinstance(value, enum.Enum):
        fields = {"name": value.name, "value": value.value}
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    else:
        return None
    return Record(type(value).__name__[:MAX_TYPE], fields)


def is_composite(key: object) -> bool:
    """Return True if thousands of different keys of this type could have the same hash."""
    if isinstance(key, int):
        return key.bit_length() > INT_BITS
    return not isinstance(key, (*PLAIN_KEYS, bytes))
