"""Judges in processes of their own; results come back as they are ready.

What ran out of time or was killed beside others is graded again at the end, alone, and only then
believed: so a grade does not depend on what else the machine had to do.
"""

import contextlib
import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import parent_process
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

from autograder.classroom.judge_processes import context_of_judges
from autograder.course.course_file import load_course
from autograder.course.optimisations import is_off
from autograder.submission.source import Source
from autograder.worker.confinement import Level

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

    from autograder.grading.graded import Graded

Reports = dict[str, bytes]
DOUBTFUL = {"timed out", "crashed"}
JUDGE_MEMORY = 3 * 2**30
TRIES = 4
PAUSE = 0.25  # seconds, longer with each try
MOST_BUDGETS = 3  # of an exercise: so many a student may use up in exercises that run out of time


class Setup(msgspec.Struct, frozen=True):
    """All that a judge's process must know. `alone` is for results that are believed as they are;
    others end with the first thing that is in doubt."""

    course_file: Path
    exercises: tuple[str, ...]
    seed: int
    level: Level
    secret: tuple[Path, ...]
    scratch: Path
    alone: bool = True


class Task(msgspec.Struct, frozen=True):
    """A student's sources that have to be graded; `number` is the student's place in the class."""

    number: int
    student: str
    sources: tuple[Source, ...]


Graders = Callable[[Iterable[Task], Setup], Iterator[tuple[Task, Reports]]]


class TaskReports(msgspec.Struct, frozen=True):
    """An encoded `ExerciseReport` for each source, and the names of those not to believe yet."""

    reports: Reports
    doubtful: frozenset[str] = frozenset()


class TaskGrader:
    """The grading within one process: a judge, and the children that it asks, on one core."""

    def __init__(self, setup: Setup, core: int | None = None) -> None:
        # pytest and numpy, which who starts judges and collects their results has no use for
        from autograder.grading.graded import RunOptions
        from autograder.grading.judge import Judge
        from autograder.sandbox.levels import children_on

        self.course = load_course(setup.course_file)
        self._alone, self._spent = setup.alone, 0.0
        self._wanted = RunOptions() if setup.alone else RunOptions(until="a doubt")
        exercises = [self.course.exercise(name) for name in setup.exercises]
        first = exercises[0].needs if exercises else None
        children = children_on(setup.level, self.course, setup.secret, setup.scratch, core, first)
        tries = 3 if setup.alone else 1  # of what is killed from outside
        self.judge = Judge(self.course, exercises, children, setup.seed, tries)

    def __enter__(self) -> Self:
        self.judge.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.judge.__exit__()

    def grade(self, task: Task) -> TaskReports:
        """Each source's report.

        What is graded again is left as it is when a student has used up far too much.
        """
        done: dict[str, Graded] = {}
        most = MOST_BUDGETS * self.course.content.limits.total_seconds
        self._spent = 0.0
        for source in task.sources:
            if self._alone and self._spent > most:
                break
            done[source.name] = self._grade_one(source)
        return TaskReports(
            {name: graded.encoded for name, graded in done.items()},
            frozenset(name for name, graded in done.items() if _is_doubtful(graded)),
        )

    def _grade_one(self, source: Source) -> "Graded":
        graded = self.judge.run(source, self._wanted)
        if any(check.outcome == "timed out" for check in graded.report.checks):
            self._spent += graded.client.spent
        return graded


def _is_doubtful(graded: "Graded") -> bool:
    return graded.report.status in DOUBTFUL or graded.client.is_in_doubt


_grading: TaskGrader


def _start(setup: Setup, number: "Synchronized[int]") -> None:
    """Make this process a judge. Ctrl-C is for the process that started it."""
    global _grading  # noqa: PLW0603  one judge for the life of the process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    limit_memory()
    with number.get_lock():
        core = number.value
        number.value += 1
    _grading = TaskGrader(setup, core)
    _grading.__enter__()
    if not is_off("gc_freeze"):
        gc.freeze()  # what is imported stays; there is no use in looking through it again and again
    Finalize(None, _grading.__exit__, exitpriority=1)


def limit_memory() -> None:
    """What a submission can make a judge allocate has an end, well before the machine's."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (JUDGE_MEMORY, most))


def _end_with_parent() -> None:
    """A judge has no use once the process that collects its results is gone."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def end_with_parent(parent: int) -> None:
    """The same for a judge that the process of that id started as any other program."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


def _grade(task: Task) -> TaskReports:
    return _grading.grade(task)


def _nothing() -> None:
    """What a judge's process can be asked for before there is a task."""


@contextlib.contextmanager
def open_pool(setup: Setup, workers: int, ahead: bool) -> Iterator[Graders]:
    """What grades as `graded` does; with `ahead`, a first judge of this setup starts meanwhile."""
    if not ahead or is_off("first_judge_ahead"):
        yield lambda tasks, setup: grade_tasks(tasks, setup, workers)
        return
    with _judges(msgspec.structs.replace(setup, alone=False), workers) as executor:

        def begin() -> None:
            with contextlib.suppress(RuntimeError, OSError, EOFError):  # as who needs it will see
                executor.submit(_nothing)

        threading.Thread(target=begin, daemon=True).start()
        yield lambda tasks, setup: grade_tasks(tasks, setup, workers, executor)


def grade_tasks(
    tasks: Iterable[Task], setup: Setup, workers: int, first: Executor | None = None
) -> Iterator[tuple[Task, Reports]]:
    """Each task and its reports, as they get ready; no reports where a judge died of the task.

    A few more than `workers` are under way at a time, so that memory does not grow with the class.
    No process is started before there is a task, but for those of `first`, which are asked first.
    Tasks with something doubtful come last.
    """
    doubtful: dict[int, tuple[Task, Reports]] = {}
    again: list[Task] = []
    beside = msgspec.structs.replace(setup, alone=False)
    for task, outcome in _side_by_side(tasks, beside, workers, first):
        if outcome.doubtful:
            sources = tuple(each for each in task.sources if each.name in outcome.doubtful)
            doubtful[task.number] = task, outcome.reports
            again.append(Task(task.number, task.student, sources))
        else:
            yield task, outcome.reports
    if first is not None:
        threading.Thread(target=first.shutdown).start()  # who has begun it waits for this
    for alone, outcome in _side_by_side(again, setup, 1):
        task, reports = doubtful.pop(alone.number)
        yield task, reports | outcome.reports


def _side_by_side(
    tasks: Iterable[Task], setup: Setup, workers: int, executor: Executor | None = None
) -> Iterator[tuple[Task, TaskReports]]:
    """Each task and what came of it, as it gets ready; no reports where a judge died of it."""
    coming = iter(tasks)
    running: dict[Future[TaskReports], Task] = {}
    with contextlib.ExitStack() as stack:
        while True:
            broken: list[Task] = []
            for task in _some(coming, 3 * workers - len(running)):
                executor = executor or stack.enter_context(_judges(setup, workers))
                try:
                    running[_submitted(executor, task)] = task
                except BrokenProcessPool:
                    broken.append(task)
                    break
            if not running and not broken:
                return
            done = set() if broken else wait(running, return_when=FIRST_COMPLETED).done
            for future in done:
                task = running.pop(future)
                try:
                    yield task, future.result()
                except BrokenProcessPool:
                    broken.append(task)
            if broken:
                yield from _one_by_one([*broken, *running.values()], setup)
                running.clear()
                executor = None


def _submitted(executor: Executor, task: Task) -> Future[TaskReports]:
    try:
        return executor.submit(_grade, task)
    except (OSError, EOFError) as error:  # what judges are forked from ended just now
        raise BrokenProcessPool from error


def _some(coming: Iterator[Task], most: int) -> Iterator[Task]:
    for _ in range(most):
        try:
            yield next(coming)
        except StopIteration:
            return


def _one_by_one(tasks: list[Task], setup: Setup) -> Iterator[tuple[Task, TaskReports]]:
    """Grade again those that were under way when a judge died, each apart, to find the cause."""
    for task in tasks:
        outcome = TaskReports({})
        for tried in range(TRIES):  # the end may have come from outside, more than once
            time.sleep(PAUSE * tried)  # what judges are forked from may be ending just now
            with contextlib.suppress(BrokenProcessPool), _judges(setup, 1) as executor:
                outcome = _submitted(executor, task).result()
                break
        yield task, outcome


class _JudgePool(ProcessPoolExecutor):
    """Judges that are ended once, whoever asks for it first; who asks later waits for it."""

    def __init__(self, workers: int, setup: Setup) -> None:
        context = context_of_judges()
        number = context.Value("i", 0)  # each judge has its own; its submissions run on that core
        super().__init__(workers, context, _start, (setup, number))
        self._ending = threading.Lock()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self._ending:
            super().shutdown(wait, cancel_futures=cancel_futures)


@contextlib.contextmanager
def _judges(setup: Setup, workers: int) -> Iterator[Executor]:
    executor = _JudgePool(workers, setup)
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
