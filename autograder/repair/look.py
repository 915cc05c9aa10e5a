"""When a search is worth its time, and what comes of it."""

from collections.abc import Sequence

import msgspec

from autograder.course import Exercise, HintPolicy
from autograder.grading.graded import Graded
from autograder.grading.plugin import CheckResult
from autograder.grading.session import Judge
from autograder.repair.to_mend import to_mend
from autograder.report.model import ExerciseReport, Repair
from autograder.sandbox.child import GraderTrouble
from autograder.submission.source import Source


def is_worth_looking(
    exercise: Exercise, source: Source, results: Sequence[CheckResult], policy: HintPolicy
) -> bool:
    """Whether checks failed in a way that has no name, and the policy lets more be said."""
    outcomes = {result.outcome for result in results}
    if policy == "exam" or exercise.questions or not exercise.repair or "failed" not in outcomes:
        return False
    if not outcomes <= {"passed", "failed", "not run", "not told"}:
        return False  # what crashes, or does not end, would do so many times
    if any(result.kind == "not loaded" for result in results):
        return False
    return bool(to_mend(source, results).failed)


def look_for_repair(
    judge: Judge, exercise: Exercise, source: Source, graded: Graded
) -> Repair | None:
    """What a search for a verified repair finds; points and results are as they were."""
    from autograder.repair.say import repair  # few checks come to need it
    from autograder.repair.search import Search

    try:
        found = repair(Search(judge, exercise, source, graded.results).run())
    except (GraderTrouble, RecursionError, MemoryError):  # the report stands without it
        return None
    if found is None or judge.course.content.released is None:
        return found
    said = found.said.replace("every check passes", "every check that shows itself passes")
    said = said.replace("every check that is", "every check that shows itself and is")
    return msgspec.structs.replace(found, said=said)


def with_repair(
    result: ExerciseReport, judge: Judge, exercise: Exercise, source: Source, graded: Graded
) -> ExerciseReport:
    """The report with what `look_for_repair` finds."""
    found = look_for_repair(judge, exercise, source, graded)
    return msgspec.structs.replace(result, repair=found)
