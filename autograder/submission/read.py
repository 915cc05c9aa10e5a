"""Safe reading of submitted files. Links, pipes and too large files are refused.

The grader opens submitted files and folders only with this module. If a file cannot be read, the
module raises `UnreadableFile`.
"""

import codecs
import contextlib
import errno
import io
import os
import re
import stat
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from autograder.course.files import open_new
from autograder.course.text import one_line

Kind = Literal["folder", "file", "link", "other"]
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}  # errors of the machine

# Python's codec names. Other codecs are not tried: some may not end, or do not decode text.
_IS_TEXT = re.compile(
    r"ascii|utf-8(-sig)?|iso8859-\d+|cp(437|850|852|858|866|874|932|949|950|125\d)|koi8-[rtu]|"
    r"mac-(roman|cyrillic|greek|latin2|turkish)|gb2312|gbk|gb18030|big5(hkscs)?|"
    r"shift_jis(x0213|_2004)?|euc_(jp|jis_2004|jisx0213|kr)|tis-620"
)
_HALF = re.compile("[\ud800-\udfff]")
EMPTY = "{} is empty."


class UnreadableFile(Exception):
    """A submitted file is unusable."""


class NotPython(UnreadableFile):
    """A submitted file is not in Python."""


class FoundEntry(msgspec.Struct, frozen=True, order=True):
    name: str
    kind: Kind


def kind_of(path: Path) -> Kind | None:
    """Return the kind of a path, such as a link. For an unreachable path, return None."""
    try:
        return _kind(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return None


def size_of(path: Path) -> int:
    """Return a file's size in bytes. If it is unknown, return 0."""
    try:
        return os.lstat(path).st_size
    except (OSError, ValueError):
        return 0


def entries_of(folder: Path, most: int, shown: str = "The folder") -> list[FoundEntry]:
    """Return the first `most` entries of a folder, sorted by name, without following links.

    If the folder cannot be read, the message of `UnreadableFile` calls it `shown`.
    """
    try:
        names = sorted(os.listdir(folder))[:most]
    except (OSError, ValueError) as error:
        raise _unreadable(shown, error) from None
    return [FoundEntry(name, kind_of(folder / name) or "other") for name in names]


def put(source: Path, place: Path, limit: int) -> None:
    """Link or copy a file to `place`. It replaces any older file. Links stay links.

    An OSError means that the machine cannot write. All other problems are `UnreadableFile`.
    """
    with _making(place):
        place.unlink(missing_ok=True)
        if kind_of(source) == "link":
            place.symlink_to(os.readlink(source))
            return
        try:
            os.link(source, place, follow_symlinks=False)
        except OSError:  # the file is on another disk, or belongs to another user
            data = read_bytes(source, limit)
            with open_new(place) as file:
                file.write(data)


def put_name(place: Path) -> None:
    """Make an empty file. The exceptions are those of `put`."""
    with _making(place):
        open_new(place).close()


def put_folder(place: Path) -> None:
    """Make a folder if it does not exist. The exceptions are those of `put`."""
    with _making(place):
        place.mkdir(exist_ok=True)


@contextlib.contextmanager
def _making(place: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        raise _unreadable(one_line(place.name, 100), error) from None


def _kind(mode: int) -> Kind:
    if stat.S_ISLNK(mode):
        return "link"
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def _unreadable(name: str, error: Exception) -> UnreadableFile:
    reason = getattr(error, "strerror", None) or one_line(str(error), 100)
    return UnreadableFile(f"{name} cannot be read: {reason}.")


def read_bytes(path: Path, limit: int, folder: int | None = None, *, whole: bool = True) -> bytes:
    """Return the content of a regular file of at most `limit` bytes, without following links.

    If `whole` is false, return the first `limit` bytes of a larger file. If `folder` is given, it
    is the descriptor of the file's folder. Then only the path's name is used, so nobody can replace
    a folder by a link in the meantime.
    """
    name = one_line(path.name, 100)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    flags |= getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    at = path if folder is None else path.name
    try:
        kind = _kind(os.lstat(at, dir_fd=folder).st_mode)
        if kind == "link":
            raise UnreadableFile(f"{name} is a link, not a file.")
        if kind == "file":  # opening another kind may block or have an effect
            with open(os.open(at, flags, dir_fd=folder), "rb") as file:
                kind = _kind(os.fstat(file.fileno()).st_mode)
                data = file.read(limit + 1) if kind == "file" else b""
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from None
    if kind != "file":
        raise UnreadableFile(f"{name} is not a regular file.")
    if whole and len(data) > limit:
        raise UnreadableFile(f"{name} is larger than {limit // 1024} KiB.")
    return data[:limit]


def read_text(path: Path, limit: int) -> str:
    """Return the text of a Python file in the declared encoding. By default, this is UTF-8."""
    return decoded(read_bytes(path, limit), one_line(path.name, 100))


def decoded(data: bytes, name: str) -> str:
    """Return the content of a Python file as text, or raise `UnreadableFile` if it is not text."""
    plain = as_utf8(data, name)
    try:
        encoding = "utf-8"
        if plain is data:
            declared, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            encoding = codecs.lookup(declared).name
            if not _IS_TEXT.fullmatch(encoding):
                shown = one_line(declared, 40)
                raise UnreadableFile(f"{name} declares the encoding {shown}. Save it as UTF-8.")
        text = plain.decode(encoding)
    except (SyntaxError, ValueError, LookupError):
        raise UnreadableFile(f"{name} is not UTF-8 text. Save it as UTF-8.") from None
    return without_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")


def as_utf8(data: bytes, name: str) -> bytes:
    """Return data in UTF-8 without a byte order mark. Data marked as UTF-16 are converted."""
    if data.startswith(codecs.BOM_UTF8):
        return data[len(codecs.BOM_UTF8) :]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16").encode()
        except ValueError:
            raise UnreadableFile(f"{name} is not UTF-16 text. Save it as UTF-8.") from None
    return data


def without_surrogates(text: str) -> str:
    """Return the text in a form that can be stored: lone surrogates are replaced."""
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", text)
