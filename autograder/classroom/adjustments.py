"""`adjustments.csv`: points that a person changed, each for the work that it was given for."""

import getpass
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from typing import Literal, get_args

import msgspec

from autograder.classroom.marks import TABLE as MARKS
from autograder.classroom.marks import Marks, answer_id
from autograder.classroom.store import (
    ADJUSTMENT,
    Store,
    StoredAdjustment,
    read_store,
    timestamp,
    write_store,
)
from autograder.classroom.store import FILE as STORE
from autograder.classroom.table_import import Row, Table, as_number
from autograder.course.course_file import Course
from autograder.course.errors import UserError
from autograder.course.text import few, number, one_line, several
from autograder.report.grades_table import plain_cell, safe_cell
from autograder.report.model import Adjustment, CheckReport, ExerciseReport, Report

TABLE = "adjustments.csv"
COLUMNS = ADJUSTMENT
NEEDED = 5
TOTAL = "total"
CHANGED, ORPHANED, REGRADED = "work changed", "orphaned", "check changed"
MOST = 10_000
MAX_SHOWN = 5

Change = Literal["add", "set", "excuse", "comment"]


class Entered(msgspec.Struct, frozen=True):
    """A decision of a person on points, as the table has it.

    `place` counts the decisions from 0; `id` is that of the store, 0 for a row that was just typed.
    """

    row: Row
    place: int
    id: int
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
        """Return the line that the student reads."""
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
    """Return letters that stand for the work of some exercises, of those that were handed in."""
    return answer_id(" ".join(e.digest for e in exercises if e.digest) or "none")


class Adjustments:
    """The adjustments of a class: those of the store, and what was typed into the table since."""

    def __init__(self, path: Path, course: Course, store: Store | None = None) -> None:
        """Read the table and the store; without files there are no adjustments.

        Args:
            store: the store in an open transaction, if there is one.

        Raises:
            UserError: it is no such table, or a row of it cannot be meant; it names the line.
        """
        self.table = Table(path, COLUMNS, NEEDED)
        self.put_back: list[str] = []  # the students of rows that the table lacks by mistake
        self._course = course
        self._taken_out: list[int] = []
        self._states: dict[int, tuple[str, str, str]] = {}
        with read_store(path.parent) if store is None else nullcontext(store) as tables:
            rows = self._matched(tables.adjustments())
        self.entered = [self._entered(row, place, id) for place, (id, row) in enumerate(rows)]

    def _matched(self, stored: Sequence[StoredAdjustment]) -> list[tuple[int, Row]]:
        """Match the table's rows with the store, each with its id; 0 if it was typed since.

        What a command or the desk has entered is taken out by them alone: a table that was saved
        without it may be an old one, so it is put back.
        """
        free: dict[tuple[str, ...], list[int]] = {}
        for at, row in reversed(list(enumerate(self.table.rows))):
            free.setdefault(_decision(self._cells(row)), []).append(at)
        ids, absent = [0] * len(self.table.rows), []
        for each in stored:
            places = free.get(_decision(each.cells))
            if places:
                ids[places.pop()] = each.id
            else:
                absent.append(each)
        typed = Counter(
            _decision(self._cells(row))[:3] for id, row in self._numbered(ids) if not id
        )
        kept = []
        for each in absent:
            target = _decision(each.cells)[:3]
            if each.exported and self.table.data is not None:
                if typed[target] or each.origin == "table":  # changed or removed in the table
                    typed[target] -= 1
                    self._taken_out.append(each.id)
                    continue
                self.put_back.append(f"{one_line(target[0], 60)} ({target[1]})")
            cells = {name: safe_cell(text) for name, text in each.cells.items()}
            kept.append((each.id, Row(0, self.table.row(cells))))
        return [*self._numbered(ids), *kept]

    def _numbered(self, ids: Sequence[int]) -> list[tuple[int, Row]]:
        return list(zip(ids, self.table.rows, strict=True))

    def _cells(self, row: Row) -> dict[str, str]:
        return {name: plain_cell(self.table.get(row, name).strip()) for name in COLUMNS}

    def _entered(self, row: Row, place: int = 0, id: int = 0) -> Entered:
        cells = self._cells(row)
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
            place=place,
            id=id,
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
                self._states[each.place] = CHANGED, each.work, each.graded
            elif each.check and not any(c.name == each.check for c in mine[0].checks):
                self._states[each.place] = ORPHANED, each.work, each.graded
            else:
                given = _graded(each, mine)
                same = not each.work or each.graded in {"", given}
                before = given if same else each.graded
                self._states[each.place] = "" if same else REGRADED, now, before
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
        return said + self.put_back_notes()

    def put_back_notes(self) -> list[str]:
        """Return whose rows the table lacked, although a command had entered them."""
        if not self.put_back:
            return []
        rows = several(len(self.put_back), "row")
        return [
            f"{TABLE}: {rows} put back that `autograder adjust` or the desk had entered: "
            f"{few(self.put_back, MAX_SHOWN)}. To take one out, say --undo."
        ]

    def _of(self, state: str) -> list[Entered]:
        """The rows of which that has become."""
        places = {place for place, (found, *_) in self._states.items() if found == state}
        return [each for each in self.entered if each.place in places]

    def write(self) -> list[str]:
        """Write back what became of each row; returns what went wrong."""
        if not self.entered and not self._taken_out:
            return []
        rows = []
        for each in self.entered:
            known = self._states.get(each.place)
            values = dict(zip(("state", "work_id", "graded"), known or (), strict=False))
            rows.append(self.table.row(values, each.row))
        with write_store(self.table.path.parent) as store:
            trouble = self._export(store, rows)
        return [f"{trouble}, and run the same command again."] if trouble else []

    def has(self, student: str) -> bool:
        """Whether anything is entered for somebody."""
        return any(each.student == student for each in self.entered)

    def enter(self, cells: Mapping[str, str]) -> str:
        """Add what a person decided, to the store and the table; return why that cannot be.

        It is on the disk when this returns. Other processes may do the same at once.
        """
        row = {name: safe_cell(text) for name, text in cells.items()}
        self._entered(Row(0, self.table.row(row)))
        with write_store(self.table.path.parent) as store:
            current = Adjustments(self.table.path, self._course, store)
            trouble = current._export(store, [each.row.cells for each in current.entered], row)
            if not trouble:
                store.export_adjustment(store.add_adjustment(cells, "command"), {})
        self.put_back = current.put_back
        return trouble

    def undo(self, student: str, exercise: str, check: str) -> tuple[int, str]:
        """Take out what was decided for somebody; return how many rows, and why they cannot go."""
        wanted = student, exercise, check
        with write_store(self.table.path.parent) as store:
            current = Adjustments(self.table.path, self._course, store)
            gone = [e for e in current.entered if (e.student, e.exercise, e.check) == wanted]
            if not gone:
                return 0, ""
            current.entered = [each for each in current.entered if each not in gone]
            current._taken_out += [each.id for each in gone]
            trouble = current._export(store, [each.row.cells for each in current.entered])
        self.put_back = current.put_back
        return len(gone), trouble

    def _export(
        self, store: Store, rows: Sequence[tuple[str, ...]], *more: Mapping[str, str]
    ) -> str:
        """Write the table, and note in the store what it has; return why it cannot be written."""
        trouble = self.table.write([*rows, *(self.table.row(dict(each)) for each in more)])
        if trouble:
            return trouble
        store.take_out_adjustments(self._taken_out, timestamp())
        for each, row in zip(self.entered, rows, strict=True):
            cells = self._cells(Row(0, row))
            store.export_adjustment(each.id or store.add_adjustment(cells, "table"), cells)
        return ""


def _decision(cells: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a person decided, without what became of it."""
    return tuple(cells[name].strip() for name in COLUMNS[:8])


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
            desk = f" or {STORE}" if table == MARKS and marks.has_desk_marks else ""
            raise UserError(
                f"{results / table}{desk} was changed since grade ran, so the points of {who} "
                f"are old. Run the same grade command again, and then export."
            )


def _has(report: Report, marks: Marks) -> bool:
    return all(
        marks.given(exercise, report.student).answers == exercise.answers
        for exercise in report.exercises
    )
