"""`autograder watch`: check as one saves."""

import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from autograder.cli.options import ExerciseName, course_option, plain_option
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.student.progress import course_progress, next_unfinished
from autograder.student.targets import Target, course_of, targets_of
from autograder.student.terminal import Terminal


@click.command()
@click.argument("work", required=False, type=ExerciseName(files=True))
@plain_option
@course_option
def watch(work: str | None, plain: bool, course_path: Path | None) -> None:
    """Check as you save, and show the report in place: WORK is an exercise, or its file.

    Without one it begins with the exercise that comes next. Whichever is saved is shown.
    """
    course = course_of([work] if work is not None else [], course_path)
    target = _first_target(course, work)

    # The worker warms up on another core while this process imports what it needs.
    from autograder.sandbox.levels import children_for
    from autograder.sandbox.spawn import keep_to_one_thread

    keep_to_one_thread()
    children = children_for(course, target.exercise.needs, target.path)

    from autograder.student.background_judge import BackgroundJudge
    from autograder.student.terminal import Screen
    from autograder.student.watch import Redraw, Watch, WatchedExercise

    terminal = Terminal(plain)
    exercise = WatchedExercise(course, target.exercise.name, target.path, plain)
    with Screen(terminal) as screen:
        watching = Watch(exercise, terminal, screen)
        judge = BackgroundJudge(course, course.content.exercises, children, watching.events.put)
        signal.signal(signal.SIGTERM, _stop)
        if sys.platform != "win32":
            signal.signal(signal.SIGWINCH, lambda *_: watching.events.put(Redraw()))
            signal.signal(signal.SIGTSTP, lambda *_: watching.events.put(Redraw(suspend=True)))
        try:
            watching.run(judge)
        finally:
            judge.close()
            children.close()
    terminal.show(watching.farewell())


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _first_target(course: Course, work: str | None) -> Target:
    """Return the exercise that is named, or else the one that comes next.

    Raises:
        UserError: there is none, or several are named.
    """
    if work is not None:
        targets = targets_of(course, [work])
        if len(targets) > 1:
            raise UserError(f"{work} holds several exercises. Name one of them, or none.")
        return targets[0]
    progress = course_progress(course)
    following = next_unfinished(course, progress) or next(iter(progress.values()))
    if following.file is None:
        raise UserError("There is no exercise here to watch. `autograder status` lists them.")
    return Target(following.exercise, following.file)
