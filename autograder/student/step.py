"""One step of a student's: a file is graded, and what they may see of it is kept and shown."""

from collections.abc import Collection
from pathlib import Path

import msgspec

from autograder.course.course_file import Course, Exercise, HintPolicy
from autograder.course.errors import UserError
from autograder.course.text import one_line
from autograder.grading.judge import Judge
from autograder.grading.scoring import Graded
from autograder.report.model import ExerciseReport
from autograder.report.presentation import opening
from autograder.report.redaction import exercise_for_student
from autograder.report.terminal import StyledLine, exercise_lines, exercise_sentences
from autograder.student.attempts import (
    Attempts,
    attempts_path,
    first_failing,
    hints_shown,
    next_step,
    read_attempts,
    write_record,
)
from autograder.student.progress import write_progress
from autograder.submission.read import UnreadableFile
from autograder.submission.source import Source, read_own

NO_HINTS: dict[HintPolicy, str] = {
    "homework": "In this course the next hint comes with a new attempt that fails the same way.",
    "exam": "In this course there are no hints.",
}
NONE = "There is no hint for this one."
LAST = "That was the last hint."


def source_of(path: Path, exercise: Exercise) -> Source:
    """Read the student's file, with what lies beside it.

    Raises:
        UserError: it cannot be read.
    """
    try:
        return read_own(path, exercise)
    except UnreadableFile as error:
        raise UserError(f"{error} ({one_line(str(path), 300)})") from None


def may_have_repair(judge: Judge, graded: Graded) -> bool:
    """Return whether it is worth looking for a change after which every check passes."""
    if graded.error is not None or all(result.outcome == "passed" for result in graded.results):
        return False
    from autograder.grading.repair import is_worth_looking

    policy = judge.course.content.hints
    return is_worth_looking(graded.exercise, graded.session.source, graded.results, policy)


def with_repair_found(report: ExerciseReport, judge: Judge, graded: Graded) -> ExerciseReport:
    """Return what a student sees with the place of such a change, if one is found."""
    from autograder.grading.repair import with_repair

    seen = exercise_for_student(with_repair(judge, graded), judge.course.content.hints, 0)
    return msgspec.structs.replace(report, repair=seen.repair)


def shown_step(
    course: Course, full: ExerciseReport, path: Path, more: bool, saved: bool = True
) -> ExerciseReport:
    """Return what the student sees of a report now; keep that it was seen, and how it stands.

    Unless it was `saved`, what was graded is the cells that ran, not what is in the file. A file
    that cannot be loaded, half written perhaps, is no attempt: hints stay as they were. Where the
    grader itself failed nothing is known of the file, and all that is kept stays.
    """
    if _is_ungraded(full):
        return exercise_for_student(full, course.content.hints, 0)
    kept, policy = attempts_path(path, full.name), course.content.hints
    attempts = next_step(read_attempts(kept), full, policy, more)
    if full.status != "not loaded":
        write_record(kept, attempts)
    report = exercise_for_student(full, policy, hints_shown(attempts))
    write_progress(path, report if saved else msgspec.structs.replace(report, digest=""))
    return report


def shown_in_short(course: Course, full: ExerciseReport, path: Path) -> ExerciseReport:
    """Return what the student sees where only the finding has room: no hint counts as seen."""
    report = exercise_for_student(full, course.content.hints, 0)
    if not _is_ungraded(full):
        write_progress(path, report)
    return report


def _is_ungraded(full: ExerciseReport) -> bool:
    """Return whether no check looked at the file, for a reason of the grader's own."""
    return full.status == "needs a person" and not full.checks


def report_lines(
    report: ExerciseReport, details: int, where: str, width: int | None, spoken: bool
) -> list[StyledLine]:
    """Lay out a report that its student may see: in columns, or `spoken`, in words."""
    if spoken:
        return list(exercise_sentences(report, details, where))
    return list(exercise_lines(report, details, where, width))


def passed_checks(report: ExerciseReport) -> frozenset[str]:
    """Return the names of the checks that pass."""
    return frozenset(check.name for check in report.checks if check.outcome == "passed")


def change_since(
    passed_before: Collection[str], found_before: str | None, report: ExerciseReport
) -> str:
    """Say what is gained or lost since the last look; `found_before` is None if it is not known."""
    now = passed_checks(report)
    gained, lost = len(now - set(passed_before)), sorted(set(passed_before) - now)
    sentences = []
    if gained:
        sentences.append(f"{gained} more {'check passes' if gained == 1 else 'checks pass'}.")
    if len(lost) == 1:
        titles = {check.name: check.title for check in report.checks}
        sentences.append(f"1 check fails that passed before: {titles.get(lost[0], lost[0])}.")
    elif lost:
        sentences.append(f"{len(lost)} checks fail that passed before.")
    if not sentences and found_before is not None:
        if opening(report).text == found_before:
            return "The same checks pass as before."
        return "The same checks pass as before; what is found is something else."
    return " ".join(sentences)


def no_further_hint(
    before: Attempts, full: ExerciseReport, policy: HintPolicy, values: str, where: str
) -> str:
    """Say why no further hint is shown, and what else helps; nothing where one is, or none helps.

    `before` is what had been shown of the exercise until then; `values` says how all values are
    shown, and `where` which file has the lesson.
    """
    first = first_failing(full)
    if first is None:
        return ""
    if policy != "practice":
        return NO_HINTS[policy]
    seen = before.checks.get(first.name)
    now = next_step(before, full, policy, asked=True).checks[first.name]
    if first.hints and seen != now:
        return ""
    lesson = f"the lesson above your code in {where}" if where else "the lesson"
    helps = f"What else helps: {values}, {lesson}, or a person to ask."
    return f"{LAST if first.hints else NONE} {helps}"
