"""A student's report with what is not about the code: who is excused, and what lateness costs."""

from collections.abc import Collection, Sequence
from datetime import datetime

import msgspec

from autograder.classroom.adjustments import on_the_total
from autograder.course import Assignment, Course
from autograder.lateness import LatePolicy, charge, days_late
from autograder.report.model import (
    Adjustment,
    ExerciseReport,
    HandIn,
    Lateness,
    Report,
    worst,
)
from autograder.text import one_line

EVERYTHING = "all"


def finished(
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
    cost = charge(policy, days, int(policy.free_days - used))
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
