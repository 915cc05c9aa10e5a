"""Adjustments: people's changes of points. Each is valid for one version of a student's work.

The store keeps all adjustments. Each run and each new adjustment adds new rows of `adjustments.csv`
to the store, and then writes the table again.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

import msgspec

from autograder.classroom.decisions import TOTAL, Decision, points_given, put_into_effect, work_id
from autograder.classroom.marks import MARKS, Marks, answer_id
from autograder.classroom.store import (
    ADJUSTMENT,
    STORE,
    Store,
    StoredAdjustment,
    read_store,
    timestamp,
    write_store,
)
from autograder.classroom.table_import import Row, Table
from autograder.course.course_file import Course
from autograder.course.text import few, one_line, several
from autograder.report.grades_table import plain_cell, safe_cell
from autograder.report.model import Adjustment, ExerciseReport, Report
from autograder.submission.source import Source

ADJUSTMENTS = "adjustments.csv"
COLUMNS = ADJUSTMENT
NEEDED = 5
CHANGED, ORPHANED, REGRADED = "work changed", "orphaned", "check changed"
MAX_SHOWN = 5


class Entered(msgspec.Struct):
    """Decision and its table row."""

    decision: Decision
    row: Row
    id: int  # decision's number in the store, or 0
    cells: dict[str, str] = {}  # `state`, `work_id` and `graded`, from the grader


class Adjustments:
    """Adjustments of a class, from the store and from new rows of the table."""

    def __init__(self, results: Path, course: Course, store: Store | None = None) -> None:
        with read_store(results) if store is None else nullcontext(store) as tables:
            stored = tables.adjustments()  # read first, because writers change the table first
        self.table = Table(results / ADJUSTMENTS, COLUMNS, NEEDED)
        self.chosen: dict[tuple[str, str], str] | None = None  # chosen files; set by a run
        self.put_back: list[str] = []  # students whose rows were missing in the table
        self._results, self._course = results, course
        self._taken_out: list[int] = []
        self.entered = [self._entered(row, id) for id, row in self._matched(stored)]

    def _matched(self, stored: Sequence[StoredAdjustment]) -> list[tuple[int, Row]]:
        """Return the table's rows, each with its id in the store.

        A new row has the id 0. If the table is an old copy, it lacks rows from commands or from the
        desk. These rows are added again.
        """
        ids = [0] * len(self.table.rows)
        keys = [_typed_cells(self._cells(row)) for row in self.table.rows]
        free: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at, key in reversed(list(enumerate(keys))):
            free[key].append(at)
        absent = []
        for each in stored:
            places = free[_typed_cells(each.cells)]
            if places:
                ids[places.pop()] = each.id
            else:
                absent.append(each)
        new = Counter(key[:3] for id, key in zip(ids, keys, strict=True) if not id)
        matched = list(zip(ids, self.table.rows, strict=True))
        for each in absent:
            target = _typed_cells(each.cells)[:3]
            if each.exported and self.table.data is not None:
                if new[target] or each.origin == "table":  # changed or deleted in the table
                    new[target] -= 1
                    self._taken_out.append(each.id)
                    continue
                self.put_back.append(f"{one_line(target[0], 60)} ({target[1]})")
            cells = {name: safe_cell(text) for name, text in each.cells.items()}
            matched.append((each.id, Row(0, self.table.row(cells))))
        return matched

    def _cells(self, row: Row) -> dict[str, str]:
        return {name: plain_cell(self.table.get(row, name).strip()) for name in COLUMNS}

    def _entered(self, row: Row, id: int = 0) -> Entered:
        where = f"{self.table.path}, line {row.line}"
        return Entered(Decision.read(self._cells(row), where, self._course), row, id)

    def of(self, student: str) -> list[Decision]:
        """Return the decisions on a student's points, in the order in which they apply."""
        return [each.decision for each in self.entered if each.decision.student == student]

    def apply(
        self,
        student: str,
        exercises: Sequence[ExerciseReport],
        only: Collection[str] | None = None,
        sources: Mapping[str, Source] | None = None,
    ) -> tuple[list[ExerciseReport], list[Adjustment]]:
        """Return a student's exercises after all decisions, and the applied adjustments.

        With `only`, apply only decisions on these exercises and on the total. Comments on lines
        need `sources`, the code of each exercise.
        """
        changed, counted = {e.name: e for e in exercises}, self._counted(student, exercises, only)
        applied = [put_into_effect(each, changed, sources or {}) for each in counted]
        return [changed[exercise.name] for exercise in exercises], applied

    def upcoming(self, report: Report) -> Report:
        """Return the last run's report, changed by all newer decisions."""
        left = Counter(applied.entry for applied in report.adjustments)
        changed = {exercise.name: exercise for exercise in report.exercises}
        points = report.points
        for decision in self._counted(report.student, report.exercises):
            if left[decision.entry]:
                left[decision.entry] -= 1
            else:
                points += put_into_effect(decision, changed).points
        exercises = tuple(changed.values())
        return msgspec.structs.replace(report, points=max(0.0, points), exercises=exercises)

    def with_own_excuses(self, before: Report) -> dict[str, ExerciseReport]:
        """Return the last run's exercises by name, without excuses from the roster.

        Excuses that people entered stay. Each run applies the roster's excuses again.
        """
        excuses = {d.entry for d in self.of(before.student) if d.change == "excuse"}
        own = {a.exercise for a in before.adjustments if a.entry in excuses or not a.entry}
        return {
            each.name: msgspec.structs.replace(each, excused=each.excused and each.name in own)
            for each in before.exercises
        }

    def in_order(self, student: str, adjustments: Iterable[Adjustment]) -> list[Adjustment]:
        """Return a student's adjustments in the table's order. Those without a row come last."""
        rows = [(decision.exercise, decision.check) for decision in self.of(student)]

        def place(adjustment: Adjustment) -> int:
            row = adjustment.exercise or TOTAL, adjustment.check
            return rows.index(row) if row in rows else len(rows)

        return sorted(adjustments, key=place)

    def _counted(
        self, student: str, exercises: Sequence[ExerciseReport], only: Collection[str] | None = None
    ) -> list[Decision]:
        graded = [exercise.name for exercise in exercises]
        names = {TOTAL, *(graded if only is None else only)}
        return [
            entered.decision
            for place, entered in enumerate(self.entered)
            if entered.decision.student == student
            and entered.decision.exercise in names
            and self._counts(place, exercises)
        ]

    def _counts(self, place: int, exercises: Sequence[ExerciseReport]) -> bool:
        """Return True if a decision is valid, and fill in the grader's cells of its row."""
        entered = self.entered[place]
        decision, graded = entered.decision, entered.decision.graded
        parts = [e for e in exercises if decision.exercise in {TOTAL, e.name}]
        checks = {"", *(check.name for check in parts[0].checks)}
        work, state, is_last = decision.work, "", True
        if decision.change == "answer":
            state = "" if decision.check == answer_id(parts[0].request) else CHANGED
        elif decision.change == "file":
            chosen = [other for other in self.entered[place:] if self._is_chosen(other, decision)]
            state = "" if chosen else CHANGED
            is_last = len(chosen) == 1 and chosen[0] is entered
        elif work not in {"", work_id(parts)}:
            state = CHANGED
        elif not decision.line and decision.check not in checks:
            state = ORPHANED
        else:
            given = points_given(decision, parts)
            if work and graded not in {"", given}:
                state = REGRADED
            else:
                graded = given
            work = work_id(parts)
        entered.cells = {"state": state, "work_id": work, "graded": graded}
        return state in {"", REGRADED} and is_last

    def choices(self, student: str) -> list[Decision]:
        return [decision for decision in self.of(student) if decision.change == "file"]

    def _is_chosen(self, entered: Entered, choice: Decision) -> bool:
        decision, targets = entered.decision, (choice.student, choice.exercise)
        if decision.change != "file" or (decision.student, decision.exercise) != targets:
            return False
        if self.chosen is None:
            return self.table.get(entered.row, "state") != CHANGED
        return self.chosen.get(targets) == decision.check

    def not_in(self, report: Report) -> set[str]:
        """Return the exercises of a report (or `total`) that have an outdated adjustment."""
        counted: dict[str, list[Decision]] = defaultdict(list)
        for decision in self._counted(report.student, report.exercises):
            counted[decision.exercise].append(decision)
        applied: dict[str, list[Adjustment]] = defaultdict(list)
        for adjustment in report.adjustments:
            applied[adjustment.exercise or TOTAL].append(adjustment)
        return {
            name
            for name in {**counted, **applied}
            if len(counted[name]) != len(applied[name])
            or any(
                (there.check, there.entry or decision.entry) != (decision.check, decision.entry)
                for decision, there in zip(counted[name], applied[name], strict=True)
            )
        }

    def notes(self, students: Collection[str]) -> list[str]:
        """Return notes on invalid rows, and on rows that a person should read again."""
        by_state: dict[str, list[Decision]] = defaultdict(list)
        for entered in self.entered:
            if entered.cells:
                by_state[entered.cells["state"]].append(entered.decision)
        absent = [e.decision for e in self.entered if e.decision.student not in students]
        notes = []
        for decisions, what in (
            (
                by_state[CHANGED],
                f"kept but not counted, {CHANGED} (the decision was for earlier work)",
            ),
            (by_state[ORPHANED], f"kept but not counted, {ORPHANED} (there is no such check)"),
            (absent, f"kept but not counted, {ORPHANED} (there is no such student)"),
            (
                by_state[REGRADED],
                "counted, although the checks now give different points; make sure that each "
                "adjustment is still right",
            ),
        ):
            if decisions:
                whose = [f"{one_line(d.student, 60)} ({d.exercise})" for d in decisions]
                rows = several(len(decisions), "row")
                notes.append(f"{ADJUSTMENTS}: {rows} {what}: {few(whose, MAX_SHOWN)}.")
        return notes + self.put_back_notes()

    def put_back_notes(self) -> list[str]:
        """Return a note if rows were added to the table again."""
        if not self.put_back:
            return []
        rows = several(len(self.put_back), "row")
        return [
            f"{ADJUSTMENTS}: {rows} restored that `autograder adjust` or the desk had entered: "
            f"{few(self.put_back, MAX_SHOWN)}. To remove such a row, use --undo."
        ]

    def write(self) -> list[str]:
        if not self.entered and not self._taken_out:
            return []
        rows = [self.table.row(entered.cells, entered.row) for entered in self.entered]
        with write_store(self._results) as store:
            current = Adjustments(self._results, self._course, store)
            decisions = [[each.decision for each in known.entered] for known in (self, current)]
            if decisions[0] == decisions[1]:  # another process may have imported them meanwhile
                self._taken_out = current._taken_out
                for mine, theirs in zip(self.entered, current.entered, strict=True):
                    mine.id = theirs.id
            trouble = self._export(store, rows)
        return [f"{trouble}, then run the same command again."] if trouble else []

    def enter(self, cells: Mapping[str, str]) -> str:
        """Add a decision to the store and the table.

        Return an error message, or "" without an error. After the call, the decision is saved on
        the disk. Other processes may enter decisions at the same time.
        """
        row = {name: safe_cell(text) for name, text in cells.items()}
        self._entered(Row(0, self.table.row(row)))
        with write_store(self._results) as store:
            current = Adjustments(self._results, self._course, store)
            rows = [each.row.cells for each in current.entered]
            trouble = current._export(store, [*rows, current.table.row(row)])
            if not trouble:
                store.export_adjustment(store.add_adjustment(cells, "command"), {})
        self.put_back = current.put_back
        return trouble

    def undo(self, student: str, exercise: str, check: str) -> tuple[int, str]:
        """Delete the decisions on a check or exercise. Return their number, and an error or ""."""
        wanted = student, exercise, check
        with write_store(self._results) as store:
            current = Adjustments(self._results, self._course, store)
            gone = [each for each in current.entered if each.decision.target == wanted]
            if not gone:
                return 0, ""
            current.entered = [each for each in current.entered if each not in gone]
            current._taken_out += [each.id for each in gone]
            trouble = current._export(store, [each.row.cells for each in current.entered])
        self.put_back = current.put_back
        return len(gone), trouble

    def _export(self, store: Store, rows: Sequence[tuple[str, ...]]) -> str:
        trouble = self.table.write(rows)
        if trouble:
            return trouble
        store.take_out_adjustments(self._taken_out, timestamp())
        for each, row in zip(self.entered, rows, strict=False):
            cells = self._cells(Row(0, row))
            store.export_adjustment(each.id or store.add_adjustment(cells, "table"), cells)
        return ""


def _typed_cells(cells: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(cells[name].strip() for name in COLUMNS[:8])


def unapplied_entries(
    results: Path, course: Course, reports: Sequence[Report]
) -> tuple[str, set[str]]:
    """Return a sentence about entries since the last run, or "", and the affected exercises."""
    adjustments = Adjustments(results, course)
    marks = Marks(results, course, course.exercises.values())
    stored = itertools.chain.from_iterable(marks.stored.by_answer.values())
    store = f" or {STORE}" if any(mark.origin == "desk" for mark in stored) else ""
    adjusted = {report.student: adjustments.not_in(report) for report in reports}
    marked = {
        report.student: {
            each.name
            for each in report.exercises
            if marks.given(each, report.student).answers != each.answers
        }
        for report in reports
    }
    for where, differ in ((results / ADJUSTMENTS, adjusted), (f"{results / MARKS}{store}", marked)):
        students = [one_line(student, 60) for student, exercises in differ.items() if exercises]
        if students:
            late = few(students, MAX_SHOWN)
            text = f"{where} changed after grade ran, so the points of {late} are out of date."
            return text, set().union(*differ.values()) - {TOTAL}
    return "", set()
