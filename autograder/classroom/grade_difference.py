"""What differs between two records of a student's grade, and why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from autograder.course.cache import cache_key, files_key
from autograder.course.course_file import Course, Exercise
from autograder.course.installation import engine_folder
from autograder.course.text import digest, number, several
from autograder.grading.reports import READ
from autograder.report.grades_table import points_text
from autograder.report.model import Basis, CheckReport, ExerciseReport, Grader, Report

# What grades rest on besides the work, exercise by exercise, and in what two of them differ.


LENGTH = 12  # of a digest: enough to tell versions of a file apart
CHECK, REFERENCE, SETTINGS = "check changed", "reference changed", "course.yml changed"
LIBRARY, ENGINE, SEED = "library changed", "autograder changed", "seed changed"
CONFINEMENT = "confinement changed"


class Bases:
    """The basis of each exercise of a course, as it is now."""

    def __init__(self, course: Course, grader: Grader) -> None:
        self._course = course
        self._grader = grader
        checks = course.root / course.content.checks
        folders = course.grading
        files = {file for folder in folders for kind in READ for file in folder.rglob(kind)}
        beside = {file for file in files if file.is_relative_to(checks)}
        self._beside = sorted(file for file in beside if not file.name.startswith("test_"))
        self._reference = files_key(course.root, sorted(files - beside), LENGTH)
        engine = engine_folder()
        self._engine = files_key(engine, sorted(engine.rglob("*.py")), LENGTH)
        self._made: dict[str, Basis] = {}

    def of(self, exercise: Exercise) -> Basis:
        if exercise.name not in self._made:
            self._made[exercise.name] = self._of(exercise)
        return self._made[exercise.name]

    def _of(self, exercise: Exercise) -> Basis:
        grader, course = self._grader, self._course
        libraries = [f"Python {grader.python}", f"NumPy {grader.numpy}"]
        libraries += [f"torch {grader.torch}"] if exercise.needs == "torch" else []
        own = course.checks_file(exercise.name)
        return Basis(
            checks=files_key(course.root, sorted([own, *self._beside]), LENGTH),
            reference=self._reference,
            settings=cache_key([exercise, course.limits(exercise)])[:LENGTH],
            engine=self._engine,
            version=grader.version,
            libraries=", ".join(libraries),
            seed=grader.seed,
            confinement=grader.confinement,
        )


def differences(before: Basis | None, after: Basis | None) -> list[str]:
    """In what they differ, in words; nothing is known of a grade without one."""
    if before is None or after is None:
        return []
    found = {
        CHECK: before.checks != after.checks,
        REFERENCE: before.reference != after.reference,
        SETTINGS: before.settings != after.settings,
        f"{LIBRARY} ({before.libraries} → {after.libraries})": before.libraries != after.libraries,
        ENGINE: before.engine != after.engine,
        f"{SEED} ({before.seed} → {after.seed})": before.seed != after.seed,
        f"{CONFINEMENT} ({before.confinement} → {after.confinement})": (
            before.confinement != after.confinement
        ),
    }
    return [said for said, differs in found.items() if differs]


TOTAL = "total"
WORK, HANDED_IN, WITHDRAWN = "work changed", "work handed in", "work no longer there"
ADJUSTMENT, LATENESS, MARK, EXCUSED = "adjustment", "lateness", "marked by hand", "excused"
NEW, GONE = "not graded before", "no longer in the class"
UNKNOWN = "graded again, with nothing that is known to differ"
OLDER = "graded before it was noted what a grade rests on"
OPEN = {"missing", "by hand", "needs a person"}  # no grade yet: what fills it takes nothing away


class GradeCell(msgspec.Struct, frozen=True, kw_only=True):
    """An exercise, or the total, whose points or status changed; `checks` say where."""

    exercise: str
    before: str
    after: str
    why: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    fills: bool = False


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one student's grade.

    `fills` if it takes nothing away that was there: work that came in, marks that were waited for.
    """

    student: str
    kind: Literal["new", "changed", "gone"]
    before: str = ""
    after: str = ""
    cells: tuple[GradeCell, ...] = ()
    fills: bool = False

    @property
    def why(self) -> list[str]:
        """All reasons, each once."""
        return list(dict.fromkeys(reason for cell in self.cells for reason in cell.why))


class GradeDifference(msgspec.Struct):
    """What would change in a class, in the table's order; `texts` counts pages alone."""

    changes: list[Change] = []
    texts: int = 0

    @property
    def needs_yes(self) -> bool:
        """Whether a grade changes that somebody had."""
        return not all(change.fills for change in self.changes)

    @property
    def digest(self) -> str:
        """Letters that stand for all that would change, so that nothing else is put in force."""
        return digest(msgspec.json.encode(self).decode())

    def counts(self) -> dict[str, int]:
        """How many students' grades change for each reason, the commonest first."""
        found = Counter(_short(why) for c in self.changes for why in dict.fromkeys(c.why))
        return dict(found.most_common())


def _short(why: str) -> str:
    return why.partition(" (")[0]


def headline(difference: GradeDifference) -> list[str]:
    """How many grades change and for which reasons, in a line or two."""
    kinds = {
        "new": ("comes in", "come in"),
        "gone": ("is no longer there", "are no longer there"),
    }
    changed = [c for c in difference.changes if c.kind == "changed"]
    parts = [f"the grades of {several(len(changed), 'student')}"] if changed else []
    lines = []
    if parts:
        why = ", ".join(f"{reason} {count}" for reason, count in difference.counts().items())
        lines.append(f"Changes {parts[0]}: {why}.")
    for kind, (one, many) in kinds.items():
        count = sum(change.kind == kind for change in difference.changes)
        if count:
            lines.append(f"{several(count, 'student')} {one if count == 1 else many}.")
    if difference.texts:
        lines.append(f"{several(difference.texts, 'page')} changed, and not the grade on it.")
    return lines or ["No grade changed."]


def compare(before: Report | None, after: Report | None, course: Course | None) -> Change | None:
    """What became of a student's grade; None if it is the same, whatever the texts say."""
    whose = after or before
    assert whose is not None
    cells = _cells(before, after)
    total = _total(before, after, cells, course)
    if total is not None:
        cells.append(total)
    if before is not None and after is not None and not cells:
        return None
    kind: Literal["new", "changed", "gone"] = "changed"
    if before is None or after is None:
        kind = "gone" if after is None else "new"
    return Change(
        student=whose.student,
        kind=kind,
        before=_whole(before),
        after=_whole(after),
        cells=tuple(cells),
        fills=kind == "new" or all(cell.fills for cell in cells),
    )


def _whole(report: Report | None) -> str:
    if report is None:
        return ""
    said = f"{number(report.points)} of {number(report.max_points)}"
    return said if report.status == "graded" else f"{said}, {report.status}"


def _cells(before: Report | None, after: Report | None) -> list[GradeCell]:
    old = {each.name: each for each in before.exercises} if before else {}
    new = {each.name: each for each in after.exercises} if after else {}
    found = []
    for name in {**new, **old}:
        was, now = old.get(name), new.get(name)
        nothing = was is None and now is not None and now.status == "missing" and not now.excused
        if _shown(was) != _shown(now) and not nothing:
            found.append(
                GradeCell(
                    exercise=name,
                    before=_shown(was),
                    after=_shown(now),
                    why=tuple(_why(was, now, before, after)),
                    checks=tuple(_checks(was, now)),
                    fills=_is_open(was),
                )
            )
    return found


def _is_open(exercise: ExerciseReport | None) -> bool:
    """Whether there was no grade yet."""
    return exercise is None or (exercise.status in OPEN and not exercise.excused)


def _shown(exercise: ExerciseReport | None) -> str:
    """What stands in the table, with the maximum; or why there is nothing."""
    if exercise is None:
        return ""
    points = points_text(exercise.status, exercise.points, exercise.excused)
    if not points or exercise.excused:
        return points or exercise.status
    most = f"{points}/{number(exercise.max_points)}"
    return most if exercise.status == "graded" else f"{most} ({exercise.status})"


def _why(
    was: ExerciseReport | None,
    now: ExerciseReport | None,
    before: Report | None,
    after: Report | None,
) -> list[str]:
    """All that differs of what the points of an exercise come from."""
    if before is None or after is None:
        return [NEW if before is None else GONE]
    if was is None or now is None:
        return [NEW if was is None else "exercise no longer graded"]
    by_people = _by_people(was, now, before, after)
    if _is_same_run(was, now) and by_people:
        return by_people
    handed = [(each.status != "missing") for each in (was, now)]
    if handed == [False, True]:
        return [HANDED_IN, *by_people]
    if handed == [True, False]:
        return [WITHDRAWN, *by_people]
    found = [WORK] if was.digest != now.digest else []
    found += differences(was.basis, now.basis)
    if not found and was.basis is None and not by_people:
        found = [OLDER]
    return [*found, *by_people] or [UNKNOWN]


def _is_same_run(was: ExerciseReport, now: ExerciseReport) -> bool:
    """Whether the grader itself saw the same: then only people can have changed the points."""
    same = was.digest == now.digest and was.max_points == now.max_points
    handed_in = (was.status == "missing") == (now.status == "missing")
    return same and handed_in and _outcomes(was) == _outcomes(now)


def _outcomes(exercise: ExerciseReport) -> dict[str, tuple[str, float]]:
    return {check.name: (check.outcome, check.max_points) for check in exercise.checks}


def _by_people(
    was: ExerciseReport, now: ExerciseReport, before: Report, after: Report
) -> list[str]:
    marks = [[(each.name, each.points) for each in one.answers] for one in (was, now)]
    entered = [
        [each.said for each in report.adjustments if each.exercise == now.name]
        for report in (before, after)
    ]
    found = {
        MARK: marks[0] != marks[1],
        ADJUSTMENT: entered[0] != entered[1],
        EXCUSED: was.excused != now.excused,
    }
    return [said for said, differs in found.items() if differs]


def _checks(was: ExerciseReport | None, now: ExerciseReport | None) -> list[str]:
    """The checks whose points differ."""
    if was is None or now is None:
        return []
    old = {check.name: check for check in was.checks}
    new = {check.name: check for check in now.checks}
    return [
        f"{name}: {_check(old.get(name))} → {_check(new.get(name))}"
        for name in {**new, **old}
        if old and new and _check(old.get(name)) != _check(new.get(name))
    ]


def _check(check: CheckReport | None) -> str:
    if check is None:
        return "not there"
    return f"{check.outcome}, {number(check.points)}/{number(check.max_points)}"


def _total(
    before: Report | None, after: Report | None, cells: Sequence[GradeCell], course: Course | None
) -> GradeCell | None:
    """What changed in the total besides the exercises: lateness, and what people added to it."""
    if before is None or after is None:
        return None
    late = [{each.assignment: each.points for each in r.lateness} for r in (before, after)]
    added = [[(e.points, e.said) for e in r.adjustments if not e.exercise] for r in (before, after)]
    entered = [[points for points, _ in each if points] for each in added]
    why = [LATENESS] if late[0] != late[1] else []
    why += [ADJUSTMENT] if entered[0] != entered[1] else []
    if not why:
        if cells or before.points == after.points:
            return None
        why = [UNKNOWN]
    names = {name for name in {**late[0], **late[1]} if late[0].get(name) != late[1].get(name)}
    return GradeCell(
        exercise=TOTAL,
        before=_amount(before),
        after=_amount(after),
        why=tuple(why),
        fills=why == [LATENESS] and _are_open(before, names, course),
    )


def _amount(report: Report) -> str:
    return f"{number(report.points)}/{number(report.max_points)}"


def _are_open(report: Report, assignments: Iterable[str], course: Course | None) -> bool:
    """Whether nobody had a grade yet in any of some assignments."""
    if course is None:
        return False
    known = {each.name: each.exercises for each in course.content.assignments}
    names = {name for each in assignments for name in known.get(each, ())}
    return all(_is_open(each) for each in report.exercises if each.name in names)
