"""Final report on a student, from new results, earlier results and people's decisions."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import msgspec

from autograder.classroom.decisions import on_the_total
from autograder.classroom.roster import EVERYTHING
from autograder.classroom.submissions import StudentWork
from autograder.course.course_file import Assignment, Course, Exercise
from autograder.course.lateness import LatePolicy, days_late, late_penalty
from autograder.course.text import one_line
from autograder.grading.reports import report_without_checks
from autograder.report.model import Adjustment, ExerciseReport, HandIn, Lateness, Report, worst

OF_THE_ROSTER = ("enrolled", "section", "extra_days", "late_days_used", "excused")
NOTHING = "Nothing was handed in for this exercise."


def finalize(
    report: Report,
    course: Course,
    adjustments: Sequence[Adjustment] = (),
    only: Collection[str] | None = None,
    before: Report | None = None,
) -> Report:
    """Return the report with its totals, after excuses, lateness and adjustments.

    The exercises' points already include the `adjustments`. Exercises that are not in `only` keep
    their points and lateness. `before` is the student's previous report.
    """
    excused = set(report.hand_in.excused if report.hand_in else ())  # by the roster
    for assignment in course.content.assignments:
        excused |= set(assignment.exercises if assignment.name in excused else ())
    exercises = tuple(
        msgspec.structs.replace(each, excused=True) if excused & {each.name, EVERYTHING} else each
        for each in report.exercises
    )
    counted = [exercise for exercise in exercises if not exercise.excused]
    lateness = _lateness(report.hand_in or HandIn(), counted, course, only, before)
    points = sum(exercise.points for exercise in counted) - sum(each.points for each in lateness)
    applied = []
    for entered in adjustments:
        points, each = (points, entered) if entered.exercise else on_the_total(points, entered)
        applied.append(each)
    return msgspec.structs.replace(
        report,
        exercises=exercises,
        status=worst([exercise.status for exercise in counted]) if counted else report.status,
        points=round(max(0.0, points), 2),
        max_points=round(sum(exercise.max_points for exercise in counted), 2),
        lateness=tuple(lateness),
        adjustments=tuple(applied),
    )


def _lateness(
    hand_in: HandIn,
    counted: Sequence[ExerciseReport],
    course: Course,
    only: Collection[str] | None,
    before: Report | None,
) -> list[Lateness]:
    known = {late.assignment: late for late in before.lateness} if before is not None else {}
    had = {e.name for e in before.exercises if not e.excused} if before is not None else set()
    changed = {exercise.name for exercise in counted} ^ had
    lateness: list[Lateness] = []
    for assignment in course.content.assignments:
        came, names = hand_in, set(assignment.exercises)
        if only is not None and not names & set(only):
            if assignment.name not in known:
                continue
            if not names & changed:
                lateness.append(known[assignment.name])
                continue
            came = msgspec.structs.replace(hand_in, at=known[assignment.name].at)
        parts = [each for each in counted if each.name in names and each.status != "missing"]
        used = hand_in.late_days_used + sum(each.free_days for each in lateness)
        late = _late(assignment, course, came, parts, used)
        lateness += [late] if late is not None else []
    return lateness


def _late(
    assignment: Assignment,
    course: Course,
    hand_in: HandIn,
    parts: Sequence[ExerciseReport],
    used: float,
) -> Lateness | None:
    """Return the lateness of an assignment. If the hand-in is not known to be late, return None."""
    if assignment.due is None or not parts:
        return None
    lateness = Lateness(assignment=assignment.name, due=assignment.due.isoformat(), said="")
    if not hand_in.at:
        by = hand_in.at_from or hand_in.platform
        sentence = (
            f"{assignment.title}: marked as late by {by}. The time of the submission is unknown, "
            f"so nothing is taken off. A roster can give the time in its column handed_in."
        )
        return msgspec.structs.replace(lateness, said=sentence) if hand_in.late else None
    policy = assignment.late or course.content.late or LatePolicy()
    at = datetime.fromisoformat(hand_in.at)
    days = days_late(assignment.due, at, policy.grace_minutes, hand_in.extra_days)
    if not days:
        return None
    cost = late_penalty(policy, days, int(policy.free_days - used))
    points = round(sum(exercise.points for exercise in parts) * cost.percent / 100, 2)
    shown = at.replace(microsecond=0).isoformat(" ")
    return msgspec.structs.replace(
        lateness,
        at=hand_in.at,
        days=cost.days,
        free_days=cost.free_days,
        percent=cost.percent,
        points=points,
        said=one_line(f"{assignment.title}: {cost.said(shown, hand_in.at_from, points)}", 500),
    )


def missing_report(exercise: Exercise) -> ExerciseReport:
    return report_without_checks(exercise, "missing", NOTHING, ran=False)


def without_checks(exercise: Exercise, work: StudentWork) -> ExerciseReport | None:
    """Return the report on an exercise without a file to check. If there is a file, return None."""
    name = exercise.name
    if name in work.unclear:
        return report_without_checks(exercise, "needs a person", work.unclear[name], ran=False)
    if name in work.not_loaded:
        return report_without_checks(exercise, "not loaded", work.not_loaded[name], ran=False)
    return None if name in work.sources else missing_report(exercise)


def merged_hand_in(
    old: HandIn | None, new: HandIn | None, now: Mapping[str, ExerciseReport]
) -> HandIn | None:
    """Return the details of a hand-in. If nothing was handed in now, keep the earlier details.

    Details from the roster come from the last run with a roster.
    """
    if old is None or new is None:
        return new or old
    roster = {name: getattr(old if new.enrolled is None else new, name) for name in OF_THE_ROSTER}
    if all(each.status == "missing" for each in now.values()):
        return msgspec.structs.replace(old, **roster)
    return msgspec.structs.replace(
        new,
        **roster,
        platform_id=new.platform_id or old.platform_id,
        platform=new.platform or old.platform,
        name=new.name or old.name,
        email=new.email or old.email,
        ids={**old.ids, **new.ids},
    )
