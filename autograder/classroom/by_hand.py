"""Answers in words: the table that a person fills in, and its points put into the reports."""

import csv
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.course import Exercise, Question
from autograder.errors import UserError
from autograder.report.model import ExerciseReport, Report, WrittenAnswer
from autograder.report.table import safe_cell, write_table
from autograder.text import number, several

TABLE = "by-hand.csv"
COLUMNS = ["student", "exercise", "question", "points", "of", "comment"]
MAX_COMMENT = 5000

Key = tuple[str, str, str]


class Mark(msgspec.Struct, frozen=True):
    """What a person gave for one answer."""

    points: float | None
    comment: str


def read_marks(path: Path, exercises: Sequence[Exercise]) -> dict[Key, Mark]:
    """What the table holds, by student, exercise and question; nothing if there is no table.

    Raises:
        UserError: it is not such a table, or a number in it is not one; it names the line.
    """
    if not path.is_file():
        return {}
    try:
        return _marks(path, {(e.name, q.name): q for e in exercises for q in e.questions})
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(
            f"{path} cannot be read as a table ({error}). Save it as CSV in UTF-8."
        ) from None


def _marks(path: Path, questions: dict[tuple[str, str], Question]) -> dict[Key, Mark]:
    marks = {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        table = csv.DictReader(file)
        absent = [name for name in COLUMNS if name not in (table.fieldnames or ())]
        if absent:
            raise UserError(
                f"{path}: the columns {', '.join(absent)} are missing. Put them back, or move the "
                f"file away: grade then writes a new one."
            )
        for row in table:
            question = questions.get((row["exercise"], row["question"]))
            if question is not None:
                student = (row["student"] or "").removeprefix("'")
                key = student, row["exercise"], row["question"]
                points = _points(row["points"], question, f"{path}, line {table.line_num}")
                marks[key] = Mark(points, (row["comment"] or "").removeprefix("'")[:MAX_COMMENT])
    return marks


def _points(text: str | None, question: Question, where: str) -> float | None:
    if not text or not text.strip():
        return None
    try:
        points = float(text.replace(",", "."))
    except ValueError:
        points = -1.0
    if not 0 <= points <= question.points:
        raise UserError(
            f"{where}: expected points from 0 to {number(question.points)} for "
            f"{question.name}, found {text.strip()!r:.40}."
        )
    return points


def with_marks(exercise: ExerciseReport, student: str, marks: dict[Key, Mark]) -> ExerciseReport:
    """The exercise with what a person gave; graded once every answer has its points."""
    if not exercise.answers:
        return exercise
    nothing = Mark(None, "")
    answers = []
    for answer in exercise.answers:
        mark = marks.get((student.removeprefix("'"), exercise.name, answer.name), nothing)
        answers.append(msgspec.structs.replace(answer, points=mark.points, comment=mark.comment))
    given = [answer.points for answer in answers if answer.points is not None]
    left = len(answers) - len(given)
    whole = exercise.status == "by hand" and not left
    return msgspec.structs.replace(
        exercise,
        answers=tuple(answers),
        points=round(sum(given), 2),
        status="graded" if whole else exercise.status,
        reason="" if whole else f"{several(left, 'answer')} for a person to read.",
    )


def write_marks(path: Path, rows: Sequence[tuple[str, str, WrittenAnswer]]) -> None:
    """The table of all answers, with what was filled in so far."""
    write_table(path, COLUMNS, (_row(*row) for row in rows))


def _row(student: str, exercise: str, answer: WrittenAnswer) -> list[str]:
    points = "" if answer.points is None else number(answer.points)
    most, comment = number(answer.max_points), safe_cell(answer.comment)
    return [safe_cell(student), exercise, answer.name, points, most, comment]


def answers_of(report: Report) -> list[tuple[str, str, WrittenAnswer]]:
    """A student's answers: who, in which exercise, what."""
    return [
        (report.student, exercise.name, answer)
        for exercise in report.exercises
        for answer in exercise.answers
    ]
