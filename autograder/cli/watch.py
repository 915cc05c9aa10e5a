"""`autograder watch`: check as one saves."""

import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.student.progress import course_progress, next_unfinished
from autograder.student.targets import Target, course_of, targets_of
from autograder.student.terminal import Terminal


def run(name: str | None, spoken: bool, course_path: Path | None) -> int:
    names = [name] if name is not None else []
    course = course_of(names, course_path)
    target = _one(course, name)

    from autograder.sandbox.levels import children_for
    from autograder.sandbox.spawn import keep_to_one_thread

    keep_to_one_thread()
    children = children_for(course, target.exercise.needs, target.path)

    from autograder.student.background_judge import BackgroundJudge
    from autograder.student.terminal import Screen
    from autograder.student.watch import Redraw, Watch, WatchedExercise

    terminal = Terminal(spoken)
    desk = WatchedExercise(course, target.exercise.name, target.path, spoken)
    with Screen(terminal) as screen:
        watch = Watch(desk, terminal, screen)
        examiner = BackgroundJudge(course, course.content.exercises, children, watch.events.put)
        signal.signal(signal.SIGTERM, _stop)
        if sys.platform != "win32":
            signal.signal(signal.SIGWINCH, lambda *_: watch.events.put(Redraw()))
            signal.signal(signal.SIGTSTP, lambda *_: watch.events.put(Redraw(wanted=True)))
        try:
            watch.run(examiner)
        finally:
            examiner.close()
            children.close()
    terminal.show(watch.farewell())
    return 0


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _one(course: Course, name: str | None) -> Target:
    """The exercise to begin with: the one that is named, or else what comes next."""
    if name is not None:
        named = targets_of(course, [name])
        if len(named) > 1:
            raise UserError(f"{name} holds several exercises. Name one of them, or none.")
        return named[0]
    found = course_progress(course)
    following = next_unfinished(course, found) or next(iter(found.values()))
    if following.file is None:
        raise UserError("There is no exercise here to watch. `autograder status` lists them.")
    return Target(following.exercise, following.file)
