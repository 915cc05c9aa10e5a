"""Answers in words: the marks that people give, each for the answer that it was given for."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from autograder.classroom.history import now
from autograder.classroom.lock import user
from autograder.classroom.store import FILE as LOG
from autograder.classroom.store import Act, GivenMark, InTable, Key, MarksLog, of_the_table, settled
from autograder.classroom.table_import import Row, Table, as_number
from autograder.course.course_file import Course, Exercise, Question
from autograder.course.errors import UserError
from autograder.course.text import digest, few, number, one_line, several
from autograder.report.grades_table import plain_cell, safe_cell
from autograder.report.model import ExerciseReport, Report, WrittenAnswer

TABLE = "by-hand.csv"
COLUMNS = (
    "student",
    "exercise",
    "question",
    "points",
    "of",
    "comment",
    "answer_id",
    "answer_state",
)
OLD_COLUMNS = 6  # of them, those that every table has
ID, STATE = "answer_id", "answer_state"
CHANGED, ORPHANED, TWO = "answer changed", "orphaned", "two marks"
ID_LETTERS = 24
MAX_COMMENT = 5000
MAX_NAMED = 5

Answers = Sequence[tuple[str, str, WrittenAnswer]]
_AS_LETTERS = str.maketrans("0123456789", "ghijklmnop")


class Mark(msgspec.Struct, frozen=True):
    """What a person gave for one answer."""

    points: float | None = None
    comment: str = ""


class Kept(msgspec.Struct, frozen=True):
    """A mark that does not count: whose, for what, and what it is."""

    student: str
    exercise: str
    question: str
    points: str
    comment: str


def answer_id(text: str) -> str:
    """Letters that stand for an answer's words; how it is broken into lines does not matter.

    No digits: a spreadsheet would take some of them for a number.
    """
    return digest(" ".join(text.split()), ID_LETTERS).translate(_AS_LETTERS)


class Marks:
    """The marks, of the table and of the desk: what counts, and what a person has to look at."""

    def __init__(self, path: Path, course: Course, graded: Iterable[Exercise]) -> None:
        """Read it; without a file it is empty. `graded` are the exercises of this run.

        Raises:
            UserError: it is no such table, a number in it is not one, or two rows are for one
                answer; it names the lines.
        """
        self.table = Table(path, COLUMNS, OLD_COLUMNS)
        self._graded = {exercise.name for exercise in graded}
        self._questions = {
            (exercise.name, question.name): question
            for exercise in course.exercises.values()
            for question in exercise.questions
        }
        self._rows: dict[Key, Row] = {}
        self._strays: list[Row] = []  # of no question of the course
        self._two: dict[Key, GivenMark] = {}  # what the desk has, where the table has another
        self._table_says: dict[Key, InTable] = {}  # of answers that the desk has marks of
        for row in self.table.rows:
            self._take(row)
        self.log = MarksLog(path.parent)
        self._given = self.log.read()
        self._read_until = self.log.lines
        for key in self._given:
            self._settle(key)

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
                    f"{' / '.join(key)}. Which of them counts is for a person to say: "
                    f"leave one of them."
                )
            return
        self._rows[key] = row

    def in_table(self, key: Key) -> InTable | None:
        """What the table has for an answer, or had before the desk's mark took its place."""
        row = self._rows.get(key)
        if key in self._given or row is None:
            return self._table_says.get(key)
        return self._read_off(row)

    def _settle(self, key: Key) -> None:
        """Put what counts of an answer's marks where the table's stands."""
        question, row = self._questions.get(key[1:]), self._rows.get(key)
        if question is None:
            return
        if row is not None:
            self._table_says[key] = self._read_off(row)
        two, last = settled(self._given[key], self._table_says.get(key))
        if two is not None:
            self._two[key] = two
        if last is None:
            return
        student, exercise, name = key
        values = {"student": safe_cell(student), "exercise": exercise, "question": name}
        values |= {"comment": safe_cell(last.comment), ID: last.answer}
        values["points"] = "" if last.points is None else number(last.points)
        self._rows[key] = Row(0, self.table.row(values, row))
        self._points(self._rows[key], question)

    def _read_off(self, row: Row) -> InTable:
        """What a row says."""
        key = self._key(row)
        mark = self._mark(row, key)
        return InTable(mark.points, mark.comment, self.table.get(row, ID).strip())

    def _key(self, row: Row) -> Key:
        student, exercise, question = (
            self.table.get(row, name).strip() for name in ("student", "exercise", "question")
        )
        return plain_cell(student), exercise, question

    def _is_mark(self, row: Row) -> bool:
        return any(self.table.get(row, name).strip() for name in ("points", "comment"))

    def _is_filled_in(self, row: Row) -> bool:
        """Whether a person wrote anything into a row."""
        said = self.table.get(row, ID).strip(), self._said(row)
        ours = not said[0] or _is_id(said[0])
        return self._is_mark(row) or any(self.table.others(row)) or not ours or bool(said[1])

    def _said(self, row: Row) -> str:
        """What a person wrote where we say what became of an answer."""
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
                who = one_line(self._key(row)[0], 60)
                where = f"{self.log.path}, what {who} was given; mark it again on the desk"
            raise UserError(
                f"{where}: expected points from 0 to "
                f"{number(question.points)} for {question.name}, found {text!r:.40}."
            )
        return points

    def _mark(self, row: Row, key: Key) -> Mark:
        comment = plain_cell(self.table.get(row, "comment"))[:MAX_COMMENT]
        return Mark(self._points(row, self._questions[key[1:]]), comment)

    def _is_for(self, row: Row, answer: WrittenAnswer) -> bool:
        """Whether what a row holds was given for this answer, or confirmed for it."""
        bound = self.table.get(row, ID).strip()
        return not self._is_mark(row) or bound in {"", answer_id(answer.text)}

    def state(self, student: str, exercise: str, answer: WrittenAnswer) -> str:
        """Why an answer's mark does not count; nothing where it does, or where there is none."""
        key = student, exercise, answer.name
        row = self._rows.get(key)
        if key in self._two:
            return TWO
        return "" if row is None or self._is_for(row, answer) else CHANGED

    def mark(self, student: str, exercise: str, answer: WrittenAnswer) -> Mark:
        """What counts of what was given for an answer."""
        key = student, exercise, answer.name
        counts = key in self._rows and not self.state(student, exercise, answer)
        return self._mark(self._rows[key], key) if counts else Mark()

    def given(self, exercise: ExerciseReport, student: str) -> ExerciseReport:
        """The exercise with what a person gave; graded once every answer has its points."""
        if not exercise.answers:
            return exercise
        answers, changed, two = [], 0, 0
        for answer in exercise.answers:
            key = student, exercise.name, answer.name
            mark = self.mark(student, exercise.name, answer)
            changed += self.state(student, exercise.name, answer) == CHANGED
            two += key in self._two
            answers.append(
                msgspec.structs.replace(answer, points=mark.points, comment=mark.comment)
            )
        points = [answer.points for answer in answers if answer.points is not None]
        left = len(answers) - len(points)
        whole = exercise.status == "by hand" and not left
        reason = f"{several(left, 'answer')} for a person to read."
        if changed:
            reason += f" {changed} of them changed since a mark was given."
        if two:
            reason += f" {two} of them have one mark in {TABLE} and another on the desk."
        return msgspec.structs.replace(
            exercise,
            answers=tuple(answers),
            points=round(sum(points), 2),
            status="graded" if whole else exercise.status,
            reason="" if whole else reason,
        )

    def changed(self, answers: Answers) -> dict[Key, Kept]:
        """The marks that were given for another text than an answer has now."""
        found = {}
        for student, exercise, answer in answers:
            key = student, exercise, answer.name
            row = self._rows.get(key)
            if row is not None and self.state(student, exercise, answer) == CHANGED:
                found[key] = self._kept(row)
        return found

    def two_marks(self) -> list[Kept]:
        """What the table has for answers of which the desk has another mark since."""
        return [self._kept(self._rows[key]) for key in self._two]

    def orphaned(self, answers: Answers) -> list[Kept]:
        """What was filled in for answers that are not there."""
        return [self._kept(row) for row in self._left(answers) if self._is_orphan(row)]

    def _kept(self, row: Row) -> Kept:
        points, comment = (self.table.get(row, name).strip() for name in ("points", "comment"))
        return Kept(*self._key(row), points, plain_cell(comment)[:MAX_COMMENT])

    def _left(self, answers: Answers) -> list[Row]:
        """The rows of no answer of this run that are worth keeping, in their order."""
        keys: Collection[Key] = {(who, where, answer.name) for who, where, answer in answers}
        rows = [row for key, row in self._rows.items() if key not in keys] + self._strays
        return [row for row in rows if not self._is_orphan(row) or self._is_filled_in(row)]

    def _is_orphan(self, row: Row) -> bool:
        """Whether a row without an answer should have one: its exercise was graded, or is none."""
        _, exercise, question = self._key(row)
        return exercise in self._graded or (exercise, question) not in self._questions

    def notes(self, answers: Answers) -> list[str]:
        """What a person should know of marks that do not count."""
        told = (
            (list(self.changed(answers).values()), CHANGED, "given for another text"),
            (self.orphaned(answers), ORPHANED, "no such answer was handed in"),
            (self.two_marks(), TWO, "the desk has another mark since; say on it which is meant"),
        )
        damaged = few([str(line) for line in self.log.damaged], MAX_NAMED)
        lost = [f"{LOG}: damaged and not counted: line {damaged}."] if damaged else []
        return [_note(kept, state, why) for kept, state, why in told if kept] + lost

    def write(self, answers: Answers) -> list[str]:
        """Write the table of all answers, with all that was ever filled in; what went wrong."""
        rows = [self._row(*each) for each in answers]
        left = self._left(answers)
        rows += [row.cells for row in left if not self._is_orphan(row)]
        rows += [self._stated(row, ORPHANED) for row in left if self._is_orphan(row)]
        trouble = self.table.write(rows)
        if trouble:
            return [f"{trouble}, and run the same command again."]
        self._keep_as_written([Row(0, tuple(row)) for row in rows])
        return []

    def _keep_as_written(self, rows: Sequence[Row]) -> None:
        """Note what the table says now, so that what is changed in it can be told."""
        marks = []
        for row in rows:
            key = self._key(row)
            if key not in self._given or key in self._two or key[1:] not in self._questions:
                continue
            says = self._read_off(row)
            known = of_the_table(self._given[key])
            if known is None or (known.said, known.answer) != (says.said, says.bound):
                marks.append(GivenMark(*key, says.bound, says.points, says.comment))
        if marks:
            with self.log.held() as pen:
                pen.add([Act(user(), now(), tuple(marks), "table", self._read_until)])

    def _row(self, student: str, exercise: str, answer: WrittenAnswer) -> tuple[str, ...]:
        values = {"of": number(answer.max_points)}
        row = self._rows.get((student, exercise, answer.name))
        if row is None:
            values |= {"student": safe_cell(student), "exercise": exercise, "question": answer.name}
            return self.table.row(values | {ID: answer_id(answer.text)})
        state = self.state(student, exercise, answer)
        if state:
            return self._stated(row, state, values)
        bound = self.table.get(row, ID).strip()
        if not bound or _is_id(bound):
            values[ID] = answer_id(answer.text)
        return self._stated(row, "", values)

    def _stated(
        self, row: Row, state: str, values: dict[str, str] | None = None
    ) -> tuple[str, ...]:
        comment = safe_cell(plain_cell(self.table.get(row, "comment")))
        said = "; ".join(filter(None, (state, self._said(row))))
        return self.table.row({"comment": comment, STATE: said, **(values or {})}, row)


def _is_id(text: str) -> bool:
    return len(text) == ID_LETTERS and text.isascii() and text.isalpha() and text.islower()


def _note(kept: Sequence[Kept], state: str, why: str) -> str:
    names = few([f"{each.student} ({each.question})" for each in kept], MAX_NAMED)
    rows = several(len(kept), "row")
    return f"{TABLE}: {rows} kept and not counted, {state} ({why}): {names}."


def answers_of(report: Report) -> list[tuple[str, str, WrittenAnswer]]:
    """A student's answers: who, in which exercise, what."""
    return [
        (report.student, exercise.name, answer)
        for exercise in report.exercises
        for answer in exercise.answers
    ]
