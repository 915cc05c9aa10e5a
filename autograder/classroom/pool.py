"""Judges in processes of their own, and the order of their results kept."""

import atexit
import contextlib
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Self

import msgspec

from autograder.course import Exercise, load_course
from autograder.judge.scoring import exercise_report, ungraded, whole_report
from autograder.judge.session import Judge
from autograder.judge.spawn import Spawner
from autograder.report.model import ExerciseReport, Report
from autograder.submission.intake import Folder, Work, read_work


class Setup(msgspec.Struct, frozen=True):
    """All that a judge's process must know."""

    course_file: Path
    exercises: tuple[str, ...]
    seed: int
    scratch: Path


class Grading:
    """The grading of submissions within one process: a judge, and what it grades."""

    def __init__(self, setup: Setup) -> None:
        self.seed = setup.seed
        self.course = load_course(setup.course_file)
        self.exercises = [self.course.exercise(name) for name in setup.exercises]
        reference = self.course.content.reference
        spawner = Spawner(reference, ahead=True, scratch=setup.scratch)
        self.judge = Judge(self.course, self.exercises, spawner, setup.seed)

    def __enter__(self) -> Self:
        self.judge.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.judge.__exit__()

    def grade(self, folder: Folder) -> Report:
        """The report on one student's folder."""
        work = read_work(folder, self.course.exercises)
        reports = [self._grade_one(exercise, work) for exercise in self.exercises]
        return whole_report(work.student, self.course, reports, self.seed, work.notes)

    def _grade_one(self, exercise: Exercise, work: Work) -> ExerciseReport:
        if exercise.name in work.unclear:
            return ungraded(exercise, "needs a person", work.unclear[exercise.name])
        source = work.sources.get(exercise.name)
        if source is None:
            return ungraded(exercise, "missing", "Nothing was handed in for this exercise.")
        graded = self.judge.grade(source)
        return exercise_report(exercise, source, graded.results, graded.client)


_grading: Grading


def _start(setup: Setup) -> None:
    """Make this process a judge; Ctrl-C is for the process that started it."""
    global _grading  # noqa: PLW0603  one judge for the life of the process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _grading = Grading(setup)
    _grading.__enter__()
    atexit.register(_grading.__exit__)


def _grade(folder: Folder) -> bytes:
    return msgspec.json.encode(_grading.grade(folder))


def graded(
    folders: Sequence[Folder], setup: Setup, workers: int
) -> Iterator[tuple[Folder, Report | None]]:
    """Each folder's report, in the order of the folders; None where a judge's process died of it.

    A few more than `workers` are under way at a time, so that memory does not grow with the class.
    """
    waiting = deque(folders)
    running: deque[tuple[Folder, Future[bytes]]] = deque()
    with contextlib.ExitStack() as stack:
        executor = stack.enter_context(_judges(setup, min(workers, len(folders))))
        while waiting or running:
            while waiting and len(running) < 4 * workers:
                folder = waiting.popleft()
                running.append((folder, executor.submit(_grade, folder)))
            folder, future = running[0]
            try:
                report = msgspec.json.decode(future.result(), type=Report)
            except BrokenProcessPool:
                yield from _one_by_one([folder for folder, _ in running], setup)
                running.clear()
                executor = stack.enter_context(_judges(setup, workers))
                continue
            running.popleft()
            yield folder, report


def _one_by_one(folders: Sequence[Folder], setup: Setup) -> Iterator[tuple[Folder, Report | None]]:
    """Grade again those that were under way when a judge died, each apart, to find the cause."""
    for folder in folders:
        try:
            with _judges(setup, 1) as executor:
                data = executor.submit(_grade, folder).result()
            yield folder, msgspec.json.decode(data, type=Report)
        except BrokenProcessPool:
            yield folder, None


@contextlib.contextmanager
def _judges(setup: Setup, workers: int) -> Iterator[Executor]:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # one process a core; threads would only be in the way
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, context, _start, (setup,))
    try:
        yield executor
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
