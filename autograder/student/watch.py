"""`watch`: what is saved is checked and shown; keys ask for more."""

import os
import queue
import signal
import time
from pathlib import Path

import msgspec

from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.report.model import ExerciseReport
from autograder.report.presentation import opening
from autograder.report.styled_lines import StyledLine
from autograder.report.terminal import score
from autograder.student.attempts import attempts_path, first_failing, read_attempts
from autograder.student.background_judge import BackgroundJudge, GradedSource
from autograder.student.events import FileWatcher, KeyReader
from autograder.student.listing import completion_lines, progress_bar
from autograder.student.progress import (
    ExerciseProgress,
    by_assignment,
    course_progress,
    exercise_progress,
    next_unfinished,
)
from autograder.student.step import (
    change_since,
    no_further_hint,
    passed_checks,
    report_lines,
    shown_step,
    source_of,
)
from autograder.student.terminal import Frame, Screen, Terminal, from_here
from autograder.submission.code import read_code
from autograder.submission.source import SUFFIXES, Source
from autograder.submission.stubs import read_stubs

# One exercise at a time, as `watch` has it: its file, its last report, and what is said of it.


class WatchedExercise:
    """What a student works on now. `news` is what to say of the last thing that happened."""

    def __init__(self, course: Course, name: str, path: Path, spoken: bool) -> None:
        self.course = course
        self.spoken = spoken
        self.news: list[StyledLine] = []
        self._stubs = read_stubs(course)
        self.found = course_progress(course)
        self.take(name, path)

    def take(self, name: str, path: Path) -> None:
        """Go to an exercise; its report is not known yet."""
        self.name, self.path = name, path
        self.full: ExerciseReport | None = None
        self.shown: ExerciseReport | None = None
        self.all_values = False
        self.news = []

    @property
    def ordered(self) -> list[ExerciseProgress]:
        return list(self.found.values())

    def next(self) -> ExerciseProgress | None:
        """What comes after this exercise and is not done."""
        following = next_unfinished(self.course, self.found, after=self.name)
        return following if following is None or following.exercise.name != self.name else None

    def saw(self, full: ExerciseReport) -> None:
        """A new report: keep it, and say what has changed."""
        before = self.found[self.name]
        passed: frozenset[str] | None = None
        if self.shown is not None:
            passed = passed_checks(self.shown)
        elif before.progress is not None:
            passed = frozenset(before.progress.passed)
        found = opening(self.shown) if self.shown is not None else None
        self.full, self.shown = full, shown_step(self.course, full, self.path, more=False)
        self.news = []
        if passed is not None and (said := change_since(passed, found, self.shown)):
            self.news.append([(said, "bold")])
        self._stand_anew(before)

    def _stand_anew(self, before: ExerciseProgress) -> None:
        """See where the exercise stands now, and whether that is something to be glad of."""
        exercise = self.course.exercise(self.name)
        now = exercise_progress(self.course, exercise, self._stubs, self.path)
        self.found[self.name] = now
        if now.state == "done" and before.state != "done":
            groups = by_assignment(self.course, self.found)
            self.news += completion_lines(now, groups, self.found, self.spoken)

    def hint(self) -> None:
        """Show one hint more, where the course allows."""
        if self.full is None or self.shown is None:
            return
        policy, seen = self.course.content.hints, read_attempts(attempts_path(self.path, self.name))
        said = no_further_hint(seen, self.full, policy, "all values (a)", self.path.name)
        self.news = [[(said or "One hint more.", "")]]
        if first_failing(self.full) is None:
            self.news = [[("Nothing fails, so there is no hint.", "")]]
        self.shown = shown_step(self.course, self.full, self.path, more=True)

    def picture(self) -> None:
        """Save a picture of the first failure that has values."""
        from autograder.course.errors import UserError
        from autograder.report.picture import save_picture

        if self.shown is None:
            return
        try:
            said = save_picture(self.shown, Path(f"{self.name}-check.png"))
        except UserError as error:
            said = str(error)
        self.news = [[(said, "")]]


SETTLE = 0.25  # s that a file which is no Python, or not there, has to become whole
SETTLE_A_LINE = 0.06  # s for one whose last line has no end
SILENT = 1.0  # s after a save in which more word of the same save says nothing new
TICK = 1.0  # s after which the file is looked at anyway: not every disk tells of a save
SLOW = 0.5  # s of checking, after which that is said
EVERY = 1000
KEYS = "h hint   a all values   p picture   n next   q quit"


class Redraw(msgspec.Struct, frozen=True):
    """The terminal has another size; or the shell takes it (Ctrl-Z), to `suspend` the watching."""

    suspend: bool = False


Event = frozenset[Path] | str | GradedSource | BaseException | Redraw


class Watch:
    """The loop: one event after another, from the disk, the keys and the examiner."""

    def __init__(self, desk: WatchedExercise, terminal: Terminal, screen: Screen) -> None:
        self.desk = desk
        self.terminal = terminal
        self.screen = screen
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.examiner: BackgroundJudge
        self.keys = KeyReader(self.events.put)
        self._looked: dict[Path, str] = {}
        self._helpers: frozenset[str] = frozenset()
        self._said_at = 0.0
        self._unsettled = 0.0
        self._busy_since = 0.0
        self._stamp: tuple[int, int] | None = None

    def run(self, examiner: BackgroundJudge) -> None:
        """Until somebody quits.

        Raises:
            UserError: the checks cannot be loaded.
        """
        self.examiner = examiner
        self.examiner.start()
        saves = FileWatcher(self._folders(), self.events.put)
        saves.start()
        # an event like others: raised wherever Python is just now, the exception can get lost
        before = signal.signal(signal.SIGINT, lambda *_: self.events.put(KeyboardInterrupt()))
        try:
            with self.keys:
                self._look()
                self._draw()
                while self._handle(self._next()):
                    pass
        finally:
            signal.signal(signal.SIGINT, before)
            saves.stop()

    def _folders(self) -> list[Path]:
        course = self.desk.course
        folders = [self.desk.path.parent, Path.cwd(), course.handed_out]
        return list(dict.fromkeys(folder.resolve() for folder in folders))

    def _next(self) -> Event | None:
        """The next event, or None when it is time to look around."""
        now = time.monotonic()
        wait = TICK
        if self._unsettled:
            wait = self._unsettled - now
        elif self._busy_since:
            wait = SLOW
        try:
            return self.events.get(timeout=max(wait, 0.001))
        except queue.Empty:
            return None

    def _handle(self, event: Event | None) -> bool:
        """Whether to go on after it."""
        if isinstance(event, BaseException):
            raise event
        if event is None:
            self._look_around()
        elif isinstance(event, frozenset):
            self._saved(event)
        elif isinstance(event, GradedSource):
            self._graded(event)
        elif isinstance(event, str):
            return self._key(event)
        else:
            if event.suspend:
                self._be_away()
            self._draw()
        return True

    def _be_away(self) -> None:
        """Give the terminal to the shell until one comes back."""
        self.keys.give_back()
        self.screen.leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self.screen.enter()
        self.keys.take()

    def _saved(self, paths: frozenset[Path]) -> None:
        """Look at what was saved: the exercise at hand if it is among it, else the latest."""
        files = {path: name for path in paths if (name := self._exercise_of(path)) is not None}
        here = self.desk.path.resolve()
        if here in files or not files:
            helps = any(path.suffix == ".py" and path.stem in self._helpers for path in paths)
            if here in files or helps:
                self._look()
            return
        there = [path for path in files if path.is_file() and self._is_new(path, files[path])]
        if there:
            path = max(there, key=lambda each: each.stat().st_mtime)
            self._go_to(files[path], path)

    def _exercise_of(self, path: Path) -> str | None:
        if path == self.desk.path.resolve():
            return self.desk.name
        known = path.suffix in SUFFIXES and path.stem in self.desk.course.exercises
        return path.stem if known else None

    def _is_new(self, path: Path, name: str) -> bool:
        """Whether a file holds another text than when it was last looked at or checked."""
        try:
            digest = source_of(path, self.desk.course.exercise(name)).digest
        except UserError:
            return False
        progress = self.desk.found[name].progress
        return digest not in {self._looked.get(path), progress.digest if progress else ""}

    def _go_to(self, name: str, path: Path) -> None:
        self.desk.take(name, path)
        self.screen.page = 0
        self._looked.pop(path.resolve(), None)
        self._look()
        self._draw()

    def _look(self, settled: bool = False) -> None:
        """Read the file; have it checked if it is another, and whole or `settled`."""
        desk, path = self.desk, self.desk.path.resolve()
        self._stamp = _stamp(path)
        try:
            source = source_of(path, desk.course.exercise(desk.name))
        except UserError as error:
            self._wait_or_say(settled, f"{error} Waiting for it.")
            return
        self._helpers = frozenset(source.helpers)
        if not settled and (wait := _may_be_half(source)):
            self._unsettled = time.monotonic() + wait
            return
        self._unsettled = 0.0
        if self._looked.get(path) == source.digest:
            if time.monotonic() - self._said_at > SILENT and not self._busy_since:
                self._say("Saved, and nothing is different.")
            return
        self._looked[path] = source.digest
        self._said_at = self._busy_since = time.monotonic()
        self.examiner.look_at(source)

    def _wait_or_say(self, settled: bool, said: str) -> None:
        """What cannot be read may be in the middle of being written."""
        if settled:
            self._unsettled = 0.0
            self._looked.pop(self.desk.path.resolve(), None)
            self._say(said)
        else:
            self._unsettled = time.monotonic() + SETTLE

    def _look_around(self) -> None:
        """When nothing has happened for a while."""
        if self._unsettled:
            if time.monotonic() >= self._unsettled:
                self._look(settled=True)
        elif self._busy_since:
            self._draw()
        elif self._stamp != _stamp(self.desk.path.resolve()):
            self._look()

    def _graded(self, done: GradedSource) -> None:
        path = self.desk.path.resolve()
        if done.source.name != self.desk.name or self._looked.get(path) != done.source.digest:
            return
        self._busy_since, self._said_at = 0.0, time.monotonic()
        if done.full is None:
            self._say(done.trouble)
            return
        self.screen.page = 0
        self.desk.saw(done.full)
        self._draw()

    def _key(self, key: str) -> bool:
        """Do what a key asks for; whether to go on."""
        desk = self.desk
        if key in {"q", "Q", "\x04"}:
            return False
        if key == "h":
            desk.hint()
        elif key == "a":
            desk.all_values, self.screen.page = not desk.all_values, 0
        elif key == "p":
            desk.picture()
        elif key == "n":
            return self._next_exercise()
        elif key == " ":
            self.screen.page += 1
        else:
            return True
        self._draw()
        return True

    def _next_exercise(self) -> bool:
        following = self.desk.next()
        if following is None or following.file is None:
            self._say("There is no other exercise that is not done.")
        else:
            self._go_to(following.exercise.name, following.file)
        return True

    def _say(self, text: str) -> None:
        self.desk.news = [[(text, "")]]
        if self.terminal.moves:
            self._draw()
        else:
            self.screen.say([(text, "")])

    def _draw(self) -> None:
        self.screen.draw(Frame(self._top(), self._report(), self._foot()))

    def _top(self) -> list[StyledLine]:
        desk = self.desk
        lines = [progress_bar(desk.ordered, self.terminal.width)]
        if self.terminal.spoken:
            lines = [[(text, "") for text, style in lines[0] if style == "dim"][-1:]]
        if self._busy_since and time.monotonic() - self._busy_since >= SLOW:
            seconds = int(time.monotonic() - self._busy_since)
            said = f"Checking, for {seconds} s. A loop that never ends? Save it mended at any time."
            return [*lines, [(said if seconds >= 2 else "Checking …", "partial")]]
        return [*lines, *desk.news]

    def _report(self) -> list[StyledLine]:
        desk = self.desk
        if desk.shown is None:
            title = desk.course.exercise(desk.name).title
            return [[(title, "bold"), (f" ({from_here(desk.path)}): checking …", "dim")]]
        details = EVERY if desk.all_values else 1
        where = from_here(desk.path)
        return report_lines(desk.shown, details, where, self.terminal.width, self.terminal.spoken)

    def _foot(self) -> list[StyledLine]:
        return [[(KEYS, "dim")]] if self.keys.are_there else [[("Ctrl-C ends it.", "dim")]]

    def farewell(self) -> list[StyledLine]:
        """What stays on the terminal."""
        desk = self.desk
        title = desk.course.exercise(desk.name).title
        said = score(desk.shown) if desk.shown is not None else "not checked"
        return [
            [(f"{title} ({from_here(desk.path)}): {said}", "")],
            progress_bar(self.desk.ordered, self.terminal.width),
        ]


def _may_be_half(source: Source) -> float:
    """How long to wait for the rest, in s, where it may be half of what is being written."""
    if not source.text.strip() or read_code(source.units).broken:
        return SETTLE
    is_script = source.label.endswith(".py")
    return SETTLE_A_LINE if is_script and not source.text.endswith("\n") else 0.0


def _stamp(path: Path) -> tuple[int, int] | None:
    """What tells one state of a file from another without reading it."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
