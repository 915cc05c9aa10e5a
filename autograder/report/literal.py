"""Any plain value as Python would write it, for people: what is shown may be cut, and says so."""

import datetime
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from autograder.text import one_line, printable
from autograder.worker.kinds import Record, Tuple, TupleArray

MOST = 400
MAX_NAME = 80
CUT = " …"


def as_text(value: Any, most: int = MOST) -> str:
    """A value on one line, of at most `most` characters, and a mark where it was cut.

    Items of sets are in order, so that the same value always gives the same text.
    """
    text = ""
    for part in _parts(value, most):
        text += part
        if len(text) > most:
            return printable(text[:most], most) + CUT
    return printable(text, most)


def _parts(value: Any, most: int) -> Iterator[str]:
    """The text in pieces; nobody needs more of it than `most` characters."""
    if isinstance(value, str | bytes):
        yield repr(value[: most + 1])
    elif isinstance(value, dict):
        yield "{"
        yield from _joined((_pair(key, item, most) for key, item in value.items()))
        yield "}"
    elif isinstance(value, Record):
        yield f"{one_line(value.type, MAX_NAME)}("
        yield from _joined((_field(name, item, most) for name, item in value.fields.items()))
        yield ")"
    elif isinstance(value, set | frozenset):
        yield from _of_set(value, most)
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


def _joined(items: Iterable[Iterator[str]]) -> Iterator[str]:
    for number, parts in enumerate(items):
        if number:
            yield ", "
        yield from parts


def _pair(key: Any, value: Any, most: int) -> Iterator[str]:
    yield from _parts(key, most)
    yield ": "
    yield from _parts(value, most)


def _field(name: str, value: Any, most: int) -> Iterator[str]:
    yield f"{one_line(name, MAX_NAME)}="
    yield from _parts(value, most)


def _of_set(value: Any, most: int) -> Iterator[str]:
    if not value:
        yield "set()" if isinstance(value, set) else "frozenset()"
        return
    items = sorted(as_text(item, most) for item in value)
    frozen = isinstance(value, frozenset)
    yield "frozenset({" if frozen else "{"
    yield from _joined(iter([item]) for item in items)
    yield "})" if frozen else "}"


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
