"""A report as test cases: what every format for test results is made of."""

import ast
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from autograder.report.check_text import check_text, first_line
from autograder.report.model import CheckReport, ExerciseReport
from autograder.report.terminal import score

CaseState = Literal["passed", "failed", "error", "skipped"]
STOPPED = {"timed out", "crashed", "error"}


class Shown(msgspec.Struct, frozen=True):
    """What a student may see of an exercise; `path` is their file, `text` what is in it.

    `student` is whose it is, where there are several.
    """

    exercise: ExerciseReport
    path: str = ""
    text: str = ""
    student: str = ""

    @property
    def title(self) -> str:
        """What its cases stand under."""
        name = self.exercise.name
        return f"{self.student}: {name}" if self.student else name


class CheckCase(msgspec.Struct, frozen=True):
    """A check, or in place of all checks why none was run; `line` is the student's, from 1."""

    name: str
    state: CaseState
    points: float
    max_points: float
    message: str = ""
    details: str = ""
    line: int | None = None


def cases_of(shown: Shown) -> list[CheckCase]:
    """The cases of an exercise, in the order of its checks."""
    exercise = shown.exercise
    found = [
        CheckCase(
            name=check.title,
            state=_state(check),
            points=check.points,
            max_points=check.max_points,
            message=first_line(check),
            details=check_text(check) if check.outcome != "passed" else "",
            line=_line(check, shown) if check.outcome != "passed" else None,
        )
        for check in exercise.checks
    ]
    if found:
        return found
    state: CaseState = "skipped" if exercise.status == "missing" or exercise.excused else "error"
    reason = exercise.reason or exercise.status
    return [CheckCase(exercise.title, state, exercise.points, exercise.max_points, reason, reason)]


def _state(check: CheckReport) -> CaseState:
    if check.outcome == "passed":
        return "passed"
    if check.outcome == "failed":
        return "failed"
    return "error" if check.outcome in STOPPED else "skipped"


def _line(check: CheckReport, shown: Shown) -> int | None:
    """The line that it is about: where it failed, else where the function begins."""
    if not shown.path.endswith(".py"):
        return None  # a line of a cell is none of the notebook's file
    if check.place is not None and check.place.file == shown.exercise.file:
        return check.place.line
    function = check.diagnosis.function if check.diagnosis is not None else ""
    called = check.evidence.call if check.evidence is not None else ""
    names = [function, called.partition("(")[0].strip()]
    return next((line for name in names if name and (line := _defined(name, shown.text))), None)


def _defined(name: str, text: str) -> int | None:
    """The line in which a file defines a function or a class."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return next((n.lineno for n in tree.body if isinstance(n, kinds) and n.name == name), None)


def counts(cases: Iterable[CheckCase]) -> dict[CaseState, int]:
    """How many cases there are in each state."""
    found: dict[CaseState, int] = {"passed": 0, "failed": 0, "error": 0, "skipped": 0}
    for case in cases:
        found[case.state] += 1
    return found


def heading(shown: Sequence[Shown]) -> str:
    """Points in all, or those of the only exercise."""
    if len(shown) == 1:
        return f"{shown[0].exercise.title}: {score(shown[0].exercise)}"
    from autograder.text import number, several

    points = sum(each.exercise.points for each in shown)
    most = sum(each.exercise.max_points for each in shown)
    return f"{number(points)} of {number(most)} points in {several(len(shown), 'exercise')}"
