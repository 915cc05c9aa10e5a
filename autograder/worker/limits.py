"""Limits that a process sets on itself, where the system has them."""

import sys


def limit_self(memory_mb: int, cpu_seconds: int, file_mb: int = 32) -> None:
    """Cap memory (beyond what is mapped now), processor time and file size; end with the parent."""
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = {
        resource.RLIMIT_AS: _mapped_bytes() + memory_mb * 2**20,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: file_mb * 2**20,
        resource.RLIMIT_CORE: 0,
    }
    for kind, value in wanted.items():
        try:
            resource.setrlimit(kind, (value, value))
        except (ValueError, OSError):  # macOS refuses some; the deadlines still hold
            continue
    if sys.platform == "linux":
        import ctypes
        import signal

        parent_death_signal = 1
        ctypes.CDLL(None).prctl(parent_death_signal, int(signal.SIGKILL), 0, 0, 0)


def _mapped_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * 4096
    except OSError:
        return 2**32
