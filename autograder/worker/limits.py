"""Limits that a process sets on itself, where the system has them."""

import functools
import sys

MAX_FILE = 32 * 2**20
MAX_THREADS = 64
MAX_OPEN_FILES = 64


def limit_self(memory_mb: int, cpu_seconds: int, confined: bool = False) -> None:
    """Cap memory (beyond what is mapped now), processor time and file size.

    A confined process is also capped in threads, open files, locked memory and message queues;
    one that is not confined ends with its parent.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = {
        resource.RLIMIT_AS: mapped_bytes() + memory_mb * 2**20,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: MAX_FILE,
        resource.RLIMIT_CORE: 0,
    }
    if confined:
        wanted |= {
            resource.RLIMIT_NPROC: MAX_THREADS,
            resource.RLIMIT_NOFILE: MAX_OPEN_FILES,
            resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_MSGQUEUE: 0,
        }
    for kind, value in wanted.items():
        try:
            resource.setrlimit(kind, (value, value))
        except (ValueError, OSError):  # macOS refuses some; the deadlines still hold
            continue
    if sys.platform == "linux" and not confined:
        import ctypes
        import signal

        parent_death_signal = 1
        ctypes.CDLL(None).prctl(parent_death_signal, int(signal.SIGKILL), 0, 0, 0)


@functools.cache
def mapped_bytes() -> int:
    """How much memory this process has mapped; a fork server asks while it still has /proc."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * 4096
    except OSError:
        return 2**32
