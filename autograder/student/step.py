"""Steps after a check of a student's file: showing the report, and saving the shown hints.

The next hint comes after a new attempt that fails in the same way, or when the student asks.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec

from autograder.course.course_file import Course, HintPolicy
from autograder.diagnosis.hints import way_of_failing
from autograder.report.model import CheckReport, ExerciseReport
from autograder.report.presentation import is_quiet, opening
from autograder.report.redaction import exercise_for_student
from autograder.student.progress import progress_of, read_record, write_progress, write_record

NO_HINTS: dict[HintPolicy, str] = {
    "homework": "In this course, the next hint comes after a new attempt that fails the same way.",
    "exam": "This course gives no hints.",
}
NONE = "There is no hint for this check."
LAST = "That was the last hint."


class Seen(msgspec.Struct, frozen=True):
    """Failed check when the student last saw it: the failure, and the number of shown hints."""

    way: str
    hints: int


class Attempts(msgspec.Struct, frozen=True):
    """The last source's digest, and failed checks. Only the first one gets a next hint."""

    digest: str = ""
    checks: dict[str, Seen] = {}
    first: str = ""  # name of the check to correct first


def next_step(
    before: Attempts, exercise: ExerciseReport, policy: HintPolicy, asked: bool
) -> Attempts:
    """Return the failures in the exercise, and the number of hints to show for each of them.

    The first hint of a check comes with the message. The next hint comes if the changed source
    fails in the same way. With the policy "practice", it also comes if the student has `asked`.
    Only the mistake to correct first gets a next hint, and only if the student has seen its first
    hint.
    """
    changed = bool(before.digest) and before.digest != exercise.digest
    more = changed or (asked and policy == "practice")
    first = first_failing(exercise)
    if first is None or policy == "exam":
        return Attempts(exercise.digest)
    more = more and _is_same_mistake(first, before.first, before.checks.get(before.first))
    checks = {}
    for check in _failing(exercise):
        way, hints = way_of_failing(check), 1
        seen = before.checks.get(check.name)
        if seen is not None and seen.way == way:
            now = Seen(way_of_failing(first), 1)
            hints = seen.hints + (more and _is_same_mistake(check, first.name, now))
        checks[check.name] = Seen(way, min(hints, max(1, len(check.hints))))
    return Attempts(exercise.digest, checks, first.name)


def first_failing(exercise: ExerciseReport) -> CheckReport | None:
    """Return the check to correct first, if possible a visible check of a begun function."""
    failing = _failing(exercise)
    return min(failing, key=lambda check: (check.hidden, bool(check.unwritten)), default=None)


def _failing(exercise: ExerciseReport) -> list[CheckReport]:
    return [check for check in exercise.checks if not is_quiet(check)]


def _is_same_mistake(check: CheckReport, other: str, seen: Seen | None) -> bool:
    if check.name == other:
        return True
    is_named = check.diagnosis is not None and bool(check.diagnosis.misconceptions)
    return is_named and seen is not None and seen.way == way_of_failing(check)


def read_attempts(source: Path, exercise: str) -> Attempts:
    """Read the last attempt. If its file is missing, damaged or a link, the attempt is empty."""
    return read_record(source, exercise, Attempts) or Attempts()


def shown_step(
    course: Course,
    full: ExerciseReport,
    path: Path,
    more: bool = False,
    saved: bool = True,
    in_short: bool = False,
) -> ExerciseReport:
    """Return the currently visible parts of a report, and save attempt and progress.

    If `saved` is false, the report is about cells of a running notebook. If `in_short` is true, no
    hint is shown, so no attempt is saved. A file that cannot be loaded does not count as an
    attempt.
    """
    policy = course.content.hints
    hints: Mapping[str, int] | int = 0
    was_graded = full.status != "needs a person" or bool(full.checks)
    if was_graded and not in_short:
        attempts = next_step(read_attempts(path, full.name), full, policy, more)
        if full.status != "not loaded":
            write_record(path, full.name, attempts)
        hints = {name: seen.hints for name, seen in attempts.checks.items()}
    report = exercise_for_student(full, policy, hints, course.hidden_checks)
    if was_graded:
        write_progress(path, report if saved else msgspec.structs.replace(report, digest=""))
    return report


def change_since(
    passed_before: Collection[str], found_before: str | None, report: ExerciseReport
) -> str:
    now = set(progress_of(report).passed)
    gained, lost = len(now - set(passed_before)), sorted(set(passed_before) - now)
    sentences = []
    if gained:
        sentences.append(f"{gained} more {'check passes' if gained == 1 else 'checks pass'}.")
    if len(lost) == 1:
        titles = {check.name: check.title for check in report.checks}
        sentences.append(f"1 check passed before and fails now: {titles.get(lost[0], lost[0])}.")
    elif lost:
        sentences.append(f"{len(lost)} checks passed before and fail now.")
    if not sentences and found_before is not None:
        if opening(report).text == found_before:
            return "The same checks pass as before."
        return "The same checks pass as before, but the message is new."
    return " ".join(sentences)


def no_further_hint(
    before: Attempts, full: ExerciseReport, policy: HintPolicy, values: str, where: str
) -> str:
    """Return why there is no further hint, with other advice, or "" if there is one."""
    first = first_failing(full)
    if first is None:
        return ""
    if policy != "practice":
        return NO_HINTS[policy]
    seen = before.checks.get(first.name)
    now = next_step(before, full, policy, asked=True).checks[first.name]
    if first.hints and (seen != now or now.hints < len(first.hints)):
        return ""
    lesson = f"the lesson above your code in {where}"
    helps = f"You can also {values}, read {lesson}, or ask somebody."
    return f"{LAST if first.hints else NONE} {helps}"
