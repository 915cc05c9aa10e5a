"""`autograder watch`: check each saved file, show the report, and react to keys."""

import contextlib
import math
import os
import signal
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click

from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.grading.judge import Judge
from autograder.grading.scoring import Graded
from autograder.report.model import ExerciseReport
from autograder.report.presentation import opening
from autograder.report.terminal import StyledLine, exercise_lines
from autograder.student.listing import progress_bar, progress_summary
from autograder.student.progress import course_progress, exercise_progress, next_unfinished
from autograder.student.step import (
    change_since,
    first_failing,
    no_further_hint,
    read_attempts,
    shown_step,
)
from autograder.student.targets import Target
from autograder.student.terminal import Terminal, from_here
from autograder.submission.source import SUFFIXES, Source, required_source
from autograder.submission.stubs import read_stubs

TURN = 0.03  # s between looks at the files
SETTLE = 0.06  # s without a change after which a file counts as saved
LONGEST_END = 10  # s until a cancelled grading must have ended
SLOW = 0.5  # s after which a notice says that checking goes on
EVERY = 1000
KEYS = "h hint   a all values   p picture   n next   q quit"
BUSY = "Checking … Does a loop never end? Correct it, and save the file."


class KeyReader:
    """Context manager that reads single keys, without Enter and without showing them."""

    def __init__(self) -> None:
        self._before: list[Any] | None = None
        self.are_there = sys.stdin is not None and sys.stdin.isatty()

    def __enter__(self) -> "KeyReader":
        if sys.platform != "win32" and self.are_there:
            import termios

            self._before = termios.tcgetattr(sys.stdin.fileno())
        return self

    def __exit__(self, *_: object) -> None:
        if sys.platform != "win32" and self._before is not None:
            import termios

            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)

    def read(self, seconds: float) -> str:
        """Wait at most this long for keys. Return them without arrow and function keys."""
        if sys.platform == "win32" or not self.are_there:
            time.sleep(seconds)
        if not self.are_there:
            return ""
        if sys.platform == "win32":
            import msvcrt

            return msvcrt.getwch() if msvcrt.kbhit() else ""
        import select
        import termios
        import tty

        try:
            tty.setcbreak(sys.stdin.fileno(), termios.TCSANOW)  # again: Ctrl-Z may have ended it
            if not select.select([sys.stdin], [], [], seconds)[0]:
                return ""
            data = os.read(sys.stdin.fileno(), 64)
        except (termios.error, OSError, ValueError):
            data = b""
        self.are_there = bool(data)  # else the terminal is gone
        return "" if data.startswith(b"\x1b") else data.decode("utf-8", "ignore")


class Watch:
    """Main loop of `watch`. It looks often for keys, saved files and results."""

    def __init__(self, course: Course, target: Target, judge: Judge, terminal: Terminal) -> None:
        self.course, self.judge, self.terminal = course, judge, terminal
        self.progress = course_progress(course)
        self._stubs = read_stubs(course)
        self._keys = KeyReader()
        self._grader = ThreadPoolExecutor(1)
        self._grading: Future[Graded] | None = None
        self._waiting: Source | None = None  # to be graded next
        self._slow_at = math.inf
        self._digests: dict[Path, str] = {}  # of the sources that were read last
        self._stamps: dict[Path, tuple[int, int]] = {}
        self._changed: set[Path] = set()
        self._settles_at = 0.0
        self._interrupted = False
        self._take(target.exercise.name, target.path.resolve())

    def _take(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.full: ExerciseReport | None = None
        self.shown: ExerciseReport | None = None
        self.all_values = False
        self.news = ""  # about the last event
        self._helpers: list[str] = []

    def run(self) -> None:
        # an exception could get lost in another function, so the handler only notes Ctrl-C
        before = signal.signal(signal.SIGINT, self._note_interrupt)
        try:
            with self._keys:
                self._look({self.path})
                self._stamps = self._stamps_now()
                self._draw()
                while self._turn():
                    pass
        finally:
            signal.signal(signal.SIGINT, before)
            end = time.monotonic() + LONGEST_END
            while self._grading and not self._grading.done() and time.monotonic() < end:
                self.judge.cancel()
                time.sleep(TURN)

    def _note_interrupt(self, *_: object) -> None:
        self._interrupted = True

    def _turn(self) -> bool:
        if not all(map(self._key, self._keys.read(TURN))):
            return False
        if self._interrupted:
            raise KeyboardInterrupt
        stamps = self._stamps_now()
        if stamps != self._stamps:
            self._changed |= {path for path, _ in stamps.items() ^ self._stamps.items()}
            self._stamps, self._settles_at = stamps, time.monotonic() + SETTLE
        if self._changed and time.monotonic() > self._settles_at:
            changed, self._changed = self._changed, set()
            self._look(changed)
        self._grade()
        return True

    def _stamps_now(self) -> dict[Path, tuple[int, int]]:
        """Return times and sizes of the files of exercises, and of the modules they import."""
        folders = (self.path.parent, Path.cwd(), self.course.handed_out)
        modules = [*self.course.exercises, self.path.stem, *self._helpers]
        stamps = {}
        for folder in {each.resolve() for each in folders}:
            for path in (folder / f"{name}{suffix}" for name in modules for suffix in SUFFIXES):
                with contextlib.suppress(OSError):
                    status = path.stat()
                    stamps[path] = status.st_mtime_ns, status.st_size
        return stamps

    def _look(self, changed: set[Path]) -> None:
        """Read the saved file, perhaps of another exercise, and have it graded if it is new."""
        files = [path for path in changed & set(self._stamps) if path.stem in self.course.exercises]
        path, name = self.path, self.name
        if files and path not in changed:
            path = max(files, key=lambda file: self._stamps[file])
            name = path.stem
        try:
            source = required_source(path, self.course.exercise(name))
        except UserError as error:  # it may be half written
            self._digests.pop(path, None)
            self._say(f"{error} Waiting for the file.")
            return
        if self._digests.get(path) == source.digest:
            return
        self._digests[path] = source.digest
        if path != self.path:
            self._take(name, path)
        self._helpers, self._waiting = list(source.helpers), source

    def _grade(self) -> None:
        """Start to grade the newest source, or show its report. Cancel an older source."""
        running = self._grading
        if running is None:
            if self._waiting is not None:
                self._grading = self._grader.submit(self.judge.run, self._waiting)
                self._waiting, self._slow_at = None, time.monotonic() + SLOW
        elif not running.done():
            if self._waiting is not None:
                self.judge.cancel()
            elif time.monotonic() > self._slow_at:
                self._slow_at = math.inf
                self._say(BUSY)
        else:
            self._grading = None
            if self._waiting is None:
                try:
                    self.take_report(running.result().report)
                except UserError as error:
                    self._say(str(error))
                else:
                    self._draw()

    def take_report(self, full: ExerciseReport) -> None:
        """Save a new report, and put a sentence on changed checks into `news`."""
        before, last_shown = self.progress[self.name].last_check, self.shown
        self.full, self.shown = full, shown_step(self.course, full, self.path)
        self.news = ""
        if before is not None:
            text = opening(last_shown).text if last_shown is not None else None
            self.news = change_since(before.passed, text, self.shown)
        exercise = self.course.exercise(self.name)
        self.progress[self.name] = exercise_progress(self.course, exercise, self._stubs, self.path)

    def _key(self, key: str) -> bool:
        match key:
            case "q" | "Q" | "\x04":
                return False
            case "h" if self.full is not None:
                self._hint(self.full)
            case "a":
                self.all_values = not self.all_values
            case "p" if self.shown is not None:
                from autograder.report.picture import save_picture

                try:
                    self.news = save_picture(self.shown, Path(f"{self.name}-check.png"))
                except UserError as error:
                    self.news = str(error)
            case "n":
                following = next_unfinished(self.course, self.progress, self.name)
                if following is None or not following.file or following.exercise.name == self.name:
                    self._say("There is no other unfinished exercise.")
                else:
                    self._take(following.exercise.name, following.file.resolve())
                    self._digests.pop(self.path, None)
                    self._draw()
                    self._look({self.path})
                return True
            case _:
                return True
        self._draw()
        return True

    def _hint(self, full: ExerciseReport) -> None:
        policy, seen = self.course.content.hints, read_attempts(self.path, self.name)
        message = no_further_hint(seen, full, policy, "press a to see every value", self.path.name)
        if first_failing(full) is None:
            message = "No check fails, so there is no hint."
        self.news = message or "Here is one more hint."
        self.shown = shown_step(self.course, full, self.path, more=True)

    def _say(self, text: str) -> None:
        self.news = text
        if self.terminal.moves:
            self._draw()
        else:  # the next frame follows below
            self.terminal.show([[(text, "")]])
            sys.stdout.flush()

    def _draw(self) -> None:
        terminal, where = self.terminal, from_here(self.path)
        if terminal.moves:
            click.clear()
        progress = list(self.progress.values())
        bar = progress_bar(progress, terminal.width)
        if terminal.spoken:
            bar = [(progress_summary(progress), "")]
        title = self.course.exercise(self.name).title
        report: list[StyledLine] = [[(title, "bold"), (f" ({where}): checking …", "dim")]]
        if self.shown is not None:
            most = EVERY if self.all_values else 1
            width, spoken = terminal.width, terminal.spoken
            report = list(exercise_lines(self.shown, most, where, width, spoken))
        foot = KEYS if self._keys.are_there else "Press Ctrl-C to quit."
        news = [[(self.news, "bold")]] if self.news else []
        terminal.show([bar, *news, [], *report, [], [(foot, "dim")]])
        sys.stdout.flush()
