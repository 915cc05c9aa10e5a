"""Judge: a pytest session that collects the checks once and then grades many submissions."""

import queue
import threading
import time
from collections.abc import Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
import pytest
from _pytest.runner import runtestprotocol

from autograder.checks.check_result import CheckResult
from autograder.checks.recorded_answers import refuse_other_seeds
from autograder.course.authoring_errors import InvalidCourse
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.own_modules import importable
from autograder.grading.author_exceptions import as_internal_error
from autograder.grading.check_collection import Collected, missing_check_files, run_pytest
from autograder.grading.check_plugin import RUN, CheckPlugin, CheckRun, with_unreadable_answers
from autograder.grading.scoring import Graded
from autograder.report.model import CheckOutcome
from autograder.sandbox.child import Cancelled, Children, InternalError
from autograder.sandbox.levels import children_for
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.read import UnreadableFile
from autograder.submission.source import Siblings, Source, read_source
from autograder.submission.stubs import has_own_code
from autograder.worker.preparation import import_compiler_late

if TYPE_CHECKING:
    from autograder.grading.diagnoses import Catalogue

TRIES = 3

Items = dict[str, list[pytest.Item]]  # the collected checks of each exercise


class RunOptions(msgspec.Struct, frozen=True):
    """Options of a run: checks, stop rule and random inputs.

    `until` says when the run stops: at the end, at the first failure, or at a doubt (a check that
    timed out or crashed). A run that stops early has no diagnoses. Without `seed`, the run uses the
    judge's seed.
    """

    only: frozenset[str] | None = None  # names the checks to run, or is None for all checks
    until: Literal["the end", "a failure", "a doubt"] = "the end"
    seed: int | None = None

    def is_enough(self, outcome: CheckOutcome) -> bool:
        if self.until == "a doubt":
            return outcome in {"timed out", "crashed"}
        return self.until == "a failure" and outcome != "passed"


ALL_CHECKS = RunOptions()
_Task = tuple[Source | WorkerSession, RunOptions]


class Judge:
    """Grader of one submission at a time, and context manager of its processes.

    If something other than the grader kills a worker, the submission is graded again, with at most
    `tries_if_killed` tries in total. pytest runs in a separate thread. Between two calls of `run`,
    pytest waits for a submission.
    """

    def __init__(
        self,
        course: Course,
        exercises: Sequence[Exercise],
        children: Children | None = None,
        seed: int | None = None,
        tries_if_killed: int = 2,
    ) -> None:
        refuse_other_seeds(course, seed)
        self.course = course
        self.tries_if_killed = tries_if_killed
        self.seed = course.content.seed if seed is None else seed
        self.exercises = {exercise.name: exercise for exercise in exercises}
        self.children = children or children_for(course)
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()  # None ends the thread
        self._done: queue.SimpleQueue[Graded | BaseException | None] = queue.SimpleQueue()
        self._current: WorkerSession | None = None
        self._thread = threading.Thread(target=self._run_pytest, daemon=True)

    @cached_property
    def catalogue(self) -> "Catalogue":
        """The course's misconceptions, with replays for all submissions."""
        from autograder.grading.diagnoses import catalogue_of

        return catalogue_of(self.course)

    def __enter__(self) -> "Judge":
        missing = missing_check_files(self.course, self.exercises)
        if missing:
            raise InvalidCourse(missing)
        import_compiler_late()  # the course's torch code may use an optimiser
        self._thread.start()
        try:
            self._result()
        except BaseException:
            self.children.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._tasks.put(None)
        self._thread.join(timeout=10)
        self.children.close()

    def run(self, source: Source | WorkerSession, options: RunOptions = ALL_CHECKS) -> Graded:
        """Return the results of the checks on a submission, and the report.

        `source` is a submission, or a worker session that the checks should use. If the grader
        itself fails, the report says so, and asks a person to look at the submission. After
        `cancel`, raise `Cancelled`.
        """
        self._tasks.put((source, options))
        graded = self._result()
        assert graded is not None
        return graded

    def cancel(self) -> None:
        """Cancel another thread's current call of `run`. That call then raises `Cancelled`.

        Repeat the cancellation until `run` ends, because one call may come too early.
        """
        session = self._current
        if session is not None:
            session.workers.cancel()

    def _result(self) -> Graded | None:
        done = self._done.get()
        if isinstance(done, BaseException):
            raise done
        return done

    # The following methods run in pytest's thread.

    def _run_pytest(self) -> None:
        try:
            run_pytest(self.course, list(self.exercises), CheckPlugin(self.course), _Loop(self))
        except BaseException as error:
            self.done(error)
        else:
            self.done(UserError("The pytest session ended before all checks were done."))

    def done(self, outcome: Graded | BaseException | None) -> None:
        self._done.put(outcome)

    def serve(self, items: Items) -> None:
        """Grade one submission after another. This replaces pytest's loop over the checks."""
        self.done(None)  # the checks are collected, so the judge is ready
        while (task := self._tasks.get()) is not None:
            graded = self._grade(*task, items)
            self._current = None
            self.done(graded)

    def _grade(
        self, source: Source | WorkerSession, options: RunOptions, items: Items
    ) -> Graded | BaseException:
        failure: InternalError | None = None
        for attempt in range(1, TRIES + 1):
            if isinstance(source, WorkerSession):
                session = source
            else:
                last_try = attempt >= self.tries_if_killed
                session = session_of(self.course, source, self.children, last_try)
            self._current = session
            try:
                with importable(self.course):
                    return self._run_checks(session, options, items)
            except (Cancelled, UserError) as error:
                return error
            except InternalError as error:
                failure = error
            except Exception as error:  # an error in the engine, or no memory left
                failure = as_internal_error(error)
                break
            except BaseException as error:
                return error
        return Graded(self.exercises[session.source.name], session, error=failure)

    def _run_checks(self, session: WorkerSession, options: RunOptions, all_items: Items) -> Graded:
        exercise = self.exercises[session.source.name]
        items = all_items.get(exercise.name, [])
        if options.only is not None:
            items = [item for item in items if item.name in options.only]
        run = CheckRun(lambda: session, self.seed if options.seed is None else options.seed)
        try:
            seconds = _run_items(items, run, options)
            if run.error is not None:
                raise run.error
            results = with_unreadable_answers(
                run.results_of(self.course, items), partial(is_sound, self.course, items, run)
            )
            ended = not any(options.is_enough(result.outcome) for result in results)
            if ended and any(result.outcome != "passed" for result in results):
                from autograder.grading.diagnoses import with_diagnoses  # imported only if needed

                results = with_diagnoses(self.catalogue, exercise.name, results, session)
            return Graded(exercise, session, results, seconds)
        finally:
            session.close()


@np.errstate(all="ignore")
def is_sound(
    course: Course, items: Sequence[pytest.Item], run: CheckRun, result: CheckResult
) -> bool:
    """Return True if a check passes for the solution, or if there is no solution.

    The submission's processes end before the solution runs in new processes.
    """
    if course.content.released is not None:
        return True
    item = next(item for item in items if run.results.get(item.nodeid) is result)
    name = run.session.source.name
    path = course.solution_file(name)
    try:
        solution = read_source(path, name, Siblings(path.parent))
    except UnreadableFile:
        return False
    run.session.close()
    session = session_of(course, solution, run.session.workers.children)
    item.stash[RUN] = solution_run = CheckRun(lambda: session, run.seed)
    try:
        runtestprotocol(item, log=False, nextitem=None)
    finally:
        item.stash[RUN] = run
        session.close()
    if solution_run.error is not None:
        raise solution_run.error
    return solution_run.results[item.nodeid].outcome == "passed"


def session_of(
    course: Course, source: Source, children: Children, last_try: bool = True
) -> WorkerSession:
    exercise = course.exercise(source.name)
    limits, names = course.limits(exercise), course.exercises.keys()
    workers = Workers(source, exercise.needs, limits, children, last_try, names)
    workers.has_code = partial(has_own_code, course, source)
    return WorkerSession(workers)


@np.errstate(all="ignore")  # wrong numbers may overflow, and students would see the warning
def _run_items(
    items: Sequence[pytest.Item], run: CheckRun, options: RunOptions
) -> dict[str, float]:
    """Let pytest run these checks in order, and return the time of each check in seconds."""
    seconds = {}
    for item, following in zip(items, [*items, None][1:], strict=True):
        item.stash[RUN] = run
        item.user_properties.clear()
        if hasattr(item, "_initrequest"):  # an item that has run before needs new fixtures
            item._initrequest()
        start = time.perf_counter()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds[item.name] = time.perf_counter() - start
        run.is_enough = run.is_enough or options.is_enough(run.results[item.nodeid].outcome)
    return seconds


class _Loop(Collected):
    """Pytest plugin of a judge."""

    def __init__(self, judge: Judge) -> None:
        super().__init__(judge.course)
        self.judge = judge

    def pytest_runtestloop(self) -> bool:
        self.look(list(self.judge.exercises))
        if self.errors:
            raise InvalidCourse(self.errors)
        self.judge.serve(self.items)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport:
        assert call.when != "collect"
        outcome: Literal["passed", "failed", "skipped"] = "passed"
        if call.excinfo is not None:
            skipped = isinstance(call.excinfo.value, pytest.skip.Exception)
            outcome = "skipped" if skipped else "failed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        self.judge.done(excinfo.value)
        return True
