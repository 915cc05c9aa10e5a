"""Process of a judge on a machine of a cluster. It gets and sends bytes through a pipe."""

import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from autograder.classroom.judge_pool import Task, TaskGrader, end_with_parent, limit_memory
from autograder.cluster.environment import differences, environment_of
from autograder.cluster.messages import Instruction, decode, encode
from autograder.course.course_file import FILE_NAME, Course, load_course
from autograder.course.errors import UserError
from autograder.sandbox.levels import why_not
from autograder.sandbox.spawn import keep_to_one_thread

IDLE_SECONDS = 120.0  # seconds without a task after which the run counts as ended


def main(parent: int, pipe: int, core: int, probe: int) -> None:
    """Grade tasks from a pipe on one core, until the pipe is closed or idle too long."""
    os.set_inheritable(pipe, False)  # child processes must not inherit the pipe
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, args=(parent,), daemon=True).start()
    with Connection(pipe) as asked:
        instruction = decode(asked.recv_bytes(), Instruction)
        course, refused = find_same_course(instruction, bool(probe))
        asked.send_bytes(encode(refused))
        if course is None:
            return
        limit_memory()
        setup = msgspec.structs.replace(
            instruction.setup, course_file=course.root / FILE_NAME, scratch=Path.cwd()
        )
        with TaskGrader(setup, core) as grading:
            while asked.poll(IDLE_SECONDS):
                try:
                    task = decode(asked.recv_bytes(), Task)
                except EOFError:
                    return
                asked.send_bytes(encode(grading.grade(task)))


def find_same_course(given: Instruction, probe: bool) -> tuple[Course | None, str]:
    """Return this machine's copy of the course, or the reason why there is no copy.

    With `probe`, also test whether the level of confinement works here.
    """
    setup = given.setup
    if probe and setup.level != "none" and (reason := why_not(setup.level)):
        return None, f"the confinement {setup.level} does not work there: {reason}"
    own = os.environ.get("AUTOGRADER_COURSE")  # the course's folder here, if it has another path
    places = [setup.course_file, *([Path(own) / FILE_NAME] if own else [])]
    refused = f"there is no course in {places[0].parent}, and AUTOGRADER_COURSE does not name one"
    for place in filter(Path.is_file, places):
        try:
            course = load_course(place)
            here = environment_of(course, setup.seed, setup.level)
        except UserError as error:
            refused = str(error)
            continue
        refused = "; ".join(differences(here, given.environment))
        if not refused:
            return course, ""
    return None, refused


if __name__ == "__main__":
    keep_to_one_thread()
    main(*map(int, sys.argv[1:]))
