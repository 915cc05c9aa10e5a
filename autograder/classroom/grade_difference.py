"""Comparison of two reports on a student: how the grade has changed, and why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

from autograder.course.cache import cache_key, files_key
from autograder.course.course_file import Course, Exercise
from autograder.course.installation import engine_folder
from autograder.course.text import digest, number, several
from autograder.grading.reports import READ
from autograder.report.grades_table import EXCUSED as EXCUSED_CELL
from autograder.report.grades_table import points_text
from autograder.report.model import Basis, ExerciseReport, Grader, Report

LENGTH = 12  # of a digest
CODES = {  # by field of a basis
    "checks": "check changed",
    "reference": "reference changed",
    "settings": "course.yml changed",
    "libraries": "library changed",
    "engine": "autograder changed",
    "seed": "seed changed",
    "confinement": "confinement changed",
}
DETAILED = {"libraries", "seed", "confinement"}
TOTAL = "total"
ADJUSTMENT, LATENESS, NEW = "adjustment", "lateness", "not graded before"
NOT_THERE = "not there"
UNKNOWN = "graded again, for no known reason"
OPEN = {"missing", "by hand", "needs a person"}  # no grade yet, so none is lost


class Reason(NamedTuple):
    """The reason why a grade changed. The code is also the text of the reason."""

    code: str
    detail: str = ""

    @property
    def text(self) -> str:
        return f"{self.code} ({self.detail})" if self.detail else self.code


def bases(course: Course, exercises: Iterable[Exercise], grader: Grader) -> dict[str, Basis]:
    """Return for each exercise everything that its grades depend on, except the students' work."""
    root, checks, engine = course.root, course.root / course.content.checks, engine_folder()
    files = {file for folder in course.grading for kind in READ for file in folder.rglob(kind)}
    in_checks = {file for file in files if file.is_relative_to(checks)}
    shared = {file for file in in_checks if not file.name.startswith("test_")}
    reference_key = files_key(root, sorted(files - in_checks), LENGTH)
    engine_key = files_key(engine, sorted(engine.rglob("*.py")), LENGTH)
    libraries = f"Python {grader.python}, NumPy {grader.numpy}"
    return {
        exercise.name: Basis(
            checks=files_key(root, sorted({course.checks_file(exercise.name), *shared}), LENGTH),
            reference=reference_key,
            settings=cache_key([exercise, course.limits(exercise)])[:LENGTH],
            engine=engine_key,
            version=grader.version,
            libraries=libraries + (f", torch {grader.torch}" if exercise.needs == "torch" else ""),
            seed=grader.seed,
            confinement=grader.confinement,
        )
        for exercise in exercises
    }


class GradeCell(msgspec.Struct, frozen=True, kw_only=True):
    """A change in the points or status of an exercise, or in the total.

    `checks` are the names of the checks whose results changed. `why` are the reasons as texts.
    """

    exercise: str
    before: str
    after: str
    why: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    fills: bool = False


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The change of one student's grade.

    If `fills` is true, grades that were missing are added and no existing grade changes.
    """

    student: str
    kind: Literal["new", "changed", "gone"]
    before: str = ""
    after: str = ""
    cells: tuple[GradeCell, ...] = ()
    fills: bool = False

    @property
    def why(self) -> list[str]:
        """Return all reasons, each once."""
        return list(dict.fromkeys(reason for cell in self.cells for reason in cell.why))


class GradeDifference(msgspec.Struct):
    """The changes in a class. `texts` counts the pages that changed although the grade did not."""

    changes: list[Change] = []
    texts: int = 0

    @property
    def needs_yes(self) -> bool:
        """Return whether an existing grade changes. If so, a person must agree."""
        return not all(change.fills for change in self.changes)

    @property
    def digest(self) -> str:
        """Return a digest of all changes. A person's consent names the changes by this digest."""
        return digest(msgspec.json.encode(self).decode())


def reason_counts(changes: Iterable[Change]) -> dict[str, int]:
    """Return how many grades changed for each reason, the most frequent reason first."""
    counts: Counter[str] = Counter()
    for change in changes:
        counts.update(dict.fromkeys((code for cell in change.cells for code in cell.codes), 1))
    return dict(counts.most_common())


def headline(difference: GradeDifference) -> list[str]:
    """Return sentences that count the changed, added and removed students."""
    changed = [change for change in difference.changes if change.kind == "changed"]
    kinds = Counter(change.kind for change in difference.changes)
    new, gone = kinds["new"], kinds["gone"]
    lines = []
    if changed:
        why = ", ".join(f"{reason} {count}" for reason, count in reason_counts(changed).items())
        grades = "grade changes" if len(changed) == 1 else "grades change"
        lines.append(f"{len(changed)} {grades}: {why}.")
    if new:
        lines.append(f"{several(new, 'student')} {'is' if new == 1 else 'are'} added.")
    if gone:
        lines.append(f"{several(gone, 'student')} {'is' if gone == 1 else 'are'} removed.")
    if difference.texts:
        lines.append(f"{several(difference.texts, 'page')} changed without a change of grade.")
    return lines or ["No grade changed."]


def compare(before: Report | None, after: Report | None, course: Course | None) -> Change | None:
    """Return the change of a student's grade; None if the grade is the same."""
    report = after or before
    assert report is not None
    cells = _cells(before, after)
    kind: Literal["new", "changed", "gone"] = "new" if before is None else "gone"
    if before is not None and after is not None:
        kind = "changed"
        cells += _total(before, after, cells, course)
        if not cells:
            return None
    return Change(
        student=report.student,
        kind=kind,
        before=_whole(before),
        after=_whole(after),
        cells=tuple(cells),
        fills=kind == "new" or all(cell.fills for cell in cells),
    )


def _whole(report: Report | None) -> str:
    if report is None:
        return ""
    known = report.known_points
    if known is None:
        return "excused" if report.excused else report.status
    points = f"{number(known)} of {number(report.max_points)}"
    return points if report.status == "graded" else f"{points}, {report.status}"


def _cells(before: Report | None, after: Report | None) -> list[GradeCell]:
    old = {each.name: each for each in before.exercises} if before else {}
    new = {each.name: each for each in after.exercises} if after else {}
    cells = []
    for name in {**new, **old}:
        was, now = old.get(name), new.get(name)
        nothing = was is None and now is not None and now.status == "missing" and not now.excused
        if _shown(was) != _shown(now) and not nothing:
            why, fills = _why(was, now, before, after), _is_open(was)
            checks = tuple(_checks(was, now))
            cells.append(_cell(name, _shown(was), _shown(now), why, fills, checks))
    return cells


def _cell(
    exercise: str,
    before: str,
    after: str,
    reasons: Sequence[Reason],
    fills: bool,
    checks: tuple[str, ...] = (),
) -> GradeCell:
    return GradeCell(
        exercise=exercise,
        before=before,
        after=after,
        why=tuple(reason.text for reason in reasons),
        codes=tuple(reason.code for reason in reasons),
        checks=checks,
        fills=fills,
    )


def _is_open(exercise: ExerciseReport | None) -> bool:
    """Return whether an exercise has no grade yet."""
    return exercise is None or (exercise.status in OPEN and not exercise.excused)


def _differences(before: Basis | None, after: Basis | None) -> list[Reason]:
    """Return the differences of two bases as reasons; an empty list if a basis is not known."""
    if before is None or after is None:
        return []
    reasons = []
    for name, code in CODES.items():
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            reasons.append(Reason(code, f"{old} → {new}" if name in DETAILED else ""))
    return reasons


def _shown(exercise: ExerciseReport | None) -> str:
    """Return a table cell: points and maximum, or the status if there are no points."""
    if exercise is None:
        return ""
    if exercise.excused:
        return EXCUSED_CELL
    points = points_text(exercise.known_points)
    if not points:
        return exercise.status
    most = f"{points}/{number(exercise.max_points)}"
    return most if exercise.status == "graded" else f"{most} ({exercise.status})"


def _why(
    was: ExerciseReport | None,
    now: ExerciseReport | None,
    before: Report | None,
    after: Report | None,
) -> list[Reason]:
    """Return all reasons for a change of an exercise's points."""
    if before is None or after is None:
        return [Reason(NEW if before is None else "no longer in the class")]
    if was is None or now is None:
        return [Reason(NEW if was is None else "exercise no longer graded")]
    by_people = _by_people(was, now, before, after)
    if by_people and _seen(was) == _seen(now):
        return by_people
    if was.status == "missing" != now.status:
        return [Reason("work handed in"), *by_people]
    if now.status == "missing" != was.status:
        return [Reason("work no longer there"), *by_people]
    reasons = [Reason("work changed")] if was.digest != now.digest else []
    reasons += _differences(was.basis, now.basis)
    if not reasons and not by_people:
        older = "graded by an old version, which kept no reasons"
        return [Reason(older if was.basis is None else UNKNOWN)]
    return [*reasons, *by_people]


def _seen(exercise: ExerciseReport) -> tuple[object, ...]:
    """Return the grader's results. If these did not change, only people changed the points."""
    outcomes = {check.name: (check.outcome, check.max_points) for check in exercise.checks}
    return exercise.digest, exercise.max_points, exercise.reason, outcomes


def _by_people(
    was: ExerciseReport, now: ExerciseReport, before: Report, after: Report
) -> list[Reason]:
    old, new = (
        {
            "marked by hand": [(answer.name, answer.points) for answer in exercise.answers],
            ADJUSTMENT: [a.said for a in report.adjustments if a.exercise == exercise.name],
            "excused": exercise.excused,
        }
        for exercise, report in ((was, before), (now, after))
    )
    return [Reason(code) for code in old if old[code] != new[code]]


def _checks(was: ExerciseReport | None, now: ExerciseReport | None) -> list[str]:
    old, new = (
        {
            check.name: f"{check.outcome}, {number(check.points)}/{number(check.max_points)}"
            for check in (exercise.checks if exercise else ())
        }
        for exercise in (was, now)
    )
    if not old or not new:
        return []
    return [
        f"{name}: {old.get(name, NOT_THERE)} → {new.get(name, NOT_THERE)}"
        for name in {**new, **old}
        if old.get(name) != new.get(name)
    ]


def _total(
    before: Report, after: Report, cells: Sequence[GradeCell], course: Course | None
) -> list[GradeCell]:
    """Return a changed total as one cell; an empty list if the exercises explain the change."""
    old, new = _points_of_all(before), _points_of_all(after)
    late = [{each.assignment: each.points for each in r.lateness} for r in (before, after)]
    added = [
        [a.points for a in r.adjustments if not a.exercise and a.points] for r in (before, after)
    ]
    differs = {LATENESS: late[0] != late[1], ADJUSTMENT: added[0] != added[1]}
    codes = [code for code in differs if differs[code]]
    is_same = before.known_points == after.known_points  # several changes may have the sum 0
    if is_same or (cells and not codes):
        return []
    names = {name for name in {**late[0], **late[1]} if late[0].get(name) != late[1].get(name)}
    reasons = [Reason(code) for code in codes or [UNKNOWN]]
    fills = codes == [LATENESS] and _are_open(before, names, course)
    return [_cell(TOTAL, old, new, reasons, fills)]


def _points_of_all(report: Report) -> str:
    return f"{points_text(report.known_points) or 'none'}/{number(report.max_points)}"


def _are_open(report: Report, assignments: Iterable[str], course: Course | None) -> bool:
    """Return whether none of these assignments has a grade yet."""
    if course is None:
        return False
    known = {each.name: each.exercises for each in course.content.assignments}
    names = {name for each in assignments for name in known.get(each, ())}
    return all(_is_open(each) for each in report.exercises if each.name in names)
