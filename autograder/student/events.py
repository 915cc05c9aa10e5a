"""Keys as they are pressed, without Enter."""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import watchfiles

WAIT = 0.2  # s, after which it is seen whether anybody still wants keys


class KeyReader:
    """Tells each key that is pressed, in a thread of its own; none where no person types.

    Use it as a context manager: it changes how the terminal takes keys, and puts that back.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._stop = threading.Event()
        self._before: list[object] | None = None
        self.are_there = sys.stdin is not None and sys.stdin.isatty()

    def __enter__(self) -> "KeyReader":
        if self.are_there:
            self.take()
            read = self._read_windows if sys.platform == "win32" else self._read
            threading.Thread(target=read, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self.give_back()

    def give_back(self) -> None:
        """Have keys come as they did before."""
        if self._before is not None and sys.platform != "win32":
            import termios

            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)  # type: ignore[arg-type]

    def take(self) -> None:
        """Have keys come one by one, not shown: at the start, and when one comes back to it."""
        if sys.platform == "win32" or not self.are_there:
            return
        import termios
        import tty

        with contextlib.suppress(termios.error, OSError):
            fd = sys.stdin.fileno()
            if self._before is None:
                self._before = termios.tcgetattr(fd)
            tty.setcbreak(fd)

    def _read(self) -> None:
        import select

        fd = sys.stdin.fileno()
        while not self._stop.is_set():
            try:
                if not select.select([fd], [], [], WAIT)[0]:
                    continue
                data = os.read(fd, 64)
            except (OSError, ValueError):
                return
            if not data:  # the terminal is gone
                return
            if not data.startswith(b"\x1b"):  # an arrow or a function key is none of ours
                for char in data.decode("utf-8", "ignore"):
                    self._tell(char)

    def _read_windows(self) -> None:
        if sys.platform == "win32":
            import msvcrt

            while not self._stop.wait(WAIT / 4):
                while msvcrt.kbhit():
                    self._tell(msvcrt.getwch())


# Which files are saved, told as it happens.


STEP = 10  # ms without another event, after which a batch of them is told
DEBOUNCE = 50  # ms, at most, that a batch takes
TIMEOUT = 1000  # ms, after which it is seen whether the folders are still there
AGAIN = 0.5  # s, after which a folder that is gone is looked for anew


class FileWatcher:
    """Watches folders, not what is in them, in a thread of its own."""

    def __init__(self, folders: Sequence[Path], tell: Callable[[frozenset[Path]], None]) -> None:
        self._folders = [folder.resolve() for folder in folders]
        self._tell = tell
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=2)

    def _run(self) -> None:
        while not self._stop.is_set():
            there = [folder for folder in self._folders if folder.is_dir()]
            try:
                if there:
                    self._watch(there)
            except (OSError, RuntimeError):  # too many watches, or a folder that goes away
                pass
            self._stop.wait(AGAIN)

    def _watch(self, folders: Sequence[Path]) -> None:
        batches = watchfiles.watch(
            *folders,
            watch_filter=None,
            step=STEP,
            debounce=DEBOUNCE,
            stop_event=self._stop,
            rust_timeout=TIMEOUT,
            yield_on_timeout=True,
            recursive=False,
            raise_interrupt=False,
        )
        for changes in batches:
            if changes:
                self._tell(frozenset(Path(name) for _, name in changes))
            elif not all(folder.is_dir() for folder in folders):
                return
