"""Values beyond arrays and msgpack's types: tuples, sets, records, dates, dicts with any keys.

A value of another type is sent as a list that begins with the type's name. So the header is nested
no deeper than the values, and `has_plain_keys` can test every key. After decoding, the values are
rebuilt, within limits.
"""

import dataclasses
import datetime
import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

MAX_KEYS = 4096  # for tuples and other keys of which many may have the same hash
MAX_TYPE = 80
TAG, DATE = 6, 7  # codes of msgpack's extension types
INT_BITS = 63
MAX_DATE = 40

# The types by the letter that is sent. The order matters: a date with a time is also a date.
DATES: dict[str, Any] = {"b": datetime.datetime, "d": datetime.date, "t": datetime.time}
Dates = datetime.date | datetime.time | datetime.timedelta
PLAIN_KEYS = (type(None), bool, int, float, str)


class Tuple(list[Any]):
    """Tuple in the form of a list, for code that expects lists. A named tuple has `names`."""

    def __init__(
        self, items: Iterable[Any] = (), type: str = "", names: tuple[str, ...] = ()
    ) -> None:
        super().__init__(items)
        self.type = type
        self.names = names


class Record:
    """Object of a dataclass, or member of an Enum (with the fields `name` and `value`)."""

    __slots__ = ("fields", "type")

    def __init__(self, type: str, fields: Mapping[str, Any]) -> None:
        self.type = type
        self.fields = dict(fields)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return (self.type, self.fields) == (other.type, other.fields)

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


class ProtocolError(Exception):
    """The other process sent an invalid message."""


class Tag(msgspec.Struct, frozen=True):
    """First item of a list that stands for a value of another type."""

    letter: str


TUPLE, NAMED, SET, FROZEN, RECORD, DICT = TAGS = [Tag(letter) for letter in "tnsfrd"]


def is_plain_key(key: object) -> bool:
    """Return True for a dict key that msgpack keeps unchanged."""
    if type(key) is int:
        return key.bit_length() <= INT_BITS
    return isinstance(key, PLAIN_KEYS)


def tagged(value: Any) -> list[Any] | None:
    """Return a list with a tag and the value. For values of other types, return None."""
    if isinstance(value, Tuple) and value.names:
        return [NAMED, value.type[:MAX_TYPE], list(value.names), *value]
    if isinstance(value, Tuple | tuple):
        return [TUPLE, *value]
    if isinstance(value, set | frozenset):
        return [SET if isinstance(value, set) else FROZEN, *value]
    if isinstance(value, Record):
        return [RECORD, value.type[:MAX_TYPE], value.fields]
    if isinstance(value, dict):
        return [DICT, *(part for pair in value.items() for part in pair)]
    fields = fields_of(value)
    return None if fields is None else [RECORD, type(value).__name__[:MAX_TYPE], fields]


def date_text(value: Dates) -> bytes:
    """Return a date, time, datetime or time span as text, also for classes of libraries."""
    if isinstance(value, datetime.timedelta):
        return f"s{value.days} {value.seconds} {value.microseconds}".encode()
    letter = next(letter for letter, kind in DATES.items() if isinstance(value, kind))
    return f"{letter}{DATES[letter].isoformat(value)}".encode()


def fields_of(value: object) -> dict[str, Any] | None:
    """Return the fields of a dataclass object or an Enum member. For other objects, return None."""
    if isinstance(value, enum.Enum):
        return {"name": value.name, "value": value.value}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return None


def is_composite(key: object) -> bool:
    """Return True if thousands of different keys of this type could have the same hash."""
    if isinstance(key, int):
        return key.bit_length() > INT_BITS
    return not isinstance(key, (*PLAIN_KEYS, bytes))


class Restored:
    """Rebuilder of values after decoding. It accepts at most `MAX_KEYS` composite keys.

    An invalid value raises ProtocolError. Too deep nesting raises RecursionError.
    """

    def __init__(self) -> None:
        self._left = MAX_KEYS

    def message(self, message: Any) -> Any:
        """Return the message. Values replace the lists that begin with a `Tag`."""
        for name in message.__struct_fields__:
            value = getattr(message, name)
            if isinstance(value, msgspec.Struct) and not value.__struct_config__.frozen:
                self.message(value)
            elif isinstance(value, list | dict | Tag):
                setattr(message, name, self._value(value))
        return message

    def _value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._value(item) for key, item in value.items()}
        if isinstance(value, Tag):
            raise ProtocolError("a kind in the place of a value")
        if not isinstance(value, list):
            return value
        if not value or not isinstance(value[0], Tag):
            return [self._value(item) for item in value]
        return self._made(value[0], value[1:])

    def _made(self, kind: Tag, items: list[Any]) -> Any:
        if kind == TUPLE:
            return Tuple(map(self._value, items))
        if kind in {SET, FROZEN}:
            return (set if kind == SET else frozenset)(map(self._key, items))
        if kind == DICT and len(items) % 2 == 0:
            pairs = zip(items[::2], items[1::2], strict=True)
            return {self._key(key): self._value(item) for key, item in pairs}
        if kind == RECORD:
            return _record(items, self._value)
        if kind == NAMED and len(items) > 1:
            name, names, *values = items
            if not isinstance(names, list) or len(names) != len(values):
                raise ProtocolError("a named tuple without a name for each item")
            if not all(map(_is_name, (name, *names))):
                raise ProtocolError("a named tuple with names that are none")
            return Tuple(map(self._value, values), name, tuple(names))
        raise ProtocolError("a kind with items that are not its own")

    def _key(self, value: Any) -> Any:
        if is_composite(value):
            self._left -= 1
            if self._left < 0:
                raise ProtocolError("too many composite keys")
        if isinstance(value, list) and value and isinstance(value[0], Tag):
            kind, *items = value
            if kind == RECORD:
                return _record(items, self._key)
            if kind in {TUPLE, NAMED}:
                return tuple(map(self._key, items if kind == TUPLE else items[2:]))
            if kind == FROZEN:
                return frozenset(map(self._key, items))
        if isinstance(value, (*PLAIN_KEYS, bytes, complex, Dates)):
            return value
        raise ProtocolError("a key that is no key")


def _record(items: list[Any], restored: Callable[[Any], Any]) -> Record:
    name, fields = items if len(items) == 2 else ("", None)
    if not _is_name(name) or not isinstance(fields, dict) or not all(map(_is_name, fields)):
        raise ProtocolError("a record without a type or fields")
    return Record(name, {key: restored(value) for key, value in fields.items()})


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TYPE


def read_date(data: bytes) -> Dates:
    """Return the date, time or time span in a text from `date_text`."""
    try:
        if len(data) > MAX_DATE:
            raise ValueError("too long")
        letter, text = data[:1].decode("ascii"), data[1:].decode("ascii")
        if letter == "s":
            days, seconds, microseconds = map(int, text.split(" "))
            return datetime.timedelta(days, seconds, microseconds)
        date: Dates = DATES[letter].fromisoformat(text)
    except (ValueError, KeyError, OverflowError) as error:
        raise ProtocolError(f"no date: {error}") from None
    return date
