"""How judges' processes are started: on Linux, as forks of one that has imported what they need."""

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
PRELOADED = "autograder.classroom.preloaded"
if FORKS:  # once: a program that forks processes of its own as well adds what those need
    multiprocessing.set_forkserver_preload([PRELOADED])


def judges_ahead() -> bool:
    """Start what judges are forked from, and do not wait for it; it ends with this process.

    It is false where there is none: judges are then started one by one.
    """
    keep_to_one_thread()
    if not FORKS or is_off("forked_judges"):
        return False
    from multiprocessing import forkserver

    try:
        with _started_apart():
            forkserver.ensure_running()
    except OSError:  # no place for its socket: a long name, say, of the folder for temporary files
        return False
    return True


def context_of_judges() -> BaseContext:
    """What makes processes that are judges."""
    return ForkingContext() if judges_ahead() else multiprocessing.get_context("spawn")


if sys.platform != "win32":
    from multiprocessing.context import ForkServerContext, ForkServerProcess

    class JudgeProcess(ForkServerProcess):
        """A fork that knows nothing of the program that wants it."""

        def start(self) -> None:
            judges_ahead()  # again, if something has ended it
            with _without_the_program():
                super().start()

    class ForkingContext(ForkServerContext):
        """Makes judges' processes."""

        Process = JudgeProcess


@contextlib.contextmanager
def _started_apart() -> Iterator[None]:
    """What is started imports nothing from the working folder; Ctrl-C is for this process."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    here = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if here else None
    try:
        yield
    finally:
        if here:
            signal.signal(signal.SIGINT, signal.SIG_DFL if handler is None else handler)
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextlib.contextmanager
def _without_the_program() -> Iterator[None]:
    """Else each process would run the command's script again, and import all that it imports."""
    program = sys.modules["__main__"]
    kept = {name: vars(program).pop(name) for name in ("__file__",) if name in vars(program)}
    spec, program.__spec__ = program.__spec__, None
    try:
        yield
    finally:
        vars(program).update(kept)
        program.__spec__ = spec
