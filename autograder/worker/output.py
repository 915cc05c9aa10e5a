"""What a student's code prints: the first part is kept, the rest is dropped without an error."""

import io
import sys
from typing import Any, NoReturn

from .messages import MAX_PRINTED

MAX_KEPT = MAX_PRINTED


class KeyboardNeeded(Exception):
    """The code asked for input from the keyboard; nobody sits there."""


class BoundedBytes(io.RawIOBase):
    """A writable stream that keeps the first `MAX_KEPT` bytes and says that it took them all."""

    def __init__(self) -> None:
        self.kept = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        view = memoryview(data).cast("B")  # type: ignore[arg-type]
        room = MAX_KEPT - len(self.kept)
        if room > 0:
            self.kept += view[:room]
        return len(view)


def redirect() -> BoundedBytes:
    """Send `print` and warnings to a bounded stream, and make `input()` an explained error."""
    import builtins

    kept = BoundedBytes()
    buffered: Any = kept
    stream = io.TextIOWrapper(buffered, encoding="utf-8", errors="replace", write_through=True)
    sys.stdout = sys.stderr = stream
    builtins.input = refuse_input
    return kept


def refuse_input(_prompt: object = "") -> NoReturn:
    raise KeyboardNeeded("input() was called")
