"""Events of `watch`: a pressed key, a saved file or a graded source. Each kind has a thread."""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import watchfiles

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.grading.judge import Judge
from autograder.report.model import ExerciseReport
from autograder.sandbox.child import Cancelled, Children
from autograder.submission.source import Source

OFTEN = 0.02  # s between attempts to cancel a grading
WAIT = 0.2  # s between two checks whether to stop
AGAIN = 0.5  # s until a missing folder is searched for again


class KeyReader:
    """Reader of keys. It reports each key at once, without Enter, if there is a terminal.

    As a context manager, it changes how the terminal reads keys, and restores it at the end.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._stop = threading.Event()
        self._before: list[Any] | None = None
        self.are_there = sys.stdin is not None and sys.stdin.isatty()

    def __enter__(self) -> "KeyReader":
        if self.are_there:
            self.take()
            read = self._read_windows if sys.platform == "win32" else self._read
            threading.Thread(target=read, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self.give_back()

    def give_back(self) -> None:
        """Make the terminal read keys in its usual way again."""
        if self._before is not None and sys.platform != "win32":
            import termios

            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)

    def take(self) -> None:
        """Make the terminal report each key at once, and do not show the keys."""
        if sys.platform == "win32" or not self.are_there:
            return
        import termios
        import tty

        with contextlib.suppress(termios.error, OSError):
            if self._before is None:
                self._before = termios.tcgetattr(sys.stdin.fileno())
            tty.setcbreak(sys.stdin.fileno())

    def _read(self) -> None:
        import select

        fd = sys.stdin.fileno()
        with contextlib.suppress(OSError, ValueError):
            while not self._stop.is_set():
                if not select.select([fd], [], [], WAIT)[0]:
                    continue
                data = os.read(fd, 64)
                if not data:  # the terminal is gone
                    return
                if not data.startswith(b"\x1b"):  # ignore arrow and function keys
                    for char in data.decode("utf-8", "ignore"):
                        self._tell(char)

    def _read_windows(self) -> None:
        if sys.platform == "win32":
            import msvcrt

            while not self._stop.wait(WAIT / 4):
                while msvcrt.kbhit():
                    self._tell(msvcrt.getwch())


def watch_files(
    folders: Sequence[Path], tell: Callable[[frozenset[Path]], None], stop: threading.Event
) -> None:
    """Report files that are saved directly in the folders, until `stop` is set."""
    while not stop.is_set():
        there = [folder for folder in folders if folder.is_dir()]
        batches = watchfiles.watch(
            *there,
            watch_filter=None,
            step=10,  # ms without a new event until a batch is reported
            debounce=50,  # ms of a batch at most
            stop_event=stop,
            rust_timeout=1000,  # ms between checks that the folders exist
            yield_on_timeout=True,
            recursive=False,
            raise_interrupt=False,
        )
        with contextlib.suppress(OSError, RuntimeError):  # too many watches, or a folder is removed
            for changes in batches if there else ():
                if changes:
                    tell(frozenset(Path(name) for _, name in changes))
                elif not all(folder.is_dir() for folder in there):
                    break
        stop.wait(AGAIN)


class GradedSource(msgspec.Struct, frozen=True):
    """A source with its full report, or with the problem that prevented a report."""

    source: Source
    full: ExerciseReport | None = None
    problem: str = ""


class BackgroundJudge(threading.Thread):
    """Judge for all exercises in its own thread. It calls `tell` with each current result."""

    def __init__(
        self,
        course: Course,
        exercises: Sequence[Exercise],
        children: Children,
        tell: Callable[[GradedSource | BaseException], None],
    ) -> None:
        super().__init__(daemon=True)
        self._tell = tell
        self._judge = Judge(course, exercises, children)
        self._changed = threading.Condition()  # lock for the next three attributes
        self._waiting: Source | None = None
        self._current: Source | None = None
        self._closed = False

    def look_at(self, source: Source) -> None:
        """Grade this source now, and stop grading any older source."""
        with self._changed:
            self._waiting = source
            self._changed.notify_all()

    def close(self) -> None:
        """Stop grading, and end the processes."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self.join(timeout=15)

    def run(self) -> None:
        """Grade each waiting source until `close` is called."""
        try:
            with self._judge:
                threading.Thread(target=self._cancel_older, daemon=True).start()
                while (source := self._next()) is not None:
                    graded = self._grade(source)
                    with self._changed:
                        is_outdated = self._waiting is not None or self._closed
                        self._current = None
                        self._changed.notify_all()
                    if graded is not None and not is_outdated:
                        self._tell(graded)
        except BaseException as error:
            self._tell(error)

    def _next(self) -> Source | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is not None or self._closed)
            self._current, self._waiting = self._waiting, None
            return None if self._closed else self._current

    def _grade(self, source: Source) -> GradedSource | None:
        try:
            return GradedSource(source, self._judge.run(source).report)
        except Cancelled:
            return None
        except UserError as error:
            return GradedSource(source, problem=str(error))

    def _cancel_older(self) -> None:
        """Stop the current grading if a newer source waits, or if the judge was closed."""
        while not self._closed:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or (self._waiting and self._current))
            while self._current is not None and (self._closed or self._waiting is not None):
                self._judge.cancel()
                with self._changed:
                    self._changed.wait(OFTEN)
