"""`adjustments.csv`: points that a person changed, each for the work that it was given for."""

import getpass
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Literal, get_args

import msgspec

from autograder.classroom.marks import TABLE as MARKS
from autograder.classroom.marks import Marks, answer_id
from autograder.classroom.store import FILE as LOG
from autograder.classroom.table_import import Row, Table, as_number
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import few, number, one_line, several
from autograder.report.grades_table import plain_cell, safe_cell
from autograder.report.model import Adjustment, CheckReport, ExerciseReport, Report

TABLE = "adjustments.csv"
COLUMNS = (
    "student",
    "exercise",
    "check",
    "change",
    "points",
    "why",
    "by",
    "when",
    "work_id",
    "state",
    "graded",
)
NEEDED = 5
TOTAL = "total"
CHANGED, ORPHANED, REGRADED = "work changed", "orphaned", "check changed"
MOST = 10_000
MAX_SHOWN = 5

Change = Literal["add", "set", "excuse", "comment"]


class Entered(msgspec.Struct, frozen=True):
    """A row: what a person decided, and the line it stands in."""

    row: Row
    student: str
    exercise: str
    check: str
    change: Change
    points: float
    why: str
    by: str
    when: str
    work: str
    graded: str  # what the checks had given when it was decided

    def said(self, title: str) -> str:
        """The line that the student reads."""
        what = {
            "add": f"{signed(self.points)} {'point' if abs(self.points) == 1 else 'points'}",
            "set": f"set to {several_points(self.points)}",
            "excuse": "excused",
            "comment": "a comment",
        }[self.change]
        who = f" by {self.by}" if self.by else ""
        when = f" on {self.when}" if self.when else ""
        why = f": {self.why}" if self.why else ""
        return one_line(f"{title}: {what}{who}{when}{why}", 1000)


def signed(points: float) -> str:
    return f"{'+' if points >= 0 else '−'}{number(abs(points))}"


def several_points(points: float) -> str:
    return "1 point" if points == 1 else f"{number(points)} points"


def work_id(exercises: Sequence[ExerciseReport]) -> str:
    """Letters that stand for the work of some exercises; what was not handed in changes nothing."""
    return answer_id(" ".join(e.digest for e in exercises if e.digest) or "none")


class Adjustments:
    """The table of adjustments, and what became of each row."""

    def __init__(self, path: Path, course: Course) -> None:
        """Read it; without a file it is empty.

        Raises:
            UserError: it is no such table, or a row of it cannot be meant; it names the line.
        """
        self.table = Table(path, COLUMNS, NEEDED)
        self._course = course
        self.entered = [self._entered(row) for row in self.table.rows]
        self._states: dict[int, tuple[str, str, str]] = {}

    def _entered(self, row: Row) -> Entered:
        cells = {name: plain_cell(self.table.get(row, name).strip()) for name in COLUMNS}
        where = f"{self.table.path}, line {row.line}"
        if cells["change"] not in get_args(Change):
            known = ", ".join(get_args(Change))
            raise UserError(f"{where}: expected one of {known}, found {cells['change']!r:.40}.")
        if cells["exercise"] != TOTAL and cells["exercise"] not in self._course.exercises:
            raise UserError(
                f"{where}: there is no exercise {cells['exercise']!r:.40}. Name one of course.yml, "
                f"or {TOTAL}."
            )
        if cells["exercise"] == TOTAL and cells["change"] == "set":
            raise UserError(f"{where}: a total is not set but changed. Enter add, and how many.")
        numbers = cells["change"] in {"add", "set"}
        return Entered(
            row=row,
            student=cells["student"],
            exercise=cells["exercise"],
            check=cells["check"],
            change=cells["change"],  # type: ignore[arg-type]
            points=_points(where, cells["points"], cells["change"]) if numbers else 0.0,
            why=cells["why"],
            by=cells["by"],
            when=cells["when"],
            work=cells["work_id"],
            graded=cells["graded"],
        )

    def apply(
        self,
        student: str,
        exercises: Sequence[ExerciseReport],
        only: Collection[str] | None = None,
    ) -> tuple[list[ExerciseReport], list[Adjustment]]:
        """The exercises with what was decided for them, and a line for each decision.

        With `only`, what was decided for other exercises than these is in them already.
        """
        changed = {exercise.name: exercise for exercise in exercises}
        said = [_decided(each, changed) for each in self._counted(student, exercises, only)]
        return [changed[exercise.name] for exercise in exercises], said

    def in_order(self, student: str, told: Iterable[Adjustment]) -> list[Adjustment]:
        """A student's adjustments in the table's order; what is no longer in it comes last."""
        rows = [(e.exercise, e.check) for e in self.entered if e.student == student]
        places = {key: place for place, key in reversed(list(enumerate(rows)))}

        def place(each: Adjustment) -> int:
            return places.get((each.exercise or TOTAL, each.check), len(rows))

        return sorted(told, key=place)

    def _counted(
        self,
        student: str,
        exercises: Sequence[ExerciseReport],
        only: Collection[str] | None = None,
    ) -> list[Entered]:
        """What was decided for somebody's work as it is; what becomes of every row is kept."""
        here = [exercise.name for exercise in exercises]
        names = {TOTAL, *(here if only is None else only)}
        found = []
        for each in self.entered:
            if each.student != student or each.exercise not in names:
                continue
            mine = [e for e in exercises if each.exercise in {TOTAL, e.name}]
            now = work_id(mine)
            if each.work not in {"", now}:
                self._states[each.row.line] = CHANGED, each.work, each.graded
            elif each.check and not any(c.name == each.check for c in mine[0].checks):
                self._states[each.row.line] = ORPHANED, each.work, each.graded
            else:
                given = _graded(each, mine)
                same = not each.work or each.graded in {"", given}
                before = given if same else each.graded
                self._states[each.row.line] = "" if same else REGRADED, now, before
                found.append(each)
        return found

    def are_in(self, report: Report) -> bool:
        """Whether a report has what is entered for its student, and nothing else."""
        titles = {exercise.name: exercise for exercise in report.exercises}
        entered = [
            each.said(_title(each, titles))
            for each in self._counted(report.student, report.exercises)
        ]
        told = report.adjustments
        return len(entered) == len(told) and all(
            each.said in {said, in_effect(said, each.points)}
            for said, each in zip(entered, told, strict=True)
        )

    def notes(self, students: Collection[str]) -> list[str]:
        """What a person should know of rows that do not count."""
        told = []
        why = {CHANGED: "given for other work", ORPHANED: "there is no such check"}
        for state, reason in why.items():
            told.append((state, reason, self._of(state)))
        nobody = [each for each in self.entered if each.student not in students]
        told.append((ORPHANED, "there is no such student", nobody))
        said = [
            f"{TABLE}: {several(len(rows), 'row')} kept and not counted, {state} ({reason}): "
            f"{_whose(rows)}."
            for state, reason, rows in told
            if rows
        ]
        regraded = self._of(REGRADED)
        if regraded:
            said.append(
                f"{TABLE}: {several(len(regraded), 'row')} counted, and the checks have given "
                f"other points since, so see whether it is still meant: {_whose(regraded)}."
            )
        return said

    def _of(self, state: str) -> list[Entered]:
        """The rows of which that has become."""
        lines = {line for line, (said, *_) in self._states.items() if said == state}
        return [each for each in self.entered if each.row.line in lines]

    def write(self) -> list[str]:
        """Write back what became of each row; returns what went wrong."""
        if self.table.data is None:
            return []
        rows = []
        for each in self.entered:
            known = self._states.get(each.row.line)
            values = dict(zip(("state", "work_id", "graded"), known or (), strict=False))
            rows.append(self.table.row(values, each.row))
        trouble = self.table.write(rows)
        return [f"{trouble}, and run the same command again."] if trouble else []

    def has(self, student: str) -> bool:
        """Whether anything is entered for somebody."""
        return any(each.student == student for each in self.entered)

    def enter(self, cells: dict[str, str]) -> str:
        """Add a row that a person decided; returns why that cannot be."""
        safe = {name: safe_cell(text) for name, text in cells.items()}
        self._entered(Row(0, self.table.row(safe)))
        return self.table.write([*(each.row.cells for each in self.entered), self.table.row(safe)])

    def undo(self, student: str, exercise: str, check: str) -> tuple[int, str]:
        """Take out what was decided for somebody; returns how many rows, and why they cannot go."""
        wanted = student, exercise, check
        gone = [e for e in self.entered if (e.student, e.exercise, e.check) == wanted]
        kept = [each.row.cells for each in self.entered if each not in gone]
        return len(gone), self.table.write(kept) if gone else ""


def _graded(each: Entered, mine: Sequence[ExerciseReport]) -> str:
    """What the checks gave for what a decision is about; a total is made of several's."""
    if each.exercise == TOTAL:
        return ""
    checks = [check.points for check in mine[0].checks if check.name == each.check]
    return number(checks[0] if checks else mine[0].points)


def _whose(rows: Sequence[Entered]) -> str:
    return few([f"{one_line(each.student, 60)} ({each.exercise})" for each in rows], MAX_SHOWN)


def _decided(each: Entered, changed: dict[str, ExerciseReport]) -> Adjustment:
    """Put one decision into effect."""
    if each.exercise == TOTAL:
        if each.change == "excuse":
            for name, one in changed.items():
                changed[name] = msgspec.structs.replace(one, excused=True)
        return Adjustment(points=each.points, said=each.said(_title(each, changed)))
    before = changed[each.exercise]
    after = _changed(before, each)
    changed[each.exercise] = after
    points = round(after.points - before.points, 2)
    said = each.said(_title(each, changed))
    cut = each.change == "add" and points != round(each.points, 2)
    return Adjustment(
        exercise=each.exercise,
        check=each.check,
        points=points,
        said=in_effect(said, points) if cut else said,
    )


def _title(each: Entered, exercises: Mapping[str, ExerciseReport]) -> str:
    if each.exercise == TOTAL:
        return "All together"
    exercise = exercises[each.exercise]
    checks = [check.title for check in exercise.checks if check.name == each.check]
    return ", ".join([exercise.title, *checks])


def in_effect(said: str, points: float) -> str:
    """The line of an adjustment that could not be made whole, with the `points` it came to."""
    return f"{said} ({signed(points)} in effect, since there are no points below 0)"


def on_the_total(points: float, adjustment: Adjustment) -> tuple[float, Adjustment]:
    """A total with what a person changed in it, and the adjustment as it came out."""
    after = max(0.0, points + adjustment.points)
    change = round(after - points, 2)
    if change == round(adjustment.points, 2):
        return after, adjustment
    said = in_effect(adjustment.said, change)
    return after, msgspec.structs.replace(adjustment, points=change, said=said)


def _points(where: str, text: str, change: str) -> float:
    points = as_number(text.replace("−", "-"))
    least = 0 if change == "set" else -MOST
    if points is None or not least <= points <= MOST:
        raise UserError(
            f"{where}: expected points from {number(least)} to {number(MOST)}, found {text!r:.40}."
        )
    return points


def _changed(exercise: ExerciseReport, each: Entered) -> ExerciseReport:
    """An exercise as a person wants it; points are never less than none."""
    if each.change == "excuse":
        return msgspec.structs.replace(exercise, excused=True)
    if each.change == "comment":
        return exercise
    checks, before = list(exercise.checks), exercise.points
    if each.check:
        at = next(at for at, check in enumerate(checks) if check.name == each.check)
        old = checks[at].points
        new = max(0.0, each.points if each.change == "set" else old + each.points)
        checks[at] = msgspec.structs.replace(checks[at], points=round(new, 2))
        points = before + new - old
    else:
        points = each.points if each.change == "set" else before + each.points
    graded = each.change == "set" and not each.check
    return msgspec.structs.replace(
        exercise,
        points=round(max(0.0, points), 2),
        checks=tuple(checks),
        status="graded" if graded else exercise.status,
    )


# A person's decision on points, from what they say of it to a row of the table.


def decision_row(change: str, amount: float | None, why: str, by: str | None) -> dict[str, str]:
    """What was decided, by whom and when."""
    return {
        "change": change,
        "points": "" if amount is None else number(amount),
        "why": one_line(why, 500),
        "by": one_line(by or getpass.getuser(), 100),
        "when": date.today().isoformat(),
    }


def check_named(
    reports: Mapping[str, Report], results: Path, student: str, exercise: str, check: str | None
) -> str:
    """The check's own name, for a name or a title; the student and the exercise are there.

    Raises:
        UserError: one of them is not.
    """
    if student not in reports:
        raise UserError(f"There is nobody called {student!r} in {results}. See its grades.csv.")
    graded = {each.name: each for each in reports[student].exercises}
    if exercise not in {*graded, TOTAL}:
        raise UserError(f"{exercise!r} was not graded. Name one of {', '.join(graded)}, {TOTAL}.")
    if check is None:
        return ""
    checks = graded[exercise].checks if exercise in graded else ()
    found = [each.name for each in checks if check in {each.name, each.title}]
    if len(found) != 1:
        known = ", ".join(each.name for each in checks) or "none"
        raise UserError(f"{exercise} has no check {check!r} of its own. It has: {known}.")
    return found[0]


def doubt_of(report: Report, exercise: str, check: str, change: str, amount: float | None) -> str:
    """What is odd about a change of the points that there were when grade last ran."""
    parts: list[Report | ExerciseReport | CheckReport] = [report]
    if exercise != TOTAL:
        one = next(each for each in report.exercises if each.name == exercise)
        parts = [c for c in one.checks if c.name == check] if check else [one]
    if amount is None:
        return ""
    before, most = parts[0].points, parts[0].max_points
    after = amount if change == "set" else before + amount
    if after < 0:
        return f" There were {number(before)} points, so no more than these are taken off."
    if after > most and amount:
        return f" That makes {number(after)} of {number(most)} points: see that it is meant."
    return ""


# Whether people have entered anything that the results of a class do not have yet.


def refuse_unapplied_entries(results: Path, course: Course, reports: Sequence[Report]) -> None:
    """See that marks and adjustments are all in the reports, so that no old points go out.

    Raises:
        UserError: somebody's are not; it names the table and whose they are.
    """
    adjustments = Adjustments(results / TABLE, course)
    marks = Marks(results / MARKS, course, course.exercises.values())
    later = {
        TABLE: [each.student for each in reports if not adjustments.are_in(each)],
        MARKS: [each.student for each in reports if not _has(each, marks)],
    }
    for table, students in later.items():
        if students:
            who = few([one_line(student, 60) for student in students], MAX_SHOWN)
            desk = f" or {LOG}" if table == MARKS and marks.log.there else ""
            raise UserError(
                f"{results / table}{desk} was changed since grade ran, so the points of {who} "
                f"are old. Run the same grade command again, and then export."
            )


def _has(report: Report, marks: Marks) -> bool:
    return all(
        marks.given(exercise, report.student).answers == exercise.answers
        for exercise in report.exercises
    )
