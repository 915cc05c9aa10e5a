"""What a student's code prints: the first part is kept, the rest is dropped without an error."""

import functools
import io
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

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


# Memory that nobody has written: what `numpy.empty` gives is the same at any time.
#
# Otherwise it is what an earlier call left there: the same submission could be graded in two ways,
# and a function could read there what it was asked before. As PyTorch does where it is to be
# deterministic, floating-point numbers are NaN, and whole ones the largest there are.


MAKERS = "empty", "empty_like"
REAL_OR_COMPLEX, INTEGER, BOOLEAN = "fc", "iu", "b"  # what NumPy calls these kinds


def fill_unwritten() -> None:
    """Have `numpy.empty` and `numpy.empty_like` fill what they make, from now on."""
    for name in MAKERS:
        setattr(np, name, _filling(getattr(np, name)))


def _filling(make: Callable[..., Any]) -> Any:
    @functools.wraps(make, assigned=("__name__", "__qualname__", "__doc__", "__module__"))
    def filled(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **kwargs)
        if isinstance(made, np.ndarray):
            value = _value_for(made.dtype)
            if value is not None:
                np.ndarray.fill(made, value)
        return made

    return filled


def _value_for(dtype: np.dtype[Any]) -> Any:
    """None where NumPy itself writes something, or for several numbers as one."""
    if dtype.kind in REAL_OR_COMPLEX:
        return np.nan
    if dtype.kind in INTEGER:
        return np.iinfo(dtype).max
    return True if dtype.kind in BOOLEAN else None
