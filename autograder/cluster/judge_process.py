"""A judge's process on a machine of a cluster: bytes in, bytes out, by the pipe it is given."""

import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from autograder.classroom.judge_pool import Setup, Task, TaskGrader, end_with_parent, limit_memory
from autograder.cluster.environment import differences, environment_of
from autograder.cluster.messages import Instruction, JudgeStart, Readiness
from autograder.course.course_file import FILE_NAME, Course, load_course
from autograder.course.errors import UserError
from autograder.sandbox.levels import why_not
from autograder.sandbox.spawn import keep_to_one_thread

IDLE_SECONDS = 120.0  # without a task: the run is over, or whoever graded is gone


def main(parent: int, pipe: int) -> None:
    """Grade what comes in by a pipe, until nothing comes."""
    os.set_inheritable(pipe, False)  # it is for no process that is started from here
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, args=(parent,), daemon=True).start()
    with Connection(pipe) as asked:
        start = msgspec.msgpack.decode(asked.recv_bytes(), type=JudgeStart)
        course, refused = find_same_course(start.instruction, start.probe)
        asked.send_bytes(msgspec.msgpack.encode(Readiness(refused)))
        if course is None:
            return
        limit_memory()
        with TaskGrader(_setup(start, course), start.core) as grading:
            while asked.poll(IDLE_SECONDS):
                try:
                    task = msgspec.msgpack.decode(asked.recv_bytes(), type=Task)
                except EOFError:
                    return
                asked.send_bytes(msgspec.msgpack.encode(grading.grade(task)))


def _setup(start: JudgeStart, course: Course) -> Setup:
    given = start.instruction
    secret = tuple(Path(path) for path in given.secret)
    place, scratch = course.root / FILE_NAME, Path(start.scratch)
    return Setup(place, given.exercises, given.seed, given.level, secret, scratch, given.alone)


def find_same_course(given: Instruction, probe: bool) -> tuple[Course | None, str]:
    """Return the course as it lies on this machine, or in what the machine differs.

    With `probe`, the level of confinement is tried as well.
    """
    if probe and given.level != "none":
        reason = why_not(given.level)
        if reason:
            return None, f"the confinement {given.level} does not hold there: {reason}"
    own = os.environ.get("AUTOGRADER_COURSE")  # where it lies on this machine, if elsewhere
    places = [Path(given.course_file), *([Path(own) / FILE_NAME] if own else [])]
    refused = f"there is no course in {places[0].parent}, and AUTOGRADER_COURSE names none"
    for place in places:
        if not place.is_file():
            continue
        try:
            course = load_course(place)
            here = environment_of(course, given.seed, given.level)
        except UserError as error:
            refused = str(error)
            continue
        refused = "; ".join(differences(here, given.environment))
        if not refused:
            return course, ""
    return None, refused


if __name__ == "__main__":
    keep_to_one_thread()
    main(int(sys.argv[1]), int(sys.argv[2]))
