"""Runs of `autograder grade` in a separate process, to show and apply changes."""

import contextlib
import signal
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from autograder.classroom.grade_difference import Change
from autograder.classroom.history import GradeCommand
from autograder.course.errors import UserError

RunState = Literal["running", "shown", "applied", "failed"]
DONE = {0, 1, 3}  # exit codes: all graded; a person must look; nothing was applied
MAX_SAID = 4000
OTHERWISE = (
    "Nothing was applied, because grading would now make other changes than those shown. Show the "
    "changes again."
)


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
        self.pages = 0  # pages that change without a change of a grade
        self.said: list[str] = []
        self.version: int | None = None
        self.difference = ""
        self._applying = bool(shown)
        self._process: subprocess.Popen[str] | None = None

    def follow(self) -> None:
        try:
            for line in self.lines():
                with contextlib.suppress(msgspec.MsgspecError, KeyError):
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
        event = msgspec.json.decode(line, type=dict[str, Any])  # of `grade --json`
        match event["event"]:
            case "progress":
                self.done, self.of = event["done"], event["of"]
            case "change":
                self.changes.append(msgspec.json.decode(line, type=Change))
            case "note" | "error" | "waiting":
                self.said.append(event["said"][:MAX_SAID])
            case "end":
                self.pages, self.version = event["pages"], event["version"]
                self.difference = event["difference"]
                if self._applying and not event["in_force"]:
                    self.said.append(OTHERWISE)
                self.state = "applied" if event["in_force"] else "shown"

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

    def apply(self, difference: str) -> None:
        """Start a run that applies exactly the changes that were shown last."""
        run = self.run
        if run is None or run.state != "shown" or difference != run.difference:
            raise UserError("These changes are no longer the latest. Show the changes again.")
        self.begin(run.command, difference)

    def begin(self, command: GradeCommand, shown: str = "") -> None:
        """Start a run. Without `shown`, the run computes the changes, and does not apply them."""
        with self._lock:
            if self.run is not None and self.run.state == "running":
                raise UserError("Grading is still running. Wait until it ends, or stop it.")
            self.run = GradeRun(command, self._results, shown)
        threading.Thread(target=self.run.follow, name="regrade", daemon=True).start()
