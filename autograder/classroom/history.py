"""Folder of results: its lock, its versions, and the commands that made it.

Only one run at a time uses the folder. The run locks a file, and the operating system removes the
lock when the process ends. A run writes its results into `proposed/`. It renames this folder to a
name such as `history/0002.applying`, and then replaces the current files. If the run is
interrupted, the next process that opens the results finishes the replacement. So nobody reads a
mixture of old and new results.
"""

import contextlib
import getpass
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from autograder.classroom.grade_difference import Change
from autograder.classroom.records import REPORTS
from autograder.classroom.store import timestamp
from autograder.course.errors import UserError
from autograder.course.files import plain_folder, synced, write_atomically
from autograder.course.text import few, one_line
from autograder.report.html import ANSWERS, FOLDER, INDEX
from autograder.report.model import Grader

if sys.platform != "win32":
    import fcntl

LOCK = ".lock"
LOCK_PAUSE = 0.2
MOST_HOLDER = 2000  # bytes that are read of the other run's message
COMMANDS_FILE = ".runs.json"
MOST_COMMANDS, MOST_BYTES = 20, 200_000
HISTORY, PROPOSED, APPLYING = "history", "proposed", ".applying"
GRADES, CHANGES, CHANGES_TABLE = "grades.csv", "changes.jsonl", "changes.csv"
VERSION = "version.json"
KEPT = (GRADES, REPORTS)  # files that are kept of replaced results
OF_THE_VERSION = {VERSION, CHANGES, CHANGES_TABLE}
OURS = {*KEPT, *OF_THE_VERSION, INDEX, ANSWERS, FOLDER}


class GradeCommand(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A `grade` command with its options. All paths are absolute."""

    submissions: str
    course: str
    exercises: tuple[str, ...] = ()
    students: tuple[str, ...] = ()
    platform: str = ""
    roster: str = ""
    seed: int | None = None
    confinement: str = ""
    own_code: bool = False
    anonymous: bool = False
    repairs: bool = True

    def arguments(self, results: Path) -> list[str]:
        """Return the words after `autograder` on the command line."""
        words = [f"--exercise={name}" for name in self.exercises]
        words += [f"--student={name}" for name in self.students]
        given = {"from": self.platform, "roster": self.roster, "confinement": self.confinement}
        given |= {"course": self.course, "seed": "" if self.seed is None else str(self.seed)}
        words += [f"--{name}={value}" for name, value in given.items() if value]
        words += ["--own-code"] if self.own_code else []
        words += ["--anonymous"] if self.anonymous else []
        words += [] if self.repairs else ["--no-repairs"]
        return ["grade", f"--out={results}", *words, "--", self.submissions]


def remember_command(results: Path, command: GradeCommand) -> None:
    """Store a command. A command for the whole class replaces all earlier commands."""
    commands = [command]
    if command.exercises or command.students:
        commands += [each for each in grade_commands(results) if each != command]
    data = msgspec.json.encode(commands[:MOST_COMMANDS]) + b"\n"
    write_atomically(results / COMMANDS_FILE, data)


def grade_commands(results: Path) -> Sequence[GradeCommand]:
    """Return the stored commands, newest first. Without a valid file, return an empty list."""
    try:
        with (results / COMMANDS_FILE).open("rb") as file:
            return msgspec.json.decode(file.read(MOST_BYTES), type=list[GradeCommand])
    except (OSError, msgspec.MsgspecError):
        return []


class ResultsVersion(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    at: str  # in UTC
    by: str
    grader: Grader | None = None
    exercises: tuple[str, ...] = ()
    students: int = 0
    changed: int = 0  # counts students with a changed grade
    why: dict[str, int] = {}  # dict from reasons to numbers of students


def proposal(results: Path) -> Path:
    folder = results / PROPOSED
    plain_folder(folder)
    others = [name for name in os.listdir(folder) if name.removesuffix(".part") not in OURS]
    if others:
        raise UserError(
            f"{folder} holds entries that grade did not write: {few(sorted(others), 5)}. Move them "
            f"elsewhere: grade replaces this folder in each run."
        )
    shutil.rmtree(folder)
    folder.mkdir()
    return folder


def put_in_force(results: Path, **about: Any) -> ResultsVersion:
    """Make the proposed results the next version, and keep the previous results.

    After an `OSError`, for example on a full disk, the results are unchanged.
    """
    proposed, history = results / PROPOSED, results / HISTORY
    plain_folder(history)
    last = max(_folders(results), default=0)
    if last:
        plain_folder(history / _name(last))
        for name in KEPT:
            _keep(results / name, history / _name(last) / name)
    version = ResultsVersion(number=last + 1, at=timestamp(), by=user(), **about)
    write_atomically(proposed / VERSION, msgspec.json.encode(version) + b"\n", sync=True)
    for name in KEPT:
        synced(proposed / name)
    synced(proposed)
    os.rename(proposed, history / f"{_name(last + 1)}{APPLYING}")
    synced(history)
    try:
        settle(results)
    except KeyboardInterrupt:  # never leave this half done
        settle(results)
        raise
    return version


def _keep(source: Path, target: Path) -> None:
    if source.is_file() and not source.is_symlink():
        target.unlink(missing_ok=True)
        try:
            os.link(source, target)
        except OSError:
            write_atomically(target, source.read_bytes())


def settle(results: Path) -> None:
    """Complete an interrupted replacement of results. The caller must have locked the folder."""
    for folder in _begun(results):
        replace_results(folder, results)
        synced(results)
        os.rename(folder, folder.with_name(folder.name.removesuffix(APPLYING)))


def replace_results(folder: Path, results: Path) -> None:
    """Move tables and pages from a folder into the results. They replace earlier files."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name not in {*OF_THE_VERSION, FOLDER}:
            os.replace(entry.path, results / entry.name)
    if (folder / FOLDER).is_dir():
        plain_folder(results / FOLDER)
        for page in os.scandir(folder / FOLDER):
            os.replace(page.path, results / FOLDER / page.name)
        (folder / FOLDER).rmdir()


def ensure_settled(results: Path) -> None:
    """Complete the replacement that a killed run began. Call this before reading results."""
    if not _begun(results):
        return
    with in_use(results, "applying the results of an interrupted run", wait=10):
        try:
            settle(results)
        except OSError as error:
            raise UserError(
                f"An interrupted run left new results in {results}, and they cannot be applied: "
                f"{error.strerror} ({error.filename}). Close the file where it is open, or make "
                f"room on the disk, then run the same command again."
            ) from None


def _begun(results: Path) -> list[Path]:
    folders = sorted((results / HISTORY).glob(f"[0-9]*{APPLYING}"))
    return [folder for folder in folders if not folder.is_symlink()]


def _name(number: int) -> str:
    return f"{number:04}"


def _folders(results: Path) -> dict[int, Path]:
    folders = [path for path in (results / HISTORY).glob("[0-9]*") if path.is_dir()]
    return dict(sorted((int(path.name), path) for path in folders if path.name.isdecimal()))


def versions(results: Path) -> list[tuple[ResultsVersion, Path]]:
    every_version = []
    for number, path in _folders(results).items():
        try:
            data = (path / VERSION).read_bytes()
            every_version.append((msgspec.json.decode(data, type=ResultsVersion), path))
        except FileNotFoundError:
            every_version.append((ResultsVersion(number=number, at="", by=""), path))
        except (OSError, msgspec.MsgspecError) as error:
            raise UserError(f"{path / VERSION} cannot be read: {error}.") from None
    return every_version


def read_changes(path: Path) -> Iterator[Change]:
    """Yield the changes of a version. Without a file of changes, yield nothing."""
    try:
        with path.open("rb") as file:
            for line in file:
                yield msgspec.json.decode(line, type=Change)
    except FileNotFoundError:
        return
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from None


@contextlib.contextmanager
def in_use(
    results: Path, doing: str, wait: float = 0, waiting: Callable[[str], None] = lambda _: None
) -> Iterator[None]:
    """Lock a results folder while a `with` block runs.

    If another run has the lock, call `waiting` once with a message, and wait at most `wait`
    seconds.
    """
    if sys.platform == "win32":  # on Windows, only the journal has a lock
        yield
        return
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(results / LOCK, flags, 0o666)
    except OSError as error:
        raise UserError(
            f"{results / LOCK} cannot be opened: {error.strerror}. Remove it, or give yourself "
            f"write permission for the folder."
        ) from None
    with os.fdopen(descriptor, "r+b", buffering=0) as lock:
        is_locked = _take(lock.fileno(), results, wait, waiting)
        if is_locked:
            since = datetime.now().astimezone().isoformat(" ", "seconds")
            where = f"process {os.getpid()} on {platform.node() or 'this machine'}"
            holder = ", ".join(filter(None, (user(), where, f"since {since}: {doing}")))
            with contextlib.suppress(OSError):  # the lock works even if the disk is full
                lock.truncate(0)
                lock.write(holder.encode(errors="replace"))
        yield
        if is_locked:
            with contextlib.suppress(OSError):
                lock.truncate(0)


def _take(descriptor: int, results: Path, wait: float, waiting: Callable[[str], None]) -> bool:
    end = time.monotonic() + wait
    message = ""
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            data = os.pread(descriptor, MOST_HOLDER, 0)
            who = one_line(data.decode(errors="replace"), 300) or "it has just started"
        except OSError:
            return False
        if time.monotonic() >= end:
            raise UserError(
                f"{results} is in use by another run ({who}). Wait until it ends, or end it. With "
                f"--wait SECONDS, `grade` waits for it."
            )
        if not message:
            message = f"Waiting: {results} is in use by another run ({who})."
            waiting(message)
        time.sleep(LOCK_PAUSE)


def user() -> str:
    """Return the current user's name. If it is unknown, return ""."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""
