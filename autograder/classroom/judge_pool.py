"""Pool of judge processes that grade the submissions of a class in parallel.

A result is doubtful if the code timed out or was killed while other code ran. At the end, each
doubtful submission is graded again while no other code runs. Only this second result counts. So a
grade does not depend on the machine's load. See `docs/maintainers/judge-pool.md`.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.context import BaseContext
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autograder.classroom.records import may_have_repair
from autograder.course.course_file import Course, load_course
from autograder.course.installation import is_off
from autograder.report.model import ExerciseReport
from autograder.sandbox.spawn import end_with_starter, keep_to_one_thread
from autograder.submission.source import Source
from autograder.worker.confinement import Level

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

    from autograder.grading.scoring import Graded

Reports = dict[str, bytes]
DOUBTFUL = {"timed out", "crashed"}
JUDGE_MEMORY = 3 * 2**30
WORKER_MEMORY = 2560 * 2**20  # of a judge and its fork servers, which grade all exercises
CGROUPS = Path("/sys/fs/cgroup")
CONTAINERS = CGROUPS / "memory.max", CGROUPS / "memory" / "memory.limit_in_bytes"
TRIES = 4
SEARCH_SECONDS = 60.0  # limit on a search for repairs, if nobody waits for the result
PAUSE = 0.25  # seconds, longer with each try
MOST_BUDGETS = 3  # an exercise's time budget times this is the limit for one student's timeouts

FORKS = sys.platform == "linux"  # elsewhere, numpy's libraries do not survive a fork
PRELOADED = ["autograder.grading.judge", "autograder.sandbox.levels"]
if FORKS:  # only once: a program that forks other processes may add modules later
    multiprocessing.set_forkserver_preload(PRELOADED)


class Setup(msgspec.Struct, frozen=True):
    """Settings of a judge process.

    With `alone`, no other judge runs, so the judge's results are final. Otherwise, the judge stops
    a submission at its first doubtful result.
    """

    course_file: Path
    exercises: tuple[str, ...]
    seed: int
    level: Level
    secret: tuple[Path, ...]
    scratch: Path
    alone: bool = True


class Task(msgspec.Struct, frozen=True):
    """One student's files to grade."""

    number: int  # position of the student in the class
    student: str
    sources: tuple[Source, ...]
    search_seconds: float = 0.0  # processor time to search each file for a repair, roughly


Graders = Callable[[Iterable[Task], Setup], Iterator[tuple[Task, Reports]]]


class TaskReports(msgspec.Struct, frozen=True):
    reports: Reports
    doubtful: frozenset[str] = frozenset()  # exercises to grade again while no other code runs


class TaskGrader(contextlib.ExitStack):
    """Judge of one process, with its workers, on one processor core."""

    def __init__(self, setup: Setup, core: int | None = None) -> None:
        # imported here because they load pytest and numpy, which only judges need
        from autograder.grading.judge import Judge, RunOptions
        from autograder.sandbox.levels import children_on

        super().__init__()
        self.course = load_course(setup.course_file)
        self._alone = setup.alone
        self._options = RunOptions() if setup.alone else RunOptions(until="a doubt")
        exercises = [self.course.exercise(name) for name in setup.exercises]
        children = children_on(setup.level, self.course, setup.secret, setup.scratch, core)
        tries = 3 if setup.alone else 1  # if something else kills a worker
        self.judge = self.enter_context(Judge(self.course, exercises, children, setup.seed, tries))

    def grade(self, task: Task) -> TaskReports:
        """Grade each source. If `alone` is true and timeouts took too long, skip the rest."""
        reports: Reports = {}
        doubtful, spent = set(), 0.0
        most = MOST_BUDGETS * self.course.content.limits.total_seconds
        for source in task.sources:
            if self._alone and spent > most:
                break
            graded = self.judge.run(source, self._options)
            reports[source.name] = graded.encoded
            if task.search_seconds:
                reports[source.name] = self._with_repair(graded, task.search_seconds)
            if any(check.outcome == "timed out" for check in graded.report.checks):
                spent += graded.session.workers.budget.spent
            if graded.report.status in DOUBTFUL or graded.session.workers.budget.is_in_doubt:
                doubtful.add(source.name)
        return TaskReports(reports, frozenset(doubtful))

    def _with_repair(self, graded: "Graded", seconds: float) -> bytes:
        from autograder.grading.repair import repair_for_student

        try:
            repair = repair_for_student(self.judge, graded, contextlib.nullcontext(), seconds)
        except Exception:  # an error in the search costs nobody a grade
            traceback.print_exc()
            return graded.encoded
        return msgspec.json.encode(msgspec.structs.replace(graded.report, repair=repair))


def decoded(reports: Reports) -> dict[str, ExerciseReport]:
    return {name: msgspec.json.decode(data, type=ExerciseReport) for name, data in reports.items()}


def with_repairs(
    grade: Callable[[Task], TaskReports], task: Task, course: Course, seconds: float
) -> dict[str, ExerciseReport]:
    """Grade a student's files, and search at most `seconds` for repairs. Points do not change."""
    reports = decoded(grade(task).reports)
    end = time.monotonic() + seconds
    for source in task.sources:
        left, report = end - time.monotonic(), reports.get(source.name)
        if left > 0 and report is not None and may_have_repair(report, course):
            search = Task(task.number, task.student, (source,), left)
            for name, found in decoded(grade(search).reports).items():
                reports[name] = msgspec.structs.replace(report, repair=found.repair)
    return reports


class JudgePool:
    """Judge processes of a class.

    The pool starts and ends an executor of judge processes, which all have the same setup. If a
    task needs another setup, or if a judge dies, the pool ends the executor. The pool is not
    thread-safe.
    """

    def __init__(self, workers: int, pinned: bool = True) -> None:
        """Make a pool. If it is `pinned`, each judge has its own processor core."""
        self._workers, self._pinned = workers, pinned
        self._executor: ProcessPoolExecutor | None = None
        self._made_for: tuple[Setup, int] | None = None

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
        self._executor = None

    def grade(self, tasks: Iterable[Task], setup: Setup) -> Iterator[tuple[Task, Reports]]:
        """Yield each task with its reports.

        Doubtful tasks come last. If the judge of a task died, the task has no reports. To save
        memory, the pool keeps only doubtful tasks and a few others.
        """
        doubtful: dict[int, tuple[Task, Reports]] = {}
        again: list[Task] = []
        beside = msgspec.structs.replace(setup, alone=False)
        for task, outcome in self._run(tasks, beside, self._workers):
            if outcome.doubtful:
                sources = tuple(each for each in task.sources if each.name in outcome.doubtful)
                doubtful[task.number] = task, outcome.reports
                again.append(msgspec.structs.replace(task, sources=sources))
            else:
                yield task, outcome.reports
        self.close()
        for alone, outcome in self._run(again, setup, 1):
            task, reports = doubtful.pop(alone.number)
            yield task, reports | outcome.reports

    def grade_one(self, task: Task, setup: Setup) -> TaskReports:
        """Grade a task while no other code runs. The judge is kept for the next task."""
        ((_, outcome),) = self._run([task], setup, 1)
        return outcome

    def _run(
        self, tasks: Iterable[Task], setup: Setup, workers: int
    ) -> Iterator[tuple[Task, TaskReports]]:
        coming = iter(tasks)
        running: dict[Future[TaskReports], Task] = {}
        while True:
            broken: list[Task] = []
            for task in islice(coming, 3 * workers - len(running)):
                try:
                    running[self._submit(task, setup, workers)] = task
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
                for task in [*broken, *running.values()]:
                    yield task, self._graded_apart(task, setup)
                running.clear()

    def _graded_apart(self, task: Task, setup: Setup) -> TaskReports:
        for tried in range(TRIES):  # a judge may die of other causes, too
            self.close()
            time.sleep(PAUSE * tried)  # the fork server may be ending
            with contextlib.suppress(BrokenProcessPool):
                return self._submit(task, setup, 1).result()
        return TaskReports({})

    def _submit(self, task: Task, setup: Setup, workers: int) -> Future[TaskReports]:
        try:
            if self._executor is None or self._made_for != (setup, workers):
                self.close()
                context = context_of_judges()
                number = context.Value("i", 0) if self._pinned else None  # counts judges
                self._executor = ProcessPoolExecutor(workers, context, _start, (setup, number))
                self._made_for = setup, workers
            return self._executor.submit(_grade, task)
        except (OSError, EOFError) as error:  # the fork server has just ended
            raise BrokenProcessPool from error


@contextlib.contextmanager
def open_pool(workers: int) -> Iterator[Graders]:
    with contextlib.closing(JudgePool(workers)) as pool:
        yield pool.grade


_grader: TaskGrader


def _start(setup: Setup, number: "Synchronized[int] | None") -> None:
    global _grader  # noqa: PLW0603  one judge for the life of the process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_starter()
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no such limits
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (JUDGE_MEMORY, most))
    core = None
    if number is not None:
        with number.get_lock():
            core = number.value
            number.value += 1
    _grader = TaskGrader(setup, core)
    Finalize(None, _grader.close, exitpriority=1)


def _grade(task: Task) -> TaskReports:
    return _grader.grade(task)


def workers_here() -> int:
    """Return how many workers the processors and memory of this machine or container allow."""
    sizes = [sys.maxsize]
    with contextlib.suppress(AttributeError, ValueError, OSError):  # unknown on Windows
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit in CONTAINERS:
        with contextlib.suppress(ValueError, OSError):  # also if there is no limit
            sizes.append(int(limit.read_text(encoding="ascii")))
    return max(1, min(os.cpu_count() or 1, min(sizes) // WORKER_MEMORY))


def context_of_judges() -> BaseContext:
    """Return the context that starts judges. On Linux, they fork from a prepared process."""
    keep_to_one_thread()
    if not FORKS or is_off("forked_judges"):
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    safe_path = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"  # import nothing from the working folder
    try:
        forkserver.ensure_running()
    except OSError:  # its socket's path is too long
        return multiprocessing.get_context("spawn")
    finally:
        if safe_path is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = safe_path
    return multiprocessing.get_context("forkserver")
