"""Comparison of two reports on a student: the changes of the grade, and their reasons."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

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
TOTAL = "total"
ADJUSTMENT, LATENESS, NEW = "adjustment", "lateness", "not graded before"
NOT_THERE = "not there"
UNKNOWN = "graded again, for no known reason"
OPEN = {"missing", "by hand", "needs a person"}  # no grade yet, so none is lost


def bases(course: Course, exercises: Iterable[Exercise], grader: Grader) -> dict[str, Basis]:
    """Return everything that determines the grades of an exercise, except the students' work."""
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
    """Change in the points or status of an exercise, or in the total."""

    exercise: str
    before: str
    after: str
    why: tuple[str, ...] = ()  # codes of the reasons
    checks: tuple[str, ...] = ()  # names of checks with changed results
    fills: bool = False


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Change of one student's grade. If `fills` is true, it only adds grades that were missing."""

    student: str
    kind: Literal["new", "changed", "gone"]
    before: str = ""
    after: str = ""
    cells: tuple[GradeCell, ...] = ()
    fills: bool = False

    @property
    def why(self) -> list[str]:
        return list(dict.fromkeys(reason for cell in self.cells for reason in cell.why))


class GradeDifference(msgspec.Struct):
    changes: list[Change] = []
    texts: int = 0  # counts pages that changed without a change of the grade

    @property
    def needs_yes(self) -> bool:
        """Return True if an existing grade changes. A person must agree to such a change."""
        return not all(change.fills for change in self.changes)

    @property
    def digest(self) -> str:
        """Return a digest of all changes. A person who names it agrees to exactly these."""
        return digest(msgspec.json.encode(self).decode())


def reason_counts(changes: Iterable[Change]) -> dict[str, int]:
    """Return the number of changed grades for each reason, most frequent reason first."""
    return dict(Counter(reason for change in changes for reason in change.why).most_common())


def headline(difference: GradeDifference) -> list[str]:
    """Return sentences with the numbers of changed, added and removed students."""
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
        if _shown(was) == _shown(now) or nothing:
            continue
        cell = GradeCell(
            exercise=name,
            before=_shown(was),
            after=_shown(now),
            why=tuple(_why(was, now, before, after)),
            checks=tuple(_checks(was, now)),
            fills=_is_open(was),
        )
        cells.append(cell)
    return cells


def _shown(exercise: ExerciseReport | None) -> str:
    if exercise is None:
        return ""
    if exercise.excused:
        return EXCUSED_CELL
    points = points_text(exercise.known_points)
    if not points:
        return exercise.status
    most = f"{points}/{number(exercise.max_points)}"
    return most if exercise.status == "graded" else f"{most} ({exercise.status})"


def _is_open(exercise: ExerciseReport | None) -> bool:
    return exercise is None or (exercise.status in OPEN and not exercise.excused)


def _why(
    was: ExerciseReport | None,
    now: ExerciseReport | None,
    before: Report | None,
    after: Report | None,
) -> list[str]:
    if before is None or after is None:
        return [NEW if before is None else "no longer in the class"]
    if was is None or now is None:
        return [NEW if was is None else "exercise no longer graded"]
    by_people = _by_people(was, now, before, after)
    if by_people and _seen(was) == _seen(now):
        return by_people
    if was.status == "missing" != now.status:
        return ["work handed in", *by_people]
    if now.status == "missing" != was.status:
        return ["work no longer there", *by_people]
    reasons = ["work changed"] if was.digest != now.digest else []
    return [*reasons, *_differences(was.basis, now.basis), *by_people] or [UNKNOWN]


def _differences(old: Basis | None, new: Basis | None) -> list[str]:
    if old is None or new is None:
        return []
    return [code for name, code in CODES.items() if getattr(old, name) != getattr(new, name)]


def _seen(exercise: ExerciseReport) -> tuple[object, ...]:
    outcomes = {check.name: (check.outcome, check.max_points) for check in exercise.checks}
    return exercise.digest, exercise.max_points, exercise.reason, outcomes


def _by_people(
    was: ExerciseReport, now: ExerciseReport, before: Report, after: Report
) -> list[str]:
    old, new = (
        {
            "marked by hand": [(answer.name, answer.points) for answer in exercise.answers],
            ADJUSTMENT: [a.said for a in report.adjustments if a.exercise == exercise.name],
            "excused": exercise.excused,
        }
        for exercise, report in ((was, before), (now, after))
    )
    return [code for code in old if old[code] != new[code]]


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
    """Return the change of the total, unless changes of exercises explain it."""
    late, added, shown = [], [], []
    for report in (before, after):
        late.append({each.assignment: each.points for each in report.lateness})
        added.append([a.points for a in report.adjustments if not a.exercise and a.points])
        points = "none" if report.known_points is None else number(report.known_points)
        shown.append(f"{points}/{number(report.max_points)}")
    differs = {LATENESS: late[0] != late[1], ADJUSTMENT: added[0] != added[1]}
    codes = [code for code in differs if differs[code]]
    if before.known_points == after.known_points:  # several changes may have the sum 0
        return []
    if not codes:
        if cells:
            return []
        codes = [UNKNOWN]
    assignments = course.content.assignments if course is not None else ()
    fills = codes == [LATENESS] and bool(assignments)  # and no affected exercise had a grade
    for assignment in assignments:
        if late[0].get(assignment.name) != late[1].get(assignment.name):
            names = assignment.exercises
            fills &= all(_is_open(each) for each in before.exercises if each.name in names)
    return [
        GradeCell(
            exercise=TOTAL,
            before=shown[0],
            after=shown[1],
            why=tuple(codes),
            fills=fills,
        )
    ]
