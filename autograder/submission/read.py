"""Reading a file that somebody else put there: no links, no pipes, nothing too large."""

import io
import os
import stat
import tokenize
from pathlib import Path

from autograder.text import one_line


class UnreadableFile(Exception):
    """A file of a submission cannot be used; the message says why, in one sentence."""


class NotPython(UnreadableFile):
    """A file of a submission can be read, and is in another language."""


def read_bytes(path: Path, limit: int, folder: int | None = None) -> bytes:
    """The content of a regular file of at most `limit` bytes; a link is not followed.

    `folder` is the descriptor of the open folder that the file is in: then only the path's name
    counts, and nobody can put a link in the place of a folder meanwhile.

    Raises:
        UnreadableFile: it is something else.
    """
    name = one_line(path.name, 100)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    at = path if folder is None else path.name
    try:
        if stat.S_ISLNK(os.lstat(at, dir_fd=folder).st_mode):
            raise UnreadableFile(f"{name} is a link, not a file.")
        descriptor = os.open(at, flags, dir_fd=folder)
    except OSError as error:
        raise UnreadableFile(f"{name} cannot be read: {error.strerror}.") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableFile(f"{name} is not a regular file.")
    with open(descriptor, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise UnreadableFile(f"{name} is larger than {limit // 1024} KiB.")
    return data


def read_text(path: Path, limit: int) -> str:
    """The text of a Python file, in the encoding that it declares (UTF-8 by default).

    Raises:
        UnreadableFile: it cannot be read, or is not text.
    """
    return decoded(read_bytes(path, limit), one_line(path.name, 100))


def decoded(data: bytes, name: str) -> str:
    """The content of a Python file as text.

    Raises:
        UnreadableFile: it is not text.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        raise UnreadableFile(f"{name} is not UTF-8 text. Save it as UTF-8.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
