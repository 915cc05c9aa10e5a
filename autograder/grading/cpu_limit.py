"""A limit for work of the judge's own that a submission could make long: by processor time."""

import contextlib
import ctypes
import os
import threading
import time
from collections.abc import Iterator

OFTEN = 0.25


class CpuLimitExceeded(BaseException):
    """The work took longer than it may; what it was for is left out.

    No exception that is handled: nothing within the work may stop it.
    """


class _Limit:
    """A thread's work, and where its processor time ends."""

    def __init__(self, seconds: float) -> None:
        self.thread = threading.get_ident()
        self.clock = time.pthread_getcpuclockid(self.thread)
        self.end = time.clock_gettime(self.clock) + seconds


class _Watcher:
    """One thread that looks after all limits: a thread for each would cost more than most work."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._limits: set[_Limit] = set()
        self._entered = 0
        self._process = 0  # in which the thread runs; a fork has none

    def begin(self, limit: _Limit) -> None:
        with self._lock:
            self._limits.add(limit)
            self._entered += 1
            if self._process != os.getpid():
                self._process = os.getpid()
                threading.Thread(target=self._watch, daemon=True).start()

    def end(self, limit: _Limit) -> None:
        with self._lock:
            self._limits.discard(limit)

    def _watch(self) -> None:
        entered = -1
        while True:
            with self._lock:
                if not self._limits and entered == self._entered:  # nothing to look after
                    self._process = 0
                    return
                entered = self._entered
                for limit in [each for each in self._limits if _is_over(each)]:
                    self._limits.discard(limit)
                    raising = ctypes.pythonapi.PyThreadState_SetAsyncExc
                    raising(ctypes.c_ulong(limit.thread), ctypes.py_object(CpuLimitExceeded))
            time.sleep(OFTEN)


def _is_over(limit: _Limit) -> bool:
    try:
        return time.clock_gettime(limit.clock) > limit.end
    except OSError:  # the thread has ended
        return False


_WATCHER = _Watcher()


@contextlib.contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise `Overtime` in this thread once it has used that much processor time.

    It is raised between two steps of Python; a single call of a library is not interrupted. Where
    the system does not tell a thread's time, there is no limit.
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        yield
        return
    limit = _Limit(seconds)
    _WATCHER.begin(limit)
    try:
        yield
    finally:
        _WATCHER.end(limit)
