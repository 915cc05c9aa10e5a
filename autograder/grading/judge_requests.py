"""What is asked of a judge, and what it gives back: results, and the report made of them."""

import functools
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from autograder.checks.check_result import CheckResult
from autograder.course.course_file import Exercise
from autograder.course.errors import UserError
from autograder.course.installation import engine_folder
from autograder.grading.author_exceptions import explained, innermost
from autograder.grading.check_outcome import unreadable
from autograder.grading.reports import report_of_internal_error
from autograder.grading.scoring import exercise_report
from autograder.report.model import CheckOutcome, ExerciseReport
from autograder.sandbox.child import InternalError
from autograder.sandbox.session import WorkerSession

ENGINE = engine_folder()


class RunOptions(msgspec.Struct, frozen=True):
    """Which checks of a submission are to run, how far, and with which random inputs.

    `only` names checks; without it all run. `until` a first failure, for who asks whether all
    pass; or a first doubt, a check that ran out of time or crashed, for what will be graded again
    at any rate. What ends before its end has no diagnosis. Without a `seed` it is the judge's.
    """

    only: frozenset[str] | None = None
    until: Literal["the end", "a failure", "a doubt"] = "the end"
    seed: int | None = None

    def is_enough(self, outcome: CheckOutcome) -> bool:
        """Return whether nothing has to be known after a check with this outcome."""
        if self.until == "a doubt":
            return outcome in {"timed out", "crashed"}
        return self.until == "a failure" and outcome != "passed"


ALL_CHECKS = RunOptions()


class Graded:
    """The outcome of one submission: the results of its checks, and its report.

    `seconds` is how long each check took, by its name. `error` is why there are no results.
    """

    def __init__(
        self,
        exercise: Exercise,
        session: WorkerSession,
        results: Sequence[CheckResult] = (),
        seconds: dict[str, float] | None = None,
        error: InternalError | None = None,
    ) -> None:
        self.exercise = exercise
        self.session = session
        self.seconds = seconds or {}
        self.error = error
        self._results = list(results)

    @property
    def results(self) -> list[CheckResult]:
        """The results of the checks that ran or were to run, in order.

        Raises:
            InternalError: the grader itself failed, so that nothing is known of the submission.
        """
        if self.error is not None:
            raise self.error
        return self._results

    @functools.cached_property
    def report(self) -> ExerciseReport:
        """The report on the exercise. Where the grader itself failed, it says so, to a person."""
        if self.error is not None:
            return report_of_internal_error(self.exercise, self.error)
        try:
            return exercise_report(self.exercise, self.session, self._results)
        except Exception as error:
            return report_of_internal_error(self.exercise, as_internal_error(error))

    @functools.cached_property
    def encoded(self) -> bytes:
        """The report as JSON, for another process; what cannot be written is trouble as well."""
        try:
            return msgspec.json.encode(self.report)
        except Exception as error:
            return msgspec.json.encode(
                report_of_internal_error(self.exercise, as_internal_error(error))
            )


def with_unreadable_answers(
    results: Sequence[CheckResult], is_sound: Callable[[CheckResult], bool]
) -> list[CheckResult]:
    """Return the results; a sound check that stopped has failed: it could not read an answer.

    A check is sound if it passes for the course's solution. So no submission can make it look as
    if the grader had failed.
    """
    return [
        unreadable(result) if result.outcome == "error" and is_sound(result) else result
        for result in results
    ]


def as_internal_error(error: Exception) -> InternalError:
    """Return any exception as a failure of the grader itself.

    Raises:
        UserError: it is one, which says what a person has to fix before anything is graded.
    """
    if isinstance(error, InternalError):
        return error
    if isinstance(error, UserError):
        raise error
    found = innermost(error, [ENGINE])
    where = f", in line {found[1]} of {found[0].relative_to(ENGINE)}" if found else ""
    return InternalError(f"{explained(error).rstrip('.')}{where}")
