"""Encoding of messages as bytes: a msgpack header, then the raw bytes of the arrays.

A frame begins with the length of the header, the length of the payload, and the call id. The header
refers to each array of the payload once, by an extension type of msgpack. The bytes may come from a
hostile process. So decoding never runs code, and never allocates more memory than the size of the
frame.
"""

import itertools
import math
import struct
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.msgpack import Ext

from .values import (
    DATE,
    TAG,
    TAGS,
    Dates,
    ListArray,
    ProtocolError,
    Record,
    Restored,
    Tag,
    TupleArray,
    date_text,
    is_plain_key,
    read_date,
    tagged,
)

Message = TypeVar("Message")
Buffer = bytes | bytearray | memoryview

FRAME = struct.Struct("<IIQ")
MAX_HEADER = 256 * 1024
MAX_PAYLOAD = 16 * 1024 * 1024

_ARRAY, _HANDLE, _FIGURE, _INTEGER, _COMPLEX = 1, 2, 3, 4, 5
_PLACE = struct.Struct("<BBBxIQ")  # index in _VIEWS, dtype code, number of axes, unused, offset
_PAIR = struct.Struct("<dd")
_NAMES = "? u1 i1 <i2 <i4 <i8 <f2 <f4 <f8 <c8 <c16 <u2 <u4 <u8"
_DTYPES = [np.dtype(name) for name in _NAMES.split()]
_CODES = {dtype: code for code, dtype in enumerate(_DTYPES)}
_UNMARKED = frozenset({type(None), bool, float, str, bytes})
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
    data coordinates. `is_bar` is true for the colour bar of an image. `box` is left, bottom, right
    and top, as fractions of the figure's size.
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
    text_places: Annotated[list[tuple[float, float]], msgspec.Meta(max_length=MAX_TEXTS)] = []
    is_bar: bool = False
    box: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    y_scale: Letters = ""


class Figure(msgspec.Struct, array_like=True):
    """Visible parts of a matplotlib figure, as data."""

    title: Letters = ""
    legend: Texts = []
    axes: Annotated[list[Axes], msgspec.Meta(max_length=MAX_PANELS)] = []


def encode(message: object, max_header: int = MAX_HEADER) -> tuple[int, int, list[Buffer]]:
    """Return a message as (header length, payload length, buffers to write in order).

    A value that cannot be sent raises a TypeError, and a large message a ValueError.
    """
    packer = _Packer()
    header = msgspec.msgpack.encode(packer.packed(message))
    size = packer.size
    if len(header) > max_header or size > MAX_PAYLOAD:
        raise ValueError(f"a message of {len(header) + size} bytes is too large to send")
    return len(header), size, [header, *packer.payload]


class _Packer:
    def __init__(self) -> None:
        self.payload: list[Buffer] = []
        self.size = 0

    def packed(self, value: Any) -> Any:
        kind = type(value)
        if kind in _UNMARKED:
            return value
        if kind is list:
            return [self.packed(item) for item in value]
        if kind is int:
            return _packed_integer(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, complex) and not isinstance(value, np.generic):
            return Ext(_COMPLEX, _PAIR.pack(value.real, value.imag))
        if isinstance(value, msgspec.Struct):
            return self._struct(value)
        if isinstance(value, Dates):
            return Ext(DATE, date_text(value))
        if isinstance(value, dict) and all(map(is_plain_key, value)):
            return {key: self.packed(item) for key, item in value.items()}
        items = tagged(value)
        return value if items is None else self.packed(items)

    def _struct(self, value: msgspec.Struct) -> Any:
        if isinstance(value, Tag):
            return Ext(TAG, value.letter.encode())
        if isinstance(value, Figure):
            return Ext(_FIGURE, msgspec.msgpack.encode(value))
        if isinstance(value, Handle):
            return Ext(_HANDLE, msgspec.msgpack.encode((value.number, value.type)))
        return [self.packed(getattr(value, name)) for name in value.__struct_fields__]

    def _array(self, array: npt.NDArray[Any]) -> Any:
        flat = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).view(np.ndarray)
        if flat.dtype not in _CODES or array.ndim > _MAX_AXES:
            raise TypeError(f"an array of {array.dtype} with {array.ndim} axes cannot be sent")
        view = next((n for n, kind in enumerate(_VIEWS) if n and isinstance(array, kind)), 0)
        place = _PLACE.pack(view, _CODES[flat.dtype], array.ndim, 0, self.size)
        if flat.nbytes:
            gap = -flat.nbytes % _ALIGN
            self.payload += [flat.reshape(-1).view(np.uint8).data, bytes(gap)]
            self.size += flat.nbytes + gap
        return Ext(_ARRAY, place + struct.pack(f"<{array.ndim}Q", *array.shape))


def _packed_integer(value: int) -> Any:
    if -(2**63) <= value < 2**64:
        return value
    if value.bit_length() > 3 * _MAX_DIGITS:
        raise ValueError("a whole number of over 4,000 digits is too large to send")
    return Ext(_INTEGER, str(value).encode())


def decode(kind: type[Message], header: Buffer, payload: Buffer) -> Message:
    """Return a frame's message, with views of `payload` as arrays, or raise `ProtocolError`."""
    if not has_plain_keys(header):
        raise ProtocolError("a map with keys that are no plain values")
    reader = _Reader(payload)
    try:
        message = msgspec.msgpack.Decoder(kind, ext_hook=reader.read).decode(header)
        return Restored().message(message) if reader.has_tags else message
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError, OverflowError) as error:
        raise ProtocolError(f"not a valid message: {error}") from None


class _Reader:
    """Reader of msgpack's extensions in one message."""

    def __init__(self, payload: Buffer) -> None:
        self.payload = payload
        self.taken = 0  # arrays may not share bytes, so together they are not larger than the frame
        self.has_tags = False

    def read(self, code: int, data: memoryview) -> object:
        if code == _ARRAY:
            return self._array(data)
        if code == _HANDLE:
            number, name = msgspec.msgpack.decode(data, type=tuple[int, str])
            return Handle(number, name)
        if code == _FIGURE:
            return msgspec.msgpack.decode(data, type=Figure)
        if code == _INTEGER and len(data) <= _MAX_DIGITS:
            return int(bytes(data))
        if code == _COMPLEX and len(data) == _PAIR.size:
            return complex(*_PAIR.unpack(data))
        if code == DATE:
            return read_date(bytes(data))
        for tag in TAGS:
            if code == TAG and data == tag.letter.encode():
                self.has_tags = True
                return tag
        raise ProtocolError(f"unknown kind of value: {code}")

    def _array(self, data: memoryview) -> object:
        if len(data) < _PLACE.size:
            raise ProtocolError("an array's header is too short")
        view, code, axes, _, offset = _PLACE.unpack_from(data)
        expected = _PLACE.size + 8 * axes
        if view >= len(_VIEWS) or code >= len(_DTYPES) or axes > _MAX_AXES or len(data) != expected:
            raise ProtocolError("an array's header is damaged")
        shape: Sequence[int] = struct.unpack_from(f"<{axes}Q", data, _PLACE.size)
        dtype, count = _DTYPES[code], math.prod(shape)
        end = offset + count * dtype.itemsize
        has_overlap = bool(count) and offset < self.taken
        if max(shape, default=0) > 2**31 or end > len(self.payload) or has_overlap:
            raise ProtocolError("an array does not fit in its message")
        if not count:
            return np.zeros(shape, dtype).view(_VIEWS[view])
        self.taken = end
        if dtype.kind == "b":  # a bool is invalid if its byte is neither 0 nor 1
            array = np.frombuffer(self.payload, np.uint8, count, offset).reshape(shape) != 0
        else:
            array = np.frombuffer(self.payload, dtype, count, offset).reshape(shape)
        return array.view(_VIEWS[view])


# For each first byte of a value: the number of bytes that hold the value's length, and the number
# of further bytes.
_HEADS = {
    **dict.fromkeys((0xC0, 0xC2, 0xC3), (0, 0)),
    **{0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0), 0xC7: (1, 1), 0xC8: (2, 1), 0xC9: (4, 1)},
    **{0xCA: (0, 4), 0xCB: (0, 8), 0xCC: (0, 1), 0xCD: (0, 2), 0xCE: (0, 4), 0xCF: (0, 8)},
    **{0xD0: (0, 1), 0xD1: (0, 2), 0xD2: (0, 4), 0xD3: (0, 8)},
    **{0xD4: (0, 2), 0xD5: (0, 3), 0xD6: (0, 5), 0xD7: (0, 9), 0xD8: (0, 17)},
    **{0xD9: (1, 0), 0xDA: (2, 0), 0xDB: (4, 0), 0xDC: (2, 0), 0xDD: (4, 0), 0xDE: (2, 0)},
    0xDF: (4, 0),
}
_EXTENSIONS = {*range(0xC7, 0xCA), *range(0xD4, 0xD9)}
_MAPS = {0xDE, 0xDF}
_COLLECTIONS = {0xDC, 0xDD, *_MAPS}


def has_plain_keys(header: Buffer) -> bool:
    """Return True if all keys of maps in a msgpack header are plain: no list, map or extension.

    Valid messages have only plain keys. A hostile process could choose thousands of other keys with
    the same hash. A map with such keys takes minutes to build. The decoder reports invalid bytes
    later.
    """
    at, stack = 0, [(1, False)]  # (number of values still to come, True for a map's values)
    while stack and at < len(header):
        left, in_map = stack.pop()
        if not left:
            continue
        stack.append((left - 1, in_map))
        first = header[at]
        if 0x80 <= first <= 0x9F or first in _COLLECTIONS:
            width = _HEADS.get(first, (0, 0))[0]
            is_map = first <= 0x8F or first in _MAPS
            items = int.from_bytes(header[at + 1 : at + 1 + width], "big") if width else first & 15
            is_plain, size = False, 1 + width
            stack.append((2 * items if is_map else items, is_map))
        elif 0xA0 <= first <= 0xBF:
            is_plain, size = True, 1 + (first & 31)
        elif first in _HEADS:
            width, more = _HEADS[first]
            length = int.from_bytes(header[at + 1 : at + 1 + width], "big")
            is_plain, size = first not in _EXTENSIONS, 1 + width + more + length
        else:  # a small integer, or an invalid byte
            is_plain, size = True, 1
        if in_map and left % 2 == 0 and not is_plain:
            return False
        at += size
    return True
