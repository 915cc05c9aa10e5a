"""Unpacker for zips of submissions.

Only source files are unpacked, within limits. An invalid entry affects no other entry. Some limits
are for each student, so one student's files leave room for others. `MAX_TOTAL` and `MAX_LISTED`
limit the whole zip.
"""

import io
import stat
import struct
import zipfile
from collections import Counter
from collections.abc import Collection
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

import msgspec

from autograder.course.errors import UserError
from autograder.course.text import one_line, several
from autograder.submission.file_names import counts
from autograder.submission.read import FULL
from autograder.submission.source import ALSO_READ, IN_WORDS, MAX_NOTEBOOK, SUFFIXES

MAX_TOTAL = 1024 * 1024 * 1024
MAX_STUDENT = 128 * 1024 * 1024
MAX_STUDENT_ENTRIES = 5000
MAX_LISTED = 200_000  # entries of a whole class; each takes memory as soon as the zip is opened
MAX_LISTED_STUDENT = 50_000
LISTED = 300  # average bytes of an entry in the zip's directory
MAX_LEVELS = 20
MAX_NOTES = 5  # for each student
UNPACKED = (*SUFFIXES, *ALSO_READ, *IN_WORDS, ".zip")
METADATA = {"submission_metadata.yml"}  # a platform's data about the submissions
CHUNK = 1024 * 1024
ENTRY, IS_UTF_8 = b"PK\1\2", 0x800  # parts of entries in the directory at the end of a zip
READ = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # with other methods, a chunk can become huge

PathParts = tuple[str, ...]


class InvalidZip(UserError):
    """A zip cannot be unpacked. `reason` is the message without the zip's name."""

    def __init__(self, archive: Path, reason: str) -> None:
        super().__init__(f"{archive} {reason}.")
        self.reason = reason


def unpack(
    archive: Path, target: Path, room: int = MAX_TOTAL, listed: int = MAX_LISTED
) -> tuple[list[str], dict[PathParts, str]]:
    """Unpack the gradable files of `archive`, up to `room` bytes and `listed` entries.

    Return notes on entries that were left out, and a dict. The dict maps the path of every file in
    the zip to the reason why it was not unpacked, or to "". If the file is not a zip, has too many
    entries, or fills the disk, raise `InvalidZip`.
    """
    try:
        with _Archive(archive, listed) as data, zipfile.ZipFile(data) as file:
            return _Unpacking(file, target, room).run()
    except (zipfile.BadZipFile, EOFError, NotImplementedError, ValueError, struct.error) as error:
        raise InvalidZip(archive, f"is not a readable zip file: {error}") from None
    except OSError as error:
        raise InvalidZip(archive, f"cannot be unpacked: {error.strerror}") from None


class _Archive(io.BufferedReader):
    """Zip file with a directory of at most `listed` entries.

    zipfile reads the whole directory, however long it is. If one name is marked as UTF-8 but
    invalid, zipfile refuses the whole archive.
    """

    def __init__(self, path: Path, listed: int) -> None:
        super().__init__(io.FileIO(path))
        self._path, self._listed = path, listed

    def read(self, size: int | None = -1) -> bytes:
        if size is not None and size > max(CHUNK, self._listed * LISTED):
            raise self._too_long()
        data = super().read(size)
        if not data.startswith(ENTRY):
            return data
        readable, count = _readable(data)
        if count > self._listed:
            raise self._too_long()
        return readable

    def _too_long(self) -> InvalidZip:
        return InvalidZip(
            self._path,
            f"has too many entries: at most {self._listed:,} are read. Make a new zip with only "
            f"the files of the exercises",
        )


def _readable(directory: bytes) -> tuple[bytes, int]:
    data, at, count = bytearray(directory), 0, 0
    while data.startswith(ENTRY, at) and len(data) >= at + 46:
        flags, name, *others = struct.unpack_from("<H18xHHH", data, at + 8)
        try:
            data[at + 46 : at + 46 + name].decode("utf-8")
        except UnicodeDecodeError:
            struct.pack_into("<H", data, at + 8, flags & ~IS_UTF_8)
        at += 46 + name + sum(others)
        count += 1
    return bytes(data), count


class _LeftOut(Exception):
    """Exception: an entry is not unpacked. The message is the reason."""


class _Entry(msgspec.Struct, frozen=True):
    """Entry of the zip, with a path relative to the target."""

    number: int
    info: zipfile.ZipInfo
    parts: PathParts

    @property
    def is_source(self) -> bool:
        suffix = PurePosixPath(self.parts[-1]).suffix.casefold()
        return not self.info.is_dir() and (suffix in UNPACKED or self.is_metadata)

    @property
    def is_metadata(self) -> bool:
        return self.parts[-1] in METADATA

    @property
    def folder(self) -> PathParts:
        return self.parts if self.info.is_dir() else self.parts[:-1]


class _Unpacking:
    def __init__(self, file: zipfile.ZipFile, target: Path, room: int) -> None:
        self.file = file
        self.target = target
        self.room = self.left = room
        self.folders: set[PathParts] = {()}
        self.notes: list[tuple[int, str]] = []
        self.noted: Counter[PathParts] = Counter()
        self.left_out: dict[PathParts, str] = {}

    def run(self) -> tuple[list[str], dict[PathParts, str]]:
        self.target.mkdir(parents=True, exist_ok=True)
        entries = []
        for number, info in enumerate(self.file.infolist()):
            try:
                entries.append(_Entry(number, info, _parts(info)))
            except _LeftOut as reason:
                self._note(number, info, (), reason)
        depth = _depth(entries)
        students: dict[PathParts, list[_Entry]] = {}
        sizes: Counter[PathParts] = Counter()
        for entry in entries:
            student = entry.parts[: depth + 1]
            students.setdefault(student, []).append(entry)
            sizes[student] += entry.info.file_size if entry.is_source else 0
        # the smallest first: only the largest folders go without if space runs out
        for student in sorted(students, key=lambda student: (sizes[student], student)):
            self.left = min(self.room, MAX_STUDENT)
            for count, entry in enumerate(students[student]):
                try:
                    self._unpack(entry, len(student), count)
                except _LeftOut as reason:
                    self._note(entry.number, entry.info, student, reason)
                    if entry.is_source:
                        self.left_out[entry.parts] = str(reason)
        notes = [text for _, text in sorted(self.notes)]
        for student, count in sorted(self.noted.items()):
            if count > MAX_NOTES:
                where = one_line("/".join(student), 120) or "the archive"
                notes.append(f"{where}: {several(count - MAX_NOTES, 'more entry')} left out.")
        files = (entry.parts for entry in entries if not entry.info.is_dir())
        return notes, {parts: self.left_out.get(parts, "") for parts in files}

    def _unpack(self, entry: _Entry, depth: int, count: int) -> None:
        if count >= MAX_STUDENT_ENTRIES:
            raise _LeftOut(f"its folder has over {MAX_STUDENT_ENTRIES:,} entries")
        if stat.S_IFMT(entry.info.external_attr >> 16) not in {0, stat.S_IFREG, stat.S_IFDIR}:
            raise _LeftOut("it is a link or a device")
        size = entry.info.file_size if entry.is_source else 0
        if size > MAX_NOTEBOOK:
            raise _LeftOut(f"it is larger than {MAX_NOTEBOOK // 2**20} MiB")
        if size > self.left:
            raise _LeftOut("its folder is too large in all")
        self.left -= size  # of the student
        self.room -= size
        place = self.target.joinpath(*entry.parts)
        try:
            self._make_folder(entry.folder if entry.is_source else entry.folder[:depth])
            if entry.is_source:
                with place.open("xb") as copy:
                    wrong = _copy(self.file, entry.info, copy)
                if wrong:
                    place.unlink()
                    raise _LeftOut(wrong)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise _LeftOut("another entry has the same name") from None
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno in FULL:
                raise
            why = getattr(error, "strerror", None) or one_line(str(error), 100)
            raise _LeftOut(f"it cannot be written ({why})") from None

    def _make_folder(self, parts: PathParts) -> None:
        for end in range(1, len(parts) + 1):
            if parts[:end] not in self.folders:
                self.target.joinpath(*parts[:end]).mkdir()
                self.folders.add(parts[:end])

    def _note(
        self, number: int, info: zipfile.ZipInfo, student: PathParts, reason: Exception
    ) -> None:
        self.noted[student] += 1
        if self.noted[student] <= MAX_NOTES:
            self.notes.append((number, f"{one_line(info.filename, 120)} was left out: {reason}."))


def _parts(info: zipfile.ZipInfo) -> PathParts:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    drive = PureWindowsPath(info.filename).drive
    if not path.parts or path.is_absolute() or ".." in path.parts or drive:
        raise _LeftOut("its path leads outside the archive")
    if len(path.parts) > MAX_LEVELS:
        raise _LeftOut(f"it is more than {MAX_LEVELS} folders deep")
    return path.parts


def _depth(entries: Collection[_Entry]) -> int:
    """Return the number of folders around the students' folders, as `find_folders` finds them."""
    inside = list(entries)
    for depth in range(MAX_LEVELS):
        heads = {e.parts[depth] for e in inside if len(e.folder) > depth}
        heads = set(filter(counts, heads))
        if len(heads) != 1:
            return depth
        inside = [e for e in inside if e.parts[depth] in heads and len(e.parts) > depth + 1]
        files = (e for e in inside if e.is_source and not e.is_metadata)
        if not inside or any(len(e.parts) == depth + 2 for e in files):
            return depth
    return 0


def _copy(file: zipfile.ZipFile, info: zipfile.ZipInfo, copy: IO[bytes]) -> str:
    if info.flag_bits & 1:
        return "it is encrypted"
    if info.compress_type not in READ:
        return "its compression is not supported. Make the zip again with the default settings"
    try:
        with file.open(info) as source:
            while chunk := source.read(CHUNK):
                copy.write(chunk)
    except Exception as error:  # zipfile passes on any error of its decompressors
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        return f"it is damaged ({one_line(str(error), 100)})"
    return ""
