"""Records kept beside the file that is checked, in a folder of the student's own.

Others may have made what lies beside that file: no link is followed there.
"""

import contextlib
import stat
from pathlib import Path
from typing import TypeVar

import msgspec

from autograder.files import opened_folder, plain_folder, write_whole
from autograder.submission.read import UnreadableFile, read_bytes

FOLDER = ".autograder"
MOST = 1024 * 1024
IGNORED = "*\n"

Stored = TypeVar("Stored", bound=msgspec.Struct)


def read_kept(path: Path, kind: type[Stored]) -> Stored | None:
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
            if not _is_ours(path.parent / ".gitignore"):
                write_whole(path.parent / ".gitignore", IGNORED, folder)  # it is nobody else's
            write_whole(path, msgspec.json.format(msgspec.json.encode(record), indent=2), folder)


def _is_ours(path: Path) -> bool:
    """Whether it is there already, as a file that nothing else is a name of."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        whole = found.st_size == len(IGNORED) and found.st_nlink == 1
        return stat.S_ISREG(found.st_mode) and whole
    return False
