"""Recording of the reference's results for several exercises.

Each finished part of a record is saved in the cache immediately. The recorded bytes do not depend
on the number of processes. The key of a part is a digest of the course's reference, the engine, the
libraries and the machine. A file that belongs to another exercise is part of the digest only if
this exercise may read it.
"""

import ast
import functools
import importlib.metadata
import multiprocessing
import os
import platform
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Literal

import msgspec

from autograder.authoring.answer_records import recorded_answers
from autograder.authoring.course_submissions import own_work
from autograder.authoring.diagnosis_records import names_of
from autograder.authoring.kit_shares import kit_shares
from autograder.checks.recorded_answers import pack
from autograder.course.cache import Cache, cache_key, files_key
from autograder.course.course_file import FILE_NAME, Course, Exercise, HintPolicy, load_course
from autograder.course.errors import UserError
from autograder.course.installation import engine_folder
from autograder.course.text import several
from autograder.sandbox.levels import choose
from autograder.sandbox.spawn import end_with_starter, keep_to_one_thread

OWN = "misconceptions", "misconceptions/named"  # folders with a file or folder for each exercise
FINDS_FILES = re.compile(
    r"\b(?:import_module|__import__|iter_modules|glob|iterdir|open|read_\w+)\("
)
OWN_FOLDERS = re.compile(r"misconceptions|checks|test_")  # in code that may read files of others
NOT_COUNTED = ("__pycache__", ".autograder")
MAX_KEPT = 200  # parts of exercises; enough for several versions of a large course
HINTS: dict[HintPolicy, int] = {"practice": 3, "homework": 2, "exam": 0}
RecordedPart = Literal["mistakes", "checks", "shares"]
Parts = dict[tuple[str, RecordedPart], bytes]


class RecordingTask(msgspec.Struct, frozen=True):
    """Part to record for an exercise. For `shares`, the release has the other parts already."""

    root: Path
    exercise: str
    part: RecordedPart
    policy: HintPolicy
    seeds: tuple[int, ...]
    kit: Path

    @property
    def about(self) -> str:
        return f"the {self.part} of {self.exercise}"


class RecordingOptions(msgspec.Struct, frozen=True):
    """Options of recording. With 0 workers, this process records. `anew` ignores the cache."""

    workers: int = 0
    anew: bool = False
    kept: Cache | None = None
    say: Callable[[str], object] = lambda _: None  # gets a text on each recorded part


def record_part(task: RecordingTask) -> bytes:
    course = load_course(task.root / FILE_NAME)
    exercise = course.exercise(task.exercise)
    if task.part == "mistakes":
        names = names_of(course, exercise, HINTS[task.policy])
        return pack(names) if names.functions else b""
    if task.part == "shares":
        shares = kit_shares(course, task.kit, exercise, with_names=task.policy != "exam")
        return msgspec.msgpack.encode(shares)
    return msgspec.msgpack.encode(recorded_answers(course, task.kit, exercise))


def record_all(course: Course, tasks: Sequence[RecordingTask], how: RecordingOptions) -> Parts:
    parts: Parts = {}
    keys: dict[RecordingTask, str] = {}
    if how.kept is not None:
        exercise_key = functools.cache(
            lambda name: record_key(course, course.exercise(name), bool(how.workers))
        )
        for task in tasks:
            key = cache_key(exercise_key(task.exercise), task.part, task.policy, task.seeds)
            keys[task] = key
            known = None if how.anew else how.kept.get(key)
            if known is not None:
                parts[task.exercise, task.part] = known
                how.say(f"{task.about}, from the cache ({len(parts)} of {len(tasks)})")
    kept = len(parts)
    try:
        rest = [task for task in tasks if (task.exercise, task.part) not in parts]
        for task, data in _recorded(rest, how.workers):
            kept += how.kept.put(keys[task], data) if how.kept is not None else 0
            parts[task.exercise, task.part] = data
            how.say(f"{task.about} ({len(parts)} of {len(tasks)})")
    except KeyboardInterrupt:
        raise UserError(
            f"Stopped. No kit was written. {kept} of {several(len(tasks), 'part')} are kept: run "
            f"the same command again to record the others."
        ) from None
    return parts


def _recorded(
    tasks: Sequence[RecordingTask], workers: int
) -> Iterator[tuple[RecordingTask, bytes]]:
    if not workers or not tasks:
        yield from ((task, record_part(task)) for task in tasks)
        return
    keep_to_one_thread()
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(tasks)), context, _begin)
    try:
        # the last exercises of a course take longest: begin with them
        futures = {pool.submit(record_part, task): task for task in reversed(tasks)}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BrokenProcessPool:
        raise UserError(
            "A recording process died, perhaps for lack of memory. No kit was written. What was "
            "recorded is kept: run the same command again. --workers 1 needs less memory."
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_starter()


def record_key(course: Course, exercise: Exercise, *settings: object) -> str:
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
    return files_key(engine_folder(), sorted(_files(engine_folder())))


@functools.cache
def machine() -> tuple[str, ...]:
    """Return the versions and settings that may change recorded numbers."""
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
    """Return the course files that can change an exercise's records. Submissions are left out."""
    every = {file for folder in course.grading for file in _files(folder)}
    others: set[Path] = set()  # files of other exercises that this exercise cannot read
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
    text = file.read_text(encoding="utf-8", errors="replace") if file.suffix == ".py" else ""
    return bool(FINDS_FILES.search(text) and OWN_FOLDERS.search(f"{file.relative_to(root)} {text}"))


def _reached(root: Path, file: Path) -> Iterator[Path]:
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
