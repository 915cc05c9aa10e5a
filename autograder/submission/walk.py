"""Files of one student's folder, at any depth and in zips."""

import heapq
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec

from autograder.course.text import one_line
from autograder.submission.archive import InvalidZip, unpack_student
from autograder.submission.file_names import counts

MAX_DEPTH = 10
MAX_FILES = 5000
MAX_NOTES = 5
MAX_ZIPS = 3
PACKED = {".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zip"}


class FolderFile(msgspec.Struct, frozen=True):
    """File, with its path within the student's folder to show."""

    path: Path
    shown: str

    @property
    def suffix(self) -> str:
        return self.path.suffix.casefold()


class _Place(msgspec.Struct, frozen=True):
    """Folder to look into; `above` begins its files' shown names."""

    folder: Path
    above: str
    unpacked: bool


class FolderWalk:
    """Files below a folder, or in a zip instead of it; `notes` say what was not looked at.

    Zips are unpacked for as long as this context manager is open.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self._left, self._zips_left = MAX_FILES, MAX_ZIPS
        self._open = ExitStack()

    def __enter__(self) -> "FolderWalk":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def files(self) -> Iterator[FolderFile]:
        """Yield the files, those nearest to the top first: nothing below hides what is above it.

        Raises:
            OSError: the folder cannot be read.
        """
        level = [_Place(self.folder, "", False)]
        if self.folder.is_file():
            level = self._unpacked(self.folder, "")
        for depth in range(MAX_DEPTH + 1):
            below: list[_Place] = []
            for place in level:
                yield from self._in(place, below, depth)
            level = below
        if not self._left:
            self.notes.append(f"Only the first {MAX_FILES:,} entries were looked at.")

    def _in(self, place: "_Place", below: "list[_Place]", depth: int) -> Iterator[FolderFile]:
        """Yield the files of one folder; put the folders in it into `below`."""
        found = heapq.nsmallest(self._left + 1, os.scandir(place.folder), key=lambda e: e.name)
        entries = found[: self._left]
        self._left = 0 if len(found) > len(entries) else self._left - len(entries)
        for entry in entries:
            if not counts(entry.name):
                continue
            path, shown = Path(entry.path), place.above + one_line(entry.name, 100)
            mode, is_zip = (
                entry.stat(follow_symlinks=False).st_mode,
                path.suffix.casefold() == ".zip",
            )
            if stat.S_ISDIR(mode):
                if depth < MAX_DEPTH:
                    below.append(_Place(path, f"{shown}/", place.unpacked))
                else:
                    self._note(f"{shown} was not looked into: it lies too deep. Hand in one folder")
            elif stat.S_ISREG(mode) and is_zip and self._zips_left > 0 and not place.unpacked:
                self._zips_left -= 1
                below += self._unpacked(path, f"{shown}: ")
            elif stat.S_ISREG(mode) and path.suffix.casefold() in PACKED:
                self._note(f"{shown} was not unpacked. Hand in the files themselves, or one zip")
            elif stat.S_ISREG(mode) or stat.S_ISLNK(mode):  # a link, so that it can be named
                yield FolderFile(path, shown)

    def _unpacked(self, archive: Path, above: str) -> "list[_Place]":
        """Unpack a zip; return the folder, or none if it cannot be unpacked."""
        scratch = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="autograder-")))
        try:
            self.notes += [f"{above}{note}" for note in unpack_student(archive, scratch)]
        except InvalidZip as error:
            self._note(f"{one_line(archive.name, 100)} {one_line(error.reason, 200)}")
            return []
        if above:
            self._note(f"{above.removesuffix(': ')} was unpacked")
        return [_Place(scratch, above, True)]

    def _note(self, text: str) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(f"{text}.")
