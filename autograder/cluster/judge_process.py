"""A judge's process on a machine of a cluster: it talks bytes with who started it, by its pipes."""

import contextlib
import gc
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from autograder.classroom.judge_pool import Setup, Task, TaskGrader, end_with_parent, limit_memory
from autograder.cluster.environment import makeup
from autograder.cluster.messages import (
    Instruction,
    JudgeGone,
    JudgeStart,
    Readiness,
    read_frame,
    write_frame,
)
from autograder.course.course_file import FILE_NAME, Course, load_course
from autograder.course.errors import UserError
from autograder.sandbox.levels import why_not
from autograder.sandbox.spawn import keep_to_one_thread

IDLE_SECONDS = 900.0  # then whoever wanted the judge is gone


def main() -> None:
    """Grade what comes in, until nothing comes."""
    parent = int(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, args=(parent,), daemon=True).start()
    with _pipes() as (asked, answered), contextlib.suppress(JudgeGone):
        start = msgspec.msgpack.decode(read_frame(asked), type=JudgeStart)
        course, refused = _course(start)
        write_frame(answered, msgspec.msgpack.encode(Readiness(tuple(refused))))
        if course is None or refused:
            return
        limit_memory()
        with TaskGrader(_setup(start, course), start.core) as grading:
            gc.freeze()
            while select.select([asked], [], [], IDLE_SECONDS)[0]:
                task = msgspec.msgpack.decode(read_frame(asked), type=Task)
                write_frame(answered, msgspec.msgpack.encode(grading.grade(task)))


@contextlib.contextmanager
def _pipes() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The two pipes, to which nothing else in this process can write from here on."""
    with (
        open(os.dup(0), "rb") as asked,
        open(os.dup(1), "wb") as answered,
        open(os.devnull, "r+b") as nothing,
    ):
        os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        yield asked, answered


def _setup(start: JudgeStart, course: Course) -> Setup:
    told = start.instruction
    secret = tuple(Path(path) for path in told.secret)
    place = course.root / FILE_NAME
    scratch = Path(start.scratch)
    return Setup(place, told.exercises, told.seed, told.level, secret, scratch, told.alone)


def _course(start: JudgeStart) -> tuple[Course | None, list[str]]:
    """The course as it lies on this machine, and in what this machine is not what is wanted."""
    told = start.instruction
    if start.probe and told.level != "none":
        reason = why_not(told.level)
        if reason:
            return None, [f"the confinement {told.level} does not hold there: {reason}"]
    folder = Path(told.course_file).parent
    missing = f"there is no course in {folder}, and AUTOGRADER_COURSE names none"
    found: tuple[Course | None, list[str]] = None, [missing]
    for place in _places(told):
        try:
            course = load_course(place)
            differs = makeup(course, told.seed, told.level).differs(told.makeup)
        except UserError as error:
            found = None, [str(error)]
            continue
        if not differs:
            return course, []
        found = course, differs
    return found


def _places(told: Instruction) -> Iterator[Path]:
    """Where the course may lie: where it lies for who grades, or where this machine says."""
    own = os.environ.get("AUTOGRADER_COURSE")
    for place in (Path(told.course_file), Path(own) / FILE_NAME if own else None):
        if place is not None and place.is_file():
            yield place


if __name__ == "__main__":
    keep_to_one_thread()
    main()
