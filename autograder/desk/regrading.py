"""`autograder grade` once more, in its own process: what it would change, and then in force."""

import contextlib
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from autograder.classroom.grade_difference import Change
from autograder.classroom.history import PROPOSED, GradeCommand, grade_commands
from autograder.classroom.records import FILE as REPORTS
from autograder.classroom.records import Records
from autograder.course.errors import UserError
from autograder.course.text import one_line, printable
from autograder.report.model import CheckReport, ExerciseReport

RunState = Literal["none", "running", "shown", "in force", "failed"]
MOST_SAID = 4000
OTHERWISE = (
    "Nothing was put in force: since you saw the changes, something else has changed. Look again."
)


class RegradeEvent(msgspec.Struct, frozen=True):
    """As much of an event of `--json` as the desk shows."""

    event: str
    done: int = 0
    of: int = 0
    said: str = ""
    in_force: bool = False
    version: int | None = None
    difference: str = ""


class Regrading:
    """The one run at a time, and what came of the last; threads may share it.

    `changes` are those of the last run, which has `said` what a person should read of it; `state`
    is "shown" when they wait for a yes.
    """

    def __init__(self, results: Path) -> None:
        self._results = results
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self.command: GradeCommand | None = None
        self._applying = False
        self._clear("none")
        weakref.finalize(self, _end_all)

    def _clear(self, state: RunState) -> None:
        self.state: RunState = state
        self.done = self.of = 0
        self.changes: list[Change] = []
        self.said: list[str] = []
        self.version: int | None = None
        self.difference = ""

    def show(self, command: GradeCommand) -> None:
        """Begin to find out what a command would change.

        Raises:
            UserError: another run is not done.
        """
        self._begin(command, ["--no-apply"])

    def put_in_force(self, difference: str) -> None:
        """Begin to put in force what was shown, and nothing else.

        Raises:
            UserError: it is not what was shown last.
        """
        if self.command is None or self.state != "shown" or difference != self.difference:
            raise UserError("What was shown is no longer the last. Look at the changes again.")
        self._begin(self.command, ["--apply", f"--only-if={difference}"])

    def stop(self) -> None:
        """End the run as Ctrl-C does: what is graded so far is kept."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                self._process.send_signal(signal.SIGINT)

    def wait(self, seconds: float) -> None:
        """Wait for the run to end."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _begin(self, command: GradeCommand, how: Sequence[str]) -> None:
        with self._lock:
            if self.state == "running":
                raise UserError("A run is not done yet. Wait for it, or stop it.")
            self.command = command
            self._clear("running")
            self._applying = "--apply" in how
            first, *rest = command.arguments(self._results)
            wanted = [first, "--json", *how, *rest]
            self._thread = threading.Thread(
                target=self._follow, args=(wanted,), name="regrade", daemon=True
            )
            self._thread.start()

    def _follow(self, arguments: list[str]) -> None:
        """Take what the run says, until it ends."""
        try:
            for line in self._lines(arguments):
                self._take(line)
        except OSError as error:
            self.said.append(f"It could not be started: {error.strerror}.")
        finally:
            if self.state == "running":
                self.state = "failed"

    def _lines(self, arguments: list[str]) -> Iterator[str]:
        """What a run says, line by line; what it could not say so comes last."""
        command = [sys.executable, "-m", "autograder", *arguments]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
            text=True, errors="replace", bufsize=1,
        ) as process:  # fmt: skip
            _RUNNING.add(process)
            self._process = process
            errors: list[str] = []
            assert process.stdout is not None and process.stderr is not None
            beside = threading.Thread(target=_drain, args=(process.stderr, errors), daemon=True)
            beside.start()
            yield from process.stdout
            beside.join()
        _RUNNING.discard(process)
        if process.returncode not in {0, 1, 3}:
            self.said += errors[-5:]

    def _take(self, line: str) -> None:
        with contextlib.suppress(msgspec.MsgspecError):
            event = msgspec.json.decode(line, type=RegradeEvent)
            if event.event == "progress":
                self.done, self.of = event.done, event.of
            elif event.event == "change":
                self.changes.append(msgspec.json.decode(line, type=Change))
            elif event.event in {"note", "error", "waiting"}:
                self.said.append(event.said[:MOST_SAID])
            elif event.event == "end":
                self.version, self.difference = event.version, event.difference
                self.state = "in force" if event.in_force else "shown"
                if self._applying and not event.in_force:
                    self.said.append(OTHERWISE)


_RUNNING: set["subprocess.Popen[str]"] = set()


def _drain(stream: Iterator[str], into: list[str]) -> None:
    for line in stream:
        into.append(line.strip()[:MOST_SAID])
        del into[:-20]


def _end_all() -> None:
    """End what is still running when the desk is closed, as Ctrl-C does."""
    for process in list(_RUNNING):
        if process.poll() is None:
            process.send_signal(signal.SIGINT)


# Those concerned graded again, as `grade` does it, with the difference before it counts.


MOST_SHOWN = 500
DONE = {0, 1, 3}  # all is graded; a person has to look; nothing was put in force


class MessageChange(msgspec.Struct, frozen=True):
    """A student's exercise: what its checks said before, and what they would say."""

    student: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    points: tuple[float, float]
    named: bool


class _End(msgspec.Struct, frozen=True):
    """As much of an event of `--json` as is asked for here."""

    event: str
    said: str = ""
    in_force: bool = False
    difference: str = ""


def regrade_group(results: Path, exercise: str, students: Sequence[str], shown: str = "") -> str:
    """Grade one exercise of some students; what stands for the difference that it makes.

    Nothing of it counts; with `shown`, the difference that a person has seen, that is put in force.

    Raises:
        UserError: it cannot be done, or the difference is another one by now.
    """
    command = last_command(results, exercise)
    wanted = msgspec.structs.replace(command, exercises=(exercise,), students=tuple(students))
    how = ["--apply", f"--only-if={shown}"] if shown else ["--no-apply"]
    first, *words = wanted.arguments(results)
    done = subprocess.run(
        [sys.executable, "-m", "autograder", first, "--json", *how, *words],
        cwd=command.course,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    events = [msgspec.json.decode(line, type=_End) for line in done.stdout.splitlines()]
    if done.returncode not in DONE or not events:
        told = [event.said for event in events if event.event == "error"]
        raise UserError(printable("\n".join(told) or done.stderr.strip(), 1000))
    if shown and not events[-1].in_force:
        raise UserError("Something else has changed since you saw it. Grade them again, and look.")
    return events[-1].difference


def last_command(results: Path, exercise: str) -> GradeCommand:
    """The command by which an exercise was graded last.

    Raises:
        UserError: it is not known.
    """
    for command in grade_commands(results):
        if not command.exercises or exercise in command.exercises:
            return command
    raise UserError(
        f"How {one_line(exercise, 60)} was graded is not known. Run the grade command into "
        f"{results} once more."
    )


def message_changes(
    results: Path, exercise: str, students: Sequence[str], name: str
) -> list[MessageChange]:
    """What changes for these students: between what counts and what is proposed."""
    before, after = Records(results / REPORTS), Records(results / PROPOSED / REPORTS)
    try:
        found = []
        for student in students:
            old, new = _of(before, student, exercise), _of(after, student, exercise)
            if old is None or new is None:
                continue
            named = any(
                check.diagnosis is not None and name in check.diagnosis.misconceptions
                for check in new.checks
            )
            said, says = map(_said, (old.checks, new.checks))
            found.append(MessageChange(student, said, says, (old.points, new.points), named))
        return found
    finally:
        before.close()
        after.close()


def _of(records: Records, student: str, exercise: str) -> ExerciseReport | None:
    report = records.get(student)
    if report is None:
        return None
    return next((each for each in report.exercises if each.name == exercise), None)


def _said(checks: Sequence[CheckReport]) -> tuple[str, ...]:
    told = (check.diagnosis.finding if check.diagnosis else check.finding for check in checks)
    return tuple(dict.fromkeys(one_line(each, MOST_SHOWN) for each in told if each))
