"""Files of a student's folder, at any depth and inside zips."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from autograder.course.text import one_line
from autograder.submission.archive import MAX_LISTED_STUDENT, MAX_STUDENT, InvalidZip, unpack
from autograder.submission.file_names import counts
from autograder.submission.read import UnreadableFile, entries_of, kind_of

MAX_DEPTH = 10
MAX_FILES = 5000
MAX_NOTES = 5
MAX_ZIPS = 3
PACKED = {".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zip"}


class FolderFile(msgspec.Struct, frozen=True):
    path: Path
    shown: str
    trouble: str = ""

    @property
    def suffix(self) -> str:
        return self.path.suffix.casefold()


class _Place(msgspec.Struct, frozen=True):
    folder: Path
    above: str  # beginning of the shown paths of files
    unpacked: bool


class FolderWalk(ExitStack):
    """Files below a folder or in a zip. `notes` name unread entries.

    Zips stay unpacked while this context manager is open. `lost` maps missing files to reasons.
    `unread` has messages on unreadable folders and zips.
    """

    def __init__(self, folder: Path, lost: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.folder = folder
        self.notes: list[str] = []
        self.unread: list[str] = []
        self._lost: list[FolderFile] = []
        self._lose(folder, "", lost or {})
        self._left, self._zips_left = MAX_FILES, MAX_ZIPS

    def files(self) -> Iterator[FolderFile]:
        """Yield files, nearest to the top first, because deep folders might use up the limit."""
        level = [_Place(self.folder, "", False)]
        if kind_of(self.folder) is None and self._lost:  # nothing in the folder could be unpacked
            level = []
        elif kind_of(self.folder) == "file":
            level = self._unpacked(self.folder, "")
        for depth in range(MAX_DEPTH + 1):
            below: list[_Place] = []
            for place in level:
                yield from self._in(place, below, depth)
            level = below
        yield from self._lost
        if not self._left:
            self.notes.append(
                f"The folder has too many entries. Only the first {MAX_FILES:,} were read."
            )

    def _in(self, place: "_Place", below: "list[_Place]", depth: int) -> Iterator[FolderFile]:
        """Yield the files of one folder, and append subfolders to the list `below`."""
        try:
            listed = entries_of(
                place.folder, self._left + 1, place.above.removesuffix(": ") or "The folder"
            )
        except UnreadableFile as error:
            self.unread.append(str(error))
            return
        entries = listed[: self._left]
        self._left = 0 if len(listed) > len(entries) else self._left - len(entries)
        for entry in entries:
            if not counts(entry.name):
                continue
            path, shown = place.folder / entry.name, place.above + one_line(entry.name, 100)
            suffix, is_file = path.suffix.casefold(), entry.kind == "file"
            if entry.kind == "folder" and depth < MAX_DEPTH:
                below.append(_Place(path, f"{shown}/", place.unpacked))
            elif entry.kind == "folder":
                why = "it is too many folders deep. Hand in one folder"
                self._note(f"{shown} was not read: {why}.")
            elif is_file and suffix == ".zip" and self._zips_left and not place.unpacked:
                self._zips_left -= 1
                below += self._unpacked(path, f"{shown}: ")
            elif is_file and suffix in PACKED:
                self._note(f"{shown} was not unpacked. Hand in the files themselves, or one zip.")
            else:  # links and pipes too, so that a message can name them
                yield FolderFile(path, shown)

    def _lose(self, folder: Path, above: str, lost: Mapping[str, str]) -> None:
        for path, trouble in lost.items():
            file = FolderFile(folder / path, above + one_line(path, 100), trouble)
            if file.suffix == ".zip":
                self.unread.append(trouble)
            else:
                self._lost.append(file)

    def _unpacked(self, archive: Path, above: str) -> "list[_Place]":
        scratch = Path(self.enter_context(tempfile.TemporaryDirectory(prefix="autograder-")))
        try:
            notes, listed = unpack(archive, scratch, MAX_STUDENT, MAX_LISTED_STUDENT)
        except InvalidZip as error:
            self.unread.append(f"{one_line(archive.name, 100)} {one_line(error.reason, 200)}.")
            return []
        self.notes += [f"{above}{note}" for note in notes]
        for parts, reason in listed.items():
            if reason:
                trouble = f"{one_line(parts[-1], 100)} was left out: {reason}."
                self._lose(scratch, above, {"/".join(parts): trouble})
        if above:
            self._note(f"{above.removesuffix(': ')} was unpacked.")
        return [_Place(scratch, above, True)]

    def _note(self, text: str) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(text)
