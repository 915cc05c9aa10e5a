"""What a student has been shown so far, kept beside the file that is checked.

Others may have made what lies beside that file: no link is followed there.
"""

import contextlib
from pathlib import Path

import msgspec

from autograder.files import opened_folder, plain_folder, write_whole
from autograder.report.hints import Attempts
from autograder.submission.read import UnreadableFile, read_bytes

FOLDER = ".autograder"
MOST = 1024 * 1024


def attempts_file(source: Path, exercise: str) -> Path:
    """Where it is kept."""
    return source.parent / FOLDER / f"{exercise}.json"


def read_attempts(path: Path) -> Attempts:
    """What was shown before; a file that is missing, damaged or a link stands for nothing."""
    try:
        with opened_folder(path.parent) as folder:
            return msgspec.json.decode(read_bytes(path, MOST, folder), type=Attempts)
    except (OSError, UnreadableFile, msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return Attempts()


def write_attempts(path: Path, attempts: Attempts) -> None:
    """Keep it for the next time; where that cannot be written, hints start anew."""
    with contextlib.suppress(OSError):
        plain_folder(path.parent)
        with opened_folder(path.parent) as folder:
            write_whole(path.parent / ".gitignore", "*\n", folder)  # it is nobody else's
            write_whole(path, msgspec.json.encode(attempts), folder)
