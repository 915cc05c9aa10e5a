"""What differs for the checks of a released course: where answers come from, and what is untold."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autograder.checks.check_result import Check, CheckResult, MayFollow, without_judgement
from autograder.checks.reference_answers import AnswerSource, answer_from
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.report.model import Cause

if TYPE_CHECKING:
    from autograder.checks.recorded_answers import ExerciseRecord


class _Now:
    recorder: AnswerSource | None = None


def record_with(recorder: AnswerSource | None) -> None:
    """From now on, released checks are answered by this recorder; by their records, if by none."""
    _Now.recorder = recorder


def refuse_other_seeds(course: Course, seed: int | None) -> None:
    """Do nothing, if the answers to what is drawn by a seed are there.

    Raises:
        UserError: they are not recorded.
    """
    made = course.content.released
    if made is not None and seed is not None and seed not in made.seeds:
        known = ", ".join(map(str, made.seeds))
        raise UserError(
            f"The answers for seed {seed} are not recorded in this course. Those for {known} are."
        )


def begin_check(course: Course, check: Check) -> Check:
    """Set where a check's answers come from; return it with the hints that are recorded for it."""
    if course.content.released is None:
        return check
    if _Now.recorder is not None:
        answer_from(_Now.recorder)
        return check
    record = _record(course, _exercise(check.path))
    return msgspec.structs.replace(check, hints=record.hints.get(check.name, ()))


def _record(course: Course, exercise: str) -> "ExerciseRecord":
    from autograder.checks.recorded_answers import playback

    found = playback(course, exercise)
    answer_from(found)
    return found.record


def _exercise(checks: Path) -> str:
    return checks.stem.removeprefix("test_")


def settle_follow_through(error: MayFollow, results: Iterable[CheckResult]) -> Exception:
    """What became of a check whose answer may follow from a step of the student's own.

    If all that was told of that step is right, nothing else follows from it: the answer is wrong.
    """
    about = [each.outcome for each in results if error.own in each.about]
    told = [outcome for outcome in about if outcome not in {"not told", "not run"}]
    right = bool(told) and all(outcome == "passed" for outcome in told)
    return error.wrong if right else error


def with_unreleased_checks(
    course: Course, path: Path | None, results: list[CheckResult]
) -> list[CheckResult]:
    """The results of a released course's checks, with those that it does not hand out.

    `path` is the file that the checks are collected from, if there are any.
    """
    if course.content.released is None or path is None or _Now.recorder is not None:
        return results
    record = _record(course, _exercise(path))
    known = {result.name: result for result in results}
    for hidden in record.hidden:
        check = Check(
            name=hidden.name,
            function=hidden.name,
            path=path,
            title=hidden.title,
            weight=hidden.weight,
            hidden=True,
        )
        known[hidden.name] = without_judgement(check, "not told", Cause(code="hidden"))
    return [known[name] for name in record.order if name in known]
