"""A class's submissions: who handed in what, and what is odd about it."""

import heapq
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

import msgspec

from autograder.errors import UserError
from autograder.submission.read import UnreadableFile
from autograder.submission.siblings import MAX_KEPT, Room, Siblings
from autograder.submission.source import SUFFIXES, Source, read_source
from autograder.text import identity, one_line, several

MAX_DEPTH = 3
MAX_FILES = 5000
MAX_READ = 128 * 1024 * 1024
MAX_LEVELS = 20
MAX_NOTES = 5
IGNORED = {"__pycache__", "__MACOSX", ".ipynb_checkpoints", ".git", "node_modules"}


class Work(msgspec.Struct):
    """What one student handed in.

    `unclear` says for an exercise why a person must look before it can be graded.
    """

    student: str
    sources: dict[str, Source] = {}
    unclear: dict[str, str] = {}
    notes: list[str] = []


class Folder(msgspec.Struct, frozen=True):
    """A student's folder, not opened yet."""

    student: str
    path: Path


def find_folders(
    root: Path, exercises: Iterable[str], levels: int = MAX_LEVELS
) -> tuple[list[Folder], list[str]]:
    """The students' folders below `root`, in order of name, and notes on what else lies there.

    Raises:
        UserError: `root` is no such folder.
    """
    try:
        entries = sorted(os.scandir(root), key=lambda entry: entry.name)
    except OSError as error:
        raise UserError(f"{root} cannot be read: {error.strerror}.") from None
    folders = [e for e in entries if e.is_dir(follow_symlinks=False) and _counts(e.name)]
    if not folders:
        names = set(exercises)
        if any(Path(entry.name).stem in names for entry in entries):
            raise UserError(
                f"{root} looks like the folder of one student. For one's own work there is "
                f"`autograder check {root}/NAME.py`; to grade a class, name the folder above."
            )
        raise UserError(
            f"{root} holds no folders. Expected one folder for each student, "
            f"with files such as {next(iter(names), 'NAME')}.py in it."
        )
    if len(folders) == 1 and levels and _holds_only_folders(Path(folders[0].path)):
        return find_folders(Path(folders[0].path), exercises, levels - 1)
    others = [e.name for e in entries if _counts(e.name) and e not in folders]
    notes = [f"{one_line(name, 100)} was left out: it is not a folder." for name in others]
    return _identified(folders), notes


def _identified(entries: list["os.DirEntry[str]"]) -> list[Folder]:
    """Folders with an id that can be printed, a different one for each."""
    return [Folder(identity(entry.name), Path(entry.path)) for entry in entries]


def _counts(name: str) -> bool:
    return name not in IGNORED and not name.startswith(".")


def _holds_only_folders(path: Path) -> bool:
    try:
        entries = [entry for entry in os.scandir(path) if _counts(entry.name)]
    except OSError:
        return False
    return bool(entries) and all(entry.is_dir(follow_symlinks=False) for entry in entries)


def read_work(folder: Folder, exercises: Iterable[str]) -> Work:
    """Read a student's files. Whatever is wrong with them is in the result; nothing is raised."""
    work = Work(folder.student)
    names = list(exercises)
    candidates: dict[str, list[Path]] = {name: [] for name in names}
    others: list[str] = []
    try:
        files, all_of_them = _files(folder.path)
        for path in files:
            exercise = _exercise_of(path.stem, names)
            if exercise:
                candidates[exercise].append(path)
            else:
                others.append(one_line(path.name, 100))
    except OSError as error:
        reason = f"The folder cannot be read: {error.strerror}."
        work.unclear = dict.fromkeys(names, reason)
        return work
    work.notes += [
        f"{name} was not graded: no exercise has that name." for name in others[:MAX_NOTES]
    ]
    if len(others) > MAX_NOTES:
        left = several(len(others) - MAX_NOTES, "more file")
        work.notes.append(f"Nor were {left}.")
    if not all_of_them:
        work.notes.append(f"Only the first {MAX_FILES:,} entries of the folder were looked at.")
    reading = _Reading()
    for exercise, paths in candidates.items():
        _choose(work, exercise, paths, reading)
    work.notes += reading.notes
    return work


def _files(folder: Path) -> tuple[list[Path], bool]:
    """The sources in a student's folder, and whether all of it was looked at.

    What lies nearer to the top comes first: a folder full of other things hides nothing above it.
    """
    found: list[Path] = []
    level, left = [folder], MAX_FILES
    for _ in range(MAX_DEPTH + 1):
        below: list[Path] = []
        for place in level:
            entries = heapq.nsmallest(left + 1, os.scandir(place), key=lambda entry: entry.name)
            if len(entries) > left:
                return found + _sources(entries[:left]), False
            left -= len(entries)
            found += _sources(entries)
            below += [Path(e.path) for e in entries if _counts(e.name) and _is_folder(e)]
        level = below
    return found, True


def _sources(entries: Iterable["os.DirEntry[str]"]) -> list[Path]:
    named = (e for e in entries if _counts(e.name) and Path(e.name).suffix in SUFFIXES)
    return [Path(e.path) for e in named if not _is_folder(e) and not _is_odd(e)]


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.is_dir(follow_symlinks=False)


class _Reading:
    """Reads one student's files, of which there may be many and large ones, within bounds."""

    def __init__(self) -> None:
        self.left = MAX_READ
        self.room = Room()
        self.siblings: dict[Path, Siblings] = {}

    def read(self, path: Path, exercise: str) -> Source:
        """Read a file, and what it names of the files beside it.

        Raises:
            UnreadableFile: it cannot be read, or there is too much in the folder.
        """
        size = _size(path)
        if size > self.left:
            raise self._too_much(path, f"{MAX_READ // 2**20} MiB")
        self.left -= size
        if path.parent not in self.siblings:
            self.siblings[path.parent] = Siblings(path.parent, self.room)
        source = read_source(path, exercise, self.siblings[path.parent])
        if not self.room.take(len(source.text)):
            raise self._too_much(path, f"{MAX_KEPT // 2**20} MiB of code")
        return source

    @staticmethod
    def _too_much(path: Path, most: str) -> UnreadableFile:
        name = one_line(path.name, 100)
        return UnreadableFile(f"{name} was not read: the files of the folder are over {most}.")

    @property
    def notes(self) -> list[str]:
        """What there was no room for."""
        names = [name for each in self.siblings.values() for name in each.left_out]
        if not names:
            return []
        more = " …" if len(names) > MAX_NOTES else ""
        most = f"{MAX_KEPT // 2**20} MiB of code"
        return [
            f"{', '.join(names[:MAX_NOTES])}{more}: not read, since the files of the folder are "
            f"too many or over {most}."
        ]


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0  # to be said by whoever reads it


def _is_odd(entry: "os.DirEntry[str]") -> bool:
    """Devices and pipes are not looked at; a link is, so that it can be named."""
    mode = entry.stat(follow_symlinks=False).st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode))


def _exercise_of(stem: str, names: list[str]) -> str | None:
    """The exercise that a file is for: `softmax`, and also `Softmax (1)` and `softmax-final`."""
    if stem in names:
        return stem
    plain = re.sub(r"[^a-z0-9]+", "_", stem.casefold()).strip("_")
    fitting = [name for name in names if plain == name or plain.startswith(f"{name}_")]
    return max(fitting, key=len, default=None)


def _choose(work: Work, exercise: str, paths: list[Path], reading: _Reading) -> None:
    exact = [path for path in paths if path.stem == exercise]
    chosen = exact or paths
    if not chosen:
        return
    shown = ", ".join(one_line(path.name, 100) for path in chosen)
    if len(chosen) > 1:
        work.unclear[exercise] = f"There are several files for it: {shown}."
        return
    if not exact:
        work.notes.append(f"{shown} was taken as {exercise}.")
    try:
        work.sources[exercise] = reading.read(chosen[0], exercise)
    except UnreadableFile as error:
        work.unclear[exercise] = str(error)
