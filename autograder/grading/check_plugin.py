"""Pytest plugin that runs checks on a submission and records the results."""

import functools
import inspect
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from autograder.checks.check_result import (
    NOT_IN_KIT,
    Check,
    CheckResult,
    MayFollow,
    NotJudged,
    without_judgement,
)
from autograder.checks.expect import Mismatch
from autograder.checks.fixtures import Fixtures
from autograder.checks.proxy import Submission
from autograder.checks.recorded_answers import (
    begin_check,
    settle_follow_through,
    with_unreleased_checks,
)
from autograder.course.course_file import Course
from autograder.course.text import one_line, printable
from autograder.grading.author_exceptions import explained, innermost
from autograder.report.model import Cause, Diagnosis, Evidence, Matrix
from autograder.report.presentation import sentence
from autograder.report.values import as_text, excerpt
from autograder.sandbox.child import InternalError
from autograder.sandbox.problems import StudentProblem, line_of, missing, where
from autograder.sandbox.session import WorkerSession
from autograder.submission.code import Code, read_code, unwritten

MAX_FINDING, MAX_TOLD = 1000, 1500  # characters
MISSING = " Does this call reach a `return` with a result?"
PRINTED = " This call printed something, but `print` does not return a value."
# Failures that do not concern any single requirement of the task's text.
NO_REQUIREMENT = frozenset({"nothing_returned", "printed", "other_kind"})


class CheckRun:
    """Run of checks on one submission.

    The first check that needs a worker session opens it. `error` is the internal error that ended
    the run. If `is_enough` is true, the remaining checks do not run.
    """

    def __init__(self, open_session: Callable[[], WorkerSession], seed: int) -> None:
        self._open_session = open_session
        self.seed = seed
        self.results: dict[str, CheckResult] = {}
        self.error: InternalError | None = None
        self.is_enough = False

    @functools.cached_property
    def session(self) -> WorkerSession:
        __tracebackhide__ = True
        return self._open_session()

    @property
    def has_begun(self) -> bool:
        return "session" in vars(self)

    def results_of(self, course: Course, items: Sequence[pytest.Item]) -> list[CheckResult]:
        """Return the results of these checks in order. A check that did not run has failed."""
        results = [self.results.get(item.nodeid) or _unfinished(check_of(item)) for item in items]
        return self.with_unreleased(course, items[0].path if items else None, results)

    def with_unreleased(
        self, course: Course, path: Path | None, results: list[CheckResult]
    ) -> list[CheckResult]:
        results = with_unreleased_checks(course, path, results)
        return _with_unwritten(results, self.session) if self.has_begun else results

    def reason_not_to_run(self, check: Check) -> Cause | None:
        if self.error is not None:
            return Cause(code="internal_error_before")
        if self.is_enough:
            return Cause(code="enough")
        for other in self.results.values():
            needed = other.check.function in check.needs or other.name in check.needs
            if needed and other.outcome not in {"passed", "graded when handed in"}:
                return Cause(code="needs_first", names=(other.check.title,))
        return None


RUN = pytest.StashKey[CheckRun]()  # the run to which a test belongs now


class CheckPlugin(Fixtures):
    """Plugin that records results of checks, in a judge or in a person's run of pytest."""

    def session_of(self, item: pytest.Item) -> WorkerSession:
        return item.stash[RUN].session

    def seed_of(self, item: pytest.Item) -> int:
        return item.stash[RUN].seed

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        run = item.stash.get(RUN, None)
        if run is None:  # a test that is not a check
            return
        check = begin_check(self.course, check_of(item))
        cause = run.reason_not_to_run(check)
        run.results[item.nodeid] = _unfinished(check)
        if cause is not None:
            raise _NotRun(cause)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        run = item.stash.get(RUN, None)
        if run is None or item.nodeid not in run.results:
            return report
        check = run.results[item.nodeid].check
        submission: Submission | None = getattr(item, "funcargs", {}).get("submission")
        about = submission.about() if submission is not None else ()
        if call.excinfo is not None:
            error = call.excinfo.value
            if isinstance(error, InternalError):
                run.error = error
            if isinstance(error, MayFollow):
                error = settle_follow_through(error, run.results.values())
            requirement = _requirement(item, check, error)
            result = CheckResult(
                check=check, outcome="failed", about=about, requirement=requirement
            )
            run.results[item.nodeid] = result = _failed(result, error, submission)
            if result.outcome == "graded when handed in":  # no failure for pytest
                report.outcome, place = "skipped", item.location
                report.longrepr = (str(item.path), (place[1] or 0) + 1, result.finding)
        elif call.when == "call":
            notes = dict.fromkeys(str(text) for key, text in item.user_properties if key == "note")
            run.results[item.nodeid] = CheckResult(
                check=check, outcome="passed", note=" ".join(notes), about=about
            )
        return report


def _with_unwritten(results: Sequence[CheckResult], session: WorkerSession) -> list[CheckResult]:
    """Return the results. A check not judged in a kit fails if it calls an unwritten function."""
    source = session.source
    hidden = {each.name for each in results if each.cause and each.cause.code == "hidden"}
    places = unwritten(source.units) if hidden else {}
    code = read_code(source.units) if hidden else Code(open=True)
    is_known = code.names and not code.open and not code.broken
    judged = list(results)
    for number, result in enumerate(results):
        absent = {*result.about} - {*code.names} if is_known else set()
        name = next((name for name in result.about if name in {*places, *absent}), None)
        if result.name in hidden and name is not None:
            error: StudentProblem = missing(name, source.label, list(code.names), ())
            if name in places:
                error = session.not_written(name, places[name])
            check = msgspec.structs.replace(result.check, hidden=False)
            judged[number] = _failed(CheckResult(check=check, outcome="failed"), error, None)
    return judged


def _requirement(item: pytest.Item, check: Check, error: BaseException) -> str:
    if not isinstance(error, AssertionError) or getattr(error, "code", "") in NO_REQUIREMENT:
        return ""
    named = [str(name) for key, name in item.user_properties if key == "requirement"]
    only = check.grades[0] if len(check.grades) == 1 else ""
    return getattr(error, "requirement", "") or (named[-1] if named else only)


def check_of(item: pytest.Item) -> Check:
    """Return the check that a collected test's pytest marks and docstring describe."""
    mark = item.get_closest_marker("check")
    args, details = (mark.args, mark.kwargs) if mark else ((), {})
    return Check(
        name=item.name,
        function=getattr(item, "originalname", item.name),
        path=item.path,
        title=str(args[0]) if args else item.name,
        weight=float(details.get("points", 1)),
        needs=tuple(details.get("needs", ())),
        hints=tuple(details.get("hints") or _hints_in_docstring(item)),
        hidden=item.get_closest_marker("hidden") is not None,
        grades=tuple(details.get("grades", ())),
        in_kit=not any(item.get_closest_marker(name) for name in NOT_IN_KIT),
    )


def _hints_in_docstring(item: pytest.Item) -> list[str]:
    text = inspect.cleandoc(getattr(getattr(item, "function", None), "__doc__", None) or "")
    hints: list[str] = []
    for line in text.splitlines():
        if hints and line.startswith(" "):
            hints[-1] += f" {line.strip()}"
        elif line.strip():
            hints.append(line.strip())
    return hints


class _NotRun(pytest.skip.Exception):  # type: ignore[name-defined,misc]
    def __init__(self, cause: Cause) -> None:
        super().__init__(sentence(cause))
        self.cause = cause


def _unfinished(check: Check) -> CheckResult:
    return without_judgement(check, "failed", Cause(code="no_end"))


def _failed(
    result: CheckResult, error: BaseException, submission: Submission | None
) -> CheckResult:
    # the author's sentence, without pytest's details on the assertion
    finding = printable(str(error).split("\nassert ", maxsplit=1)[0].strip(), MAX_FINDING)
    result = msgspec.structs.replace(result, finding=finding)
    call = submission.call_of(error) if submission is not None else None
    shown = Evidence(call=str(call), function=call.name) if call is not None else None
    if submission is not None and call is not None and not result.hidden:
        result = msgspec.structs.replace(result, calls=submission.calls_until(call))
    if isinstance(error, StudentProblem):
        return msgspec.structs.replace(
            result,
            outcome=error.kind if error.kind in {"crashed", "timed out"} else "failed",
            kind=error.kind,
            cause=error.cause,
            place=line_of(error.place),
            evidence=shown,
        )
    if isinstance(error, Mismatch):
        return _mismatch(result, error, submission, shown)
    if isinstance(error, AssertionError | pytest.fail.Exception):
        cause = Cause(code="assertion", message=finding)
        return msgspec.structs.replace(result, cause=cause, evidence=shown)
    if isinstance(error, NotJudged):
        raised = submission.first_raised() if submission is not None else None
        if raised is not None:  # an exception fails the check in any case
            return _failed(result, raised, submission)
        return msgspec.structs.replace(result, outcome="graded when handed in", cause=error.cause)
    if isinstance(error, pytest.skip.Exception):
        by_author = Cause(code="skipped", message=finding)
        cause = error.cause if isinstance(error, _NotRun) else by_author
        return msgspec.structs.replace(result, outcome="not run", cause=cause)
    return _stopped(result, error)


def _mismatch(
    result: CheckResult, error: Mismatch, submission: Submission | None, shown: Evidence | None
) -> CheckResult:
    place = None  # the line of the file that sets the first wrong entry
    if submission is not None:
        wrong = np.argwhere(False if error.wrong is None else error.wrong)
        place = submission.where_set(error.what, [int(i) for i in wrong[0]] if len(wrong) else [])
    finding = result.finding
    if place is not None:
        finding += f" {error.what} is set{where(place)}."
    code, own = error.code, None
    if code == "nothing_returned" and submission is not None:
        if shown is None:
            code = "mismatch"
        elif not submission.returned_none:
            code = "other_kind"
        else:
            finding += MISSING + PRINTED * submission.has_printed
            code = "printed" if submission.has_printed else "nothing_returned"
    if error.mistake:
        own = Diagnosis(
            kind="named",
            code="own",
            finding=finding,
            misconceptions=(error.mistake,) if isinstance(error.mistake, str) else error.mistake,
            function=_function_shown(result.about, shown),
            told=printable(error.told, MAX_TOLD),
        )
    return msgspec.structs.replace(
        result,
        finding=finding,
        cause=Cause(code=code, message=finding),
        place=line_of(place),
        hints=error.hints,
        refused=error.refused,
        separate=error.separate,
        compared=(error.yours, error.expected),
        evidence=msgspec.structs.replace(
            shown or Evidence(),
            what=error.what,
            yours=_side(error, error.yours),
            expected=_side(error, error.expected),
            groups=error.groups if error.layout is not None else "",
            curves=error.curves,
            sides=error.sides,
        ),
        own=own,
    )


def _function_shown(about: Sequence[str], shown: Evidence | None) -> str:
    if shown is not None and shown.function in about:
        return shown.function
    return "".join(about[-1:])


def _side(error: Mismatch, values: npt.NDArray[Any] | str | None) -> Matrix | str | None:
    """Return a compared value for a report: a text, or an excerpt of an array."""
    if values is None or isinstance(values, str):
        return values
    if isinstance(error.yours, str) or isinstance(error.expected, str):
        return as_text(values)
    if error.layout is None:
        return excerpt(values, error.wrong)
    laid_out, groups, names = error.layout(values)
    matrix = excerpt(laid_out, error.layout(error.wrong)[0] if error.wrong is not None else None)
    rows = slice(matrix.top, matrix.top + len(matrix.rows))
    columns = slice(matrix.left, matrix.left + len(matrix.rows[0]))
    return msgspec.structs.replace(
        matrix,
        shape=values.shape,
        groups=tuple(tuple(int(group) for group in row) for row in groups[rows, columns]),
        names=names[rows],
    )


def _stopped(result: CheckResult, error: BaseException) -> CheckResult:
    if isinstance(error, InternalError):
        cause = Cause(code="internal_error", message=error.finding)
        return msgspec.structs.replace(result, outcome="error", cause=cause, finding=error.finding)
    step = innermost(error, [result.check.path.parent])
    place = f" in line {step[1]} of {step[0].name}" if step is not None else ""
    message = one_line(explained(error), 300).rstrip(".")
    return msgspec.structs.replace(
        result,
        outcome="error",
        cause=Cause(code="check_stopped", error=type(error).__name__, message=f"{message}{place}"),
        finding=(
            f"The check itself stopped{place} with {message}. A person has to look at this. It is "
            "no fault of the submission."
        ),
        stopped=f"{message}{place}",
    )


def with_unreadable_answers(
    results: Sequence[CheckResult], is_sound: Callable[[CheckResult], bool]
) -> list[CheckResult]:
    """Return the results.

    A sound check that raised an exception counts as failed. A check is sound if it passes for the
    course's solution. A sound check raises an exception only if it cannot read the student's
    result. So a submission cannot pretend that the grader failed.
    """
    readable = list(results)
    for place, result in enumerate(results):
        if result.outcome == "error" and is_sound(result):
            error = result.cause.error if result.cause is not None else ""
            readable[place] = msgspec.structs.replace(
                result,
                outcome="failed",
                cause=Cause(code="unreadable_answer", error=error),
                finding=(
                    f"The check cannot read your result. It stopped with {error}. Which types do "
                    "your results have?"
                ),
            )
    return readable
