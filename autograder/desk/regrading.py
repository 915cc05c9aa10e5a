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
from autograder.classroom.remembered import GradeCommand
from autograder.errors import UserError

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
            self._thread = threading.Thread(
                target=self._follow, args=([first, "--json", *how, *rest],), daemon=True
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
