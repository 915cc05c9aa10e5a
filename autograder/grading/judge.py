"""One pytest session that grades many submissions: the checks are collected once."""

import functools
import os
import queue
import threading
import time
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
import pytest

from autograder.checks.fixtures import OPTIONS
from autograder.checks.released_checks import refuse_other_seeds
from autograder.course.authoring_errors import InvalidCourse
from autograder.course.course_file import Course, Exercise
from autograder.course.errors import UserError
from autograder.course.own_modules import importable
from autograder.grading.check_collection import Collected, missing_check_file
from autograder.grading.check_plugin import CheckPlugin, CheckResult
from autograder.grading.graded import (
    ALL_CHECKS,
    Graded,
    RunOptions,
    as_internal_error,
    clear_of_blame,
)
from autograder.report.model import ExerciseReport
from autograder.sandbox.child import Cancelled, Children, InternalError, NearItsMemory
from autograder.sandbox.levels import children_for
from autograder.sandbox.session import WorkerSession, open_session
from autograder.submission.read import UnreadableFile
from autograder.submission.source import Siblings, Source, read_source

if TYPE_CHECKING:
    from autograder.grading.diagnoses import Catalogue

TRIES = 3


class _Task(msgspec.Struct, frozen=True):
    """A submission that waits for its checks; `children` in place of the judge's own."""

    exercise: Exercise
    source: Source | WorkerSession
    wanted: RunOptions
    children: Children


class Judge:
    """Grades sources, one at a time. Use it as a context manager: it owns processes.

    Where a worker is killed from outside, the submission is graded again, up to `kills` times in
    all; then that is the result.

    pytest runs in a thread of its own and waits there for the next submission, so that the
    session stays open between calls of `run`, by means of public hooks alone.
    """

    def __init__(
        self,
        course: Course,
        exercises: Sequence[Exercise],
        children: Children | None = None,
        seed: int | None = None,
        kills: int = 2,
    ) -> None:
        refuse_other_seeds(course, seed)
        self.course = course
        self.kills = kills
        self.seed = course.content.seed if seed is None else seed
        self.exercises = {exercise.name: exercise for exercise in exercises}
        self.children = children or children_for(course)
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Graded | BaseException | None] = queue.SimpleQueue()
        self._checks = CheckPlugin(course, self.seed, lambda _: self._client)
        self._client: WorkerSession
        self._grading: WorkerSession | None = None
        self._seconds: dict[str, float] = {}
        self._items: dict[str, list[pytest.Item]] = {}
        self._sound: dict[tuple[str, int], bool] = {}
        self._thread = threading.Thread(target=self._run, daemon=True)

    @functools.cached_property
    def catalogue(self) -> "Catalogue":
        """The course's misconceptions, and what was replayed of them."""
        from autograder.grading.diagnoses import catalogue_of

        return catalogue_of(self.course)

    def __enter__(self) -> "Judge":
        missing = [missing_check_file(self.course, exercise) for exercise in self.exercises]
        if any(missing):
            raise InvalidCourse([slip for slip in missing if slip is not None])
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

    def grade(
        self, source: Source | WorkerSession, wanted: RunOptions = ALL_CHECKS
    ) -> ExerciseReport:
        """The report on a source: the one way to it, whoever asks.

        Where the grader itself fails, the report says so and leaves the rest to a person.

        Raises:
            Cancelled: `cancel` was called meanwhile.
            UserError: the course's author has something to mend first.
        """
        return self.run(source, wanted).report

    def run(
        self,
        source: Source | WorkerSession,
        wanted: RunOptions = ALL_CHECKS,
        children: Children | None = None,
    ) -> Graded:
        """The same with the results of the checks, for who needs more than the report.

        `source` names its exercise; a client brings its own way to answer calls. `children` are
        asked in place of the judge's.
        """
        name = source.source.name if isinstance(source, WorkerSession) else source.name
        task = _Task(self.exercises[name], source, wanted, children or self.children)
        self._tasks.put(task)
        graded = self._result()
        assert graded is not None
        return graded

    def cancel(self) -> None:
        """End the grading that is going on, from another thread; `run` then raises `Cancelled`.

        It may come too early or too late: whoever waits for the end asks again.
        """
        client = self._grading
        if client is not None:
            client.cancel()

    def _result(self) -> Graded | None:
        done = self._done.get()
        if isinstance(done, BaseException):
            raise done
        return done

    def _run(self) -> None:
        root = str(self.course.root)
        files = [str(self.course.checks_file(name)) for name in self.exercises]
        environment = os.environ.pop("PYTEST_ADDOPTS", None)
        try:
            loop = _Loop(self)
            plugins = [self._checks, loop.collected, loop]
            pytest.main([*OPTIONS, "--rootdir", root, *files], plugins=plugins)
        except BaseException as error:
            self._done.put(error)
        else:
            self._done.put(UserError("The checks' session ended before its work was done."))
        finally:
            if environment is not None:
                os.environ["PYTEST_ADDOPTS"] = environment

    def _serve(self, items: dict[str, list[pytest.Item]]) -> None:
        """Grade what comes in; runs inside pytest, in place of its loop over the items."""
        self._items = items
        self._done.put(None)  # collected: ready
        while (task := self._tasks.get()) is not None:
            graded = self._graded(task)
            self._grading = None
            self._done.put(graded)

    def _graded(self, task: _Task) -> Graded | BaseException:
        """What became of a submission; an exception, where whoever asked has to hear of it.

        Where something of the grader's own failed, or killed the worker, it is tried again.
        """
        trouble: InternalError | None = None
        for attempt in range(1, TRIES + 1):
            last_try = attempt >= self.kills
            may_share = not isinstance(trouble, NearItsMemory)
            self._client = self._grading = self._client_for(task, task.source, last_try, may_share)
            try:
                with importable(self.course):
                    return self._outcome(task, self._run_checks(task))
            except (Cancelled, UserError) as error:
                return error
            except InternalError as error:
                trouble = error
            except Exception as error:  # a fault of the engine's, or no memory left
                trouble = as_internal_error(error)
                break
            except BaseException as error:
                return error
        return self._outcome(task, [], trouble)

    def _outcome(
        self, task: _Task, results: list[CheckResult], trouble: InternalError | None = None
    ) -> Graded:
        return Graded(task.exercise, self._client, results, dict(self._seconds), trouble)

    def _client_for(
        self, task: _Task, source: Source | WorkerSession, last_try: bool, may_share: bool = True
    ) -> WorkerSession:
        if isinstance(source, WorkerSession):
            return source
        limits = self.course.limits(task.exercise)
        needs, children = task.exercise.needs, task.children
        return open_session(source, needs, limits, children, last_try, may_share)

    def _run_checks(self, task: _Task) -> list[CheckResult]:
        """The results of the checks that are wanted, with what is found out about those that fail.

        Raises:
            GraderTrouble: something of the grader's own failed.
        """
        wanted, items = task.wanted, self._items.get(task.exercise.name, [])
        if wanted.only is not None:
            items = [item for item in items if item.name in wanted.only]
        self._checks.begin(self.seed if wanted.seed is None else wanted.seed)
        try:
            self._run_items(items, wanted)
            return self._concluded(task, self._checks.results_of(items))
        finally:
            self._client.close()

    def _run_items(self, items: Sequence[pytest.Item], wanted: RunOptions) -> None:
        """Let pytest run these checks, one after the other."""
        self._seconds.clear()
        for item, following in zip(items, [*items, None][1:], strict=True):
            _renew(item)
            start = time.perf_counter()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self._seconds[item.name] = time.perf_counter() - start
            if wanted.is_enough(self._checks.results[item.nodeid].outcome):
                self._checks.enough = True  # the others are skipped, so that pytest tidies up

    def _concluded(self, task: _Task, results: list[CheckResult]) -> list[CheckResult]:
        """The results with what is known only once all checks have run."""
        if self._checks.trouble is not None:
            raise self._checks.trouble
        clear_of_blame(results, lambda result: self._is_sound(task, result))
        if not any(task.wanted.is_enough(result.outcome) for result in results):
            self._diagnose(results)
        return results

    def _diagnose(self, results: Sequence[CheckResult]) -> None:
        """Say which mistakes failed checks show; what that takes is imported only then."""
        if any(result.outcome != "passed" for result in results):
            from autograder.grading.diagnoses import attach_diagnoses

            attach_diagnoses(self.catalogue, self._client.source.name, results, self._client)

    def _is_sound(self, task: _Task, result: CheckResult) -> bool:
        """Whether a check passes for the course's solution; a released one did."""
        if self.course.content.released is not None:
            return True
        key = result.item.nodeid, self._checks.seed
        if key not in self._sound:
            name = task.exercise.name
            path = self.course.solution_file(name)
            before, results = self._client, dict(self._checks.results)
            before.close()
            try:
                solution = read_source(path, name, Siblings(path.parent))
                self._client = self._client_for(task, solution, last_try=True)
                self._checks.results.clear()
                _renew(result.item)
                result.item.config.hook.pytest_runtest_protocol(item=result.item, nextitem=None)
                if self._checks.trouble is not None:
                    raise self._checks.trouble
                self._sound[key] = self._checks.results[key[0]].outcome == "passed"
            except UnreadableFile:
                self._sound[key] = False
            finally:
                self._client.close()
                self._client = before
                self._checks.results.clear()
                self._checks.results.update(results)
        return self._sound[key]


class _Loop:
    """The hooks by which the judge takes pytest's loop over."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.collected = Collected(judge.course)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        with importable(self.judge.course):
            return (yield)

    def pytest_runtestloop(self) -> bool:
        slips = self.collected.look(list(self.judge.exercises))
        if slips:
            raise InvalidCourse(slips)
        self.judge._serve(self.collected.items)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport:
        """A bare report in place of pytest's, whose traceback nobody reads and is slow to make."""
        assert call.when != "collect"
        outcome: Literal["passed", "failed", "skipped"] = "passed"
        if call.excinfo is not None:
            skipped = isinstance(call.excinfo.value, pytest.skip.Exception)
            outcome = "skipped" if skipped else "failed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
        self.judge._done.put(excinfo.value)
        return True


def _renew(item: pytest.Item) -> None:
    """Make an item that has run ready to run again, with fresh fixtures."""
    item.user_properties.clear()
    if hasattr(item, "_initrequest"):
        item._initrequest()
