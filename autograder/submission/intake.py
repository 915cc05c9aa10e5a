"""A class's submissions: who handed in what, and what is odd about it."""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from autograder.errors import UserError
from autograder.submission.read import UnreadableFile
from autograder.submission.source import SUFFIXES, Source, read_siblings, read_source
from autograder.text import file_name, one_line, several

MAX_DEPTH = 3
MAX_FILES = 5000
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


def find_folders(root: Path, exercises: Iterable[str]) -> tuple[list[Folder], list[str]]:
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
    if len(folders) == 1 and _holds_only_folders(Path(folders[0].path)):
        return find_folders(Path(folders[0].path), exercises)
    others = [e.name for e in entries if _counts(e.name) and e not in folders]
    notes = [f"{one_line(name, 100)} was left out: it is not a folder." for name in others]
    return _identified(folders), notes


def _identified(entries: list["os.DirEntry[str]"]) -> list[Folder]:
    """Folders with an id that can be printed, a different one for each."""
    found: dict[str, Folder] = {}
    for entry in entries:
        student = one_line(entry.name, 120)
        if student in found:
            student = f"{student} ({file_name(entry.name)[-8:]})"
        found[student] = Folder(student, Path(entry.path))
    return list(found.values())


def _counts(name: str) -> bool:
    return name not in IGNORED and not name.startswith(".")


def _holds_only_folders(path: Path) -> bool:
    entries = [entry for entry in os.scandir(path) if _counts(entry.name)]
    return bool(entries) and all(entry.is_dir(follow_symlinks=False) for entry in entries)


def read_work(folder: Folder, exercises: Iterable[str]) -> Work:
    """Read a student's files. Whatever is wrong with them is in the result; nothing is raised."""
    work = Work(folder.student)
    names = list(exercises)
    candidates: dict[str, list[Path]] = {name: [] for name in names}
    others: list[str] = []
    try:
        for path in _files(folder.path):
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
        work.notes.append(f"Nor were {left} (no folder is read beyond {MAX_FILES:,} entries).")
    siblings = {
        path: read_siblings(path) for path in {p.parent for ps in candidates.values() for p in ps}
    }
    for exercise, paths in candidates.items():
        _choose(work, exercise, paths, siblings)
    return work


def _files(folder: Path, depth: int = 0) -> Iterator[Path]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name)[:MAX_FILES]:
        if not _counts(entry.name):
            continue
        if entry.is_dir(follow_symlinks=False):
            if depth < MAX_DEPTH:
                yield from _files(Path(entry.path), depth + 1)
        elif Path(entry.name).suffix in SUFFIXES and not _is_odd(entry):
            yield Path(entry.path)


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


def _choose(
    work: Work, exercise: str, paths: list[Path], siblings: dict[Path, dict[str, str]]
) -> None:
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
        beside = siblings[chosen[0].parent]
        work.sources[exercise] = read_source(chosen[0], exercise, beside)
    except UnreadableFile as error:
        work.unclear[exercise] = str(error)
