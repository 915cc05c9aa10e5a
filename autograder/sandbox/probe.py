"""Forbidden actions that a test of a confinement level tries. This file runs as a submission.

Actions that succeed do no harm: the files belong to the test, and the signals are 0 and SIGURG.
"""

import ctypes
import fcntl
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SMALL_STACK = 2**16
COUNTED = 2.0  # seconds after which a fork server that counts threads has killed this process

_libc = ctypes.CDLL(None, use_errno=True)


class _Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def _raised(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


def _start_threads() -> None:
    """Start 300 threads at once. A confinement level must prevent this."""
    over = threading.Event()
    threading.stack_size(SMALL_STACK)
    try:
        for _ in range(300):
            threading.Thread(target=over.wait, daemon=True).start()
        time.sleep(COUNTED)
    finally:
        over.set()


def _read_memory(process: int, address: int) -> None:
    buffer = ctypes.create_string_buffer(8)
    here, there = _Part(ctypes.addressof(buffer), 8), _Part(address, 8)
    _raised(_libc.process_vm_readv(process, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))


_TGKILL = 234 if os.uname().machine == "x86_64" else 131
_F_SETSIG, _FIOASYNC, _PTRACE_SEIZE = 10, 0x5452, 0x4206  # PTRACE_SEIZE does not stop the process

# Actions that every level of confinement must refuse. The keys are the names of the actions in a
# sentence. A function raises if its action is refused.
ATTEMPTS: dict[str, Callable[..., Any]] = {
    "answer": lambda: None,
    "read": lambda path: Path(path).read_bytes(),
    "list a folder": os.listdir,
    "write": lambda path: os.write(os.open(path, os.O_WRONLY), b"x"),
    "create": lambda path: os.open(path, os.O_CREAT | os.O_WRONLY),
    "truncate": lambda path: os.truncate(path, 0),
    "chmod": lambda path: os.chmod(path, 0o600),
    "delete": os.remove,
    "fork": lambda: os.fork() or os._exit(0),
    "execute": lambda program: os.execv(program, [program, "-c", ""]),
    "start a program": lambda program: os.posix_spawn(program, [program, "-c", ""], {}),
    "start threads": _start_threads,
    "connect": lambda family, kind: socket.socket(family, kind).fileno(),
    "connect to an abstract socket": lambda: socket.socket(socket.AF_UNIX).bind("\0probe"),
    "signal": lambda process: os.kill(process, 0),
    "signal a thread": lambda process: _raised(_libc.syscall(_TGKILL, process, process, 0)),
    "choose who gets the signals of a pipe": lambda process: fcntl.fcntl(
        os.pipe()[0], fcntl.F_SETOWN, process
    ),
    "choose the signal of a pipe": lambda: fcntl.fcntl(os.pipe()[0], _F_SETSIG, signal.SIGURG),
    "request a signal from a pipe": lambda: fcntl.fcntl(os.pipe()[0], fcntl.F_SETFL, fcntl.FASYNC),
    "request a signal by ioctl": lambda: fcntl.ioctl(os.pipe()[0], _FIOASYNC, bytes([1, 0, 0, 0])),
    "trace": lambda process: _raised(_libc.ptrace(_PTRACE_SEIZE, process, 0, 0)),
    "read memory": _read_memory,
}


def is_possible(name: str, *args: Any) -> bool:
    """Try the action `name`, and return False if it is refused."""
    try:
        ATTEMPTS[name](*args)
    except Exception:
        return False
    return True
