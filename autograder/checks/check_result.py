"""A check as described by its pytest marks, and the result of a check."""

from pathlib import Path
from typing import Any

import msgspec

from autograder.checks.proxy import Call
from autograder.report.model import Cause, CauseCode, CheckOutcome, Diagnosis, Evidence, Line
from autograder.report.presentation import sentence
from autograder.sandbox.problems import ProblemKind

NOT_IN_KIT = ("hidden", "graded_when_handed_in")  # marks of checks that are not in student kits


class Check(msgspec.Struct, frozen=True):
    """Check, described by the pytest marks of its function.

    A parametrised test function has several checks. A check that is hidden or not `in_kit` is
    graded only when the work is handed in.
    """

    name: str
    function: str
    path: Path
    title: str
    weight: float = 1.0
    needs: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    hidden: bool = False
    grades: tuple[str, ...] = ()
    in_kit: bool = True


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a check, before points are given.

    `calls` are the calls of the student's process until the shown one, and `compared` has the
    compared values. Without a cause, the check has passed. If two students' functions returned the
    same wrong values, their results have the same `group`.
    """

    check: Check
    outcome: CheckOutcome
    finding: str = ""
    cause: Cause | None = None
    kind: ProblemKind | None = None  # kind of the problem if the student's code gave no answer
    place: Line | None = None
    note: str = ""
    requirement: str = ""  # requirement that the answer does not meet, if known
    hints: tuple[str, ...] = ()
    about: tuple[str, ...] = ()  # names the student's functions that the check called
    calls: tuple[Call, ...] = ()
    compared: tuple[Any, Any] = (None, None)
    evidence: Evidence | None = None
    own: Diagnosis | None = None  # name of a mistake that the check's own code names
    separate: bool = False  # whether only this mistake can be the cause
    diagnosis: Diagnosis | None = None
    group: str = ""
    stopped: str = ""
    refused: str = ""

    @property
    def name(self) -> str:
        return self.check.name

    @property
    def hidden(self) -> bool:
        return self.check.hidden

    @property
    def can_be_diagnosed(self) -> bool:
        """Return True if the student's code returned a value or raised an exception."""
        ended = self.cause is not None and self.cause.code != "no_end"
        return self.outcome == "failed" and self.kind in {None, "raised"} and ended


def without_judgement(check: Check, outcome: CheckOutcome, cause: Cause) -> CheckResult:
    """Return the result of a check that judged nothing."""
    return CheckResult(check=check, outcome=outcome, cause=cause, finding=sentence(cause))


class NotJudged(Exception):
    """Exception: a student kit has no correct result for a check.

    The check is graded when handed in.

    In a student kit, functions of the reference raise this exception. A check may catch the
    exception, and judge ranges, sums, or relations between the student's values instead.
    """

    def __init__(self, cause: Cause | None = None) -> None:
        self.cause = cause or Cause(code="not_recorded")
        super().__init__(sentence(self.cause))


class MayFollow(NotJudged):
    """Exception in a student kit: a wrong result may follow from the student's own wrong step.

    `own` is the name of the step's function or value. `wrong` is the `Mismatch` of the result. If
    all checks of the step pass, the engine reports `wrong`. `is_sibling` is true if the step is in
    another file of the student, and this step is known to be wrong.
    """

    def __init__(self, wrong: Exception, own: str, is_sibling: bool = False) -> None:
        code: CauseCode = "given_sibling" if is_sibling else "given_own_step"
        super().__init__(Cause(code=code, names=(own,)))
        self.wrong = wrong
        self.own = own
