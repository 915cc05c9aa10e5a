"""Encoding of messages as bytes: a JSON header, then the raw bytes of the arrays.

A frame begins with the length of the header, the length of the payload, and the call id. In the
header, an object with one key stands for a value that JSON lacks, such as `{"tuple": [1, 2]}`. An
array is the place of its bytes in the payload. The bytes may come from a hostile process. So
decoding never runs code, and never allocates more memory than the size of the frame. JSON's keys
are texts, so nobody can choose thousands of keys with the same hash.
"""

import base64
import itertools
import math
import struct
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from .messages import Value
from .values import (
    MAX_KEYS,
    MAX_TYPE,
    PLAIN_KEYS,
    ListArray,
    ProtocolError,
    Record,
    Tuple,
    TupleArray,
    is_composite,
    record_of,
)

Message = TypeVar("Message")
Buffer = bytes | bytearray | memoryview

FRAME = struct.Struct("<IIQ")
MAX_HEADER = 512 * 1024
MAX_PAYLOAD = 16 * 1024 * 1024

_NAMES = "b1 u1 i1 i2 i4 i8 f2 f4 f8 c8 c16 u2 u4 u8"
_DTYPES = {np.dtype(f"<{name}").str for name in _NAMES.split()}
_MAX_AXES = 16
_ALIGN = 64
_MAX_DIGITS = 4000


class Tensor(np.ndarray):
    """Array in the judge that becomes a torch tensor in the worker."""


def tensor(value: Any) -> Any:
    """Return an array as a tensor of dtype float32, int64 or bool. Keep other values unchanged."""
    if not isinstance(value, np.ndarray):
        return value
    usual = {"f": np.float32, "i": np.int64, "u": np.int64}
    return value.astype(usual.get(value.dtype.kind, value.dtype)).view(Tensor)


_VIEWS = (np.ndarray, Tensor, ListArray, TupleArray)
_AXES = msgspec.Meta(max_length=_MAX_AXES)


class Handle(msgspec.Struct, frozen=True):
    """Reference to an object that stays in the worker.

    A negative number refers to a function of the course, which the judge calls in another process.
    """

    number: int  # identifies the object
    type: str


def has_handle(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(map(has_handle, value.values() if isinstance(value, dict) else value))
    return isinstance(value, Handle | Record)  # a record would become an object of the course


MAX_PANELS, MAX_DRAWN, MAX_POINTS, MAX_CELLS = 16, 64, 4096, 16384
MAX_TEXTS, MAX_LETTERS = 1100, 300

Letters = Annotated[str, msgspec.Meta(max_length=MAX_LETTERS)]
Texts = Annotated[list[Letters], msgspec.Meta(max_length=MAX_TEXTS)]
Positions = Annotated[list[float], msgspec.Meta(max_length=MAX_TEXTS)]
Places = Annotated[list[tuple[float, float]], msgspec.Meta(max_length=MAX_TEXTS)]
Points = Annotated[list[float], msgspec.Meta(max_length=MAX_POINTS)]
Edges = Annotated[list[float], msgspec.Meta(max_length=MAX_CELLS + 1)]
CellIndex = tuple[int | None, int | None]
Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_CELLS)]


class Series(msgspec.Struct, array_like=True):
    """Visible points of a line or a scatter plot: equally long `x` and `y`."""

    kind: Letters
    label: Letters  # text of the legend entry with the same colour and style
    x: Points
    y: Points

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise ValueError("a series needs as many x as y")


class Image(msgspec.Struct, array_like=True):
    """Image, which may show a matrix. `values` are the numbers of the cells, row by row.

    If the image shows no matrix, `rows` and `columns` are 0. `x_edges` and `y_edges` are the edges
    of columns and rows in data coordinates. `hidden` counts cells that are tiny, covered, or
    outside the axes. `colours` counts different colours of cells. `shades` counts different colours
    of the colour map between the smallest and the largest value.
    """

    rows: Count
    columns: Count
    values: Annotated[list[float], msgspec.Meta(max_length=MAX_CELLS)]
    x_edges: Edges = []
    y_edges: Edges = []
    hidden: Count = 0
    colours: Count = 0
    shades: Count = 0

    def __post_init__(self) -> None:
        if len(self.values) != self.rows * self.columns:
            raise ValueError("an image needs a value for each cell")
        edges = (len(self.x_edges), len(self.y_edges))
        if edges not in {(0, 0), (self.columns + 1, self.rows + 1)}:
            raise ValueError("an image needs edges for all of its cells")

    def cell_at(self, place: tuple[float, float], lean: float = 0.0) -> CellIndex:
        """Return the row and the column of the cell at (x, y). Outside all cells, return None.

        `lean` is a fraction of a cell. If a point is on a border, `lean` shifts it into one of the
        two cells.
        """
        x, y = place
        return _number_at(self.y_edges, y, lean), _number_at(self.x_edges, x, lean)


def _number_at(edges: list[float], place: float, lean: float) -> int | None:
    for number, (one, other) in enumerate(itertools.pairwise(edges)):
        low, high = min(one, other), max(one, other)
        if low <= place + lean * (high - low) <= high:
            return number
    return None


class Axes(msgspec.Struct, array_like=True):
    """Visible parts of one set of axes as data, with `images` in drawing order.

    `x_places`, `y_places` and `text_places` are the positions of labelled ticks and of texts in
    data coordinates. `pale` are texts in nearly the colour of what is behind them. `limits` are
    the ends of the x axis and of the y axis. `is_bar` is true for the colour bar of an image. `box`
    is left, bottom, right and top, as fractions of the figure's size.
    """

    title: Letters = ""
    x_label: Letters = ""
    y_label: Letters = ""
    x_scale: Letters = ""
    x_ticks: Texts = []
    y_ticks: Texts = []
    legend: Texts = []
    texts: Texts = []
    series: Annotated[list[Series], msgspec.Meta(max_length=2 * MAX_DRAWN)] = []
    images: Annotated[list[Image], msgspec.Meta(max_length=MAX_DRAWN)] = []
    x_places: Positions = []
    y_places: Positions = []
    text_places: Places = []
    is_bar: bool = False
    box: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    y_scale: Letters = ""
    pale: Texts = []
    pale_places: Places = []
    limits: Positions = []


class Figure(msgspec.Struct, array_like=True):
    """Visible parts of a matplotlib figure, as data."""

    title: Letters = ""
    legend: Texts = []
    axes: Annotated[list[Axes], msgspec.Meta(max_length=MAX_PANELS)] = []


def encode(message: msgspec.Struct, max_header: int = MAX_HEADER) -> tuple[int, int, list[Buffer]]:
    """Return a message as (header length, payload length, buffers to write in order).

    A value that cannot be sent raises a TypeError, and a large message a ValueError.
    """
    writer = _Writer()
    header = msgspec.json.encode(writer.message(message))
    if len(header) > max_header or writer.size > MAX_PAYLOAD:
        raise ValueError(f"a message of {len(header) + writer.size} bytes is too large to send")
    return len(header), writer.size, [header, *writer.payload]


class _Writer:
    def __init__(self) -> None:
        self.payload: list[Buffer] = []
        self.size = 0

    def message(self, message: msgspec.Struct) -> list[Any]:
        fields = []
        for name, type_ in type(message).__annotations__.items():
            field = getattr(message, name)
            if type_ is not Value and isinstance(field, dict):
                field = {key: self.value(item) for key, item in field.items()}
            elif type_ is Value or not isinstance(field, bytes):
                field = self.value(field)
            fields.append(field)
        return fields

    def value(self, value: Any) -> Any:
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else {"float": str(float(value))}
        if isinstance(value, int):
            if value.bit_length() > 3 * _MAX_DIGITS:
                raise ValueError("a whole number of over 4,000 digits is too large to send")
            return value
        if isinstance(value, np.ndarray):
            return {"array": self._array(value)}
        if isinstance(value, complex) and not isinstance(value, np.generic):
            return {"complex": [self.value(value.real), self.value(value.imag)]}
        if isinstance(value, bytes):
            return {"bytes": value}
        if isinstance(value, Handle):
            return {"handle": [value.number, value.type]}
        if isinstance(value, Figure):
            figure = np.frombuffer(msgspec.msgpack.encode(value), np.uint8)
            return {"figure": self._array(figure)}
        return self.message(value) if isinstance(value, msgspec.Struct) else self._container(value)

    def _container(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {"dict": [self.value(part) for pair in value.items() for part in pair]}
        record = record_of(value)
        if record is not None:
            inner = {name: self.value(field) for name, field in record.fields.items()}
            return {"record": [record.type, inner]}
        if not isinstance(value, list | tuple | set | frozenset):
            raise TypeError(f"an object of type {type(value).__name__} cannot be sent")
        items = [self.value(item) for item in value]
        if isinstance(value, Tuple) and value.names:
            return {"named": [value.type[:MAX_TYPE], value.names, items]}
        if isinstance(value, Tuple | tuple):
            return {"tuple": items}
        if isinstance(value, list):
            return items
        return {"set" if isinstance(value, set) else "frozenset": items}

    def _array(self, array: npt.NDArray[Any]) -> list[Any]:
        """Append an array to the payload. Return its offset, its dtype, its shape and its class."""
        flat = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).view(np.ndarray)
        if flat.dtype.str not in _DTYPES or array.ndim > _MAX_AXES:
            raise TypeError(f"an array of {array.dtype} with {array.ndim} axes cannot be sent")
        view = next((n for n, kind in enumerate(_VIEWS) if n and isinstance(array, kind)), 0)
        offset = self.size
        if flat.nbytes:
            gap = -flat.nbytes % _ALIGN
            self.payload += [flat.reshape(-1).view(np.uint8).data, bytes(gap)]
            self.size += flat.nbytes + gap
        return [offset, flat.dtype.str, array.shape, view]


def decode(kind: type[Message], header: Buffer, payload: Buffer) -> Message:
    """Return a frame's message, with views of `payload` as arrays, or raise `ProtocolError`."""
    reader = _Reader(payload)
    try:
        return msgspec.json.decode(
            header, type=kind, dec_hook=lambda _type, value: reader.value(value)
        )
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError, OverflowError) as error:
        raise ProtocolError(f"not a valid message: {error}") from None


class _Place(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """Place of an array in the payload."""

    offset: Annotated[int, msgspec.Meta(ge=0, le=MAX_PAYLOAD)]
    dtype: str
    shape: Annotated[list[Annotated[int, msgspec.Meta(ge=0, le=2**31)]], _AXES]
    view: Annotated[int, msgspec.Meta(ge=0, lt=len(_VIEWS))] = 0


class _Reader:
    """Reader of the values in one message. It accepts at most `MAX_KEYS` composite keys."""

    def __init__(self, payload: Buffer) -> None:
        self.payload = payload
        self.taken = 0  # arrays may not share bytes, so together they are not larger than the frame
        self.keys_left = MAX_KEYS

    def value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if not isinstance(value, dict):
            return value
        match value if len(value) == 1 else None:
            case {"array": place}:
                return self._array(place)
            case {"figure": place}:
                return msgspec.msgpack.decode(self._array(place).data, type=Figure)
            case {"float": "nan" | "inf" | "-inf" as text}:
                return float(text)
            case {"complex": [real, imaginary]}:
                return complex(self.value(real), self.value(imaginary))
            case {"bytes": text}:
                return base64.b64decode(text, validate=True)
            case {"handle": [int() as number, str() as name]}:
                return Handle(number, name)
        return self._container(value if len(value) == 1 else None)

    def _container(self, value: Any) -> Any:
        match value:
            case {"tuple": [*items]}:
                return Tuple(map(self.value, items))
            case {"named": [name, [*names], [*items]]} if len(names) == len(items):
                return Tuple(map(self.value, items), *_checked_names(name, *names))
            case {"set": [*items]}:
                return set(map(self._key, items))
            case {"frozenset": [*items]}:
                return frozenset(map(self._key, items))
            case {"record": [name, dict() as fields]}:
                _checked_names(name, *fields)
                return Record(name, {key: self.value(item) for key, item in fields.items()})
            case {"dict": [*items]} if len(items) % 2 == 0:
                pairs = zip(items[::2], items[1::2], strict=True)
                return {self._key(key): self.value(item) for key, item in pairs}
        raise ProtocolError("an unknown kind of value")

    def _key(self, value: Any) -> Any:
        """Return a dict key or an item of a set."""
        match value:
            case {"tuple": [*items]} | {"named": [_, _, [*items]]} if len(value) == 1:
                key: Any = tuple(map(self._key, items))
            case _:
                key = self.value(value)
        if is_composite(key):
            self.keys_left -= 1
            if self.keys_left < 0:
                raise ProtocolError("too many composite keys")
        if not isinstance(key, (*PLAIN_KEYS, bytes, complex, tuple, frozenset, Record)):
            raise ProtocolError("a key that is no key")
        return key

    def _array(self, place: Any) -> Any:
        found = msgspec.convert(place, _Place)
        if found.dtype not in _DTYPES:
            raise ProtocolError("an array's dtype is unknown")
        dtype, count = np.dtype(found.dtype), math.prod(found.shape)
        end = found.offset + count * dtype.itemsize
        if end > len(self.payload) or (count and found.offset < self.taken):
            raise ProtocolError("an array does not fit in its message")
        if not count:
            return np.zeros(found.shape, dtype).view(_VIEWS[found.view])
        self.taken = end
        is_bool = dtype.kind == "b"  # a bool is invalid if its byte is neither 0 nor 1
        array = np.frombuffer(
            self.payload, np.uint8 if is_bool else dtype, count, found.offset
        ).reshape(found.shape)
        return (array != 0 if is_bool else array).view(_VIEWS[found.view])


def _checked_names(name: Any, *names: Any) -> tuple[str, tuple[str, ...]]:
    for each in (name, *names):
        if not isinstance(each, str) or len(each) > MAX_TYPE:
            raise ProtocolError("a name that is none")
    return name, names
