"""Checks and their results, from the marks of a test and the exception that ended it."""

import inspect
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from autograder.checks.check_result import Check, CheckResult, NotJudged
from autograder.checks.expect import Mismatch, NotStarted
from autograder.checks.proxy import Submission
from autograder.course.text import one_line, printable
from autograder.grading.author_exceptions import explained, innermost
from autograder.report.model import (
    Cause,
    CheckOutcome,
    Diagnosis,
    Evidence,
    Matrix,
)
from autograder.report.presentation import sentence
from autograder.report.values import as_text, describe_call, excerpt
from autograder.sandbox.child import InternalError
from autograder.sandbox.problems import StudentProblem, line_of, where
from autograder.worker.messages import CodePlace

MAX_FINDING, MAX_TOLD = 1000, 1500  # characters
OUTCOMES: dict[str, CheckOutcome] = {"crashed": "crashed", "timed out": "timed out"}
# Kinds of problems after which hints help: others come before the mathematics is reached.
WITH_HINTS = frozenset({"wrong", "raised"})


def check_of(item: pytest.Item) -> Check:
    """Return what the marks and the docstring of a collected test say of its check."""
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
    )


def _hints_in_docstring(item: pytest.Item) -> list[str]:
    """Return a hint for each line of a docstring; an indented line continues the one before."""
    text = inspect.cleandoc(getattr(getattr(item, "function", None), "__doc__", None) or "")
    hints: list[str] = []
    for line in text.splitlines():
        if hints and line.startswith(" "):
            hints[-1] += f" {line.strip()}"
        elif line.strip():
            hints.append(line.strip())
    return hints


class NotRun(pytest.skip.Exception):  # type: ignore[name-defined,misc]
    """The engine does not run a check, for a cause."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(sentence(cause))
        self.cause = cause


def unfinished(check: Check) -> CheckResult:
    """Return the result of a check that has not come to its end: a failure."""
    cause = Cause(code="no_end")
    return CheckResult(
        check=check, outcome="failed", cause=cause, finding=sentence(cause), hints=check.hints
    )


def passed(
    check: Check, properties: Sequence[tuple[str, object]], submission: Submission | None
) -> CheckResult:
    """Return the result of a check that passed, with the notes among its test's properties."""
    notes = dict.fromkeys(str(text) for key, text in properties if key == "note")
    about = submission.about() if submission is not None else ()
    return CheckResult(check=check, outcome="passed", note=" ".join(notes), about=about)


def failed(check: Check, error: BaseException, submission: Submission | None) -> CheckResult:
    """Return the result of a check that an exception ended."""
    result = CheckResult(
        check=check,
        outcome="failed",
        finding=printable(_without_assertion(str(error)), MAX_FINDING),
        about=submission.about() if submission is not None else (),
    )
    change = msgspec.structs.replace
    if isinstance(error, StudentProblem):
        has_hints = error.kind in WITH_HINTS or isinstance(error, NotStarted)
        return change(
            result,
            outcome=OUTCOMES.get(error.kind, "failed"),
            kind=error.kind,
            cause=error.cause,
            place=line_of(error.place),
            hints=check.hints if has_hints else (),
            evidence=_evidence(None, submission),
        )
    if isinstance(error, Mismatch):
        return _mismatch(result, error, submission)
    if isinstance(error, AssertionError | pytest.fail.Exception):
        cause = Cause(code="assertion", message=result.finding)
        evidence = _evidence(error, submission)
        return change(result, cause=cause, hints=check.hints, evidence=evidence)
    if isinstance(error, NotJudged):
        return change(result, outcome="not told", cause=error.cause)
    if isinstance(error, pytest.skip.Exception):
        by_author = Cause(code="skipped", message=result.finding)
        cause = error.cause if isinstance(error, NotRun) else by_author
        return change(result, outcome="not run", cause=cause)
    return _stopped(result, error)


def _mismatch(result: CheckResult, error: Mismatch, submission: Submission | None) -> CheckResult:
    place = _where_set(error, submission)
    finding = result.finding if place is None else f"{result.finding} It is set{where(place)}."
    own = None
    if error.mistake:
        own = Diagnosis(
            kind="named",
            code="own",
            finding=finding,
            misconceptions=(error.mistake,),
            function=result.about[-1] if result.about else "",
            told=printable(error.told, MAX_TOLD),
        )
    return msgspec.structs.replace(
        result,
        finding=finding,
        cause=Cause(code="mismatch", message=finding),
        place=line_of(place),
        hints=result.check.hints,
        evidence=_evidence(error, submission),
        own=own,
    )


def _stopped(result: CheckResult, error: BaseException) -> CheckResult:
    """The check's own code raised, or the engine failed: a person has to look at it."""
    if isinstance(error, InternalError):
        cause = Cause(code="internal_error", message=error.finding)
        return msgspec.structs.replace(result, outcome="error", cause=cause, finding=error.finding)
    found = innermost(error, [result.check.path.parent])
    place = f" in line {found[1]} of {found[0].name}" if found is not None else ""
    message = one_line(explained(error), 300).rstrip(".")
    return msgspec.structs.replace(
        result,
        outcome="error",
        cause=Cause(code="check_stopped", error=type(error).__name__, message=f"{message}{place}"),
        finding=(
            f"The check itself stopped{place} with {message}. A person has to look at this; it is "
            f"no fault of the submission."
        ),
        stopped=f"{message}{place}",
    )


def unreadable(result: CheckResult) -> CheckResult:
    """Return the result of a sound check that stopped: it could not read what it was given."""
    error = result.cause.error if result.cause is not None else ""
    return msgspec.structs.replace(
        result,
        outcome="failed",
        cause=Cause(code="unreadable_answer", error=error),
        finding=(
            f"What your code gave back cannot be read as the exercise asks: the check stopped with "
            f"{error}. Which types do your results have?"
        ),
    )


def _where_set(error: Mismatch, submission: Submission | None) -> CodePlace | None:
    """The line of a wrong value that stands in the file itself: of its first wrong entry."""
    if submission is None:
        return None
    wrong = np.argwhere(False if error.wrong is None else error.wrong)
    return submission.where_set(error.what, [int(i) for i in wrong[0]] if len(wrong) else ())


def _evidence(error: BaseException | None, submission: Submission | None) -> Evidence | None:
    call = submission.last_call() if submission is not None else None
    text = describe_call(call.name, call.args, call.kwargs, call.made_with) if call else ""
    function = call.name if call else ""
    if not isinstance(error, Mismatch):
        return Evidence(call=text, function=function) if text else None
    return Evidence(
        call=text,
        function=function,
        what=error.what,
        yours=_side(error, error.yours),
        expected=_side(error, error.expected),
        groups=error.groups if error.layout is not None else "",
        curves=error.curves,
    )


def _side(error: Mismatch, values: npt.NDArray[Any] | str | None) -> Matrix | str | None:
    """The part of one side that a picture shows; of what is no array, its text."""
    if values is None or isinstance(values, str):
        return values
    if isinstance(error.yours, str) or isinstance(error.expected, str):
        return as_text(values)
    if error.layout is None:
        return excerpt(values, error.wrong)
    laid_out, groups, names = error.layout(values)
    wrong = error.layout(error.wrong)[0] if error.wrong is not None else None
    matrix = excerpt(laid_out, wrong)
    rows = slice(matrix.top, matrix.top + len(matrix.rows))
    columns = slice(matrix.left, matrix.left + len(matrix.rows[0]))
    return msgspec.structs.replace(
        matrix,
        shape=values.shape,
        groups=tuple(tuple(int(group) for group in row) for row in groups[rows, columns]),
        names=names[rows],
    )


def _without_assertion(message: str) -> str:
    """Return the sentence of the check's author, without pytest's account of the assertion."""
    return message.split("\nassert ", maxsplit=1)[0].strip()
