"""One pytest session that grades many submissions: the checks are collected once."""

import contextlib
import functools
import os
import queue
import threading
import time
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Literal

import pytest

from autograder.course import Course, Exercise
from autograder.errors import UserError
from autograder.grading.options import OPTIONS
from autograder.grading.overtime import Overtime, at_most
from autograder.grading.plugin import CheckPlugin, CheckResult
from autograder.lint.checks import Collected, missing_checks
from autograder.lint.slip import CourseSlips
from autograder.own_modules import importable
from autograder.release.session import refuse_other_seeds
from autograder.report.model import Outcome
from autograder.sandbox.child import Cancelled, Children, GraderTrouble
from autograder.sandbox.client import Client
from autograder.sandbox.unconfined import children_for
from autograder.submission.read import UnreadableFile
from autograder.submission.siblings import Siblings
from autograder.submission.source import Source, read_source

if TYPE_CHECKING:
    from autograder.grading.diagnose import Catalogue

TRIES = 3
DIAGNOSIS_SECONDS = 30.0  # of the judge's own; what is not found by then is left out


class Graded:
    """The results of one exercise's checks on one submission, and the client that answered."""

    def __init__(self, results: list[CheckResult], client: Client) -> None:
        self.results = results
        self.client = client


class Judge:
    """Grades sources, one at a time. Use it as a context manager: it owns processes.

    `seconds` is how long each check of the last source took. For what asks about a part alone,
    `only` names the checks to run, and `until_first_failure` ends with the first that fails, and
    without a diagnosis; `until_doubt` with the first that ran out of time or crashed, for what will
    be graded again at any rate. Where a worker is killed from outside, the submission is graded
    again, up to `kills` times in all; then that is the result.

    pytest runs in a thread of its own and waits there for the next submission, so that the
    session stays open between calls of `grade`, by means of public hooks alone.
    """

    def __init__(
        self,
        course: Course,
        exercises: Sequence[Exercise],
        children: Children | None = None,
        seed: int | None = None,
        kills: int = 2,
        until_doubt: bool = False,
    ) -> None:
        refuse_other_seeds(course, seed)
        self.course = course
        self.kills = kills
        self.until_doubt = until_doubt
        self.exercises = {exercise.name: exercise for exercise in exercises}
        self.children = children or children_for(course)
        self._tasks: queue.SimpleQueue[Source | Client | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[Graded | BaseException | None] = queue.SimpleQueue()
        self._checks = CheckPlugin(
            course, course.content.seed if seed is None else seed, lambda _: self._client
        )
        self.seconds: dict[str, float] = {}
        self.only: frozenset[str] | None = None
        self.until_first_failure = False
        self._client: Client
        self._grading: Client | None = None
        self._items: dict[str, list[pytest.Item]] = {}
        self._sound: dict[tuple[str, int], bool] = {}
        self._thread = threading.Thread(target=self._run, daemon=True)

    @functools.cached_property
    def catalogue(self) -> "Catalogue":
        """The course's misconceptions, and what was replayed of them."""
        from autograder.release.catalogue import catalogue_of

        return catalogue_of(self.course)

    def __enter__(self) -> "Judge":
        missing = [missing_checks(self.course, exercise) for exercise in self.exercises]
        if any(missing):
            raise CourseSlips([slip for slip in missing if slip is not None])
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

    def grade(self, source: Source | Client) -> Graded:
        """Run the checks of `source.name` on it; a client brings its own way to answer calls."""
        self._tasks.put(source)
        graded = self._result()
        assert graded is not None
        return graded

    def cancel(self) -> None:
        """End the grading that is going on, from another thread; `grade` then raises `Cancelled`.

        It may come too early or too late: whoever waits for the end asks again.
        """
        client = self._grading
        if client is not None:
            client.cancel()

    @property
    def seed(self) -> int:
        """What the random inputs are drawn by."""
        return self._checks.seed

    def reseed(self, seed: int) -> None:
        """Draw other random inputs from now on."""
        self._checks.seed = seed

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
        while (source := self._tasks.get()) is not None:
            graded = self._grade(source)
            self._grading = None
            self._done.put(graded)

    def _grade(self, source: Source | Client) -> Graded | BaseException:
        """Run the checks; again if something of the grader's own failed, or killed the worker."""
        trouble: GraderTrouble | None = None
        for attempt in range(1, TRIES + 1):
            try:
                with importable(self.course):
                    trouble = self._run_checks(source, last_try=attempt >= self.kills)
            except BaseException as error:
                return error
            if isinstance(trouble, Cancelled):
                break
            if trouble is None:
                return Graded(self._checks.results_of(self._chosen()), self._client)
        assert trouble is not None
        return trouble

    def _chosen(self) -> list[pytest.Item]:
        """The checks to run on the client's source."""
        items = self._items.get(self._client.source.name, [])
        return [item for item in items if self.only is None or item.name in self.only]

    def _diagnose(self, results: Sequence[CheckResult]) -> None:
        """Say which mistakes failed checks show; what that takes is imported only then."""
        if all(result.outcome == "passed" for result in results):
            return
        from autograder.grading.diagnose import attach_diagnoses

        with contextlib.suppress(Overtime, MemoryError), at_most(DIAGNOSIS_SECONDS):
            attach_diagnoses(self.catalogue, self._client.source.name, results, self._client)

    def _is_enough(self, outcome: Outcome) -> bool:
        """Whether nothing has to be known after a check with this outcome."""
        if self.until_doubt and outcome in {"timed out", "crashed"}:
            return True
        return self.until_first_failure and outcome != "passed"

    def _clear_of_blame(self, items: Sequence[pytest.Item]) -> None:
        """A check that stopped by itself: who is to blame, the check or what it was given?

        If it passes for the course's solution, it is a sound check that met a value it could not
        read. So no submission can make it look as if the grader had failed.
        """
        for item in items:
            result = self._checks.results.get(item.nodeid)
            if result is not None and result.outcome == "error" and self._is_sound(item):
                result.could_not_read()

    def _is_sound(self, item: pytest.Item) -> bool:
        """Whether a check passes for the course's solution; a released one did."""
        if self.course.content.released is not None:
            return True
        key = item.nodeid, self._checks.seed
        if key not in self._sound:
            name = self._client.source.name
            path = self.course.solution_file(name)
            before, results = self._client, dict(self._checks.results)
            before.close()
            try:
                solution = read_source(path, name, Siblings(path.parent))
                self._client = self._client_for(solution, last_try=True)
                self._checks.results.clear()
                _renew(item)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                self._sound[key] = self._checks.results[item.nodeid].outcome == "passed"
            except UnreadableFile:
                self._sound[key] = False
            finally:
                self._client.close()
                self._client = before
                self._checks.results.clear()
                self._checks.results.update(results)
        return self._sound[key]

    def _client_for(self, source: Source | Client, last_try: bool) -> Client:
        if isinstance(source, Client):
            return source
        exercise = self.exercises[source.name]
        limits = self.course.limits(exercise)
        return Client(source, exercise.needs, limits, self.children, last_try)

    def _run_checks(self, source: Source | Client, last_try: bool) -> GraderTrouble | None:
        self._client = self._grading = self._client_for(source, last_try)
        self._checks.begin()
        items = self._chosen()
        for item, following in zip(items, [*items, None][1:], strict=True):
            _renew(item)
            start = time.perf_counter()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.seconds[item.name] = time.perf_counter() - start
            if self._is_enough(self._checks.results[item.nodeid].outcome):
                self._checks.enough = True  # the others are skipped, so that pytest tidies up
        self._clear_of_blame(items)
        try:
            results = self._checks.results_of(items)
            if self._checks.trouble is None and not any(
                self._is_enough(result.outcome) for result in results
            ):
                self._diagnose(results)
            self._client.close()
        except GraderTrouble as trouble:
            return trouble
        return self._checks.trouble


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
            raise CourseSlips(slips)
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
