"""`autograder watch`: check each saved file, show the report, and react to keys."""

import os
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.report.model import ExerciseReport
from autograder.report.presentation import opening
from autograder.report.terminal import StyledLine, exercise_lines, score
from autograder.student.events import BackgroundJudge, GradedSource, KeyReader
from autograder.student.listing import completion_lines, progress_bar
from autograder.student.progress import (
    by_assignment,
    course_progress,
    exercise_progress,
    next_unfinished,
    progress_of,
)
from autograder.student.step import (
    change_since,
    first_failing,
    no_further_hint,
    read_attempts,
    shown_step,
    source_of,
)
from autograder.student.terminal import Screen, Terminal, from_here
from autograder.submission.code import read_code
from autograder.submission.source import SUFFIXES, Source
from autograder.submission.stubs import read_stubs


class WatchedExercise:
    """The exercise that a student is working on. `news` are lines about the last event."""

    def __init__(self, course: Course, name: str, path: Path, spoken: bool) -> None:
        self.course = course
        self.spoken = spoken
        self._stubs = read_stubs(course)
        self.progress = course_progress(course)
        self.take(name, path)

    def take(self, name: str, path: Path) -> None:
        self.name, self.path = name, path
        self.title = self.course.exercise(name).title
        self.full: ExerciseReport | None = None
        self.shown: ExerciseReport | None = None
        self.all_values = False
        self.news: list[StyledLine] = []

    def bar(self, width: int | None) -> StyledLine:
        return progress_bar(list(self.progress.values()), width)

    def take_report(self, full: ExerciseReport) -> None:
        """Save a new report, and put lines on changed checks and finished work into `news`."""
        before, last_shown = self.progress[self.name], self.shown
        self.full, self.shown = full, shown_step(self.course, full, self.path, more=False)
        change = ""
        if last_shown is not None:
            passed = progress_of(last_shown).passed
            change = change_since(passed, opening(last_shown).text, self.shown)
        elif before.last_check is not None:
            change = change_since(before.last_check.passed, None, self.shown)
        self.news = [[(change, "bold")]] if change else []
        exercise = self.course.exercise(self.name)
        now = exercise_progress(self.course, exercise, self._stubs, self.path)
        self.progress[self.name] = now
        if now.state == "done" and before.state != "done":
            groups = by_assignment(self.course, self.progress)
            self.news += completion_lines(now, groups, self.progress, self.spoken)

    def hint(self) -> None:
        if self.full is None or self.shown is None:
            return
        policy, seen = self.course.content.hints, read_attempts(self.path, self.name)
        values = "press a to see every value"
        message = no_further_hint(seen, self.full, policy, values, self.path.name)
        if first_failing(self.full) is None:
            message = "No check fails, so there is no hint."
        self.news = [[(message or "Here is one more hint.", "")]]
        self.shown = shown_step(self.course, self.full, self.path, more=True)

    def picture(self) -> None:
        from autograder.report.picture import save_picture

        if self.shown is None:
            return
        try:
            message = save_picture(self.shown, Path(f"{self.name}-check.png"))
        except UserError as error:
            message = str(error)
        self.news = [[(message, "")]]


TURN, BUSY_TURN = 0.03, 0.01  # s between looks at the files; while a source is graded
SETTLE = 0.25  # s to wait if the file is missing or does not parse
SETTLE_A_LINE = 0.06  # s to wait if its last line has no newline
SILENT = 1.0  # s after a save in which further events are ignored
SLOW = 0.5  # s after which a notice says that checking goes on
EVERY = 1000
KEYS = "h hint   a all values   p picture   n next   q quit"
SIGNALS = ("SIGINT", "SIGWINCH", "SIGTSTP")  # Ctrl-C, another size of the terminal, Ctrl-Z


class Watch:
    """Main loop of `watch`. It looks often for signals, keys, changed files and results."""

    def __init__(
        self, exercise: WatchedExercise, judge: BackgroundJudge, terminal: Terminal, screen: Screen
    ) -> None:
        self.exercise = exercise
        self.judge = judge
        self.terminal = terminal
        self.screen = screen
        self.keys = KeyReader()
        folders = [exercise.path.parent, Path.cwd(), exercise.course.handed_out]
        self._folders = list(dict.fromkeys(folder.resolve() for folder in folders))
        self._set_files(())
        self._stamps: dict[Path, tuple[int, int] | None] = {}  # of the files, as last seen
        self._digests: dict[Path, str] = {}  # digests of the sources that were read last
        self._signals: set[str] = set()
        self._said_at = self._drawn_at = 0.0
        self._settles_at = 0.0  # until then, the file may be only half written
        self._busy_since = 0.0

    def run(self) -> None:
        self.judge.start()
        # an exception could get lost in another function, so a handler only notes its signal
        numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
        before = {number: signal.signal(number, self._note_signal) for number in numbers}
        try:
            with self.keys:
                self._changed_files()
                self._look()
                self._draw()
                while self._turn():
                    pass
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note_signal(self, number: int, _: object) -> None:
        self._signals.add(signal.Signals(number).name)

    def _turn(self) -> bool:
        keys = self.keys.read(BUSY_TURN if self._busy_since else TURN)
        if "SIGINT" in self._signals:
            raise KeyboardInterrupt
        if "SIGTSTP" in self._signals:  # the shell has the terminal until the student returns
            self.keys.give_back()
            self.screen.leave()
            os.kill(os.getpid(), signal.SIGSTOP)
            self.screen.enter()
            self.keys.take()
        if self._signals:
            self._signals.clear()
            self._draw()
        if not all(map(self._key, keys)):
            return False
        if changed := self._changed_files():
            self._saved(changed)
        if self._settles_at and time.monotonic() >= self._settles_at:
            self._look(settled=True)
        if graded := self.judge.result():
            self._graded(graded)
        if self._busy_since and time.monotonic() - self._drawn_at > SLOW:
            self._draw()
        return True

    def _set_files(self, helpers: Iterable[str]) -> None:
        modules = [*self.exercise.course.exercises, *helpers]
        names = [f"{module}{suffix}" for module in modules for suffix in SUFFIXES]
        self._files = [folder / name for folder in self._folders for name in names]

    def _changed_files(self) -> set[Path]:
        """Return the files that have changed since the last call, according to times and sizes."""
        stamps = {path: _stamp(path) for path in self._files}
        changed = {path for path in stamps if stamps[path] != self._stamps.get(path, stamps[path])}
        self._stamps = stamps
        return changed

    def _saved(self, paths: set[Path]) -> None:
        files = [path for path in paths if path.stem in self.exercise.course.exercises]
        if (self.exercise.path.parent.resolve() / self.exercise.path.name) in paths or not files:
            self._look()
            return
        new = [path for path in files if path.is_file() and self._is_new(path)]
        if new:
            path = max(new, key=lambda file: file.stat().st_mtime)
            self._go_to(path.stem, path)

    def _is_new(self, path: Path) -> bool:
        try:
            digest = source_of(path, self.exercise.course.exercise(path.stem)).digest
        except UserError:
            return False
        last = self.exercise.progress[path.stem].last_check
        return digest not in {self._digests.get(path), last.digest if last else ""}

    def _go_to(self, name: str, path: Path) -> None:
        self.exercise.take(name, path)
        self.screen.page = 0
        self._digests.pop(path.resolve(), None)
        self._look()
        self._draw()

    def _look(self, settled: bool = False) -> None:
        exercise, path = self.exercise, self.exercise.path.resolve()
        try:
            source = source_of(path, exercise.course.exercise(exercise.name))
        except UserError as error:  # it may be half written
            self._settles_at = 0.0 if settled else time.monotonic() + SETTLE
            if settled:
                self._digests.pop(path, None)
                self._say(f"{error} Waiting for the file.")
            return
        self._set_files(source.helpers)
        if not settled and (wait := _settling_time(source)):
            self._settles_at = time.monotonic() + wait
            return
        self._settles_at = 0.0
        if self._digests.get(path) == source.digest:
            if time.monotonic() - self._said_at > SILENT and not self._busy_since:
                self._say("Saved, but nothing has changed.")
            return
        self._digests[path] = source.digest
        self._said_at = self._busy_since = self._drawn_at = time.monotonic()
        self.judge.look_at(source)

    def _graded(self, graded: GradedSource) -> None:
        exercise, source = self.exercise, graded.source
        digest = self._digests.get(exercise.path.resolve())
        if source.name != exercise.name or digest != source.digest:
            return
        self._busy_since, self._said_at = 0.0, time.monotonic()
        if graded.full is None:
            self._say(graded.problem)
            return
        self.screen.page = 0
        exercise.take_report(graded.full)
        self._draw()

    def _key(self, key: str) -> bool:
        exercise = self.exercise
        match key:
            case "q" | "Q" | "\x04":
                return False
            case "h":
                exercise.hint()
            case "a":
                exercise.all_values, self.screen.page = not exercise.all_values, 0
            case "p":
                exercise.picture()
            case " ":
                self.screen.page += 1
            case "n":
                following = next_unfinished(exercise.course, exercise.progress, exercise.name)
                is_other = following is not None and following.exercise.name != exercise.name
                if following is None or following.file is None or not is_other:
                    self._say("There is no other unfinished exercise.")
                else:
                    self._go_to(following.exercise.name, following.file)
                return True
            case _:
                return True
        self._draw()
        return True

    def _say(self, text: str) -> None:
        self.exercise.news = [[(text, "")]]
        if self.terminal.moves:
            self._draw()
        else:  # the next frame follows below
            self.terminal.show([[(text, "")]])
            sys.stdout.flush()

    def _draw(self) -> None:
        self._drawn_at = time.monotonic()
        foot = KEYS if self.keys.are_there else "Press Ctrl-C to quit."
        self.screen.draw(self._top(), self._report(), [[(foot, "dim")]])

    def _top(self) -> list[StyledLine]:
        bar = self.exercise.bar(self.terminal.width)
        if self.terminal.spoken:
            bar = [(text, "") for text, style in bar if style == "dim"][-1:]
        busy = time.monotonic() - self._busy_since if self._busy_since else 0.0
        if busy < SLOW:
            return [bar, *self.exercise.news]
        text = "Checking …"
        if busy >= 2:
            hint = "Does a loop never end? Correct it, and save the file."
            text = f"Checking for {int(busy)} s. {hint}"
        return [bar, [(text, "partial")]]

    def _report(self) -> list[StyledLine]:
        exercise, where = self.exercise, from_here(self.exercise.path)
        if exercise.shown is None:
            return [[(exercise.title, "bold"), (f" ({where}): checking …", "dim")]]
        details = EVERY if exercise.all_values else 1
        width, spoken = self.terminal.width, self.terminal.spoken
        return list(exercise_lines(exercise.shown, details, where, width, spoken))

    def farewell(self) -> list[StyledLine]:
        exercise = self.exercise
        result = score(exercise.shown) if exercise.shown is not None else "not checked"
        return [
            [(f"{exercise.title} ({from_here(exercise.path)}): {result}", "")],
            exercise.bar(self.terminal.width),
        ]


def _settling_time(source: Source) -> float:
    if not source.text.strip() or read_code(source.units).broken:
        return SETTLE
    return SETTLE_A_LINE if source.label.endswith(".py") and not source.text.endswith("\n") else 0.0


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
