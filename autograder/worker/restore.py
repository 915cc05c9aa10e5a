"""What a hostile process sent in the place of a tuple, a set, a record or a date, put together."""

import datetime
from typing import Any

import msgspec

from .kinds import (
    DICT,
    FROZEN,
    MAX_KEYS,
    MAX_TYPE,
    NAMED,
    PLAIN_KEYS,
    RECORD,
    SET,
    TUPLE,
    Dates,
    Kind,
    Record,
    Tuple,
    is_composite,
)

MAX_DATE = 40


class WrongKind(Exception):
    """Bytes that claim to be a value of one of these kinds, and are none."""


class Restored:
    """Puts values together again after decoding. Of composite keys it takes `MAX_KEYS` in all."""

    def __init__(self) -> None:
        self._left = MAX_KEYS

    def message(self, message: Any) -> Any:
        """A message whose fields hold what lists that begin with a `Kind` stand for.

        Raises:
            WrongKind: one stands for nothing.
            RecursionError: it is nested without an end.
        """
        for name in message.__struct_fields__:
            value = getattr(message, name)
            if isinstance(value, msgspec.Struct) and not value.__struct_config__.frozen:
                self.message(value)
            elif isinstance(value, list | dict | Kind):
                setattr(message, name, self.value(value))
        return message

    def value(self, value: Any) -> Any:
        """What a decoded value stands for."""
        if isinstance(value, list):
            if value and isinstance(value[0], Kind):
                return self._made(value[0], value[1:])
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            if any(isinstance(key, Kind) for key in value):
                raise WrongKind("a kind in the place of a key")
            return {key: self.value(item) for key, item in value.items()}
        if isinstance(value, Kind):
            raise WrongKind("a kind in the place of a value")
        return value

    def _made(self, kind: Kind, items: list[Any]) -> Any:
        if kind == TUPLE:
            return Tuple(self.value(item) for item in items)
        if kind in {SET, FROZEN}:
            return (set if kind == SET else frozenset)(self.key(item) for item in items)
        if kind == DICT and len(items) % 2 == 0:
            pairs = zip(items[::2], items[1::2], strict=True)
            return {self.key(key): self.value(item) for key, item in pairs}
        if kind == RECORD:
            return self._record(items, self.value)
        if kind == NAMED and len(items) > 1:
            name, names, *rest = items
            fits = isinstance(names, list) and len(names) == len(rest)
            if fits and all(map(_is_name, (name, *names))):
                return Tuple((self.value(item) for item in rest), name, tuple(names))
        raise WrongKind("a kind with items that are not its own")

    def key(self, value: Any) -> Any:
        """What a decoded value stands for, where it has to be hashable: in a set, or as a key."""
        if is_composite(value):
            self._count()
        if isinstance(value, list) and value and isinstance(value[0], Kind):
            kind, items = value[0], value[1:]
            if kind == TUPLE:
                return tuple(self.key(item) for item in items)
            if kind == NAMED:
                return tuple(self.key(item) for item in items[2:])
            if kind == FROZEN:
                return frozenset(self.key(item) for item in items)
            if kind == RECORD:
                return self._record(items, self.key)
        if isinstance(value, (*PLAIN_KEYS, bytes, complex, Dates)):
            return value
        raise WrongKind("a key that is no key")

    def _record(self, items: list[Any], made: Any) -> Record:
        name, fields = items if len(items) == 2 else ("", None)
        if not _is_name(name) or not isinstance(fields, dict) or not all(map(_is_name, fields)):
            raise WrongKind("a record without a type or fields")
        return Record(name, {key: made(value) for key, value in fields.items()})

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise WrongKind("too many composite keys")


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TYPE


def read_date(data: bytes) -> Dates:
    """The inverse.

    Raises:
        WrongKind: the bytes are none of these.
    """
    kinds: dict[str, Any] = {"d": datetime.date, "t": datetime.time, "b": datetime.datetime}
    try:
        if len(data) > MAX_DATE:
            raise ValueError("too long")
        letter, text = data[:1].decode("ascii"), data[1:].decode("ascii")
        if letter == "s":
            days, seconds, microseconds = map(int, text.split(" "))
            return datetime.timedelta(days, seconds, microseconds)
        found: Dates = kinds[letter].fromisoformat(text)
    except (ValueError, KeyError, OverflowError) as error:
        raise WrongKind(f"no date: {error}") from None
    return found
