"""The checks as pytest tests: what becomes of each."""

import inspect
from collections.abc import Callable, Generator, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from autograder.checks.expect import Mismatch, NotStarted
from autograder.checks.fixtures import Fixtures
from autograder.checks.proxy import Submission
from autograder.checks.released_checks import (
    begin_check,
    settle_follow_through,
    with_unreleased_checks,
)
from autograder.course.course_file import Course
from autograder.course.text import one_line, printable
from autograder.grading.author_exceptions import explained, innermost
from autograder.report.model import CheckOutcome, Diagnosis, Evidence, Line, Matrix
from autograder.report.reasons import MayFollow, NotToldHere, needs_first
from autograder.report.values import as_text, describe_call, excerpt
from autograder.sandbox.child import InternalError
from autograder.sandbox.problems import ProblemKind, StudentProblem, where
from autograder.sandbox.session import WorkerSession
from autograder.worker.messages import CodePlace

# The hints of a check, where they stand in its docstring.


def hints_in(item: pytest.Item) -> tuple[str, ...]:
    """A hint for each line of a check's docstring; a line further in goes on with the last."""
    told = inspect.cleandoc(getattr(getattr(item, "function", None), "__doc__", None) or "")
    hints: list[str] = []
    for line in told.splitlines():
        if hints and line.startswith(" "):
            hints[-1] += f" {line.strip()}"
        elif line.strip():
            hints.append(line.strip())
    return tuple(hints)


class CheckResult:
    """What became of one check, before points are given. Failed until shown otherwise."""

    def __init__(self, item: pytest.Item) -> None:
        mark = item.get_closest_marker("check")
        args, details = (mark.args, mark.kwargs) if mark else ((), {})
        self.item = item
        self.name = item.name
        self.path = item.path
        self.function = getattr(item, "originalname", item.name)
        self.title = str(args[0]) if args else self.name
        self.weight = float(details.get("points", 1))
        self.needs: tuple[str, ...] = tuple(details.get("needs", ()))
        self.hints: tuple[str, ...] = tuple(details.get("hints") or hints_in(item))
        self.hidden = item.get_closest_marker("hidden") is not None
        self.outcome: CheckOutcome = "failed"
        self.kind: ProblemKind | None = None
        self.finding = "The check did not come to an end."
        self.note = ""
        self.diagnosis: Diagnosis | None = None
        self.evidence: Evidence | None = None
        self.place: Line | None = None
        self.about: tuple[str, ...] = ()
        self.diagnosable = False
        self.mistake = ""
        self.stopped_with = ""
        self.stopped_at = ""
        self.told = ""
        self.group = ""
        self.unwritten = ""

    def passed(self, notes: Sequence[tuple[str, object]], submission: Submission | None) -> None:
        self.outcome, self.finding = "passed", ""
        self.about = submission.about() if submission is not None else ()
        said = dict.fromkeys(str(text) for key, text in notes if key == "note")
        self.note = " ".join(said)

    def failed(self, error: BaseException, submission: Submission | None) -> None:
        """Describe an exception that ended the check."""
        self.finding = printable(_first_part(str(error)), 1000)
        self.about = submission.about() if submission is not None else ()
        self.diagnosable = not isinstance(error, StudentProblem) or error.kind == "raised"
        if isinstance(error, StudentProblem):
            self.kind = error.kind
            outcomes: dict[str, CheckOutcome] = {"crashed": "crashed", "timed out": "timed out"}
            self.outcome = outcomes.get(error.kind, "failed")
            self.unwritten = _unwritten(error)
            if error.kind not in {"wrong", "raised"} and not isinstance(error, NotStarted):
                self.hints = ()  # they speak of the mathematics; nothing of it was seen yet
            self.evidence = _evidence(None, submission)
            self._is_at(error.place)
        elif isinstance(error, AssertionError | pytest.fail.Exception):
            self.outcome = "failed"
            self.evidence = _evidence(error, submission)
            if isinstance(error, Mismatch):
                self.mistake, self.told = error.mistake, error.told
                self._is_set_at(_where_set(error, submission))
        elif isinstance(error, NotToldHere):
            self.outcome, self.hints, self.diagnosable = "not told", (), False
        elif isinstance(error, pytest.skip.Exception):
            self.outcome, self.hints = "not run", ()
        else:
            self._stopped(error)

    def _is_at(self, place: CodePlace | None) -> None:
        if place is not None:
            label, text = one_line(place.label, 80), one_line(place.text, 120)
            self.place = Line(file=label, line=place.line, text=text)

    def _is_set_at(self, place: CodePlace | None) -> None:
        if place is not None:
            self.finding = f"{self.finding} It is set{where(place)}."
        self._is_at(place)

    def _stopped(self, error: BaseException) -> None:
        """An exception of the check's own: where, for the person who has to look at it."""
        self.outcome, self.hints = "error", ()
        if isinstance(error, InternalError):
            self.finding = error.finding
            return
        self.stopped_with = type(error).__name__
        found = innermost(error, [self.path.parent])
        where = f" in line {found[1]} of {found[0].name}" if found is not None else ""
        said = one_line(explained(error), 300).rstrip(".")
        self.stopped_at = f"{said}{where}"
        self.finding = (
            f"The check itself stopped{where} with {said}. A person has to look at this; it is no "
            f"fault of the submission."
        )

    def could_not_read(self) -> None:
        """It was no fault of the check's: what the submission gave it cannot be read."""
        self.outcome = "failed"
        self.finding = (
            f"What your code gave back cannot be read as the exercise asks: the check stopped with "
            f"{self.stopped_with}. Which types do your results have?"
        )


class CheckPlugin(Fixtures):
    """What becomes of checks, whoever runs them: a judge, or a person with pytest."""

    def __init__(
        self, course: Course, seed: int, client_of: Callable[[pytest.Item], WorkerSession]
    ) -> None:
        super().__init__(course, seed, client_of)
        self.results: dict[str, CheckResult] = {}
        self.trouble: InternalError | None = None
        self.enough = False

    def begin(self, seed: int) -> None:
        """Forget the submission before; `seed` is what the next one's random inputs come from."""
        self.seed = seed
        self.results.clear()
        self.trouble = None
        self.enough = False

    def results_of(self, items: Sequence[pytest.Item]) -> list[CheckResult]:
        """The results of these checks, in their order; one that did not run is a failure."""
        results = [self.results.get(item.nodeid) or CheckResult(item) for item in items]
        path = items[0].path if items else None
        return with_unreleased_checks(self.course, path, results, CheckResult)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        own = self.results[item.nodeid] = CheckResult(item)
        begin_check(self.course, own)
        if self.trouble is not None:
            pytest.skip("Not run: the grader itself has failed, and will try again.")
        if self.enough:
            pytest.skip("Not run: a check before it was enough.")
        path = item.nodeid.split("::")[0]
        for other_id, other in self.results.items():
            same_file = other_id.split("::")[0] == path
            needed = other.function in own.needs or other.name in own.needs
            if same_file and needed and other.outcome not in {"passed", "not told"}:
                pytest.skip(needs_first(other.title))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        result = self.results.get(item.nodeid)
        if result is not None:
            funcargs: dict[str, Any] = getattr(item, "funcargs", {})
            if call.excinfo is not None:
                error = call.excinfo.value
                if isinstance(error, InternalError):
                    self.trouble = error
                if isinstance(error, MayFollow):
                    error = settle_follow_through(error, self.results.values())
                result.failed(error, funcargs.get("submission"))
                if result.outcome == "not told":  # where pytest itself reports: no failure
                    report.outcome, place = "skipped", item.location
                    report.longrepr = (str(item.path), (place[1] or 0) + 1, result.finding)
            elif call.when == "call":
                result.passed(item.user_properties, funcargs.get("submission"))
        return report


def _where_set(error: Mismatch, submission: Submission | None) -> CodePlace | None:
    """The line of a wrong value that stands in the file itself: of its first wrong entry."""
    if submission is None:
        return None
    wrong = np.argwhere(False if error.wrong is None else error.wrong)
    return submission.where_set(error.what, [int(i) for i in wrong[0]] if len(wrong) else ())


def _evidence(error: BaseException | None, submission: Submission | None) -> Evidence | None:
    call = submission.last_call() if submission is not None else None
    text = describe_call(call.name, call.args, call.kwargs, call.made_with) if call else ""
    if not isinstance(error, Mismatch):
        return Evidence(call=text) if text else None
    return Evidence(
        call=text,
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


def _unwritten(error: StudentProblem) -> str:
    """The name of what is still as it was handed out, if the problem is that."""
    if isinstance(error, NotStarted):
        return error.what
    return error.finding.removesuffix(" is not written yet.") if error.kind == "not written" else ""


def _first_part(message: str) -> str:
    """The sentence that the check's author wrote, without pytest's account of the assertion."""
    return message.split("\nassert ", maxsplit=1)[0].strip()
