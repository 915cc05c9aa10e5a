"""Function that Dask runs on a machine. Its input and output are bytes.

Submitted code never runs in this process. Each of Dask's threads grades with a judge in a separate
process.
"""

import functools
import multiprocessing
import os
import threading
import time
from pathlib import Path

import msgspec
from distributed import get_worker

from autograder.classroom.judge_pool import JudgePool
from autograder.cluster.environment import differences, environment_of
from autograder.cluster.messages import Chunk, ChunkReports, Instruction, decode, encode
from autograder.course.cache import engine_key
from autograder.course.course_file import FILE_NAME, load_course
from autograder.course.errors import UserError
from autograder.sandbox.levels import why_not

engine_key()  # now, because the files may change while this process runs


class _Judge(threading.local):
    """A thread's judge, and the run for which the judge was started."""

    instruction = b""
    pool: JudgePool | None = None


_own = _Judge()


def grade_chunk(data: bytes) -> bytes:
    """Grade the tasks of an encoded chunk, or return the reason why this machine cannot grade."""
    start = time.perf_counter()
    chunk = decode(data, Chunk)
    course_file, refused = find_same_course(chunk.instruction)
    if course_file is None:
        return encode(ChunkReports(trouble=refused))
    if _own.pool is None or _own.instruction != chunk.instruction:
        if _own.pool is not None:
            _own.pool.close()
        _own.pool, _own.instruction = JudgePool(1, pinned=False), chunk.instruction
    setup = msgspec.structs.replace(
        decode(chunk.instruction, Instruction).setup,
        course_file=course_file,
        scratch=Path(get_worker().local_directory),
    )
    multiprocessing.current_process().daemon = False  # a daemon may not start processes
    reports = tuple(encode(_own.pool.grade_one(task, setup)) for task in chunk.tasks)
    return encode(ChunkReports(reports, time.perf_counter() - start))


@functools.lru_cache(maxsize=1)
def find_same_course(instruction: bytes) -> tuple[Path | None, str]:
    """Return this machine's course.yml, or None and the reason why the machine cannot grade."""
    given = decode(instruction, Instruction)
    setup = given.setup
    if setup.level != "none" and (reason := why_not(setup.level)):
        return None, f"the confinement {setup.level} does not work there: {reason}"
    own = os.environ.get("AUTOGRADER_COURSE")  # the course's folder here, if it has another path
    places = [setup.course_file, *([Path(own) / FILE_NAME] if own else [])]
    refused = f"there is no course in {places[0].parent}, and AUTOGRADER_COURSE does not name one"
    for place in filter(Path.is_file, places):
        try:
            here = environment_of(load_course(place), setup.seed, setup.level)
        except UserError as error:
            refused = str(error)
            continue
        refused = "; ".join(differences(here, given.environment))
        if not refused:
            return place, ""
    return None, refused
