"""Keys as they are pressed, without Enter."""

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from types import TracebackType

WAIT = 0.2  # s, after which it is seen whether anybody still wants keys


class Keys:
    """Tells each key that is pressed, in a thread of its own; none where no person types.

    Use it as a context manager: it changes how the terminal takes keys, and puts that back.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._stop = threading.Event()
        self._before: list[object] | None = None
        self.are_there = sys.stdin is not None and sys.stdin.isatty()

    def __enter__(self) -> "Keys":
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
