"""All files of one student's folder, whatever its depth and whatever is packed in it."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec

from autograder.errors import UserError
from autograder.submission.archive import unpack
from autograder.text import one_line

MAX_DEPTH = 10
MAX_FILES = 5000
MAX_NOTES = 5
MAX_ZIPS = 3
IGNORED = {"__pycache__", "__MACOSX", ".ipynb_checkpoints", ".git", "node_modules"} | {
    "env",
    "venv",
    "site-packages",
    "dist-packages",
}
PACKED = {".7z", ".bz2", ".gz", ".rar", ".tar", ".tgz", ".xz", ".zip"}


class File(msgspec.Struct, frozen=True):
    """A file, and what to call it: its path within the student's folder."""

    path: Path
    shown: str

    @property
    def suffix(self) -> str:
        return self.path.suffix.casefold()


def counts(name: str) -> bool:
    """Whether a name is one that people give."""
    return name not in IGNORED and not name.startswith(".")


class Walk:
    """The files below a folder, or in a zip in its place; `notes` say what was not looked at.

    A zip in the folder is unpacked for as long as this is open: use it as a context manager.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self._left, self._zips_left = MAX_FILES, MAX_ZIPS
        self._open = ExitStack()

    def __enter__(self) -> "Walk":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def files(self) -> Iterator[File]:
        """The files, in order of name.

        Raises:
            OSError: the folder cannot be read.
        """
        if self.folder.is_file():
            yield from self._unpacked(self.folder, "")
        else:
            yield from self._below(self.folder, "", 0, False)
        if not self._left:
            self.notes.append(f"No more than {MAX_FILES:,} files and folders were looked at.")

    def _below(self, folder: Path, above: str, depth: int, unpacked: bool) -> Iterator[File]:
        entries = list(os.scandir(folder))
        for entry in sorted(entries, key=lambda e: (e.is_dir(follow_symlinks=False), e.name)):
            if not counts(entry.name):
                continue
            if not self._left:
                return
            self._left -= 1
            path, shown = Path(entry.path), above + one_line(entry.name, 100)
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                if depth < MAX_DEPTH:
                    yield from self._below(path, f"{shown}/", depth + 1, unpacked)
                else:
                    self._note(f"{shown} was not looked into: it lies too deep. Hand in one folder")
            elif stat.S_ISREG(mode) and self._is_to_unpack(path, unpacked):
                self._zips_left -= 1
                yield from self._unpacked(path, f"{shown}: ")
            elif stat.S_ISREG(mode) and path.suffix.casefold() in PACKED:
                self._note(f"{shown} was not unpacked. Hand in the files themselves, or one zip")
            elif stat.S_ISREG(mode) or stat.S_ISLNK(mode):  # a link, so that it can be named
                yield File(path, shown)

    def _is_to_unpack(self, path: Path, unpacked: bool) -> bool:
        return path.suffix.casefold() == ".zip" and not unpacked and self._zips_left > 0

    def _unpacked(self, archive: Path, above: str) -> Iterator[File]:
        scratch = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="autograder-")))
        try:
            self.notes += [f"{above}{note}" for note in unpack(archive, scratch)[:MAX_NOTES]]
        except UserError:
            self._note(f"{one_line(archive.name, 100)} is not a zip that can be unpacked")
            return
        if above:
            self._note(f"{above.removesuffix(': ')} was unpacked")
        yield from self._below(scratch, above, 0, True)

    def _note(self, text: str) -> None:
        if len(self.notes) < MAX_NOTES:
            self.notes.append(f"{text}.")
