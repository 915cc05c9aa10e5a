"""Clean copy of a submission, with regular files of limited size and without links."""

import errno
import os
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from autograder.course.errors import UserError
from autograder.course.text import one_line
from autograder.submission.read import UnreadableFile, read_bytes
from autograder.submission.source import Siblings, Source, read_source

TIMESTAMP = "timestamp.txt"
MAX_DEPTH = 20  # levels of nested folders
MAX_FILES = 1000
MAX_FILE = 32 * 1024 * 1024  # bytes
MAX_BYTES = 128 * 1024 * 1024  # of all files, approximately


class StagedSubmission(msgspec.Struct, frozen=True):
    """Copy of a submission for nbgrader."""

    sources: tuple[Source, ...] = ()
    present: tuple[str, ...] = ()  # the assignment's notebooks that the copy has
    missing: tuple[str, ...] = ()  # the assignment's notebooks that the copy lacks
    refused: dict[str, str] = {}  # reasons for unusable notebooks
    unknown: tuple[str, ...] = ()  # notebooks with other names
    notes: tuple[str, ...] = ()  # for a person


def stage(
    submitted: Path, clean: Path, notebooks: Collection[str], graded: Collection[str]
) -> StagedSubmission:
    """Copy a submission to a new folder. An unusable notebook becomes an empty file."""
    refused, left_out = copy_regular_files(submitted, clean, MAX_FILE, MAX_BYTES)
    if (clean / TIMESTAMP).is_file() and not _is_time((clean / TIMESTAMP).read_bytes()):
        (clean / TIMESTAMP).unlink()
        left_out.append(f"{TIMESTAMP} (it holds no time)")
    present = {path.stem for path in clean.glob("*.ipynb")}
    siblings = Siblings(clean)
    sources = []
    for notebook in sorted(present.intersection(graded) - refused.keys()):
        try:
            sources.append(read_source(clean / f"{notebook}.ipynb", notebook, siblings))
        except UnreadableFile as error:
            refused[notebook] = str(error)
    return StagedSubmission(
        tuple(sources),
        tuple(name for name in notebooks if name in present),
        tuple(name for name in notebooks if name not in present),
        refused,
        tuple(one_line(name, 100) for name in sorted(present.difference(notebooks))),
        (f"left out: {', '.join(left_out[:5])}{' …' if left_out[5:] else ''}",) if left_out else (),
    )


def copy_regular_files(
    folder: Path, clean: Path, max_file: int, max_bytes: int
) -> tuple[dict[str, str], list[str]]:
    """Copy the regular files of a folder without following links, within limits in bytes.

    Unusable notebooks become empty files. Return the reason for each of them, and the names of all
    other files that were left out.
    """
    refused: dict[str, str] = {}
    left_out: list[str] = []
    files = total = 0
    clean.mkdir(parents=True, exist_ok=True)
    for path, within in _files(folder):
        name = path.relative_to(folder)
        if files == MAX_FILES or total > max_bytes:
            left_out.append(f"all files after the first {files}")
            break
        try:
            data = read_bytes(path, max_file, within)
            _write(clean / name, data)
        except UnreadableFile as error:
            if path.suffix == ".ipynb" and path.parent == folder:
                refused[path.stem] = str(error)
                _write(clean / name, b"")
            else:
                left_out.append(one_line(str(name), 100))
            continue
        files += 1
        total += len(data)
    return refused, left_out


def _files(folder: Path) -> Iterator[tuple[Path, int]]:
    for where, folders, names, descriptor in os.fwalk(folder):
        place = Path(where)
        deep = len(place.relative_to(folder).parts) >= MAX_DEPTH
        ends = [name for name in folders if deep or (place / name).is_symlink()]
        entries = sorted([*names, *ends])
        entries.sort(key=lambda name: not (name.endswith(".ipynb") or name == TIMESTAMP))
        for name in entries:
            yield place / name, descriptor
        folders[:] = [] if deep else sorted(folders)


def _is_time(data: bytes) -> bool:
    from nbgrader.utils import parse_utc

    try:
        text = data.decode("utf-8").strip()
        return not text or parse_utc(text) is not None
    except (ValueError, OverflowError):
        return False


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UnreadableFile("Its path is too long.") from None
        raise UserError(f"{path} cannot be written: {error.strerror}.") from None
