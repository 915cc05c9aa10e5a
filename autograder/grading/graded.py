"""What is asked of a judge, and what it gives back: results, and the report made of them."""

import functools
from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from autograder.course.course_file import Exercise
from autograder.course.errors import UserError
from autograder.course.installation import engine_folder
from autograder.grading.author_exceptions import explained, innermost
from autograder.grading.check_plugin import CheckResult
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
        """Whether nothing has to be known after a check with this outcome."""
        if self.until == "a doubt":
            return outcome in {"timed out", "crashed"}
        return self.until == "a failure" and outcome != "passed"


ALL_CHECKS = RunOptions()


class Graded:
    """What became of one submission: the results of its checks, and its report.

    `seconds` is how long each check took, by its name. `trouble` is why there are no results.
    """

    def __init__(
        self,
        exercise: Exercise,
        client: WorkerSession,
        results: list[CheckResult],
        seconds: dict[str, float],
        trouble: InternalError | None = None,
    ) -> None:
        self.exercise = exercise
        self.client = client
        self.seconds = seconds
        self.trouble = trouble
        self._results = results

    @property
    def results(self) -> list[CheckResult]:
        """What became of each check that was wanted, in order.

        Raises:
            GraderTrouble: the grader itself failed, so that nothing is known of the submission.
        """
        if self.trouble is not None:
            raise self.trouble
        return self._results

    @functools.cached_property
    def report(self) -> ExerciseReport:
        """The report on the exercise. Where the grader itself failed, it says so, to a person."""
        if self.trouble is not None:
            return report_of_internal_error(self.exercise, self.trouble)
        try:
            return exercise_report(self.exercise, self.client.source, self._results, self.client)
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


def clear_of_blame(results: Iterable[CheckResult], is_sound: Callable[[CheckResult], bool]) -> None:
    """A check that stopped by itself: who is to blame, the check or what it was given?

    If it passes for the course's solution, it is a sound check that met a value it could not
    read. So no submission can make it look as if the grader had failed.
    """
    for result in results:
        if result.outcome == "error" and is_sound(result):
            result.could_not_read()


def as_internal_error(error: Exception) -> InternalError:
    """Any exception as trouble of the grader's own.

    Raises:
        UserError: it is one, which says what a person has to mend before anything is graded.
    """
    if isinstance(error, InternalError):
        return error
    if isinstance(error, UserError):
        raise error
    found = innermost(error, [ENGINE])
    where = f", in line {found[1]} of {found[0].relative_to(ENGINE)}" if found else ""
    return InternalError(f"{explained(error).rstrip('.')}{where}")
