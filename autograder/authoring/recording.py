"""Recording of several exercises: what is kept from before is taken, the rest is made.

Each part is recorded in a process of its own kind, whatever their number, so that the bytes are the
same; what is done is kept at once.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from autograder.authoring.answer_records import HINTS, recorded_answers
from autograder.authoring.diagnosis_records import names_of
from autograder.authoring.record_key import record_key
from autograder.checks.recorded_answers import pack
from autograder.course.cache import Cache, cache_key
from autograder.course.course_file import FILE_NAME, Course, HintPolicy, load_course
from autograder.course.errors import UserError
from autograder.course.text import several
from autograder.sandbox.spawn import keep_to_one_thread

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event


MAX_KEPT = 200  # parts of exercises: the whole of a large course, some times over
RecordedPart = Literal["mistakes", "checks"]
Parts = dict[tuple[str, RecordedPart], bytes]
OFTEN = 0.2  # s, after which a process looks whether it is still wanted


class RecordingTask(msgspec.Struct, frozen=True):
    """One part of one exercise of the course in `root`; `kit` is where its release lies."""

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
    """Options of recording: so many processes, or this one for 0; `anew`, what is kept too."""

    workers: int = 0
    anew: bool = False
    kept: Cache | None = None


def record_part(task: RecordingTask) -> bytes:
    """Return what is recorded, packed; nothing where there is nothing to record."""
    course = load_course(task.root / FILE_NAME)
    exercise = course.exercise(task.exercise)
    if task.part == "mistakes":
        found = names_of(course, exercise, HINTS[task.policy])
        return pack(found) if found.functions else b""
    return msgspec.msgpack.encode(recorded_answers(course, task.kit, exercise))


def record_all(
    course: Course,
    tasks: Sequence[RecordingTask],
    how: RecordingOptions,
    say: Callable[[str], None],
) -> Parts:
    """Return what is recorded for all tasks; `say` is told of each that is done.

    Raises:
        UserError: somebody pressed Ctrl-C; it says what is kept.
    """
    found: Parts = {}
    keys: dict[RecordingTask, str] = {}
    if how.kept is not None:
        names = {task.exercise for task in tasks}
        base = {
            each: record_key(course, course.exercise(each), bool(how.workers)) for each in names
        }
        for task in tasks:
            keys[task] = cache_key(base[task.exercise], task.part, task.policy, task.seeds)
    for task, key in keys.items():
        known = how.kept.get(key) if how.kept is not None and not how.anew else None
        if known is not None:
            found[task.exercise, task.part] = known
            say(f"{task.about}, kept from before ({len(found)} of {len(tasks)})")
    rest = [task for task in tasks if (task.exercise, task.part) not in found]
    kept = len(found)
    try:
        for task, data in _recorded(rest, how.workers):
            kept += how.kept.put(keys[task], data) if how.kept is not None else 0
            found[task.exercise, task.part] = data
            say(f"{task.about} ({len(found)} of {len(tasks)})")
    except KeyboardInterrupt:
        raise UserError(
            f"Stopped; nothing is released. {kept} of {several(len(tasks), 'part')} are kept: the "
            f"same command goes on with the others."
        ) from None
    return found


def _recorded(
    tasks: Sequence[RecordingTask], workers: int
) -> Iterator[tuple[RecordingTask, bytes]]:
    """Yield each task and what is recorded, as it gets ready."""
    if not workers:
        yield from ((task, record_part(task)) for task in tasks)
        return
    if not tasks:
        return
    with _processes(min(workers, len(tasks))) as pool:
        # the last exercises of a course are the largest: begin with them
        futures = {pool.submit(record_part, task): task for task in reversed(tasks)}
        for future in as_completed(futures):
            try:
                yield futures[future], future.result()
            except BrokenProcessPool:
                raise UserError(
                    "A process that records was ended, perhaps for want of memory; nothing is "
                    "released. What was recorded is kept: the same command goes on, and with "
                    "--workers 1 it needs less memory."
                ) from None


@contextlib.contextmanager
def _processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes that end with this one, and at once when they are no longer wanted."""
    keep_to_one_thread()
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(workers, context, _begin, (os.getpid(), stop))
    try:
        yield pool
    except BaseException:
        stop.set()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(parent: int, stop: "Event") -> None:
    """Leave Ctrl-C to the process that started this one, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_when_unwanted() -> None:
        while os.getppid() == parent and not stop.is_set():
            time.sleep(OFTEN)
        os._exit(1)

    threading.Thread(target=end_when_unwanted, daemon=True).start()
