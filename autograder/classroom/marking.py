"""Marking of answers in words, by several people at the same time: the answers and marks."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from autograder.classroom.marks import MAX_COMMENT, TABLE, TWO, Answered, Marks, answers_of
from autograder.classroom.records import FILE as REPORTS
from autograder.classroom.store import (
    FILE,
    OLD_MARKS,
    ExportedMark,
    GivenMark,
    Key,
    timestamp,
    write_store,
)
from autograder.course.course_file import Course, Question
from autograder.course.errors import UserError
from autograder.course.text import digest, number, one_line, printable
from autograder.report.model import Report

MAX_BY = 60
TOKEN = 12
OfAnswers = TypeVar("OfAnswers")


class AnswerMarks(msgspec.Struct, frozen=True):
    """The marks of one answer.

    `mark` is the mark that counts. If the last mark does not count, `before` is that mark, and
    `state` is the reason. If table and desk disagree, `other` is the table's mark. `token` changes
    when any of these changes.
    """

    mark: GivenMark
    state: str
    token: str
    before: GivenMark | None = None
    other: GivenMark | None = None
    items: tuple[str, ...] = ()
    by: str = ""
    at: str = ""

    @property
    def is_open(self) -> bool:
        """Tell whether the answer has no points yet."""
        return self.mark.points is None


class Overtaken(Exception):
    """Error: another person has marked the answers `keys` in the meantime."""

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__()
        self.keys = tuple(keys)


class Marking:
    """The answers and marks in a results folder. They are read again when the files change."""

    def __init__(self, results: Path, course: Course) -> None:
        self.results = results
        self.course = course
        self._read_at: tuple[object, ...] = ()
        self._answers: dict[Key, Answered] = {}
        self._marks_at: tuple[object, ...] = ()
        self._marks: Marks | None = None
        self._made: dict[str, Any] = {}
        self._lock = threading.RLock()

    def question(self, exercise: str, question: str) -> Question:
        """Return a question of the course.

        Raises:
            UserError: the exercise has no such question.
        """
        for each in self.course.exercise(exercise).questions:
            if each.name == question:
                return each
        raise UserError(f"{one_line(exercise, 60)} has no question {one_line(question, 60)!r}.")

    def answers(self) -> dict[Key, Answered]:
        """Return all answers that students handed in, in the order of the class."""
        path = self.results / REPORTS
        with self._lock:
            state = _state(path)
            if state != self._read_at:
                answers = _read_answers(path)
                self._answers = {each.key: each for each in answers}
                self._made, self._read_at = {}, state
            return self._answers

    def cached(self, name: str, make: Callable[[], OfAnswers]) -> OfAnswers:
        """Return the result of `make()`. Call `make` again only after the answers have changed."""
        with self._lock:
            self.answers()
            if name not in self._made:
                self._made[name] = make()
            made: OfAnswers = self._made[name]
            return made

    def marks(self) -> Marks:
        """Return the current marks, from the store and from the table."""
        table = self.results / TABLE
        with self._lock:
            state = _state(table), _state(self.results / FILE), _state(self.results / OLD_MARKS)
            if self._marks is None or state != self._marks_at:
                self._marks = Marks(table, self.course, self.course.exercises.values())
                self._marks_at = state
            return self._marks

    def standing(self, answer: Answered, among: Marks | None = None) -> AnswerMarks:
        """Return the marks of an answer. They come from `among`, or else from the current marks."""
        marks = self.marks() if among is None else among
        entries, cell = marks.stored.by_answer.get(answer.key, []), marks.cells.get(answer.key)
        mark, state = marks.mark(answer), marks.state(answer)
        before = other = None
        if state:
            other = cell if state == TWO else None
            before = entries[-1].mark if entries else cell
        rest = [(given.points, given.comment) if given else None for given in (mark, other)]
        known = answer.id, state, before.shown if before else None, *rest
        desk = [e for e in entries if e.origin == "desk" and e.mark.shown == mark.shown]
        newest = desk[-1] if desk else None
        return AnswerMarks(
            mark,
            state,
            digest(repr(known), TOKEN),
            before=before,
            other=other,
            items=newest.mark.items if newest else (),
            by=newest.by if newest else "",
            at=newest.at if newest else "",
        )

    def enter(self, by: str, given: Sequence[GivenMark], tokens: Sequence[str]) -> None:
        """Store the marks of one person for one or several answers; either all are stored or none.

        `tokens` identify the marks that the person saw for these answers. When this returns, the
        marks are saved on the disk.

        Raises:
            Overtaken: another person has marked one of the answers in the meantime.
            UserError: an answer does not exist, points are out of range, or nothing can be written.
        """
        clean = [self._checked(mark) for mark in given]
        answers = self.answers()
        with write_store(self.results) as store:
            marks = Marks(self.results / TABLE, self.course, self.course.exercises.values(), store)
            late = []
            for mark, token in zip(clean, tokens, strict=True):
                answer = answers[mark.key]
                now = self.standing(answer, marks)
                agrees = not now.state and now.mark.shown == mark.shown  # the same mark
                if answer.id != mark.answer or not (agrees or now.token == token):
                    late.append(mark.key)
            if late:
                raise Overtaken(late)
            typed = [cell for mark in clean if (cell := marks.changed_cell(mark.key)) is not None]
            store.add_marks(typed, TABLE, timestamp(), "table")
            last = store.add_marks(clean, one_line(by, MAX_BY), timestamp(), "desk")
            store.set_exported_marks(ExportedMark(cell, last) for cell in typed)
        with self._lock:
            self._marks = None  # the file's time may not show two quick changes

    def _checked(self, mark: GivenMark) -> GivenMark:
        """Return a mark in the form that the store needs.

        Raises:
            UserError: the answer does not exist, or the points are out of range.
        """
        if mark.key not in self.answers():
            who, where = one_line(mark.student, 60), one_line(mark.question, 60)
            raise UserError(f"{who} no longer has an answer to {where}. Reload the page.")
        most = self.question(mark.exercise, mark.question).points
        if mark.points is not None and not 0 <= mark.points <= most:
            raise UserError(
                f"Expected points from 0 to {number(most)}, found {number(mark.points)}."
            )
        comment = printable(mark.comment.replace("\r\n", "\n").strip(), MAX_COMMENT)
        points = None if mark.points is None else round(mark.points, 2)
        return msgspec.structs.replace(mark, comment=comment, points=points)


def _read_answers(path: Path) -> list[Answered]:
    decoder = msgspec.json.Decoder(Report)
    try:
        with path.open("rb") as file:
            return [each for line in file for each in answers_of(decoder.decode(line))]
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}. Run grade first.") from None
    except msgspec.MsgspecError as error:
        raise UserError(
            f"{path} is damaged or from another version ({error}). Run grade again."
        ) from None


def _state(path: Path) -> tuple[int, int, int]:
    """Return a file's inode, size and time, which show if it has changed; zeros without a file."""
    try:
        about = path.lstat()
    except OSError:
        return 0, 0, 0
    return about.st_ino, about.st_size, about.st_mtime_ns
