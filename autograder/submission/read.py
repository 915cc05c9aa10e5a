"""Files that somebody else put there: no links, no pipes, nothing too large."""

import codecs
import io
import os
import re
import stat
import tokenize
from pathlib import Path

from autograder.course.text import one_line

# By the names that Python has for them. No other is tried: some never end, or are no text at all.
_IS_TEXT = re.compile(
    r"ascii|utf-8(-sig)?|iso8859-\d+|cp(437|850|852|858|866|874|932|949|950|125\d)|koi8-[rtu]|"
    r"mac-(roman|cyrillic|greek|latin2|turkish)|gb2312|gbk|gb18030|big5(hkscs)?|"
    r"shift_jis(x0213|_2004)?|euc_(jp|jis_2004|jisx0213|kr)|tis-620"
)
_HALF = re.compile("[\ud800-\udfff]")


class UnreadableFile(Exception):
    """File of a submission that cannot be used; the message says why, in one sentence."""


class NotPython(UnreadableFile):
    """File of a submission in another language."""


def read_bytes(path: Path, limit: int, folder: int | None = None) -> bytes:
    """Return the content of a regular file of at most `limit` bytes; a link is not followed.

    `folder` is the descriptor of the open folder that the file is in: then only the path's name
    counts, and nobody can replace a folder by a link meanwhile.

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
    """Return the text of a Python file, in the encoding that it declares (UTF-8 by default).

    Raises:
        UnreadableFile: it cannot be read, or is not text.
    """
    return decoded(read_bytes(path, limit), one_line(path.name, 100))


def decoded(data: bytes, name: str) -> str:
    """Return the content of a Python file as text.

    Raises:
        UnreadableFile: it is not text, or in an encoding that is not one of plain text.
    """
    plain = as_utf8(data, name)
    try:
        encoding = "utf-8"
        if plain is data:
            declared, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
            encoding = codecs.lookup(declared).name
            if not _IS_TEXT.fullmatch(encoding):
                said = one_line(declared, 40)
                raise UnreadableFile(f"{name} says that its encoding is {said}. Save it as UTF-8.")
        text = plain.decode(encoding)
    except (SyntaxError, ValueError, LookupError):
        raise UnreadableFile(f"{name} is not UTF-8 text. Save it as UTF-8.") from None
    return without_surrogates(text).replace("\r\n", "\n").replace("\r", "\n")


def as_utf8(data: bytes, name: str) -> bytes:
    """Return the data without a byte order mark, and in UTF-8 where the mark says UTF-16.

    Raises:
        UnreadableFile: it is not what its mark says.
    """
    if data.startswith(codecs.BOM_UTF8):
        return data[len(codecs.BOM_UTF8) :]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16").encode()
        except ValueError:
            raise UnreadableFile(f"{name} is not UTF-16 text. Save it as UTF-8.") from None
    return data


def without_surrogates(text: str) -> str:
    """Return text that can be stored: halves of a character are replaced."""
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", text)
