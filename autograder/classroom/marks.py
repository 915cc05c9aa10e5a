"""Marks for answers in words. A mark counts only for the text that was marked.

The store keeps the marks. Each run adds new marks from `by-hand.csv` to the store, and writes the
table again.
"""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path

import msgspec

from autograder.classroom.history import user
from autograder.classroom.store import (
    STORE,
    ExportedMark,
    GivenMark,
    Key,
    Store,
    StoredMarks,
    read_store,
    timestamp,
    write_store,
)
from autograder.classroom.table_import import Row, Table, as_number
from autograder.course.course_file import Course, Exercise, Question
from autograder.course.errors import UserError
from autograder.course.text import ID_LETTERS, as_letters, few, number, one_line, several
from autograder.report.grades_table import plain_cell, safe_cell
from autograder.report.model import ExerciseReport, Report, WrittenAnswer

MARKS = "by-hand.csv"
ID, STATE = "answer_id", "answer_state"
COLUMNS = ("student", "exercise", "question", "points", "of", "comment", ID, STATE)
OLD_COLUMNS = 6  # number of columns in tables of older versions
CHANGED, ORPHANED, TWO = "answer changed", "orphaned", "two marks"
MAX_COMMENT = 5000
MAX_NAMED = 5


class Answered(msgspec.Struct, frozen=True):
    student: str
    exercise: str
    answer: WrittenAnswer

    @property
    def key(self) -> Key:
        return self.student, self.exercise, self.answer.name

    @property
    def id(self) -> str:
        return answer_id(self.answer.text)


class UncountedMark(msgspec.Struct, frozen=True):
    student: str
    exercise: str
    question: str
    points: str
    comment: str


def answer_id(text: str) -> str:
    return as_letters(" ".join(text.split()))


class Marks:
    """All marks of a class, from the store and from new cells of the table."""

    def __init__(
        self, results: Path, course: Course, graded: Iterable[Exercise], store: Store | None = None
    ) -> None:
        """Read the table and the store, if they exist. `graded` are this run's exercises."""
        self.table = Table(results / MARKS, COLUMNS, OLD_COLUMNS)
        self._graded = {exercise.name for exercise in graded}
        self._questions = {
            (exercise.name, question.name): question
            for exercise in course.exercises.values()
            for question in exercise.questions
        }
        self._rows: dict[Key, Row] = {}
        self._strays: list[Row] = []  # rows for unknown questions
        for row in self.table.rows:
            self._take(row)
        self.cells = {key: self._read_off(row) for key, row in self._rows.items()}
        with read_store(results) if store is None else nullcontext(store) as tables:
            self.stored = tables.marks()
            self._exported = tables.exported_marks()
        self._typed: set[Key] = set()  # answers whose mark in the table is newer than in the store
        self._conflicts: set[Key] = set()  # answers for which either mark may be newer
        for key in {**self._rows, **self.stored.by_answer}:
            if key[1:] in self._questions:
                self._merge(key)

    def _take(self, row: Row) -> None:
        key = self._key(row)
        question = self._questions.get(key[1:])
        if question is None:
            self._strays.append(row)
            return
        self._points(row, question)
        before = self._rows.get(key)
        if before is not None and self._is_filled_in(before):
            if self._is_filled_in(row):
                raise UserError(
                    f"{self.table.path}, lines {before.line} and {row.line}: two rows for "
                    f"{' / '.join(key)}. Decide which one counts, and delete the other."
                )
            return
        self._rows[key] = row

    def _merge(self, key: Key) -> None:
        """Return the mark that counts: the mark in the table, or the newest mark in the store."""
        entries = self.stored.by_answer.get(key)
        if self.changed_cell(key):
            known = self._exported.get(key)
            if entries is None or (known is not None and entries[-1].id <= known.newest):
                self._typed.add(key)
                return
            cell = self.cells[key]
            if not cell.is_blank and cell.shown != entries[-1].mark.shown:
                self._conflicts.add(key)
                return
        if entries is not None:
            self._put(key, entries[-1].mark)

    def changed_cell(self, key: Key) -> GivenMark | None:
        """Return the table's mark for an answer, if a person has changed it."""
        cell, known = self.cells.get(key), self._exported.get(key)
        if cell is None or (known is None and cell.is_blank):
            return None
        same = known is not None and (
            cell.shown == known.mark.shown and (cell.is_blank or cell.answer == known.mark.answer)
        )
        return None if same else cell

    def _put(self, key: Key, mark: GivenMark) -> None:
        cell, values = self.cells.get(key), {ID: mark.answer}
        if cell is None:
            names = safe_cell(mark.student), mark.exercise, mark.question
            values |= dict(zip(COLUMNS, names, strict=False))
        if cell is None or cell.points != mark.points:
            values["points"] = "" if mark.points is None else number(mark.points)
        if cell is None or cell.comment != mark.comment:
            values["comment"] = safe_cell(mark.comment)
        self._rows[key] = Row(0, self.table.row(values, self._rows.get(key)))
        self._points(self._rows[key], self._questions[key[1:]])

    def _read_off(self, row: Row) -> GivenMark:
        key = self._key(row)
        points = self._points(row, self._questions[key[1:]])
        comment = plain_cell(self.table.get(row, "comment"))[:MAX_COMMENT]
        return GivenMark(*key, self.table.get(row, ID).strip(), points, comment)

    def _key(self, row: Row) -> Key:
        student, exercise, question = (
            self.table.get(row, name).strip() for name in ("student", "exercise", "question")
        )
        return plain_cell(student), exercise, question

    def _is_mark(self, row: Row) -> bool:
        return any(self.table.get(row, name).strip() for name in ("points", "comment"))

    def _is_filled_in(self, row: Row) -> bool:
        own = self._is_mark(row), self._note(row), not self._has_our_id(row)
        return any(own) or any(self.table.others(row))

    def _has_our_id(self, row: Row) -> bool:
        id = self.table.get(row, ID).strip()
        return not id or (len(id) == ID_LETTERS and id.isascii() and id.isalpha() and id.islower())

    def _note(self, row: Row) -> str:
        text = self.table.get(row, STATE).strip()
        for state in (CHANGED, ORPHANED, TWO):
            text = "" if text == state else text.removeprefix(f"{state}; ")
        return text

    def _points(self, row: Row, question: Question) -> float | None:
        text = self.table.get(row, "points").strip()
        if not text:
            return None
        points = as_number(text)
        if points is None or not 0 <= points <= question.points:
            where = f"{self.table.path}, line {row.line}"
            if not row.line:
                who, store = one_line(self._key(row)[0], 60), self.table.path.with_name(STORE)
                where = f"{store}, the mark of {who} (mark it again on the desk)"
            raise UserError(
                f"{where}: expected points from 0 to "
                f"{number(question.points)} for {question.name}, found {text!r:.40}."
            )
        return points

    def state(self, each: Answered) -> str:
        """Return why a mark is not valid. For a valid or missing mark, return ""."""
        row = self._rows.get(each.key)
        if each.key in self._conflicts:
            return TWO
        if row is None or not self._is_mark(row):
            return ""
        bound = self.table.get(row, ID).strip()  # empty: confirmed for any answer
        return "" if bound in {"", each.id} else CHANGED

    def mark(self, each: Answered) -> GivenMark:
        """Return an answer's valid mark. If there is none, return a blank mark."""
        if each.key not in self._rows or self.state(each):
            return GivenMark(*each.key, "")
        return self._read_off(self._rows[each.key])

    def given(self, exercise: ExerciseReport, student: str) -> ExerciseReport:
        """Return the exercise with its marks. If all answers have points, its status is graded."""
        if not exercise.answers:
            return exercise
        answers, states = [], []
        for answer in exercise.answers:
            each = Answered(student, exercise.name, answer)
            mark = self.mark(each)
            states.append(self.state(each))
            answers.append(
                msgspec.structs.replace(answer, points=mark.points, comment=mark.comment)
            )
        points = [answer.points for answer in answers if answer.points is not None]
        left = len(answers) - len(points)
        whole = exercise.status == "by hand" and not left
        reason = f"{several(left, 'answer')} for a person to read."
        if CHANGED in states:
            reason += f" {states.count(CHANGED)} of them changed after they were marked."
        if TWO in states:
            reason += f" {states.count(TWO)} have one mark in {MARKS} and another on the desk."
        return msgspec.structs.replace(
            exercise,
            answers=tuple(answers),
            points=round(sum(points), 2),
            status="graded" if whole else exercise.status,
            reason="" if whole else reason,
        )

    def changed(self, answers: Sequence[Answered]) -> dict[Key, UncountedMark]:
        changed = [each.key for each in answers if self.state(each) == CHANGED]
        return {key: self._uncounted(self._rows[key]) for key in changed}

    def orphaned(self, answers: Sequence[Answered]) -> list[UncountedMark]:
        return [self._uncounted(row) for row in self._left(answers) if self._is_orphan(row)]

    def _uncounted(self, row: Row) -> UncountedMark:
        points, comment = (self.table.get(row, name).strip() for name in ("points", "comment"))
        return UncountedMark(*self._key(row), points, plain_cell(comment)[:MAX_COMMENT])

    def _left(self, answers: Sequence[Answered]) -> list[Row]:
        keys = {each.key for each in answers}
        rows = [row for key, row in self._rows.items() if key not in keys] + self._strays
        return [row for row in rows if not self._is_orphan(row) or self._is_filled_in(row)]

    def _is_orphan(self, row: Row) -> bool:
        _, exercise, question = self._key(row)
        return exercise in self._graded or (exercise, question) not in self._questions

    def notes(self, answers: Sequence[Answered]) -> list[str]:
        two = [self._uncounted(row) for key, row in self._rows.items() if key in self._conflicts]
        notes = []
        for marks, state, why in (
            (list(self.changed(answers).values()), CHANGED, "the mark was for an earlier text"),
            (self.orphaned(answers), ORPHANED, "no such answer was handed in"),
            (two, TWO, "the desk has a newer mark; choose one there"),
        ):
            if marks:
                names = few([f"{mark.student} ({mark.question})" for mark in marks], MAX_NAMED)
                rows = several(len(marks), "row")
                notes.append(f"{MARKS}: {rows} kept but not counted, {state} ({why}): {names}.")
        if self.stored.damaged:
            damaged = few([str(row) for row in self.stored.damaged], MAX_NAMED)
            notes.append(f"{STORE}: row {damaged} is damaged and not counted. Mark it again.")
        return notes

    def write(self, answers: Sequence[Answered]) -> list[str]:
        rows = [self._row(each) for each in answers]
        left = self._left(answers)
        rows += [row.cells for row in left if not self._is_orphan(row)]
        rows += [self._stated(row, ORPHANED, {}) for row in left if self._is_orphan(row)]
        with write_store(self.table.path.parent) as store:
            trouble = self.table.write(rows)
            if trouble:
                return [f"{trouble}, then run the same command again."]
            now_newest = _newest_ids(store.marks()) if self._typed else {}
            newest = _newest_ids(self.stored)
            exported = []
            for row in rows:
                key = self._key(Row(0, row))
                if key in self._conflicts or key[1:] not in self._questions:
                    continue
                cell = self._read_off(Row(0, row))
                if key in self._typed:
                    if now_newest.get(key) != newest.get(key):
                        continue  # somebody has marked it since then: leave it to the next run
                    newest[key] = store.add_marks([cell], user(), timestamp(), "table")
                known, new = self._exported.get(key), ExportedMark(cell, newest.get(key, 0))
                if known != new and not (known is None and cell.is_blank):
                    exported.append(new)
            store.set_exported_marks(exported)
        return []

    def _row(self, each: Answered) -> tuple[str, ...]:
        values = {"of": number(each.answer.max_points)}
        row = self._rows.get(each.key)
        if row is None:
            names = safe_cell(each.student), each.exercise, each.answer.name, each.id
            values |= dict(zip(("student", "exercise", "question", ID), names, strict=True))
            return self.table.row(values)
        state = self.state(each)
        if not state and self._has_our_id(row):
            values[ID] = each.id
        return self._stated(row, state, values)

    def _stated(self, row: Row, state: str, values: dict[str, str]) -> tuple[str, ...]:
        comment = safe_cell(plain_cell(self.table.get(row, "comment")))
        state_text = "; ".join(filter(None, (state, self._note(row))))
        return self.table.row({"comment": comment, STATE: state_text, **values}, row)


def _newest_ids(stored: StoredMarks) -> dict[Key, int]:
    return {key: entries[-1].id for key, entries in stored.by_answer.items()}


def answers_of(report: Report) -> list[Answered]:
    return [
        Answered(report.student, exercise.name, answer)
        for exercise in report.exercises
        for answer in exercise.answers
    ]
