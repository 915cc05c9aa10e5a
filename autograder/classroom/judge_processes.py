"""Start of judge processes: on Linux they are forked from one that has imported what they need."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing.context import BaseContext

from autograder.course.optimisations import is_off
from autograder.sandbox.spawn import keep_to_one_thread

FORKS = sys.platform == "linux"  # elsewhere, numpy's own libraries do not stand a fork
PRELOADED = "autograder.classroom.judge_imports"
if FORKS:  # once: a program that forks processes of its own as well adds what those need
    multiprocessing.set_forkserver_preload([PRELOADED])


def context_of_judges() -> BaseContext:
    """Return the context that makes judge processes."""
    keep_to_one_thread()
    return ForkingContext() if _start_fork_server() else multiprocessing.get_context("spawn")


def _start_fork_server() -> bool:
    """Start the process that judges are forked from, and do not wait for it.

    It ends with this process. Return False if there is none: judges are then started one by one.
    """
    if not FORKS or is_off("forked_judges"):
        return False
    from multiprocessing import forkserver

    try:
        with _apart_from_the_folder():
            forkserver.ensure_running()
    except OSError:  # no place for its socket: the name of the temporary folder is too long
        return False
    return True


if sys.platform != "win32":
    from multiprocessing.context import ForkServerContext, ForkServerProcess

    class JudgeProcess(ForkServerProcess):
        """A fork that does not run the script of the command again."""

        def start(self) -> None:
            _start_fork_server()  # again, if something has ended it
            with _without_the_script():
                super().start()

    class ForkingContext(ForkServerContext):
        """Maker of judge processes."""

        Process = JudgeProcess


@contextlib.contextmanager
def _apart_from_the_folder() -> Iterator[None]:
    """Start processes that import nothing from the working folder, and that ignore Ctrl-C."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if is_main else None
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, signal.SIG_DFL if handler is None else handler)
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextlib.contextmanager
def _without_the_script() -> Iterator[None]:
    """Hide the command's script: each process would run it, and import all that it imports."""
    program = vars(sys.modules["__main__"])
    hidden = {name: value for name, value in program.items() if name in {"__file__", "__spec__"}}
    program["__spec__"] = None
    program.pop("__file__", None)
    try:
        yield
    finally:
        program.update(hidden)
