"""Judge: a pytest session that collects the checks once and then grades many submissions."""

import contextlib
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
from autograder.course.own_modules import importable
from autograder.grading.author_exceptions import as_internal_error
from autograder.grading.check_collection import collected, missing_check_files
from autograder.grading.check_plugin import CheckPlugin
from autograder.grading.scoring import Graded
from autograder.report.model import Cause, CheckOutcome
from autograder.sandbox.child import Cancelled, Children, InternalError
from autograder.sandbox.levels import children_for
from autograder.sandbox.session import WorkerSession
from autograder.sandbox.workers import Workers
from autograder.submission.read import UnreadableFile
from autograder.submission.source import Siblings, Source, read_source
from autograder.submission.stubs import has_own_code

if TYPE_CHECKING:
    from autograder.grading.diagnoses import Catalogue

TRIES = 3


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


class Judge:
    """Grader of one submission at a time, and context manager of its processes.

    If something other than the grader kills a worker, the submission is graded again, with at most
    `tries_if_killed` tries in total.
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
        self._plugin = CheckPlugin(course)
        self._open = contextlib.ExitStack()
        self._current: WorkerSession | None = None

    @cached_property
    def catalogue(self) -> "Catalogue":
        """The course's misconceptions, with replays for all submissions."""
        from autograder.grading.diagnoses import catalogue_of

        return catalogue_of(self.course)

    def __enter__(self) -> "Judge":
        missing = missing_check_files(self.course, self.exercises)
        if missing:
            raise InvalidCourse(missing)
        with contextlib.ExitStack() as stack:
            stack.callback(self.children.close)
            stack.enter_context(collected(self._plugin, list(self.exercises)))
            if self._plugin.errors:
                raise InvalidCourse(self._plugin.errors)
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(self, source: Source | WorkerSession, options: RunOptions = ALL_CHECKS) -> Graded:
        """Return the results of the checks on a submission, and the report.

        `source` is a submission, or a worker session that the checks should use. If the grader
        itself fails, the report says so, and asks a person to look at the submission. After
        `cancel`, raise `Cancelled`.
        """
        failure: InternalError | None = None
        for attempt in range(1, TRIES + 1):
            if isinstance(source, WorkerSession):
                session = source
            else:
                last_try = attempt >= self.tries_if_killed
                session = _session_of(self.course, source, self.children, last_try)
            self._current = session
            try:
                with importable(self.course):
                    return self._run_checks(session, options)
            except Cancelled:
                raise
            except InternalError as error:
                failure = error
            except Exception as error:  # an error in the engine, or no memory left
                failure = as_internal_error(error)
                break
            finally:
                self._current = None
        return Graded(self.exercises[session.source.name], session, error=failure)

    def cancel(self) -> None:
        """Cancel another thread's current call of `run`. That call then raises `Cancelled`.

        Repeat the cancellation until `run` ends, because one call may come too early.
        """
        session = self._current
        if session is not None:
            session.workers.cancel()

    @np.errstate(all="ignore")  # wrong numbers may overflow, and students would see the warning
    def _run_checks(self, session: WorkerSession, options: RunOptions) -> Graded:
        exercise, plugin = self.exercises[session.source.name], self._plugin
        items = plugin.items.get(exercise.name, [])
        if options.only is not None:
            items = [item for item in items if item.name in options.only]
        plugin.begin(session, self.seed if options.seed is None else options.seed)
        seconds = {}
        try:
            for item, following in zip(items, [*items, None][1:], strict=True):
                item.user_properties.clear()
                start = time.perf_counter()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                seconds[item.name] = time.perf_counter() - start
                outcome = plugin.results[item.nodeid].outcome
                plugin.is_enough = plugin.is_enough or options.is_enough(outcome)
            if plugin.error is not None:
                raise plugin.error
            results = self._with_unreadable_answers(plugin.results_of(items), items)
            ended = not any(options.is_enough(result.outcome) for result in results)
            if ended and any(result.outcome != "passed" for result in results):
                from autograder.grading.diagnoses import with_diagnoses  # imported only if needed

                results = with_diagnoses(self.catalogue, exercise.name, results, session)
            return Graded(exercise, session, results, seconds)
        finally:
            session.close()

    def _with_unreadable_answers(
        self, results: Sequence[CheckResult], items: Sequence[pytest.Item]
    ) -> list[CheckResult]:
        """Return the results. A check that stopped has failed if it passes for the solution.

        Such a check stops only if it cannot read the student's result. So a submission cannot
        pretend that the grader failed.
        """
        readable = list(results)
        ran = {item.name: item for item in items}
        for place, result in enumerate(results):
            if result.outcome == "error" and self._is_sound(ran[result.name]):
                error = result.cause.error if result.cause is not None else ""
                readable[place] = msgspec.structs.replace(
                    result,
                    outcome="failed",
                    cause=Cause(code="unreadable_answer", error=error),
                    finding=(
                        f"The check cannot read your result. It stopped with {error}. Which types "
                        "do your results have?"
                    ),
                )
        return readable

    def _is_sound(self, item: pytest.Item) -> bool:
        """Return True if a check passes for the solution, or if there is no solution.

        The submission's processes end before the solution runs in new processes.
        """
        if self.course.content.released is not None:
            return True
        plugin = self._plugin
        submission, results = plugin.session, plugin.results
        name = submission.source.name
        path = self.course.solution_file(name)
        try:
            solution = read_source(path, name, Siblings(path.parent))
        except UnreadableFile:
            return False
        submission.close()
        session = _session_of(self.course, solution, self.children)
        plugin.begin(session, plugin.seed)
        try:
            runtestprotocol(item, log=False, nextitem=None)
            if plugin.error is not None:
                raise plugin.error
            return plugin.results[item.nodeid].outcome == "passed"
        finally:
            session.close()
            plugin.session, plugin.results = submission, results


def _session_of(
    course: Course, source: Source, children: Children, last_try: bool = True
) -> WorkerSession:
    exercise = course.exercise(source.name)
    limits, names = course.limits(exercise), course.exercises.keys()
    workers = Workers(source, exercise.needs, limits, children, last_try, names)
    workers.has_code = partial(has_own_code, course, source)
    return WorkerSession(workers)
