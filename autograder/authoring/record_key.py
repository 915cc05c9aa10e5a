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
    others &= every
    counted, waiting = every - others, every - others
    while waiting:
        waiting = {found for file in waiting for found in _reached(course, file, others)} - counted
        counted |= waiting
    return counted


def _reached(course: Course, file: Path, others: set[Path]) -> Iterator[Path]:
    """Yield the course files that a file imports or may read.

    A file that searches the folders of exercises for files may read all files in `others`.
    """
    if file.suffix != ".py":
        return
    inside = file.relative_to(course.root)
    text = file.read_text(encoding="utf-8", errors="replace")
    names, speaks_of_theirs = _imported(text, inside)
    among_theirs = inside.is_relative_to(course.content.checks) or OWN[0] in inside.parts
    if FINDS_FILES.search(text) and (among_theirs or speaks_of_theirs):
        yield from others
    for name in names:
        parts = tuple(name.split("."))
        if parts[0] != "autograder":  # the key covers the whole engine
            yield from _files_of(course.root, parts)


def _files_of(root: Path, parts: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of a package or module with a dotted name, and of its parent packages."""
    for count in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:count])
        module, package = place.with_suffix(".py"), place / "__init__.py"
        if module.is_file():
            yield module
        elif package.is_file() and count < len(parts):
            yield package
        elif place.is_dir():
            yield from _files(place)
        else:
            return


@functools.lru_cache(maxsize=4096)
def _imported(text: str, file: Path) -> tuple[tuple[str, ...], bool]:
    """Return the full names that a file imports, and whether the file names certain folders.

    These are the folders of misconceptions and checks, where each exercise has its own files.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return (), True
    names: dict[str, None] = {}
    speaks = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= dict.fromkeys(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = file.parts[: len(file.parts) - node.level] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            names |= dict.fromkeys(f"{base}.{each.name}".strip(".*") for each in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            speaks = speaks or any(word in node.value for word in (OWN[0], "checks", "test_"))
    return tuple(names), speaks
