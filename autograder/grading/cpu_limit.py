"""A limit for work of the judge's own that a submission could make long: by processor time."""

import contextlib
import ctypes
import threading
import time
from collections.abc import Iterator

OFTEN = 0.25


class CpuLimitExceeded(BaseException):
    """The work took longer than it may; what it was for is left out.

    No exception that is handled: nothing within the work may stop it.
    """


@contextlib.contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise `CpuLimitExceeded` in this thread once it has used that much processor time.

    It is raised between two steps of Python; a single call of a library is not interrupted. Where
    the system does not tell a thread's time, there is no limit.
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
