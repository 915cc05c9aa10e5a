"""Sources of events for `watch`: keys, and results from a thread that grades."""

import contextlib
import os
import queue
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.grading.judge import Judge
from autograder.report.model import ExerciseReport
from autograder.sandbox.child import Cancelled, Children
from autograder.submission.source import Source

OFTEN = 0.02  # s between attempts to cancel a grading
LONGEST_END = 15  # s


class KeyReader:
    """Context manager that reads single keys, without Enter and without showing them."""

    def __init__(self) -> None:
        self._before: list[Any] | None = None
        self.are_there = sys.stdin is not None and sys.stdin.isatty()

    def __enter__(self) -> "KeyReader":
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()

    def give_back(self) -> None:
        if self._before is not None and sys.platform != "win32":
            import termios

            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)

    def take(self) -> None:
        """Make the terminal report each key immediately, and not show it."""
        if sys.platform == "win32" or not self.are_there:
            return
        import termios
        import tty

        with contextlib.suppress(termios.error, OSError):
            if self._before is None:
                self._before = termios.tcgetattr(sys.stdin.fileno())
            tty.setcbreak(sys.stdin.fileno())

    def read(self, seconds: float) -> str:
        """Wait at most this long for keys. Return them without arrow and function keys."""
        if not self.are_there or sys.platform == "win32":
            time.sleep(seconds)
        if not self.are_there:
            return ""
        if sys.platform == "win32":
            import msvcrt

            return msvcrt.getwch() if msvcrt.kbhit() else ""
        import select

        try:
            if not select.select([sys.stdin], [], [], seconds)[0]:
                return ""
            data = os.read(sys.stdin.fileno(), 64)
        except (OSError, ValueError):
            data = b""
        self.are_there = bool(data)  # else the terminal is gone
        return "" if data.startswith(b"\x1b") else data.decode("utf-8", "ignore")


class GradedSource(msgspec.Struct, frozen=True):
    """Source, and its full report or the problem that prevented a report."""

    source: Source
    full: ExerciseReport | None = None
    problem: str = ""


class BackgroundJudge(threading.Thread):
    """Judge for all exercises in a separate thread. It grades the newest source."""

    def __init__(self, course: Course, exercises: Sequence[Exercise], children: Children) -> None:
        super().__init__(daemon=True)
        self._judge = Judge(course, exercises, children)
        self._sources: queue.SimpleQueue[Source | None] = queue.SimpleQueue()  # None ends it
        self._results: queue.SimpleQueue[GradedSource | BaseException] = queue.SimpleQueue()

    def look_at(self, source: Source) -> None:
        self._sources.put(source)

    def result(self) -> GradedSource | None:
        """Return the next result, if any. If a newer source waits, stop grading the current one."""
        if not self._sources.empty():
            self._judge.cancel()
        try:
            result = self._results.get_nowait()
        except queue.Empty:
            return None
        if isinstance(result, BaseException):
            raise result
        return result

    def close(self) -> None:
        self._sources.put(None)
        end = time.monotonic() + LONGEST_END
        while self.is_alive() and time.monotonic() < end:
            self._judge.cancel()
            self.join(OFTEN)

    def run(self) -> None:
        """Grade sources until `close` is called. Skip a source if a newer one is there."""
        try:
            with self._judge:
                while (source := self._sources.get()) is not None:
                    while self._sources.empty():
                        try:
                            graded = GradedSource(source, self._judge.run(source).report)
                        except Cancelled:  # a late cancel stops the newer source: grade it again
                            continue
                        except UserError as error:
                            graded = GradedSource(source, problem=str(error))
                        if self._sources.empty():
                            self._results.put(graded)
                        break
        except BaseException as error:
            self._results.put(error)
