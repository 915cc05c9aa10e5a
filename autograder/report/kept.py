"""Records kept beside the file that is checked, in a folder of the student's own.

Others may have made what lies beside that file: no link is followed there.
"""

import contextlib
from pathlib import Path
from typing import TypeVar

import msgspec

from autograder.files import opened_folder, plain_folder, write_whole
from autograder.submission.read import UnreadableFile, read_bytes

FOLDER = ".autograder"
MOST = 1024 * 1024

Kept = TypeVar("Kept", bound=msgspec.Struct)


def read_kept(path: Path, kind: type[Kept]) -> Kept | None:
    """What was kept there; a file that is missing, damaged or a link stands for nothing."""
    try:
        with opened_folder(path.parent) as folder:
            return msgspec.json.decode(read_bytes(path, MOST, folder), type=kind)
    except (OSError, UnreadableFile, msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None


def write_kept(path: Path, record: msgspec.Struct) -> None:
    """Keep it for the next time, for its owner's eyes; what cannot be written is not kept."""
    with contextlib.suppress(OSError):
        plain_folder(path.parent, 0o700)
        with opened_folder(path.parent) as folder:
            write_whole(path.parent / ".gitignore", "*\n", folder)  # it is nobody else's
            write_whole(path, msgspec.json.format(msgspec.json.encode(record), indent=2), folder)
