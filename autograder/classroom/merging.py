"""A student's report from what was graded now and what was graded before."""

from collections.abc import Collection, Sequence

import msgspec

from autograder.classroom.adjustments import Adjustments
from autograder.classroom.finished import finished
from autograder.classroom.intake import Work
from autograder.course import Course, Exercise
from autograder.grading.plain_reports import ungraded, whole_report
from autograder.report.model import ExerciseReport, Grader, HandIn, Lateness, Report

NOTHING = "Nothing was handed in for this exercise."


def missing(exercise: Exercise) -> ExerciseReport:
    return ungraded(exercise, "missing", NOTHING, ran=False)


def without_checks(exercise: Exercise, work: Work) -> ExerciseReport | None:
    """The report of an exercise for which what was handed in gives no check anything to look at."""
    name = exercise.name
    if name in work.unclear:
        return ungraded(exercise, "needs a person", work.unclear[name], ran=False)
    if name in work.not_loaded:
        return ungraded(exercise, "not loaded", work.not_loaded[name], ran=False)
    return None if name in work.sources else missing(exercise)


class Merging:
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
        return finished(new, course, adjusted, now, late)

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
