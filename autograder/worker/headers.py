"""A look at a msgpack header before it is decoded: are all keys of its maps plain?

Python's tuples can be made to have one hash, so a map with thousands of lists as keys would take
minutes to build; so it is with long integers. No value that may be sent has such keys.
"""

from collections.abc import Iterator

# By first byte: how many bytes follow, or, below 0, in how many bytes their number stands.
_FIXED = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8} | {
    0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8, 0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17,
}  # fmt: skip
_SIZED = {0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0), 0xC7: (1, 1), 0xC8: (2, 1), 0xC9: (4, 1)} | {
    0xD9: (1, 0), 0xDA: (2, 0), 0xDB: (4, 0),
}  # fmt: skip
_EXTENSIONS = {*range(0xC7, 0xCA), *range(0xD4, 0xD9)}
_ARRAYS, _MAPS = {0xDC: 2, 0xDD: 4}, {0xDE: 2, 0xDF: 4}


def has_plain_keys(header: bytes) -> bool:
    """Whether no map has a list, a map or an extension as a key.

    What is not valid at all is for the decoder.
    """
    try:
        return all(_steps(memoryview(header)))
    except IndexError:
        return True


def _steps(header: memoryview) -> Iterator[bool]:
    """For each value of the header, one after the other, whether it is fine where it stands."""
    at, stack = 0, [(1, False)]  # so many values are still to come, and whether they are a map's
    while stack and at < len(header):
        left, in_map = stack.pop()
        if left:
            is_key = in_map and left % 2 == 0
            stack.append((left - 1, in_map))
            size, items, is_map = _head(header, at)
            is_plain = items is None and header[at] not in _EXTENSIONS
            at += size
            yield is_plain or not is_key
            if items is not None:
                stack.append((2 * items if is_map else items, is_map))


def _head(header: memoryview, at: int) -> tuple[int, int | None, bool]:
    """How long a value is before its items, how many items it has, and whether it is a map."""
    first = header[at]
    if first <= 0x7F or first >= 0xE0:
        return 1, None, False
    if first <= 0x8F:
        return 1, first & 15, True
    if first <= 0x9F:
        return 1, first & 15, False
    if first <= 0xBF:
        return 1 + (first & 31), None, False
    if first in _FIXED:
        return 1 + _FIXED[first], None, False
    if first in _SIZED:
        width, more = _SIZED[first]
        return 1 + width + more + _number(header, at + 1, width), None, False
    for kinds, is_map in ((_ARRAYS, False), (_MAPS, True)):
        if first in kinds:
            return 1 + kinds[first], _number(header, at + 1, kinds[first]), is_map
    raise IndexError


def _number(header: memoryview, at: int, width: int) -> int:
    return int.from_bytes(header[at : at + width], "big")
