"""Courses in which no slip was found: while none of their files changes, none is looked for again.

To look means to import all that the course knows, torch too, which takes longer than to grade a
submission. What is kept is an empty file in the user's own cache, named by a digest.
"""

import contextlib
import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import autograder
from autograder.course.course_file import FILE_NAME, Course, Exercise
from autograder.sandbox.spawn import library_folders, plot_cache

MOST = 50  # courses, or states of one


Look = Callable[[Course, Sequence[Exercise]], None]


def unless_cached(look: Look, course: Course, exercises: Sequence[Exercise]) -> None:
    """Look for slips in these exercises, unless that was done with the very same files.

    Raises:
        UserError: whatever `look` raises of a slip; then nothing is kept.
    """
    stamp = _folder() / _digest(course, [exercise.name for exercise in exercises], look.__name__)
    if stamp.is_file():
        return
    look(course, exercises)
    with contextlib.suppress(OSError):  # a cache that cannot be written is none
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
        _keep_newest(stamp.parent)


def refuse_authoring_errors(course: Course, exercises: Sequence[Exercise]) -> None:
    """What looks for slips imports pytest, numpy and torch: only where a file has changed."""
    from autograder.authoring import lint as slips

    slips.refuse_authoring_errors(course, exercises)


def _folder() -> Path:
    return Path(plot_cache()) / "without-slips"


def _digest(course: Course, names: Sequence[str], how: str) -> str:
    """Of what could make a difference: sizes and times of files, and what is installed."""
    folders = [Path(autograder.__file__).parent, *course.grading, course.solutions]
    found = [_known(course.root / FILE_NAME), *map(_known, library_folders())]
    for folder in folders:
        found += _files(str(folder))
    return hashlib.sha256(repr((how, sys.version, *names, *found)).encode()).hexdigest()[:32]


def _known(path: Path | str) -> tuple[str, int, int]:
    known = os.stat(path)
    return str(path), known.st_size, known.st_mtime_ns


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    """The files below a folder, in order."""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as found:
        for entry in sorted(found, key=lambda entry: entry.name):
            if entry.name == "__pycache__" or entry.name.startswith("."):
                continue  # what is kept there meanwhile
            if entry.is_dir():
                yield from _files(entry.path)
            else:
                yield _known(entry.path)


def _keep_newest(folder: Path) -> None:
    stamps = sorted(folder.iterdir(), key=lambda stamp: stamp.stat().st_mtime_ns)
    for stamp in stamps[:-MOST]:
        stamp.unlink(missing_ok=True)
