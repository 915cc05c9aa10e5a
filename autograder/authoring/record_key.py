"""Key of the records of one exercise: a digest of all that the records depend on.

Records depend on the course's reference, the engine, the libraries and the machine. A file that
belongs only to another exercise does not count, unless this exercise may read it.
"""

import ast
import functools
import importlib.metadata
import os
import platform
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from autograder.authoring.course_submissions import own_work
from autograder.course.cache import cache_key, files_key
from autograder.course.course_file import Course, Exercise
from autograder.course.installation import engine_folder
from autograder.sandbox.levels import choose

OWN = "misconceptions", "misconceptions/named"  # folders with a file or folder for each exercise
FINDS_FILES = re.compile(
    r"\b(?:import_module|__import__|iter_modules|glob|iterdir|open|read_\w+)\("
)
OWN_FOLDERS = re.compile(r"misconceptions|checks|test_")  # in code that may read files of others
NOT_COUNTED = ("__pycache__", ".autograder")


def record_key(course: Course, exercise: Exercise, *settings: object) -> str:
    """Return the key for the records of an exercise that are made with these settings."""
    content = msgspec.structs.replace(course.content, exercises=(exercise,), assignments=())
    return cache_key(
        settings,
        content,
        list(own_work(course, exercise)),
        machine(),
        files_key(course.root, sorted(_counted(course, exercise))),
        engine_key(),
    )


@functools.cache
def engine_key() -> str:
    """Return the digest of the engine's files."""
    return files_key(engine_folder(), sorted(_files(engine_folder())))


@functools.cache
def machine() -> tuple[str, ...]:
    """Return all versions and settings that may change numbers; code is not included."""
    libc = " ".join(platform.libc_ver())
    threads = sorted(f"{k}={v}" for k, v in os.environ.items() if k.endswith("_NUM_THREADS"))
    installed = {f"{each.name} {each.version}" for each in importlib.metadata.distributions()}
    system = sys.version, sys.platform, libc, platform.machine(), platform.node()
    return (*system, str(choose(None, own_code=True)), *threads, *sorted(installed))


def _files(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*"):
        if file.is_file() and not set(file.relative_to(folder).parts) & set(NOT_COUNTED):
            yield file


def _counted(course: Course, exercise: Exercise) -> set[Path]:
    """Return the course's files on which the records of an exercise depend, without submissions."""
    every = {file for folder in course.grading for file in _files(folder)}
    others: set[Path] = set()  # files of other exercises, unless this one may read them
    for name in course.exercises:
        if name != exercise.name:
            places = [course.root / course.content.reference / folder / name for folder in OWN]
            others |= {course.checks_file(name), *(place.with_suffix(".py") for place in places)}
            others |= {file for place in places for file in _files(place)}
    counted = waiting = every - others
    while waiting:
        reached = {file for known in waiting for file in _reached(course.root, known)}
        if any(_may_read_others(course.root, file) for file in waiting):
            reached |= others & every
        waiting = {file for file in reached - counted if file.is_file()}
        counted = counted | waiting
    return counted


def _may_read_others(root: Path, file: Path) -> bool:
    """Return whether a module searches for files, perhaps in the folders of exercises."""
    text = file.read_text(encoding="utf-8", errors="replace") if file.suffix == ".py" else ""
    return bool(FINDS_FILES.search(text) and OWN_FOLDERS.search(f"{file.relative_to(root)} {text}"))


def _reached(root: Path, file: Path) -> Iterator[Path]:
    """Yield the places of the modules that a course file imports, and of the packages around them.

    The engine does not count, because the key covers it.
    """
    try:
        tree = ast.parse(file.read_bytes() if file.suffix == ".py" else b"")
    except (SyntaxError, ValueError):
        return
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            folders = file.relative_to(root).parts
            above = folders[: len(folders) - node.level] if node.level else ()
            names += [".".join([*above, node.module or "", each.name]) for each in node.names]
    for name in names:
        parts = [part for part in name.split(".") if part not in {"", "*"}]
        if parts[0] != "autograder":
            for count in range(1, len(parts) + 1):
                place = root.joinpath(*parts[:count])
                yield from (place.with_suffix(".py"), place / "__init__.py")
            yield from _files(root.joinpath(*parts))
