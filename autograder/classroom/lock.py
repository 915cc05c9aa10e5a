"""Lock of a folder of results: one run at a time has it, and others are told who that is.

The lock is the kernel's, on an open file: it ends with the process, however that ends.
"""

import contextlib
import getpass
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from autograder.course.errors import UserError
from autograder.course.text import one_line

if sys.platform != "win32":
    import fcntl

FILE = ".lock"
PAUSE = 0.2
MOST = 2000  # bytes that are read of what the other one wrote


class Holder(msgspec.Struct, frozen=True):
    """The process that has a folder: what it does, and since when by that machine's clock."""

    process: int
    machine: str
    user: str
    since: str
    doing: str

    def said(self) -> str:
        """Return it for a person; anybody may have written it."""
        who = f"{self.user}, " if self.user else ""
        text = f"{who}process {self.process} on {self.machine}, since {self.since}: {self.doing}"
        return one_line(text, 300)


@contextlib.contextmanager
def in_use(
    results: Path, doing: str, wait: float = 0, waiting: Callable[[str], None] = lambda _: None
) -> Iterator[None]:
    """Have a folder of results to oneself.

    Args:
        doing: the purpose, as another run is told.
        wait: how many seconds to wait for another run; `waiting` is told once who that is.

    Raises:
        UserError: another run has it; it says who.
    """
    if sys.platform == "win32":  # there the journal alone keeps a second run away
        yield
        return
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(results / FILE, flags, 0o666)
    except OSError as error:
        raise UserError(
            f"{results / FILE} cannot be opened: {error.strerror}. Remove it, or see that the "
            f"folder can be written to."
        ) from None
    try:
        locked = _take(descriptor, results, wait, waiting)
        if locked:
            since = datetime.now().astimezone().isoformat(" ", "seconds")
            here = platform.node() or "this machine"
            holder = Holder(os.getpid(), here, user(), since, doing)
            with contextlib.suppress(OSError):  # a full disk keeps nobody from having it
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, msgspec.json.encode(holder), 0)
        yield
        if locked:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _take(descriptor: int, results: Path, wait: float, waiting: Callable[[str], None]) -> bool:
    """Take the lock; return False if the file system has none, and the journal's has to do."""
    end = time.monotonic() + wait
    is_told = False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            who = _holder(descriptor)
        except OSError:
            return False
        if time.monotonic() >= end:
            raise UserError(
                f"{results} is in use by another run ({who}). Wait for it or end it; with --wait "
                f"SECONDS `grade` waits by itself."
            )
        if not is_told:
            waiting(f"{results} is in use by another run ({who}); waiting for it.")
            is_told = True
        time.sleep(PAUSE)


def _holder(descriptor: int) -> str:
    try:
        data = os.pread(descriptor, MOST, 0)
        return msgspec.json.decode(data, type=Holder).said()
    except (OSError, msgspec.MsgspecError):
        return "which has only just begun"


def user() -> str:
    """Return the name of who runs this; "" if it is not known."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""
