"""Runs of `autograder grade` in a separate process, to show and apply changes."""

import contextlib
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from autograder.classroom.grade_difference import Change
from autograder.classroom.history import PROPOSED, GradeCommand, grade_commands
from autograder.classroom.records import REPORTS, Records
from autograder.course.errors import UserError
from autograder.course.text import one_line, printable
from autograder.report.model import ExerciseReport

RunState = Literal["running", "shown", "applied", "failed"]
DONE = {0, 1, 3}  # exit codes: all graded; a person must look; nothing was applied
MAX_SAID = 4000
MAX_MESSAGE = 500
OTHERWISE = (
    "Nothing was applied, because grading would now make other changes than those shown. Show the "
    "changes again."
)


class GradeEvent(msgspec.Struct, frozen=True):
    """Fields of an event of `grade --json` for the desk."""

    event: str
    done: int = 0
    of: int = 0
    said: str = ""
    in_force: bool = False
    version: int | None = None
    difference: str = ""


class GradeRun:
    """One run of a grade command: its progress, changes, messages and result.

    `shown` is the digest of a difference that a person has seen. The command applies only this
    difference. Without `shown`, it applies nothing.
    """

    def __init__(self, command: GradeCommand, results: Path, shown: str = "") -> None:
        first, *rest = command.arguments(results)
        how = ["--apply", f"--only-if={shown}"] if shown else ["--no-apply"]
        self.command, self.arguments = command, [first, "--json", *how, *rest]
        self.state: RunState = "running"
        self.done = self.of = 0
        self.changes: list[Change] = []
        self.said: list[str] = []
        self.version: int | None = None
        self.difference = ""
        self._applying = bool(shown)
        self._process: subprocess.Popen[str] | None = None

    def follow(self) -> None:
        try:
            for line in self.lines():
                with contextlib.suppress(msgspec.MsgspecError):
                    self._take(line)
        except OSError as error:
            self.said.append(f"The grader could not be started: {error.strerror}.")
        finally:
            if self.state == "running":
                self.state = "failed"

    def lines(self) -> Iterator[str]:
        """Yield the lines of output while the command runs. After a failure, keep the errors."""
        with tempfile.TemporaryFile("w+", errors="replace") as errors:
            with subprocess.Popen(
                [sys.executable, "-m", "autograder", *self.arguments],
                stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL,
                text=True, errors="replace", bufsize=1,
            ) as self._process:  # fmt: skip
                _running.add(self)
                assert self._process.stdout is not None
                yield from self._process.stdout
            _running.discard(self)
            if self._process.returncode not in DONE:
                errors.seek(0)
                self.said += [line.strip()[:MAX_SAID] for line in errors][-5:]

    def _take(self, line: str) -> None:
        event = msgspec.json.decode(line, type=GradeEvent)
        if event.event == "progress":
            self.done, self.of = event.done, event.of
        elif event.event == "change":
            self.changes.append(msgspec.json.decode(line, type=Change))
        elif event.event in {"note", "error", "waiting"}:
            self.said.append(event.said[:MAX_SAID])
        elif event.event == "end":
            self.version, self.difference = event.version, event.difference
            if self._applying and not event.in_force:
                self.said.append(OTHERWISE)
            self.state = "applied" if event.in_force else "shown"

    def stop(self) -> None:
        """End the command as Ctrl-C does. Finished submissions stay graded."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)


_running: set[GradeRun] = set()


def _stop_all() -> None:
    for run in list(_running):
        run.stop()


class Regrading:
    """The desk's last run. When the desk is closed, all running commands end."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._lock = threading.Lock()
        self.run: GradeRun | None = None
        weakref.finalize(self, _stop_all)

    def show(self, command: GradeCommand) -> None:
        """Start a run that only computes the changes that a command would make."""
        self._begin(command)

    def apply(self, difference: str) -> None:
        """Start a run that applies exactly the changes that were shown last."""
        run = self.run
        if run is None or run.state != "shown" or difference != run.difference:
            raise UserError("These changes are no longer the latest. Show the changes again.")
        self._begin(run.command, difference)

    def _begin(self, command: GradeCommand, shown: str = "") -> None:
        with self._lock:
            if self.run is not None and self.run.state == "running":
                raise UserError("Grading is still running. Wait until it ends, or stop it.")
            self.run = GradeRun(command, self._results, shown)
        threading.Thread(target=self.run.follow, name="regrade", daemon=True).start()


class MessageChange(msgspec.Struct, frozen=True):
    """Messages on a student's exercise before and after a regrade."""

    student: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    points: tuple[float, float]
    named: bool  # true if the new message names the new mistake


def last_command(results: Path, exercise: str) -> GradeCommand:
    for command in grade_commands(results):
        if not command.exercises or exercise in command.exercises:
            return command
    raise UserError(
        f"The command that graded {one_line(exercise, 60)} is not recorded. Run `autograder grade` "
        f"again with --out {results}."
    )


def regrade_group(results: Path, exercise: str, students: Sequence[str], shown: str = "") -> str:
    """Grade one exercise of some students, and return the digest of the difference."""
    command = last_command(results, exercise)
    only = msgspec.structs.replace(command, exercises=(exercise,), students=tuple(students))
    run = GradeRun(only, results, shown)
    run.follow()
    if run.state == "failed":
        raise UserError(printable("\n".join(run.said), 1000))
    if shown and run.state != "applied":
        raise UserError(OTHERWISE)
    return run.difference


def message_changes(
    results: Path, exercise: str, students: Sequence[str], name: str
) -> list[MessageChange]:
    changes = []
    current, proposed = Records(results / REPORTS), Records(results / PROPOSED / REPORTS)
    for student in students:
        before = _graded(current, student, exercise)
        after = _graded(proposed, student, exercise)
        if before is None or after is None:
            continue
        diagnoses = [check.diagnosis for check in after.checks if check.diagnosis]
        named = any(name in diagnosis.misconceptions for diagnosis in diagnoses)
        points = before.points, after.points
        changes.append(MessageChange(student, _messages(before), _messages(after), points, named))
    return changes


def _graded(records: Records, student: str, exercise: str) -> ExerciseReport | None:
    report = records.get(student)
    exercises = report.exercises if report else ()
    return next((graded for graded in exercises if graded.name == exercise), None)


def _messages(exercise: ExerciseReport) -> tuple[str, ...]:
    texts = (c.diagnosis.finding if c.diagnosis else c.finding for c in exercise.checks)
    return tuple(dict.fromkeys(one_line(text, MAX_MESSAGE) for text in texts if text))
