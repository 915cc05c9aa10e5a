"""What a student has been shown so far, kept beside the file that is checked."""

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

# Hints in steps: the next one comes with a new attempt that fails the same way, or on request.


class Seen(msgspec.Struct, frozen=True):
    """How a check failed when it was last looked at, and how many hints were shown then."""

    way: str
    hints: int


class Attempts(msgspec.Struct, frozen=True):
    """What a student has been shown of an exercise: for which source, and for each check."""

    digest: str = ""
    checks: dict[str, Seen] = {}


def way_of_failing(check: CheckReport) -> str:
    """What two attempts have in common that fail the same way."""
    if check.diagnosis is not None and check.diagnosis.misconceptions:
        return "+".join(sorted(check.diagnosis.misconceptions))
    kind = check.diagnosis.kind if check.diagnosis is not None else ""
    return f"{check.outcome} {kind}".strip()


def next_step(
    before: Attempts, exercise: ExerciseReport, policy: HintPolicy, asked: bool
) -> Attempts:
    """What to show of the exercise now.

    A check's first hint comes with its finding. One more comes with a source that has changed and
    fails the same way, or, where the policy is "practice", when it is `asked` for: to the mistake
    that is to be mended first, and to no other, at which nobody has tried a hand yet.
    """
    changed = bool(before.digest) and before.digest != exercise.digest
    first = first_failing(exercise)
    checks = {}
    for check in _failing(exercise) if policy != "exam" else ():
        way, level = way_of_failing(check), 1
        seen = before.checks.get(check.name)
        if seen is not None and seen.way == way:
            more = changed or (asked and policy == "practice")
            level = seen.hints + (more and _is_same(check, first))
        checks[check.name] = Seen(way, min(level, max(1, len(check.hints))))
    return Attempts(exercise.digest, checks)


def first_failing(exercise: ExerciseReport) -> CheckReport | None:
    """The check that is to be mended first: what is shown comes before what is not begun."""
    found = _failing(exercise)
    return min(found, key=lambda check: (check.hidden, bool(check.unwritten)), default=None)


def _failing(exercise: ExerciseReport) -> list[CheckReport]:
    quiet = {"passed", "not run", "not told"}
    return [check for check in exercise.checks if check.outcome not in quiet]


def _is_same(check: CheckReport, first: CheckReport | None) -> bool:
    """Whether a check is the first that fails, or fails by the same mistake."""
    if check is first or first is None:
        return True
    named = first.diagnosis is not None and bool(first.diagnosis.misconceptions)
    return named and way_of_failing(check) == way_of_failing(first)


def hints_shown(attempts: Attempts) -> Mapping[str, int]:
    """How many hints to show for each check, by its name."""
    return {name: seen.hints for name, seen in attempts.checks.items()}


# Records kept beside the file that is checked, in a folder of the student's own.
#
# Others may have made what lies beside that file: no link is followed there.


FOLDER = ".autograder"
MOST = 1024 * 1024
IGNORED = "*\n"

Stored = TypeVar("Stored", bound=msgspec.Struct)


def read_record(path: Path, kind: type[Stored]) -> Stored | None:
    """What was kept there; a file that is missing, damaged or a link stands for nothing."""
    try:
        with opened_folder(path.parent) as folder:
            return msgspec.json.decode(read_bytes(path, MOST, folder), type=kind)
    except (OSError, UnreadableFile, msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def write_record(path: Path, record: msgspec.Struct) -> None:
    """Keep it for the next time, for its owner's eyes; what cannot be written is not kept."""
    with contextlib.suppress(OSError):
        plain_folder(path.parent, 0o700)
        with opened_folder(path.parent) as folder:
            if not _is_ours(path.parent / ".gitignore"):
                write_atomically(path.parent / ".gitignore", IGNORED, folder)  # it is nobody else's
            write_atomically(
                path, msgspec.json.format(msgspec.json.encode(record), indent=2), folder
            )


def _is_ours(path: Path) -> bool:
    """Whether it is there already, as a file that nothing else is a name of."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        whole = found.st_size == len(IGNORED) and found.st_nlink == 1
        return stat.S_ISREG(found.st_mode) and whole
    return False


def attempts_path(source: Path, exercise: str) -> Path:
    """Where it is kept."""
    return source.parent / FOLDER / f"{exercise}.json"


def read_attempts(path: Path) -> Attempts:
    """What was shown before; a file that is missing, damaged or a link stands for nothing."""
    return read_record(path, Attempts) or Attempts()


def write_attempts(path: Path, attempts: Attempts) -> None:
    """Keep it for the next time; where that cannot be written, hints start anew."""
    write_record(path, attempts)
