"""Limit on the processor time that the judge itself uses for a submission."""

import contextlib
import ctypes
import threading
import time
from collections.abc import Iterator

OFTEN = 0.25


class CpuLimitExceeded(BaseException):
    """Exception: too much processor time was used. `except Exception` does not catch it."""


@contextlib.contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise `CpuLimitExceeded` in this thread after it has used this processor time.

    Python raises the exception between two of its steps, so a long call of a library is not
    interrupted. On systems without a clock for threads, there is no limit.
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        yield
        return
    thread = threading.get_ident()
    clock = time.pthread_getcpuclockid(thread)
    end = time.clock_gettime(clock) + seconds
    has_ended = threading.Event()

    def watch() -> None:
        while not has_ended.wait(OFTEN):
            if time.clock_gettime(clock) > end:
                raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
                raise_in(ctypes.c_ulong(thread), ctypes.py_object(CpuLimitExceeded))
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        has_ended.set()
        watcher.join()
