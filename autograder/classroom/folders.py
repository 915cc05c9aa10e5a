"""A class's folders: one for each student, wherever in a download they lie."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec

from autograder.errors import UserError
from autograder.report.model import HandIn
from autograder.submission.names import counts, named_for
from autograder.text import identity, one_line

MAX_LEVELS = 20  # of folders around the students' folders


class Folder(msgspec.Struct, frozen=True):
    """A student's folder, not opened yet; none for who handed in nothing.

    `hand_in` is what a platform or the roster says of it, `notes` what became of its entries.
    """

    student: str
    path: Path | None
    hand_in: HandIn | None = None
    notes: tuple[str, ...] = ()


def find_folders(
    root: Path, exercises: Collection[str], levels: int = MAX_LEVELS
) -> tuple[list[Folder], list[str]]:
    """The students' folders below `root`, in order of name, and notes on what else lies there.

    Raises:
        UserError: `root` is no such folder.
    """
    try:
        entries = sorted(os.scandir(root), key=lambda entry: entry.name)
    except OSError as error:
        raise UserError(f"{root} cannot be read: {error.strerror}.") from None
    folders = [e for e in entries if e.is_dir(follow_symlinks=False) and counts(e.name)]
    packed = [e for e in entries if _is_zip(e) and counts(e.name)]
    if not folders and packed:
        return _packed(packed, set()), _no_folders(entries, packed)
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
    if len(folders) == 1 and levels and _is_around_students(Path(folders[0].path), exercises):
        found, notes = find_folders(Path(folders[0].path), exercises, levels - 1)
        around = (
            f"{one_line(folders[0].name, 100)} was taken as the folder around all students' "
            f"folders, since nothing is beside it and only folders are in it."
        )
        return found, [around, *notes]
    found = _identified(folders)
    both = sorted([*found, *_packed(packed, {f.student for f in found})], key=lambda f: str(f.path))
    return both, _no_folders(entries, [*folders, *packed])


def _is_zip(entry: "os.DirEntry[str]") -> bool:
    return entry.is_file(follow_symlinks=False) and entry.name.casefold().endswith(".zip")


def _packed(entries: list["os.DirEntry[str]"], taken: set[str]) -> list[Folder]:
    """Students whose folders are packed, each in a zip that has their name."""
    found = []
    for entry in entries:
        student = identity(Path(entry.name).stem)
        if student in taken:
            student = identity(entry.name)
        taken.add(student)
        found.append(Folder(student, Path(entry.path)))
    return found


def _no_folders(
    entries: Iterable["os.DirEntry[str]"], students: list["os.DirEntry[str]"]
) -> list[str]:
    others = [entry.name for entry in entries if counts(entry.name) and entry not in students]
    return [f"{one_line(name, 100)} was left out: it is not a folder." for name in others]


def _identified(entries: list["os.DirEntry[str]"]) -> list[Folder]:
    """Folders with an id that can be printed, a different one for each."""
    return [Folder(identity(entry.name), Path(entry.path)) for entry in entries]


def _is_around_students(path: Path, exercises: Collection[str]) -> bool:
    """Whether a folder holds nothing but folders that may be students'.

    Folders that are called after exercises are parts of one student's work.
    """
    try:
        entries = [entry for entry in os.scandir(path) if counts(entry.name)]
    except OSError:
        return False
    folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    packed = [entry for entry in entries if _is_zip(entry)]
    several_packed = not packed or len(entries) > 1  # one zip is the work of one student
    only_folders = bool(entries) and len(folders) + len(packed) == len(entries)
    parts = any(named_for(Path(entry.name).stem, exercises) for entry in entries)
    return only_folders and several_packed and not parts
