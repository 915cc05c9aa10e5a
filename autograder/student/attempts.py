"""Attempts: what a student has been shown so far, kept beside the file that is checked.

Hints come in steps: the next one with a new attempt that fails the same way, or on request.
"""

import contextlib
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from autograder.course.course_file import HintPolicy
from autograder.course.files import opened_folder, plain_folder, write_atomically
from autograder.report.model import CheckReport, ExerciseReport
from autograder.submission.read import UnreadableFile, read_bytes

FOLDER = ".autograder"  # beside the student's file; others may have made it: no link is followed
MOST = 1024 * 1024
IGNORED = "*\n"

Stored = TypeVar("Stored", bound=msgspec.Struct)


class Seen(msgspec.Struct, frozen=True):
    """A check's way of failing when it was last looked at, and the hints shown then."""

    way: str
    hints: int


class Attempts(msgspec.Struct, frozen=True):
    """The record of what a student was shown of an exercise: its source, and each check."""

    digest: str = ""
    checks: dict[str, Seen] = {}


def next_step(
    before: Attempts, exercise: ExerciseReport, policy: HintPolicy, asked: bool
) -> Attempts:
    """Return what to show of the exercise now.

    A check's first hint comes with its finding. One more comes with a source that has changed and
    fails the same way, or, where the policy is "practice", when it is `asked` for: to the mistake
    that is to be fixed first, and to no other, which nobody has tried to fix yet.
    """
    changed = bool(before.digest) and before.digest != exercise.digest
    more = changed or (asked and policy == "practice")
    first = first_failing(exercise)
    checks = {}
    for check in _failing(exercise) if policy != "exam" else ():
        way, hints = way_of_failing(check), 1
        seen = before.checks.get(check.name)
        if seen is not None and seen.way == way:
            hints = seen.hints + (more and _is_same_mistake(check, first))
        checks[check.name] = Seen(way, min(hints, max(1, len(check.hints))))
    return Attempts(exercise.digest, checks)


def way_of_failing(check: CheckReport) -> str:
    """Return what two attempts have in common that fail the same way."""
    if check.diagnosis is not None and check.diagnosis.misconceptions:
        return "+".join(sorted(check.diagnosis.misconceptions))
    kind = check.diagnosis.kind if check.diagnosis is not None else ""
    return f"{check.outcome} {kind}".strip()


def first_failing(exercise: ExerciseReport) -> CheckReport | None:
    """Return the check to fix first: what is shown comes before what is not begun."""
    failing = _failing(exercise)
    return min(failing, key=lambda check: (check.hidden, bool(check.unwritten)), default=None)


def _failing(exercise: ExerciseReport) -> list[CheckReport]:
    quiet = {"passed", "not run", "not told"}
    return [check for check in exercise.checks if check.outcome not in quiet]


def _is_same_mistake(check: CheckReport, first: CheckReport | None) -> bool:
    if check is first or first is None:
        return True
    is_named = first.diagnosis is not None and bool(first.diagnosis.misconceptions)
    return is_named and way_of_failing(check) == way_of_failing(first)


def hints_shown(attempts: Attempts) -> Mapping[str, int]:
    """Return how many hints to show for each check, by its name."""
    return {name: seen.hints for name, seen in attempts.checks.items()}


def attempts_path(source: Path, exercise: str) -> Path:
    """Return where the attempts at a file are kept."""
    return source.parent / FOLDER / f"{exercise}.json"


def read_attempts(path: Path) -> Attempts:
    """Read what was shown before: nothing, if the file is missing, damaged or a link."""
    return read_record(path, Attempts) or Attempts()


def read_record(path: Path, kind: type[Stored]) -> Stored | None:
    """Read a record; None if its file is missing, damaged or a link."""
    try:
        with opened_folder(path.parent) as folder:
            return msgspec.json.decode(read_bytes(path, MOST, folder), type=kind)
    except (OSError, UnreadableFile, msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def write_record(path: Path, record: msgspec.Struct) -> None:
    """Write a record for its owner's eyes; what cannot be written is not kept."""
    with contextlib.suppress(OSError):
        plain_folder(path.parent, 0o700)
        with opened_folder(path.parent) as folder:
            if not _is_ours(path.parent / ".gitignore"):
                write_atomically(path.parent / ".gitignore", IGNORED, folder)
            text = msgspec.json.format(msgspec.json.encode(record), indent=2)
            write_atomically(path, text, folder)


def _is_ours(path: Path) -> bool:
    """Return whether the file is there as written here, and nothing else is a name of it."""
    with contextlib.suppress(OSError):
        status = path.lstat()
        is_whole = status.st_size == len(IGNORED) and status.st_nlink == 1
        return stat.S_ISREG(status.st_mode) and is_whole
    return False
