"""Imports of a process that is not done with them before its end."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def imports_that_stay() -> Iterator[None]:
    """What is imported meanwhile is no garbage: to look through it for some only takes time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
