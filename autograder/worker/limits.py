"""Limits that a process sets on itself, if the system supports them."""

import contextlib
import functools
import signal
import sys
from collections.abc import Iterator

MAX_FILE = 32 * 2**20
MAX_TASKS = 64
BACKSTOP_TASKS = 16 * 1024
MAX_OPEN_FILES = 64
STACK_SIGNAL = getattr(signal, "SIGUSR1", None)  # a process that gets this signal writes its stack


def limit_self(memory_mb: int, cpu_seconds: int, max_tasks: int = 0) -> None:
    """Limit processor time, the size of files, and newly mapped memory.

    `max_tasks` is for a confined process. With it, open files, locked memory and message queues are
    limited too. Without it, on Linux, the process is killed when its parent ends.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {
        resource.RLIMIT_AS: mapped_bytes() + memory_mb * 2**20,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: MAX_FILE,
        resource.RLIMIT_CORE: 0,
    }
    if max_tasks:
        limits |= {
            resource.RLIMIT_NPROC: max_tasks,
            resource.RLIMIT_NOFILE: MAX_OPEN_FILES,
            resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_MSGQUEUE: 0,
        }
    for kind, value in limits.items():
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some; deadlines still apply
            resource.setrlimit(kind, (value, value))
    if sys.platform == "linux" and not max_tasks:
        from .confinement import kernel

        kernel.prctl(kernel.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


@contextlib.contextmanager
def limited_memory(memory_mb: int) -> Iterator[None]:
    """Limit newly mapped memory inside a `with` block, if the system can."""
    with contextlib.ExitStack() as after:
        with contextlib.suppress(ImportError, ValueError, OSError):  # Windows, macOS, a lower limit
            import resource

            kind, before = resource.RLIMIT_AS, resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(kind, (mapped_bytes.__wrapped__() + memory_mb * 2**20, before[1]))
            after.callback(resource.setrlimit, kind, before)
        yield


def backstop_of_tasks() -> int:
    """Return the system's limit on all tasks of this user. Without a limit, return a high number.

    The kernel counts all tasks of a user together. So with a low limit, another submission could
    use up all tasks.
    """
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    return BACKSTOP_TASKS if soft == resource.RLIM_INFINITY else min(soft, BACKSTOP_TASKS)


@functools.cache
def mapped_bytes() -> int:
    """Return the number of bytes that this process has mapped. The call needs /proc."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * 4096
    except OSError:
        return 2**32
