"""The pytest plugin that runs checks on a submission and notes what becomes of each."""

import functools
from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest

from autograder.checks.check_result import Check, CheckResult, MayFollow
from autograder.checks.fixtures import Fixtures
from autograder.checks.reference_answers import (
    begin_check,
    settle_follow_through,
    with_unreleased_checks,
)
from autograder.course.course_file import Course
from autograder.grading.check_outcome import NotRun, check_of, failed, passed, unfinished
from autograder.report.model import Cause
from autograder.sandbox.child import InternalError
from autograder.sandbox.session import WorkerSession


class CheckRun:
    """One run of checks on one submission: its session, its seed, and the results so far.

    The session is opened when a check first needs it. `error` is the internal error that ended the
    run. Once it `is_enough`, the checks left are skipped, so that pytest tidies up.
    """

    def __init__(self, open_session: Callable[[], WorkerSession], seed: int) -> None:
        self._open_session = open_session
        self.seed = seed
        self.results: dict[str, CheckResult] = {}
        self.error: InternalError | None = None
        self.is_enough = False

    @functools.cached_property
    def session(self) -> WorkerSession:
        """The submission, which answers the checks' calls."""
        __tracebackhide__ = True
        return self._open_session()

    @property
    def has_begun(self) -> bool:
        return "session" in vars(self)

    def results_of(self, course: Course, items: Sequence[pytest.Item]) -> list[CheckResult]:
        """Return the results of these checks, in their order; one that did not run is a failure."""
        results = [self.results.get(item.nodeid) or unfinished(check_of(item)) for item in items]
        return with_unreleased_checks(course, items[0].path if items else None, results)

    def reason_not_to_run(self, check: Check) -> Cause | None:
        """Return why a check is not to be run now, or None."""
        if self.error is not None:
            return Cause(code="internal_error_before")
        if self.is_enough:
            return Cause(code="enough")
        for other in self.results.values():
            needed = other.check.function in check.needs or other.name in check.needs
            if needed and other.outcome not in {"passed", "not told"}:
                return Cause(code="needs_first", names=(other.check.title,))
        return None


RUN = pytest.StashKey[CheckRun]()  # of a test: the run that it is a part of now


class CheckPlugin(Fixtures):
    """Notes what becomes of checks, whoever runs them: a judge, or a person with pytest."""

    def session_of(self, item: pytest.Item) -> WorkerSession:
        return item.stash[RUN].session

    def seed_of(self, item: pytest.Item) -> int:
        return item.stash[RUN].seed

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        run = item.stash.get(RUN, None)
        if run is None:  # a test that is no check
            return
        check = begin_check(self.course, check_of(item))
        cause = run.reason_not_to_run(check)
        run.results[item.nodeid] = unfinished(check)
        if cause is not None:
            raise NotRun(cause)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        run = item.stash.get(RUN, None)
        if run is None or item.nodeid not in run.results:
            return report
        check = run.results[item.nodeid].check
        funcargs: dict[str, Any] = getattr(item, "funcargs", {})
        if call.excinfo is not None:
            error = call.excinfo.value
            if isinstance(error, InternalError):
                run.error = error
            if isinstance(error, MayFollow):
                error = settle_follow_through(error, run.results.values())
            result = run.results[item.nodeid] = failed(check, error, funcargs.get("submission"))
            if result.outcome == "not told":  # where pytest itself reports: no failure
                report.outcome, place = "skipped", item.location
                report.longrepr = (str(item.path), (place[1] or 0) + 1, result.finding)
        elif call.when == "call":
            submission = funcargs.get("submission")
            run.results[item.nodeid] = passed(check, item.user_properties, submission)
        return report
