"""A student's report with what is not about the code: who is excused, and what lateness costs."""

from collections.abc import Collection, Sequence
from datetime import datetime

import msgspec

from autograder.classroom.adjustments import Adjustments, on_the_total
from autograder.classroom.submissions import StudentWork
from autograder.course.course_file import Assignment, Course, Exercise
from autograder.course.lateness import LatePolicy, days_late, late_penalty
from autograder.course.text import one_line
from autograder.grading.reports import report_without_checks, whole_report
from autograder.report.model import (
    Adjustment,
    ExerciseReport,
    Grader,
    HandIn,
    Lateness,
    Report,
    worst,
)

EVERYTHING = "all"


def finalize(
    report: Report,
    course: Course,
    adjustments: Sequence[Adjustment] = (),
    only: Collection[str] | None = None,
    before: Sequence[Lateness] = (),
) -> Report:
    """The report with its totals: without what is excused, less lateness, and as adjusted.

    `adjustments` name all that was changed; those of exercises are in their points already. With
    `only`, the other exercises are as they were finished before, and so is their lateness.
    """
    exercises = _with_excused(report, course, only)
    counted = [exercise for exercise in exercises if not exercise.excused]
    lateness = _lateness(report.hand_in or HandIn(), counted, course, only, before)
    points = sum(exercise.points for exercise in counted) - sum(each.points for each in lateness)
    told = []
    for entered in adjustments:
        points, each = (points, entered) if entered.exercise else on_the_total(points, entered)
        told.append(each)
    return msgspec.structs.replace(
        report,
        exercises=exercises,
        status=worst([exercise.status for exercise in counted]) if counted else report.status,
        points=round(max(0.0, points), 2),
        max_points=round(sum(exercise.max_points for exercise in counted), 2),
        lateness=tuple(lateness),
        adjustments=tuple(told),
    )


def _with_excused(
    report: Report, course: Course, only: Collection[str] | None
) -> tuple[ExerciseReport, ...]:
    """The exercises, those of assignments that the roster excuses marked."""
    said = report.hand_in.excused if report.hand_in else ()
    names = {
        exercise
        for assignment in course.content.assignments
        if assignment.name in said
        for exercise in assignment.exercises
    }
    return tuple(
        msgspec.structs.replace(each, excused=True)
        if (EVERYTHING in said or each.name in said or each.name in names)
        and (only is None or each.name in only)
        else each
        for each in report.exercises
    )


def _lateness(
    hand_in: HandIn,
    counted: Sequence[ExerciseReport],
    course: Course,
    only: Collection[str] | None,
    before: Sequence[Lateness],
) -> list[Lateness]:
    """What each assignment's deadline means for a hand-in, in the course's order."""
    found = []
    used = hand_in.late_days_used
    for assignment in course.content.assignments:
        if only is not None and not set(assignment.exercises) & set(only):
            kept = [each for each in before if each.assignment == assignment.name]
            found += kept
            used += sum(each.free_days for each in kept)
            continue
        policy = assignment.late or course.content.late
        mine = [e for e in counted if e.name in assignment.exercises and e.status != "missing"]
        if assignment.due is None or not mine:
            continue
        earned = sum(exercise.points for exercise in mine)
        late = _of(assignment, hand_in, policy or LatePolicy(), earned, used)
        if late is not None:
            found.append(late)
            used += late.free_days
    return found


def _of(
    assignment: Assignment, hand_in: HandIn, policy: LatePolicy, earned: float, used: float
) -> Lateness | None:
    """What one assignment's deadline means; None for a hand-in that is not known to be late."""
    assert assignment.due is not None
    name, due = assignment.name, assignment.due.isoformat()
    if not hand_in.at:
        if not hand_in.late:
            return None
        by = hand_in.at_from or hand_in.platform
        said = (
            f"{assignment.title}: marked as late by {by}. When it came is not known, so nothing is "
            f"taken off."
        )
        return Lateness(assignment=name, due=due, said=said)
    at = datetime.fromisoformat(hand_in.at)
    days = days_late(assignment.due, at, policy.grace_minutes, hand_in.extra_days)
    if not days:
        return None
    cost = late_penalty(policy, days, int(policy.free_days - used))
    points = round(earned * cost.percent / 100, 2)
    shown = at.replace(microsecond=0).isoformat(" ")
    return Lateness(
        assignment=name,
        due=due,
        at=hand_in.at,
        days=cost.days,
        free_days=cost.free_days,
        percent=cost.percent,
        points=points,
        said=one_line(f"{assignment.title}: {cost.said(shown, hand_in.at_from, points)}", 500),
    )


# A student's report from what was graded now and what was graded before.


NOTHING = "Nothing was handed in for this exercise."


def missing(exercise: Exercise) -> ExerciseReport:
    return report_without_checks(exercise, "missing", NOTHING, ran=False)


def without_checks(exercise: Exercise, work: StudentWork) -> ExerciseReport | None:
    """The report of an exercise for which what was handed in gives no check anything to look at."""
    name = exercise.name
    if name in work.unclear:
        return report_without_checks(exercise, "needs a person", work.unclear[name], ran=False)
    if name in work.not_loaded:
        return report_without_checks(exercise, "not loaded", work.not_loaded[name], ran=False)
    return None if name in work.sources else missing(exercise)


class ReportMerger:
    """Puts reports together: `names` are the exercises graded now, `exercises` all in the table."""

    def __init__(
        self,
        course: Course,
        exercises: Sequence[Exercise],
        names: Sequence[str],
        grader: Grader,
        adjustments: Adjustments,
    ) -> None:
        self._course = course
        self._exercises = exercises
        self._names = names
        self._grader = grader
        self._adjustments = adjustments

    def whole(
        self,
        student: str,
        graded: Sequence[ExerciseReport],
        notes: Sequence[str],
        hand_in: HandIn | None,
        before: Report | None,
    ) -> Report:
        """The report of who was graded now; without `before`, of this alone."""
        course, now = self._course, {each.name: each for each in graded}
        merged = self._all(now, before)
        exercises, adjusted = self._adjustments.apply(student, merged, now)
        late: Sequence[Lateness] = ()
        if before is not None:
            kept = [e for e in before.adjustments if e.exercise and e.exercise not in now]
            adjusted = self._adjustments.in_order(student, [*kept, *adjusted])
            notes, hand_in = _notes(before, notes, now), _hand_in(before, hand_in, now)
            late = before.lateness
        new = whole_report(student, course, exercises, self._grader, notes, hand_in)
        return finalize(new, course, adjusted, now, late)

    def absent(self, before: Report, is_chosen: bool) -> Report | None:
        """The report of who is not among those graded now; None if nothing is left of it.

        `is_chosen` if this student could have been: what is graded now is then missing.
        """
        names = self._names if is_chosen else ()
        old = {each.name for each in before.exercises}
        if is_chosen and old <= set(names):
            return None
        gone = [missing(each) for each in self._exercises if each.name in names]
        if not gone and old == {each.name for each in self._exercises}:
            return before
        report = self.whole(before.student, gone, before.notes, before.hand_in, before)
        return msgspec.structs.replace(report, grader=before.grader)

    def _all(self, now: dict[str, ExerciseReport], before: Report | None) -> list[ExerciseReport]:
        """All exercises of the table: graded now, else before, else missing."""
        old = {each.name: each for each in before.exercises} if before else {}
        return [now.get(e.name) or old.get(e.name) or missing(e) for e in self._exercises]


def _notes(before: Report, notes: Sequence[str], names: Collection[str]) -> list[str]:
    """Notes on the files: those of before too, where they are of other work."""
    regraded = any(each.name in names and each.file for each in before.exercises)
    return list(notes) if regraded else list(dict.fromkeys([*before.notes, *notes]))


def _hand_in(
    before: Report, hand_in: HandIn | None, now: dict[str, ExerciseReport]
) -> HandIn | None:
    """What is known of the hand-in: of who handed in nothing now, what was known before."""
    old = before.hand_in
    if old is None or hand_in is None:
        return hand_in or old
    if all(each.status == "missing" for each in now.values()):
        return old
    return msgspec.structs.replace(
        hand_in,
        platform_id=hand_in.platform_id or old.platform_id,
        platform=hand_in.platform or old.platform,
        name=hand_in.name or old.name,
        email=hand_in.email or old.email,
        ids={**old.ids, **hand_in.ids},
    )
